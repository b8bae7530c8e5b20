"""Flat buffers for gradients and control values.

There are two, so that the last step's sums outlive the next fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.layout import dense_strides, overlaps
from elastic.workloads.session.rendezvous import MAX_MEMBERS
from elastic.workloads.session.state import State

# Turns with extra checks, which would cost too much in every turn. A mistake in a script shows in
# all turns; only a newcomer's share of its first turn is empty.
LOOKS = 3
CONTROL = 4  # numbers of each rank, behind each sum


@dataclass(frozen=True, slots=True)
class GradientMessage:
    """What is summed over the ranks, in one piece, and its control values, `(control values,)`.

    If the gradients are summed on GPUs, control values go `aside`, by way of the CPU. Then no rank
    waits for a GPU to read them.
    """

    whole: Tensor
    control: Tensor
    aside: Tensor | None = None


def without_gradients(control: Tensor) -> GradientMessage:
    """Returns the message of a rank that has computed nothing.

    >>> without_gradients(torch.tensor([1.0, 0.5])).whole.tolist()
    [1.0, 0.5]
    """
    whole = control.clone()
    return GradientMessage(whole, whole)


class Buffers:
    """Two mirrors of the parameters, used in turn.

    Behind each come `numbers` of the job's own, and four numbers per rank. A parameter has no gaps
    in a mirror, and keeps its order of dimensions, so that most gradients are copied as they are.
    All views are made once: making a view at each step costs as much as a small sum.
    """

    def __init__(self, parameters: Sequence[Tensor], numbers: int) -> None:
        kinds = {(parameter.dtype, parameter.device) for parameter in parameters}
        if len(kinds) != 1:
            raise InvalidInput(
                "a session's parameters must be of one type on one device, got "
                f"{sorted(map(str, kinds))}"
            )
        for index, parameter in enumerate(parameters):
            if overlaps(parameter):
                raise InvalidInput(
                    f"unit {index}: wanted a parameter whose values share no memory, found "
                    f"strides {tuple(parameter.stride())} of shape {tuple(parameter.shape)}; train "
                    "a copy of it (.contiguous())",
                    field="units",
                )
        self.offsets = [0]
        for parameter in parameters:
            self.offsets.append(self.offsets[-1] + parameter.numel())
        self.numbers = numbers
        self._shapes = [parameter.size() for parameter in parameters]
        size = self.offsets[-1] + numbers + CONTROL * MAX_MEMBERS
        first = parameters[0]
        # Write to them now, not in the first two turns: new memory pages cost five times a write,
        # and other members would wait for it.
        self._flats = [
            torch.empty(size, dtype=first.dtype, device=first.device).zero_() for _ in range(2)
        ]
        self._views = [
            [
                flat.as_strided(p.size(), dense_strides(p), at)
                for p, at in zip(parameters, self.offsets, strict=False)
            ]
            for flat in self._flats
        ]
        self._owns = [flat[self.offsets[-1] : self.offsets[-1] + numbers] for flat in self._flats]
        self._messages: list[GradientMessage] = []
        self._control = 0
        self._turn = 0
        self._looks = LOOKS
        self._held_step: int | None = None
        # autograd's count of changes to the last step's sums once `apply` has had them.
        self._left_at: int | None = None
        self.is_exact = False  # whether members apply the sums kept last in exact arithmetic

    @torch.no_grad()
    def fill(
        self,
        gradients: Sequence[Tensor | None],
        numbers: Tensor | None,
        control: Tensor,
        *,
        is_aside: bool = False,
    ) -> GradientMessage:
        """Returns this rank's message, in the buffer that does not hold the last step's sums.

        A gradient of None counts as zeros. Raises InvalidInput.
        """
        if self._left_at not in (None, self._changes()):
            raise _changed("in place after it")
        views = self._views[1 - self._turn]
        own = self._owns[1 - self._turn]
        given: Any = gradients
        if _sizes(gradients) != self._shapes:
            views, given = self._without_none(views, gradients)
        if numbers is not None and (found := _no_numbers(numbers, self.numbers)) is not None:
            raise InvalidInput(
                f"turn.numbers: wanted a tensor of the shape ({self.numbers},), as "
                f"join(numbers={self.numbers}) said, got {found}",
                field="numbers",
            )
        if self._looks:
            _require_dense(gradients)
        if given:
            torch._foreach_copy_(views, given)
        if self.numbers:
            if numbers is None:
                own.fill_(0.0)
            else:
                own.copy_(numbers.reshape(-1))
        # On GPUs the control values travel apart from the gradients.
        if is_aside:
            aside = control.clone()
            return GradientMessage(self.other(), aside, aside)
        message = self._message(len(control))
        message.control.copy_(control)
        return message

    def keep(self, step: int, *, is_exact: bool = False) -> None:
        """Keeps what was filled last, and summed since, as the sums of step `step`."""
        self._turn = 1 - self._turn
        self._held_step = step
        self._left_at = None
        self.is_exact = is_exact

    def holds(self, step: int) -> bool:
        """Whether the sums kept last are those of step `step`."""
        return self._held_step == step

    def summed(self) -> list[Tensor]:
        """Returns the last step's gradients as views, valid until the step after the next."""
        return self._views[self._turn]

    def hand_to(self, state: State, step: int) -> None:
        """Applies the last step's gradients.

        Raises InvalidInput if `apply` changed them: other ranks may still need them. `fill` raises
        it if they were changed after that. It also raises it if a parameter has moved.
        """
        before = self._changes()
        code = self._looked(state) if self._looks else None
        state.move(self.summed(), step, is_exact=self.is_exact)
        if self._changes() != before or (code is not None and code != _code(self.flat())):
            raise _changed("in place")
        self._left_at = before

    def flat(self) -> Tensor:
        """Returns the last step's gradients and the job's numbers, as one message carries them."""
        return self._flats[self._turn][: self.offsets[-1] + self.numbers]

    def other(self) -> Tensor:
        """Returns the buffer that `flat` does not use: room for another rank's sums."""
        return self._flats[1 - self._turn][: self.offsets[-1] + self.numbers]

    def own_numbers(self) -> Tensor:
        """Returns a copy of the last step's summed numbers, `(numbers,)`."""
        if self.numbers:
            return self._owns[self._turn].clone()
        return self._owns[self._turn]

    def _without_none(
        self, views: Sequence[Tensor], gradients: Sequence[Tensor | None]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Returns the given gradients and their places; zeroes the others. Raises InvalidInput."""
        if not _fit(gradients, self._shapes):
            raise InvalidInput(f"compute: {_misfit(gradients, self._shapes)}", field="compute")
        pairs = list(zip(views, gradients, strict=True))
        for view in (view for view, gradient in pairs if gradient is None):
            view.zero_()
        kept = [(view, gradient) for view, gradient in pairs if gradient is not None]
        return [view for view, _ in kept], [gradient for _, gradient in kept]

    def _looked(self, state: State) -> int:
        """Returns a checksum of the last step's gradients: `.data` changes are not counted."""
        state.require_in_place()
        self._looks -= 1
        return _code(self.flat())

    def _changes(self) -> int:
        """How often the last step's sums were changed in place: torch has no public name for it."""
        return self._flats[self._turn]._version  # noqa: SLF001

    def _message(self, control: int) -> GradientMessage:
        """Returns the message that is being filled."""
        if control != self._control:
            end = self.offsets[-1] + self.numbers
            self._control = control
            self._messages = [
                GradientMessage(flat[: end + control], flat[end : end + control])
                for flat in self._flats
            ]
        return self._messages[1 - self._turn]


def _changed(how: str) -> InvalidInput:
    """The error of a script that changed a step's sums."""
    return InvalidInput(
        f"apply: wanted the gradients left as they are, found them changed {how}; let it make new "
        "ones (gradient * 0.5, not gradient.mul_(0.5), nor gradient.data.mul_(0.5)). If it sets "
        ".grad, let it end with optimizer.zero_grad()",
        field="apply",
    )


def _code(values: Tensor) -> int:
    return crc32(values.view(torch.uint8).cpu().numpy().data)


def _sizes(gradients: object) -> list[torch.Size] | None:
    """Returns the sizes of a list of tensors, None for anything else.

    It runs no line of Python per tensor, because it runs in every step.
    """
    try:
        if isinstance(gradients, list | tuple):
            return list(map(Tensor.size, gradients))
        return None
    except TypeError:
        return None


def _fit(gradients: object, shapes: Sequence[torch.Size]) -> bool:
    """Whether each parameter has a gradient of its shape, or None.

    torch would repeat another shape to fill it.
    """
    if not isinstance(gradients, Sequence) or len(gradients) != len(shapes):
        return False
    return all(_fits(gradient, shape) for gradient, shape in zip(gradients, shapes, strict=True))


def _fits(gradient: object, shape: torch.Size) -> bool:
    return gradient is None or (isinstance(gradient, Tensor) and gradient.shape == shape)


def _require_dense(gradients: Sequence[Tensor | None]) -> None:
    """Raises InvalidInput for a gradient that cannot be copied whole, such as a sparse one."""
    for index, gradient in enumerate(gradients):
        if gradient is not None and (gradient.layout is not torch.strided or gradient.is_complex()):
            raise InvalidInput(
                f"compute: gradient {index}: wanted a dense one of real numbers, got one of "
                f"{gradient.dtype}, {gradient.layout}; use nn.Embedding(sparse=False), or give "
                "gradient.to_dense(), or gradient.real",
                field="compute",
            )


def _no_numbers(given: object, count: int) -> str | None:
    """Describes what was given instead of `count` numbers; None if it is right."""
    if not isinstance(given, Tensor):
        return f"a {type(given).__name__}"
    if given.numel() == count:
        return None
    return f"one of the shape {tuple(given.shape)}"


def _misfit(gradients: object, shapes: Sequence[torch.Size]) -> str:
    """Describes how gradients do not fit."""
    wanted = f"wanted {len(shapes)} gradients, one for each unit, or None for zeros, got"
    if not isinstance(gradients, Sequence):
        return f"{wanted} {'nothing' if gradients is None else f'a {type(gradients).__name__}'}"
    if len(gradients) != len(shapes):
        return f"{wanted} {len(gradients)}"
    pairs = zip(gradients, shapes, strict=True)
    index, (wrong, shape) = next(pair for pair in enumerate(pairs) if not _fits(*pair[1]))
    found = f"a {type(wrong).__name__}"
    if isinstance(wrong, Tensor):
        found = str(tuple(wrong.shape))
    return (
        f"gradient {index}: wanted a tensor of the shape {tuple(shape)}, or None for zeros, "
        f"got {found}"
    )
