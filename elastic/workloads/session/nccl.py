"""Sums between GPUs over NCCL, for a generation whose group over gloo tells who has died.

NCCL itself notices neither a death nor a cut connection: its kernels wait on the GPU until they are
aborted. What an aborted one leaves behind looks as if it were done, so whoever waits asks for that
too.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic, sleep
from typing import Any

import torch
from torch import Tensor
from torch import distributed as dist
from torch.distributed import AllreduceOptions, BroadcastOptions, ReduceOp

from elastic.workloads.session import c10d
from elastic.workloads.session.messages import tell

LOOK_S = 0.0002  # a step on a GPU takes hundreds of times as long
FAILED_S = 0.1  # for the GPU to be done with what seems to have failed
TRIES = 3  # a member may die while others connect
# torch would end the process where a collective fails or is late, which here is one way among
# others for a generation to end: who is dead or silent is told by the links. The last is in
# seconds: how long it may take to connect.
LENIENT = {
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0",
    "TORCH_NCCL_BLOCKING_WAIT": "0",
    "TORCH_NCCL_DESYNC_DEBUG": "0",
    "TORCH_NCCL_ENABLE_MONITORING": "0",
    "TORCH_NCCL_NONBLOCKING_TIMEOUT": "8",
}


@dataclass(slots=True)
class Gpu:
    """What the tensors of a session's process lie on, and how often in a row that could not be
    connected by NCCL."""

    device: torch.device
    failures: int = 0

    def name(self) -> str | None:
        """Names the GPU, None where there is none, or NCCL does not work.

        >>> Gpu(torch.device("cpu")).name()
        """
        if self.device.type != "cuda" or not dist.is_nccl_available() or self.failures >= TRIES:
            return None
        return str(torch.cuda.get_device_properties(self.device).uuid)


def prepare(device: torch.device) -> None:
    """Has torch leave the process alive whatever fails, before it makes the first group for a
    GPU."""
    if device.type == "cuda":
        os.environ.update(LENIENT)


class Nccl:
    """The ranks' GPUs, connected. Every rank has one of its own: NCCL takes none twice."""

    def __init__(
        self, store: Any, rank: int, world_size: int, gpu: Gpu, *, timeout_s: float
    ) -> None:
        """Connects them; returns when a sum over all has gone through. Raises RuntimeError.

        Where that fails again and again, this process says so, and its session names no GPU any
        more: all are summed over gloo.
        """
        self.device = gpu.device
        self.is_aborted = False
        with _thread_on(gpu.device):
            self._group: Any = c10d.nccl_group(store, rank, world_size)
            try:
                self._group.eager_connect_single_device(gpu.device)
                self.all_reduce(torch.zeros(1, device=gpu.device)).wait(
                    timedelta(seconds=timeout_s)
                )
                gpu.failures = 0
            except BaseException as error:
                self.abort()
                gpu.failures += 1
                if gpu.failures == TRIES:
                    tell(
                        "session: NCCL does not connect the members' GPUs, gloo sums what lies on "
                        f"them: {error}"
                    )
                raise

    def takes(self, tensor: Tensor) -> bool:
        """Whether a tensor lies where these collectives work."""
        return tensor.device == self.device

    def all_reduce(self, tensor: Tensor) -> Work:
        """Begins to sum `tensor` over the ranks, in place."""
        options = AllreduceOptions()
        options.reduceOp = ReduceOp.SUM  # type: ignore[assignment]  # the stub names the enumeration, not its type
        return self._begun(self._group.allreduce([tensor], options))

    def broadcast(self, tensor: Tensor, *, source: int) -> Work:
        """Begins to overwrite `tensor` by the source's."""
        options = BroadcastOptions()
        options.rootRank = source
        return self._begun(self._group.broadcast([tensor], options))

    def abort(self) -> None:
        """Ends every collective under way, here alone, whether or not it can be ended in any time
        at all."""
        self.is_aborted = True
        threading.Thread(
            target=_end, args=(self._group,), name="session-nccl-abort", daemon=True
        ).start()

    def _begun(self, work: Any) -> Work:
        work.wait()  # has the GPU's present stream wait for it, and nobody else
        return Work(self, work, mark(self.device))

    def __del__(self) -> None:
        if hasattr(self, "_group") and not self.is_aborted:
            _end(self._group)  # here: where Python ends, whoever starts a thread waits for ever


@dataclass(frozen=True, slots=True)
class Work:
    """A collective under way, to be waited for as one of gloo's; `mark` is passed once the GPU is
    done with it."""

    owner: Nccl
    work: Any
    mark: Any

    def is_completed(self) -> bool:
        """Whether it has gone through, or failed."""
        return self.owner.is_aborted or bool(self.mark.query()) or self._has_failed()

    def wait(self, limit: timedelta | None = None) -> None:
        """Waits for it, so long at most. Raises RuntimeError where it has failed, or the time is
        over."""
        until_s = None
        if limit is not None:
            until_s = monotonic() + limit.total_seconds()
        while not self.mark.query():
            if self.owner.is_aborted:
                break
            if self._has_failed():
                raise RuntimeError("NCCL has failed")
            if until_s is not None and monotonic() > until_s:
                raise RuntimeError("the time is over")
            sleep(LOOK_S)
        if (
            self.owner.is_aborted
        ):  # asked last: what an aborted kernel leaves looks like any other's
            raise RuntimeError("NCCL was aborted")

    def _has_failed(self) -> bool:
        """Whether NCCL says that it is over, and the GPU is not done with it in spite of that."""
        if not self.work.is_completed():
            return False
        until_s = monotonic() + FAILED_S
        while not (is_done := bool(self.mark.query())) and monotonic() < until_s:
            sleep(LOOK_S)
        return not is_done


def _end(group: Any) -> None:
    with contextlib.suppress(RuntimeError):
        group.abort()


def mark(device: torch.device) -> Any:
    """Puts a mark behind all that the GPU's present stream was given."""
    event = torch.cuda.Event()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    event.record(torch.cuda.current_stream(device))
    return event


@contextlib.contextmanager
def _thread_on(device: torch.device) -> Iterator[None]:
    """Has this thread's work go to a GPU, by a way of its own: what trains there must not wait for
    what connects."""
    if device.type != "cuda":
        yield
        return
    own = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    with torch.cuda.device(device), torch.cuda.stream(own):
        yield
