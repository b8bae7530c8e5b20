"""What stands in for NCCL where there is no GPU: groups that neither notice a death nor fail, and
must be aborted.

A collective goes on by itself, as a kernel does, over gloo; where gloo fails it hangs. Once it is
aborted, it is over and looks as if it were done.
"""

from __future__ import annotations

import os
import threading
from datetime import timedelta
from time import perf_counter
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.distributed import PrefixStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.workloads.session.division import GpuStopwatch, Stopwatch
from elastic.workloads.session.rounds import Plug, c10d, nccl, sockets

_kernels: list[Kernel] = []
_own = threading.local()  # what each thread, as a member in a test, has begun last


def install() -> None:
    """Has this process's sessions sum over it, on the CPU."""
    nccl.Gpu.name = lambda gpu: f"GPU of {os.getpid()}"  # type: ignore[assignment,method-assign]
    nccl.mark = lambda device: _own.last
    c10d.nccl_group = StandIn
    Stopwatch.of = lambda device: GpuStopwatch(lambda: Late(perf_counter()))  # type: ignore[method-assign]


def sizes(*, since: int) -> set[int]:
    """Gives how many values were in the collectives that this process has begun after so many."""
    return {kernel.size for kernel in _kernels[since:]}


def sums() -> int:
    """Gives how many collectives this process has begun."""
    return len(_kernels)


class Late(float):
    """A mark, in seconds, that a GPU comes to later than the thread that puts it there, which hears
    so at first."""

    asked: ClassVar[set[float]] = set()

    def query(self) -> bool:
        was_asked = self in self.asked
        self.asked.add(self)
        return was_asked

    def elapsed_time(self, end_event: Late) -> float:
        return 1e3 * float(end_event - self)


class StandIn:
    """A group as torch's of NCCL, as far as sessions use it."""

    def __init__(self, store: Any, rank: int, world_size: int) -> None:
        self.is_aborted = False
        self._store = PrefixStore("nccl", store)
        self._rank, self._world_size = rank, world_size

    def eager_connect_single_device(self, device: torch.device) -> None:
        self._plug = Plug("127.0.0.1")
        self._gloo = c10d.gloo_group(
            self._store, self._rank, self._world_size, device=self._plug.device, timeout_s=20.0
        )

    def allreduce(self, tensors: list[Tensor], options: Any) -> Kernel:
        options.timeout = timedelta(hours=1)
        return Kernel(self, self._gloo.allreduce(tensors, options), tensors[0].numel())

    def broadcast(self, tensors: list[Tensor], options: Any) -> Kernel:
        options.timeout = timedelta(hours=1)
        return Kernel(self, self._gloo.broadcast(tensors, options), tensors[0].numel())

    def abort(self) -> None:
        self.is_aborted = True
        own = set(self._plug.addresses)
        sockets.cut(lambda address, other: address in own)


class Kernel:
    """A collective under way, and the mark behind it."""

    def __init__(self, group: StandIn, work: Any, size: int) -> None:
        self._group, self._work, self.size = group, work, size
        _kernels.append(self)
        _own.last = self

    def wait(self) -> None:
        """Has a stream wait for it, and no thread."""

    def is_completed(self) -> bool:
        return self.query()

    def query(self) -> bool:
        if self._group.is_aborted:
            return True
        if not self._work.is_completed():
            return False
        try:
            self._work.wait()
        except RuntimeError:
            return False  # it goes on waiting for one that is dead
        return True
