"""All that training changes, in units: what one gradient moves, moves alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.arithmetic import ExactArithmetic
from elastic.workloads.checkpoint import on_host
from elastic.workloads.layout import dense_strides, is_stale, placing, shares_memory
from elastic.workloads.session.rounds import FLOATS

# Moves the state by the summed gradients of a step: `apply(gradients, step)`. `None` means: leave
# the unit alone. What is done to one unit must not depend on another.
Apply = Callable[[Sequence[Tensor | None], int], None]


@dataclass(frozen=True, slots=True)
class StateCopy:
    """A copy of the state after `step` committed steps: tensors on the CPU, in the order of the
    units.

    `round` is the round in which it was made. It serves as a fencing token for whatever the copy is
    written to.
    """

    step: int
    round: int
    tensors: list[Tensor]


@dataclass(frozen=True, slots=True)
class State:
    """The state: `units[i]` are the tensors that the i-th gradient changes.

    The first of a unit is its parameter, with the gradient's shape. All are live tensors. Only
    `apply` changes them, and they must be bit-identical on all ranks.
    """

    units: tuple[tuple[Tensor, ...], ...]
    apply: Apply

    @classmethod
    def of(cls, units: Sequence[Sequence[Tensor]], apply: Apply) -> State:
        """Returns the state that a script names. Raises InvalidInput."""
        if not callable(apply):
            raise InvalidInput(
                f"apply: wanted a function that moves the units, got {apply!r}", field="apply"
            )
        if not isinstance(units, Sequence):
            raise InvalidInput(
                "units: wanted a sequence, because it is read more than once, got a "
                f"{type(units).__name__}; give list(units)",
                field="units",
            )
        if not units:
            raise InvalidInput("units: wanted one for each parameter, got none", field="units")
        # The first tensor of each unit is its parameter, which has a gradient.
        for index, unit in enumerate(units):
            if (found := _no_unit(unit)) is not None:
                raise InvalidInput(
                    f"unit {index}: wanted a sequence of tensors, the parameter first, found "
                    f"{found}; a lone parameter is [(parameter,)]",
                    field="units",
                )
            if unit[0].dtype not in FLOATS:
                raise InvalidInput(
                    f"unit {index}: wanted a parameter of floating point numbers of 2 bytes or "
                    f"more, found {unit[0].dtype}",
                    field="units",
                )
        return cls(tuple(tuple(unit) for unit in units), apply)

    def __post_init__(self) -> None:
        """Raises InvalidInput if two units share a value: one's gradient would move the other.

        It also raises it if a parameter has moved.
        """
        self.require_in_place()
        if (index := shares_memory(self.units)) is not None:
            raise InvalidInput(
                f"unit {index}: wanted tensors of its own, found memory that an earlier unit has "
                "too; a tied weight is one unit, with one gradient: name it once, in one optimizer",
                field="units",
            )

    @property
    def parameters(self) -> list[Tensor]:
        return [unit[0] for unit in self.units]

    @property
    def device(self) -> torch.device:
        """The one device of all parameters."""
        return self.units[0][0].device

    def require_in_place(self) -> None:
        """Raises InvalidInput if a parameter has other memory than when its unit was made.

        Training would move the new memory, and the old one would be sent to newcomers.
        """
        for index, parameter in enumerate(self.parameters):
            if is_stale(parameter):
                raise InvalidInput(
                    f"unit {index}: wanted a parameter that stays in its memory, found that it has "
                    "moved since the units were made, by model.to(...) or parameter.data = ...; "
                    "change the model first, then make the units, then join",
                    field="units",
                )

    def move(self, gradients: Sequence[Tensor | None], step: int, *, is_exact: bool) -> None:
        """Lets the script move the units; `is_exact` if all processors must round alike."""
        if not is_exact:
            self.apply(gradients, step)
            return
        with ExactArithmetic():
            self.apply(gradients, step)

    def bytes_of(self, unit: int) -> int:
        """Returns a unit's size."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self.units[unit])

    def pack(self, first: int, last: int) -> Tensor:
        """Returns a copy of the units `first` to before `last`, `(bytes,)` uint8 on the CPU."""
        live = [tensor.detach() for unit in self.units[first:last] for tensor in unit]
        return torch.cat([_as_bytes(tensor) for tensor in on_host(live)])

    @torch.no_grad()
    def unpack(self, first: int, last: int, packed: Tensor) -> None:
        """Overwrites the units by what `pack` returned elsewhere."""
        live = [tensor for unit in self.units[first:last] for tensor in unit]
        for tensor, found in zip(live, self.unpacked(first, last, packed), strict=True):
            tensor.detach().copy_(found)

    def unpacked(self, first: int, last: int, packed: Tensor) -> Iterator[Tensor]:
        """Yields the tensors that were packed elsewhere, one after the other."""
        offset = 0
        for unit in self.units[first:last]:
            for tensor in unit:
                size = tensor.numel() * tensor.element_size()
                yield packed[offset : offset + size].clone().view(tensor.dtype).view(tensor.shape)
                offset += size

    def chunk_end(self, first: int, chunk_bytes: int) -> int:
        """Returns the unit before which a chunk ends that begins with `first`.

        It has at most `chunk_bytes`, or one unit.
        """
        last = first
        size = 0
        while last < len(self.units) and (
            last == first or size + self.bytes_of(last) <= chunk_bytes
        ):
            size += self.bytes_of(last)
            last += 1
        return last

    def digest(self) -> str:
        """Returns the SHA-256 over all tensors' bytes."""
        digest = hashlib.sha256()
        for unit in self.units:
            for tensor in unit:
                digest.update(_as_bytes(tensor).numpy().data)
        return digest.hexdigest()

    def shape_digest(self) -> str:
        """Returns a digest that two processes must share to train the same state."""
        shapes = [
            [(str(tensor.dtype), tuple(tensor.shape)) for tensor in unit] for unit in self.units
        ]
        # Sums are made where the gradients are, and pieces of memory compared: another order of
        # dimensions means other values.
        layouts = [
            [placing(tensor, dense_strides(tensor)) for tensor in unit] for unit in self.units
        ]
        return hashlib.sha256(repr((shapes, layouts)).encode()).hexdigest()[:16]

    def copies(self) -> list[Tensor]:
        """Returns a copy of every tensor in order, on the CPU."""
        live = [tensor.detach() for unit in self.units for tensor in unit]
        return [
            # On a CPU `on_host` returns the live tensor itself.
            kept.clone() if kept is tensor else kept
            for tensor, kept in zip(live, on_host(live), strict=True)
        ]


def _no_unit(given: object) -> str | None:
    """Describes what was given instead of a unit; None if it is a unit."""
    if not isinstance(given, Sequence):  # a tensor is no unit, though it can be iterated as one
        return f"a {type(given).__name__}"
    others = [type(each).__name__ for each in given if not isinstance(each, Tensor)]
    if others:
        return f"a {others[0]} among them"
    return None if given else "none"


def _as_bytes(tensor: Tensor) -> Tensor:
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
