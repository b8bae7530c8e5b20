"""Sums a model's gradients over all ranks, bucket by bucket while the backward pass goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

import torch
import torch.distributed as dist
from torch import Tensor

from elastic.workloads.group import ProcessGroup

# What torch's DistributedDataParallel sends at a time: its documentation, `bucket_cap_mb`.
# benchmarks/gradient_overlap.py shows what it gains here.
BUCKET_BYTES = 25 * 2**20
# A GPU loads so much at once; torch's fused optimizers take a slower way where memory is not
# aligned.
ALIGNMENT_BYTES = 16


class GradientSum:
    """One flat buffer that mirrors the parameters. `start` sends what is left, `finish` waits and
    gives the sums.

    Each rank hands in the gradients of its samples' share of the global loss, so the plain sum is
    the gradient one process would have computed, however the samples were divided. (A mean over
    ranks, as DistributedDataParallel takes, is only right for equal shares.)

    A bucket is sent as soon as a backward pass has given all its gradients. The last bucket waits
    for `start`: a few numbers ride along. So each pass over the parameters is followed by one
    `start`, with what the pass gave.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        group: ProcessGroup,
        *,
        control: int = 0,
        bucket_bytes: int = BUCKET_BYTES,
    ) -> None:
        self._group = group
        self._control = control
        self._works: list[dist.Work] = []
        self._local: tuple[list[Tensor], Tensor] | None = None
        if group.world_size == 1:
            return
        self._flat, self._views, self._buckets = _mirror(parameters, control, bucket_bytes)
        for bucket in self._buckets[:-1]:
            for place in bucket.places:
                hook = partial(self._take, bucket, place)
                parameters[place].register_hook(hook)  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def start(self, gradients: Sequence[Tensor], control: Tensor | None = None) -> None:
        """Begins to sum what is not on its way yet; returns while it is under way."""
        if self._group.world_size == 1:
            self._local = (list(gradients), control if control is not None else torch.empty(0))
            return
        if control is not None:
            self._flat[-self._control :] = control
        for bucket in self._buckets[len(self._works) :]:
            bucket.gradients = {place: gradients[place] for place in bucket.places}
            self._send(bucket)

    def finish(self) -> tuple[list[Tensor], Tensor]:
        """Gives the summed gradients and control values, valid until the next backward pass."""
        if self._local is not None:
            local = self._local
            self._local = None
            return local
        assert self._works, "finish() follows start()"
        for work in self._works:
            work.wait()
        self._works = []
        for bucket in self._buckets:
            bucket.gradients.clear()  # of a pass that an error ended
        return self._views, self._flat[self._flat.numel() - self._control :]

    def _take(self, bucket: _Bucket, place: int, gradient: Tensor) -> None:
        """Takes a gradient that a backward pass has just given. Raises RuntimeError in a second
        pass before `start`."""
        if bucket in self._buckets[: len(self._works)]:
            raise RuntimeError(
                f"parameter {place}: wanted start() after each backward pass, found a second pass "
                "before it, whose "
                "gradients cannot be added to what is on its way"
            )
        bucket.gradients[place] = gradient
        # In their order, whatever the pass's is: the ranks' sums are paired by it.
        for each in self._buckets[len(self._works) : -1]:
            if len(each.gradients) < len(each.places):
                return
            self._send(each)

    def _send(self, bucket: _Bucket) -> None:
        torch._foreach_copy_(
            [self._views[place] for place in bucket.places],
            [bucket.gradients[place] for place in bucket.places],
        )
        bucket.gradients.clear()
        self._works.append(self._group.begin_sum(bucket.message))


@dataclass(slots=True, eq=False)
class _Bucket:
    """Some parameters' places among all, what mirrors them in the flat buffer, and the gradients
    that have come."""

    places: Sequence[int]
    message: Tensor
    gradients: dict[int, Tensor] = field(default_factory=dict)


def _mirror(
    parameters: Sequence[Tensor], control: int, bucket_bytes: int
) -> tuple[Tensor, list[Tensor], list[_Bucket]]:
    """Gives a flat buffer, for each parameter a view of it in that parameter's own memory order,
    and its buckets.

    It begins with the last parameter, as a backward pass does, and ends with the control values.
    """
    first = parameters[0]
    alignment = max(1, ALIGNMENT_BYTES // first.element_size())
    sizes = [-(-parameter.numel() // alignment) * alignment for parameter in parameters]
    ends = list(accumulate(reversed(sizes)))[::-1]
    flat = torch.zeros(ends[0] + control, dtype=first.dtype, device=first.device)
    views = [
        flat.as_strided(parameter.size(), parameter.stride(), end - size)
        for parameter, size, end in zip(parameters, sizes, ends, strict=True)
    ]
    buckets = []
    begin = 0
    last = len(parameters) - 1
    for place in range(last, -1, -1):
        if place == 0:
            buckets.append(_Bucket(range(last, -1, -1), flat[begin:]))
        elif (ends[place] - begin) * first.element_size() >= bucket_bytes:
            buckets.append(_Bucket(range(last, place - 1, -1), flat[begin : ends[place]]))
            begin = ends[place]
            last = place - 1
    return flat, views, buckets
