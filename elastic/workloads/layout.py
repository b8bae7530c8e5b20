"""How tensors are laid out in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

# The parameter of each alias, for as long as there is the alias.
_PARAMETERS = WeakTensorKeyDictionary()


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
    return tensor.is_contiguous() or placing(tensor, tensor.stride()) == placing(
        tensor, dense_strides(tensor)
    )


def overlaps(tensor: Tensor) -> bool:
    """Whether two of a tensor's values may share memory.

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


def shares_memory(groups: Sequence[Sequence[Tensor]]) -> int | None:
    """Returns the first group that shares memory with an earlier group; None without one.

    >>> plain, other = torch.zeros(4, 3), torch.zeros(3)
    >>> shares_memory([[plain[:, :2], other], [plain[:, 2:]]]) is None
    True
    >>> shares_memory([[plain[:, :2]], [other], [plain.t()[1]]])
    2
    """
    places = [
        _Place.of(each, index)
        for index, group in enumerate(groups)
        for each in group
        if each.numel()
    ]
    # Groups of tensors whose byte ranges overlap: only those are compared byte by byte.
    heaps: list[list[_Place]] = []
    end = ("", 0)
    for place in sorted(places, key=lambda each: (each.device, each.first)):
        if (place.device, place.first) >= end:
            heaps.append([])
            end = (place.device, place.last)
        heaps[-1].append(place)
        end = max(end, (place.device, place.last))
    found = [index for heap in heaps if len(heap) > 1 and (index := _entangled(heap)) is not None]
    return min(found, default=None)


def placing(tensor: Tensor, strides: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns stride and size of each dimension longer than one: no others place any value."""
    return tuple(
        (stride, size) for stride, size in zip(strides, tensor.shape, strict=True) if size > 1
    )


def in_memory_order(tensor: Tensor) -> Tensor:
    """Returns a dense tensor's values as a view that counts as contiguous.

    >>> in_memory_order(torch.tensor([[1, 2], [3, 4]]).t()).tolist()
    [[1, 2], [3, 4]]
    """
    if tensor.is_contiguous():
        return tensor
    strides = tensor.stride()
    return tensor.permute(sorted(range(tensor.dim()), key=lambda each: -strides[each]))


def alias_of(parameter: Tensor) -> Tensor:
    """Returns the values of a parameter, in its own memory.

    >>> model = torch.nn.Conv2d(2, 3, 3)
    >>> alias = alias_of(model.weight)
    >>> is_stale(alias)
    False
    >>> model = model.to(memory_format=torch.channels_last)
    >>> is_stale(alias)
    True
    """
    alias = parameter.detach()
    _PARAMETERS[alias] = parameter
    return alias


def is_stale(tensor: Tensor) -> bool:
    """Whether a tensor is the alias of a parameter that has other memory by now."""
    if tensor not in _PARAMETERS:
        return False
    parameter: Tensor = _PARAMETERS[tensor]
    return parameter.data_ptr() != tensor.data_ptr()


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a group's tensor: bytes from `first` to before `last`."""

    device: str
    first: int
    last: int
    group: int
    tensor: Tensor

    @classmethod
    def of(cls, tensor: Tensor, group: int) -> _Place:
        reach = sum(
            stride * (size - 1) for stride, size in zip(tensor.stride(), tensor.shape, strict=True)
        )
        first = tensor.data_ptr()
        return cls(
            str(tensor.device), first, first + (reach + 1) * tensor.element_size(), group, tensor
        )

    def of_bytes(self, marks: Tensor, start: int) -> Tensor:
        """Selects from `marks`, one for each byte from `start` on, those of the tensor's values."""
        width = self.tensor.element_size()
        strides = [width * stride for stride in self.tensor.stride()]
        return marks.as_strided((*self.tensor.shape, width), (*strides, 1), self.first - start)


def _entangled(heap: Sequence[_Place]) -> int | None:
    """Returns the first group that shares a byte with an earlier one; they may also interleave."""
    start = min(place.first for place in heap)
    # One mark for each byte: the group that has it, or -1.
    owners = torch.full((max(place.last for place in heap) - start,), -1, dtype=torch.int32)
    for place in sorted(heap, key=lambda each: each.group):
        own = place.of_bytes(owners, start)
        if ((own >= 0) & (own != place.group)).any():
            return place.group
        own.fill_(place.group)
    return None
