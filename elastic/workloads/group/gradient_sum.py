"""Sums a model's gradients over all ranks, bucket by bucket during the backward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

import torch
import torch.distributed as dist
from torch import Tensor

from elastic.workloads.group.group import ProcessGroup

# The size that torch's DistributedDataParallel sends at a time: its documentation, `bucket_cap_mb`.
# benchmarks/gradient_overlap.py shows what it gains here.
BUCKET_BYTES = 25 * 2**20
# A GPU loads this much at once; torch's fused optimizers are slower if memory is not aligned.
ALIGNMENT_BYTES = 16


class GradientSum:
    """One flat buffer that mirrors the parameters.

    `start` sends what is left, `finish` waits and returns the sums.

    Each rank gives the gradients of its samples' share of the global loss. So the plain sum is the
    gradient that one process would have computed, however the samples were divided. (A mean over
    ranks, as in DistributedDataParallel, is only right for equal shares.)

    A bucket is sent as soon as a backward pass has given all its gradients. The last bucket waits
    for `start`, because a few numbers travel with it. So each pass over the parameters needs one
    `start`, with the gradients of that pass.
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
                # torch leaves it untyped.
                parameters[place].register_hook(hook)  # type: ignore[no-untyped-call]

    def start(self, gradients: Sequence[Tensor], control: Tensor | None = None) -> None:
        """Begins to sum the rest, and returns while the sums are under way."""
        if self._group.world_size == 1:
            self._local = (list(gradients), control if control is not None else torch.empty(0))
            return
        if control is not None:
            self._flat[-self._control :] = control
        for bucket in self._buckets[len(self._works) :]:
            bucket.gradients = {place: gradients[place] for place in bucket.places}
            self._send(bucket)

    def finish(self) -> tuple[list[Tensor], Tensor]:
        """Returns the summed gradients and control values, valid until the next backward pass."""
        if self._local is not None:
            local = self._local
            self._local = None
            return local
        assert self._works, "finish() follows start()"
        for work in self._works:
            work.wait()
        self._works = []
        for bucket in self._buckets:
            bucket.gradients.clear()  # left by a pass that an error ended
        return self._views, self._flat[self._flat.numel() - self._control :]

    def _take(self, bucket: _Bucket, place: int, gradient: Tensor) -> None:
        """Takes a gradient from a backward pass.

        Raises RuntimeError in a second pass before `start`.
        """
        if bucket in self._buckets[: len(self._works)]:
            raise RuntimeError(
                f"parameter {place}: wanted start() after each backward pass, found a second pass "
                "before it, whose gradients cannot be added to what is on its way"
            )
        bucket.gradients[place] = gradient
        # Send them in their own order, not the pass's: the ranks' sums are paired by order.
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
    """Some parameters: their places, their part of the flat buffer, and gradients so far."""

    places: Sequence[int]
    message: Tensor
    gradients: dict[int, Tensor] = field(default_factory=dict)


def _mirror(
    parameters: Sequence[Tensor], control: int, bucket_bytes: int
) -> tuple[Tensor, list[Tensor], list[_Bucket]]:
    """Returns a flat buffer, a view of it for each parameter in its memory order, and the buckets.

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
    # Close a bucket once it is large enough. The last one also carries the control values.
    for place in range(last, -1, -1):
        if place == 0:
            buckets.append(_Bucket(range(last, -1, -1), flat[begin:]))
        elif (ends[place] - begin) * first.element_size() >= bucket_bytes:
            buckets.append(_Bucket(range(last, place - 1, -1), flat[begin : ends[place]]))
            begin = ends[place]
            last = place - 1
    return flat, views, buckets
