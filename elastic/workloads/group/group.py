"""The ranks of one generation for a training loop: this process's rank, and sums over all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch does not export it

from elastic.errors import InvalidInput
from elastic.rendezvous.listening import listen
from elastic.workloads.nameless import give_up_names


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """This process's place among the ranks; alone, every sum is the value itself."""

    rank: int
    world_size: int
    device: torch.device

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def summed(self, values: Tensor) -> Tensor:
        """Returns the sum over all ranks; gradients flow back to every rank's values."""
        if self.world_size == 1:
            return values
        # torch leaves apply untyped.
        total: Tensor = SumOverRanks.apply(values, _all_reduce)  # type: ignore[no-untyped-call]
        return total

    def begin_sum(self, values: Tensor) -> dist.Work:
        """Begins to replace `values` by their sum; every rank begins the same sums in one order."""
        work: dist.Work = dist.all_reduce(values, async_op=True)
        return work

    def any_of(self, flag: bool) -> Callable[[], bool]:
        """Asks all ranks; gives what waits for their answers, and says whether the flag of any is
        set.

        It goes by way of the CPU, so that no GPU is waited for.
        """
        if self.world_size == 1:
            return lambda: flag
        flags = torch.tensor([float(flag)])
        work = self.begin_sum(flags)

        def is_any_set() -> bool:
            work.wait()
            return bool(flags.item() > 0)

        return is_any_set

    def broadcast(self, tensors: Sequence[Tensor]) -> None:
        """Overwrites `tensors` on every rank by those of rank 0."""
        if self.world_size > 1:
            works = [dist.broadcast(tensor, src=0, async_op=True) for tensor in tensors]
            for work in works:
                work.wait()

    def barrier(self) -> None:
        """Returns when every rank has come here."""
        if self.world_size > 1:
            # on the CPU: a sum on GPUs would not block this process
            self.begin_sum(torch.zeros(1)).wait()


@contextmanager
def joined(
    *, timeout_s: float, environment: Mapping[str, str] = os.environ
) -> Iterator[ProcessGroup]:
    """Joins the group that torchrun's environment describes, and leaves it at the end."""
    rank = int(environment.get("RANK", "0"))
    world_size = int(environment.get("WORLD_SIZE", "1"))
    device = device_of(int(environment.get("LOCAL_RANK", "0")))
    if world_size == 1:
        yield ProcessGroup(rank, world_size, device)
        return
    timeout = timedelta(seconds=timeout_s)
    terms: dict[str, Any] = {"backend": "gloo", "timeout": timeout}
    if device.type == "cuda":
        # Tensors on the CPU are summed over gloo, so that agreeing waits for no GPU. A GPU that is
        # named here is bound to this rank, and connected at once.
        terms = {"backend": "cpu:gloo,cuda:nccl", "timeout": timeout, "device_id": device}
    # torchrun serves the store in that case.
    if environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        dist.init_process_group(**terms)
    else:
        store = _store(rank, environment["MASTER_ADDR"], int(environment["MASTER_PORT"]), timeout)
        dist.init_process_group(**terms, store=store, rank=rank, world_size=world_size)
    try:
        yield ProcessGroup(rank, world_size, device)
    finally:
        dist.destroy_process_group()


def device_of(local_rank: int) -> torch.device:
    """Returns the device of this machine's rank, and binds this process to it: a GPU if any.

    Raises InvalidInput if there are more ranks than GPUs.
    """
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = gpu_of(local_rank, torch.cuda.device_count())
    # Before anything else: a tensor that names no GPU would otherwise be put on the first one.
    torch.cuda.set_device(device)
    return device


def gpu_of(local_rank: int, count: int) -> torch.device:
    """Returns a rank's GPU among those of its machine. Raises InvalidInput if it has none.

    >>> gpu_of(1, 4)
    device(type='cuda', index=1)
    """
    if local_rank >= count:
        raise InvalidInput(
            f"LOCAL_RANK {local_rank}: wanted a GPU for each worker of this machine, found "
            f"{count}; start one worker a GPU (nproc_per_node: auto), or hide the GPUs from all "
            "(CUDA_VISIBLE_DEVICES=-1) to train on the CPU",
            field="nproc_per_node",
        )
    return torch.device("cuda", local_rank)


def _store(rank: int, host: str, port: int, timeout: timedelta) -> TCPStore:
    """Returns the store at which the ranks meet; rank 0 hosts it, at that one address only.

    A TCPStore by itself binds every address of the machine, and it has no authentication.
    """
    give_up_names()
    listener: dict[str, Any] = (
        {"master_listen_fd": listen(host, port).descriptor} if rank == 0 else {}
    )
    return TCPStore(
        host, port, None, rank == 0, timeout=timeout, wait_for_workers=False, **listener
    )


class SumOverRanks(torch.autograd.Function):
    """An all-reduce for autograd: the gradient of a sum over ranks is the sum of the gradients.

    `all_reduce` turns a tensor into its sum over ranks, and returns it.
    """

    @staticmethod
    def forward(ctx: Any, values: Tensor, all_reduce: Callable[[Tensor], Tensor]) -> Tensor:
        ctx.all_reduce = all_reduce
        return all_reduce(values.detach().clone(memory_format=torch.contiguous_format))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        # By the same function, so that a gradient of this gradient is summed as well.
        total: Tensor = SumOverRanks.apply(gradient, ctx.all_reduce)  # type: ignore[no-untyped-call]
        return total, None


def _all_reduce(values: Tensor) -> Tensor:
    dist.all_reduce(values)
    return values
