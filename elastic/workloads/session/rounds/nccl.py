"""Sums between GPUs over NCCL, in a round whose gloo group shows who has died.

NCCL itself notices neither a death nor a cut connection: its kernels wait on the GPU until they are
aborted. An aborted collective looks as if it were done, so a waiter checks for that too.
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

from elastic.durations import GLANCE_S
from elastic.workloads.session.messages import tell
from elastic.workloads.session.rounds import c10d

LOOK_S = 0.0002  # a step on a GPU takes hundreds of times as long
TRIES = 3  # a member may die while others connect
# torch would end the process if a collective fails or is late. Here that is one way for a round to
# end, and the links show who is dead or silent. The last setting is the seconds that connecting may
# take.
LENIENT = {
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0",
    "TORCH_NCCL_BLOCKING_WAIT": "0",
    "TORCH_NCCL_DESYNC_DEBUG": "0",
    "TORCH_NCCL_ENABLE_MONITORING": "0",
    "TORCH_NCCL_NONBLOCKING_TIMEOUT": "8",
}


@dataclass(slots=True)
class Gpu:
    """The device of a session's tensors, and how often in a row NCCL could not connect it."""

    device: torch.device
    failures: int = 0

    def name(self) -> str | None:
        """The GPU's name; None if there is none, or if NCCL does not work.

        >>> Gpu(torch.device("cpu")).name()
        """
        if self.device.type != "cuda" or not dist.is_nccl_available() or self.failures >= TRIES:
            return None
        return str(torch.cuda.get_device_properties(self.device).uuid)


def prepare_nccl(device: torch.device) -> None:
    """Makes torch keep the process alive after failures; call it before the first GPU group."""
    if device.type == "cuda":
        os.environ.update(LENIENT)


class Nccl:
    """The ranks' connected GPUs. Each rank needs its own: NCCL takes none twice."""

    def __init__(
        self, store: Any, rank: int, world_size: int, gpu: Gpu, *, timeout_s: float
    ) -> None:
        """Connects them; returns after a sum over all. Raises RuntimeError.

        After several failures in a row this process says so and no longer names a GPU: then gloo
        makes all sums.
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
                        "session: NCCL does not connect the members' GPUs, gloo sums their "
                        f"tensors: {error}"
                    )
                raise

    def takes(self, tensor: Tensor) -> bool:
        """Whether a tensor is on the device of these collectives."""
        return tensor.device == self.device

    def all_reduce(self, tensor: Tensor) -> Work:
        """Begins to sum `tensor` over the ranks, in place."""
        options = AllreduceOptions()
        # torch's stub names the enumeration, not its type.
        options.reduceOp = ReduceOp.SUM  # type: ignore[assignment]
        return self._begun(self._group.allreduce([tensor], options))

    def broadcast(self, tensor: Tensor, *, source: int) -> Work:
        """Begins to overwrite `tensor` by the source's."""
        options = BroadcastOptions()
        options.rootRank = source
        return self._begun(self._group.broadcast([tensor], options))

    def abort(self) -> None:
        """Ends every collective under way, here alone, in a thread: aborting may take any time."""
        self.is_aborted = True
        threading.Thread(
            target=_end, args=(self._group,), name="session-nccl-abort", daemon=True
        ).start()

    def _begun(self, work: Any) -> Work:
        work.wait()  # makes only the GPU's current stream wait for it
        return Work(self, work, mark(self.device))

    def __del__(self) -> None:
        if hasattr(self, "_group") and not self.is_aborted:
            # In this thread: when Python ends, starting another one would block for ever.
            _end(self._group)


@dataclass(frozen=True, slots=True)
class Work:
    """A collective under way, for `Gloo.wait`; the GPU passes `mark` when it is done."""

    owner: Nccl
    work: Any
    mark: Any

    def is_completed(self) -> bool:
        """Whether it has completed or failed."""
        return self.owner.is_aborted or bool(self.mark.query()) or self._has_failed()

    def wait(self, limit: timedelta | None = None) -> None:
        """Waits for it, `limit` at most. Raises RuntimeError if it failed, or is not done."""
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
        # Check this last: an aborted kernel looks as if it had completed.
        if self.owner.is_aborted:
            raise RuntimeError("NCCL was aborted")

    def _has_failed(self) -> bool:
        """Whether NCCL reports its end although the GPU does not finish it."""
        if not self.work.is_completed():
            return False
        until_s = monotonic() + GLANCE_S
        while not (is_done := bool(self.mark.query())) and monotonic() < until_s:
            sleep(LOOK_S)
        return not is_done


def _end(group: Any) -> None:
    with contextlib.suppress(RuntimeError):
        group.abort()


def mark(device: torch.device) -> Any:
    """Puts a mark behind all work on the GPU's current stream."""
    # torch leaves it untyped.
    event = torch.cuda.Event()  # type: ignore[no-untyped-call]
    event.record(torch.cuda.current_stream(device))
    return event


@contextlib.contextmanager
def _thread_on(device: torch.device) -> Iterator[None]:
    """Gives this thread its own stream on a GPU: training must not wait for connecting."""
    if device.type != "cuda":
        yield
        return
    # torch leaves it untyped.
    own = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    with torch.cuda.device(device), torch.cuda.stream(own):
        yield
