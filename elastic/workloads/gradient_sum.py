"""Sums a model's gradients over all ranks in one message, with a few numbers riding along."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import Tensor

from elastic.workloads.group import Group


class GradientSum:
    """One flat buffer that mirrors the parameters. `start` fills and sends it, `finish` waits and gives the sums.

    Each rank hands in the gradients of its samples' share of the global loss, so the plain sum is the gradient one
    process would have computed, however the samples were divided. (A mean over ranks, as DistributedDataParallel
    takes, is only right for equal shares.)
    """

    def __init__(self, parameters: Sequence[Tensor], group: Group, *, riders: int = 0) -> None:
        self._group = group
        self._riders = riders
        self._work: dist.Work | None = None
        self._local: tuple[list[Tensor], Tensor] | None = None
        if group.world_size > 1:
            self._flat, self._views = _mirror(parameters, riders)

    def start(self, gradients: Sequence[Tensor], riders: Tensor | None = None) -> None:
        """Begins to sum; returns while the message is under way."""
        if self._group.world_size == 1:
            self._local = (list(gradients), riders if riders is not None else torch.empty(0))
            return
        torch._foreach_copy_(self._views, list(gradients))
        if riders is not None:
            self._flat[-self._riders :] = riders
        self._work = dist.all_reduce(self._flat, async_op=True)

    def finish(self) -> tuple[list[Tensor], Tensor]:
        """Gives the summed gradients and riders, valid until the next `start`."""
        if self._local is not None:
            local, self._local = self._local, None
            return local
        assert self._work is not None, "finish() follows start()"
        self._work.wait()
        self._work = None
        return self._views, self._flat[self._flat.numel() - self._riders :]


def _mirror(parameters: Sequence[Tensor], riders: int) -> tuple[Tensor, list[Tensor]]:
    """Gives a flat buffer and, for each parameter, a view of it in that parameter's own memory order."""
    first = parameters[0]
    flat = torch.zeros(sum(p.numel() for p in parameters) + riders, dtype=first.dtype, device=first.device)
    views, offset = [], 0
    for parameter in parameters:
        views.append(flat.as_strided(parameter.size(), parameter.stride(), offset))
        offset += parameter.numel()
    return flat, views
