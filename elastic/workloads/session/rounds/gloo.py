"""One round's process group over gloo, and NCCL for tensors on GPUs. Another thread can cut it."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections import deque
from collections.abc import Callable, Mapping
from datetime import timedelta
from time import monotonic
from typing import Any

import torch
from torch import Tensor
from torch.distributed import AllreduceOptions, BroadcastOptions, ReduceOp

from elastic.durations import GLANCE_S
from elastic.rendezvous import Address
from elastic.workloads.session.rounds import c10d, sockets
from elastic.workloads.session.rounds.nccl import Gpu, Nccl

LOOK = timedelta(seconds=GLANCE_S)
LEFT_OUT = "the job goes on without this process"
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
# Not bool: its sums would be bytes that are neither true nor false.
TYPES = (
    *FLOATS,
    torch.complex128,
    torch.complex64,
    torch.int64,
    torch.int32,
    torch.int8,
    torch.uint8,
)
DEVICES = ("cpu", "cuda")
_DEVICES = threading.Lock()


class RoundLost(Exception):
    """This round's collectives can no longer complete. The present turn is repeated in the next
    round."""


class Plug:
    """A gloo device for one round only: its listening address identifies that round's sockets."""

    def __init__(self, host: str) -> None:
        with _DEVICES:
            before = sockets.listeners()
            self.device: Any = c10d.gloo_device(host)
            fresh = {
                number: own for number, own in sockets.listeners().items() if number not in before
            }
        self.addresses: tuple[Address, ...] = tuple(fresh.values())


class Gloo:
    """A process group that reports each lost connection as `RoundLost`."""

    def __init__(
        self,
        store: Any,
        rank: int,
        world_size: int,
        plug: Plug,
        plugs: Mapping[int, list[Address]],
        *,
        timeout_s: float,
        gpu: Gpu | None = None,
    ) -> None:
        """Meets the others. Raises RoundLost.

        It returns once a sum over all ranks has gone through. If `gpu` is this rank's GPU, a sum
        over all ranks' GPUs must go through as well.
        """
        self.rank = rank
        self.world_size = world_size
        # torch does not keep the Python object alive.
        self._store = store
        self._summing = AllreduceOptions()
        # torch's stub names the enumeration, not its type.
        self._summing.reduceOp = ReduceOp.SUM  # type: ignore[assignment]
        self._summing.timeout = c10d.COLLECTIVE_TIMEOUT
        self._cut_s: float | None = None
        # No more than these are ever in progress at once.
        self._works: deque[Any] = deque(maxlen=4)
        # Every rank begins the same collectives in the same order: one that has begun fewer is
        # behind.
        self.begun = 0
        self.is_waiting = False
        self._own = frozenset(map(tuple, plug.addresses))
        self._others = frozenset(
            tuple(each) for peer, all_ in plugs.items() if peer != rank for each in all_
        )
        self._nccl: Nccl | None = None
        try:
            self._group: Any = c10d.gloo_group(
                store, rank, world_size, device=plug.device, timeout_s=timeout_s
            )
            self._group.allreduce([torch.zeros(1)]).wait(timedelta(seconds=timeout_s))
            if gpu is not None:
                self._nccl = Nccl(store, rank, world_size, gpu, timeout_s=timeout_s)
        except RuntimeError as error:
            self.cut()
            raise RoundLost(str(error)) from error

    @property
    def is_cut(self) -> bool:
        return self._cut_s is not None

    def cut(self) -> None:
        """Ends this round's connections: all its collectives fail, here and on the other ranks."""
        self._cut_s = monotonic() if self._cut_s is None else self._cut_s
        with contextlib.suppress(OSError):
            # This fails if no descriptor is left. `wait` gives up even then.
            sockets.cut(lambda own, other: own in self._own or other in self._others)
        if self._nccl is not None and not self._nccl.is_aborted:
            self._nccl.abort()

    @property
    def has_gpus(self) -> bool:
        """Whether the ranks' GPUs sum their tensors themselves."""
        return self._nccl is not None

    def all_reduce(self, tensor: Tensor) -> Any:
        """Begins to sum `tensor` over the ranks, in place; pass the result to `wait`.

        It must be of one of `TYPES`, on one of `DEVICES`, and fill its memory. gloo ignores
        strides, and an unknown type fails there like a lost connection.
        """
        if (nccl := self._nccl) is not None and nccl.takes(tensor):
            return self._begin(lambda: nccl.all_reduce(tensor))
        return self.all_reduce_aside(tensor)

    def all_reduce_aside(self, tensor: Tensor) -> Any:
        """As `all_reduce`, but never over NCCL: both kinds of sums may run side by side."""
        return self._begin(lambda: self._group.allreduce([tensor], self._summing))

    def broadcast(self, tensor: Tensor, *, source: int) -> Any:
        """Begins to overwrite `tensor` by the source's; pass the result to `wait`."""
        if (nccl := self._nccl) is not None and nccl.takes(tensor):
            return self._begin(lambda: nccl.broadcast(tensor, source=source))
        options = BroadcastOptions()
        options.rootRank = source
        options.timeout = c10d.COLLECTIVE_TIMEOUT
        return self._begin(lambda: self._group.broadcast([tensor], options))

    def wait(self, work: Any) -> None:
        """Waits for a collective. Raises RoundLost."""
        self.is_waiting = True
        try:
            while not self._is_done(work):
                # torch 2.13: a collective of a process that had been stopped sometimes waits for
                # ever, if it began as its connections ended. All others fail within milliseconds.
                if (
                    self._cut_s is not None
                    and monotonic() - self._cut_s > GLANCE_S
                    and not work.is_completed()
                ):
                    raise RoundLost("the connections were cut, and gloo has not noticed")
        finally:
            self.is_waiting = False

    def _is_done(self, work: Any) -> bool:
        """Looks for a while whether a collective has completed. Raises RoundLost."""
        try:
            work.wait(LOOK)
            return True
        # Either the time is over, or the collective has failed.
        except RuntimeError:
            if not work.is_completed():
                return False
        try:
            work.wait()
        except RuntimeError as error:
            raise RoundLost(str(error)) from error
        return True

    def _begin(self, collective: Callable[[], Any]) -> Any:
        self.begun += 1
        try:
            work = collective()
        except RuntimeError as error:
            if not self.is_cut:
                raise  # gloo refuses the tensor: so would any other round
            raise RoundLost(str(error)) from error
        self._works.append(work)
        return work

    def __del__(self) -> None:
        if any(not work.is_completed() for work in self._works):
            # The group's destructor would wait for them for ever: keep the group alive until the
            # process ends.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._group))
