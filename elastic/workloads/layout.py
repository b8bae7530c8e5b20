"""How tensors lie in memory."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def dense_strides(tensor: Tensor) -> tuple[int, ...]:
    """Gives the strides of a copy without gaps that keeps the order of the dimensions in memory.

    >>> plain = torch.zeros(4, 3)
    >>> dense_strides(plain[:, :2]), dense_strides(plain.t())
    ((2, 1), (1, 3))
    """
    return torch.empty_like(tensor, device="meta").stride()


def is_dense(tensor: Tensor) -> bool:
    """Whether a tensor's values fill a piece of memory, each once, in whatever order.

    >>> plain = torch.zeros(4, 3)
    >>> [is_dense(each) for each in (plain.t(), plain[:2], plain[:, :2], plain[:1].expand(4, 3))]
    [True, True, False, False]
    """
    return tensor.is_contiguous() or placing(tensor, tensor.stride()) == placing(tensor, dense_strides(tensor))


def overlaps(tensor: Tensor) -> bool:
    """Whether two of a tensor's values may be one in memory.

    >>> plain = torch.zeros(4, 3)
    >>> [overlaps(each) for each in (plain.t(), plain[:, :2], plain[:1].expand(4, 3))]
    [False, False, True]
    """
    reach = 0
    for stride, size in sorted(placing(tensor, tensor.stride())):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def placing(tensor: Tensor, strides: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Gives of the dimensions that are longer than one the stride and the size: no others place any value."""
    return tuple((stride, size) for stride, size in zip(strides, tensor.shape, strict=True) if size > 1)


def in_memory_order(tensor: Tensor) -> Tensor:
    """Gives a dense tensor's values as a view that counts as contiguous.

    >>> in_memory_order(torch.tensor([[1, 2], [3, 4]]).t()).tolist()
    [[1, 2], [3, 4]]
    """
    if tensor.is_contiguous():
        return tensor
    strides = tensor.stride()
    return tensor.permute(sorted(range(tensor.dim()), key=lambda each: -strides[each]))
