"""Flat buffers for gradients and what rides along: two, so that the last step's sums outlive the
next fill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.layout import dense_strides, overlaps
from elastic.workloads.session.agreement import MAX_MEMBERS
from elastic.workloads.session.state import State

# Turns in which more is looked at than each could afford, for what is wrong in a script is so in
# all of them; a newcomer's share of its first is empty.
LOOKS = 3
CONTROL = 4  # numbers of each rank's, behind each sum


@dataclass(frozen=True, slots=True)
class GradientMessage:
    """What is summed over the ranks, in one piece; and of it the numbers that ride behind,
    `(control values,)`.

    Where the gradients are summed on GPUs, control values go `aside`, by way of the CPU: nobody
    then waits for a GPU to hear them.
    """

    whole: Tensor
    control: Tensor
    aside: Tensor | None = None


def without_gradients(control: Tensor) -> GradientMessage:
    """Gives the message of a rank that has computed nothing.

    >>> without_gradients(torch.tensor([1.0, 0.5])).whole.tolist()
    [1.0, 0.5]
    """
    whole = control.clone()
    return GradientMessage(whole, whole)


class Buffers:
    """Mirrors the parameters twice, taking turns; `numbers` of the job's own and four of each
    rank's ride behind.

    Each lies there without gaps, in its own order of dimensions, so that most gradients are copied
    as they are.

    All views are made once: a view made at each step costs it as much as a small sum does.
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
                    "a "
                    "copy of it (.contiguous())",
                    field="units",
                )
        self.offsets = [0]
        for parameter in parameters:
            self.offsets.append(self.offsets[-1] + parameter.numel())
        self.numbers = numbers
        self._shapes = [parameter.size() for parameter in parameters]
        size = self.offsets[-1] + numbers + CONTROL * MAX_MEMBERS
        first = parameters[0]
        # Written to now, not by the first two turns: new pages cost five times what is written to
        # them, and by then other members would wait.
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
        """Gives the message of this rank, in the buffer that does not hold the last step's sums;
        None is zeros.

        Raises InvalidInput.
        """
        views = self._views[1 - self._turn]
        own = self._owns[1 - self._turn]
        given: Any = gradients
        if _sizes(gradients) != self._shapes:
            views, given = self._without_none(views, gradients)
        if numbers is not None and (found := _no_numbers(numbers, self.numbers)) is not None:
            raise InvalidInput(
                f"turn.numbers: wanted a tensor of the shape ({self.numbers},), as "
                f"join(numbers={self.numbers}) said, "
                f"got {found}",
                field="numbers",
            )
        if self._looks:
            _require_dense(gradients)
        if given:
            torch._foreach_copy_(views, given)
        if self.numbers:
            own.fill_(0.0) if numbers is None else own.copy_(
                numbers if numbers.dim() == 1 else numbers.reshape(-1)
            )
        if is_aside:
            aside = control.clone()
            return GradientMessage(self.other(), aside, aside)
        message = self._message(len(control))
        message.control.copy_(control)
        return message

    def keep(self, step: int, *, is_exact: bool = False) -> None:
        """Takes what was last filled, and summed since, for the sums that make the state that of
        `step` steps."""
        self._turn = 1 - self._turn
        self._held_step = step
        self.is_exact = is_exact

    def holds(self, step: int) -> bool:
        """Whether the last sums kept are those by which the state came to `step` steps."""
        return self._held_step == step

    def summed(self) -> list[Tensor]:
        """Gives the last step's gradients, a view for each parameter, valid until the step after
        the next."""
        return self._views[self._turn]

    def hand_to(self, state: State, step: int) -> None:
        """Has the last step's gradients applied. Raises InvalidInput where they are not the same
        after that: others may still be sent them."""
        flat = self._flats[self._turn]
        before = flat._version  # noqa: SLF001 (autograd's counter of changes in place: torch has no other name for it)
        code = self._looked() if self._looks else None
        state.move(self.summed(), step, is_exact=self.is_exact)
        if flat._version != before or (code is not None and code != _code(self.flat())):  # noqa: SLF001 (the same)
            raise InvalidInput(
                "apply: wanted the gradients left as they are, found them changed in place; have "
                "it work on new ones "
                "(gradient * 0.5, not gradient.mul_(0.5), nor gradient.data.mul_(0.5))",
                field="apply",
            )

    def flat(self) -> Tensor:
        """Gives the last step's gradients and the job's numbers, as one message can carry them."""
        return self._flats[self._turn][: self.offsets[-1] + self.numbers]

    def other(self) -> Tensor:
        """Gives the buffer that `flat` does not use: room for sums handed over by another rank."""
        return self._flats[1 - self._turn][: self.offsets[-1] + self.numbers]

    def own_numbers(self) -> Tensor:
        """Gives a copy of the last step's summed numbers, `(numbers,)`."""
        if self.numbers:
            return self._owns[self._turn].clone()
        return self._owns[self._turn]

    def _without_none(
        self, views: Sequence[Tensor], gradients: Sequence[Tensor | None]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Gives the gradients that are there, and their places; those of the others get zeros.
        Raises InvalidInput."""
        if not _fit(gradients, self._shapes):
            raise InvalidInput(f"compute: {_misfit(gradients, self._shapes)}", field="compute")
        pairs = list(zip(views, gradients, strict=True))
        for view in (view for view, gradient in pairs if gradient is None):
            view.zero_()
        kept = [(view, gradient) for view, gradient in pairs if gradient is not None]
        return [view for view, _ in kept], [gradient for _, gradient in kept]

    def _looked(self) -> int:
        """Gives what tells the last step's gradients from others, for changes by way of `.data` are
        not counted."""
        self._looks -= 1
        return _code(self.flat())

    def _message(self, control: int) -> GradientMessage:
        """Gives the message that is being filled."""
        if control != self._control:
            end = self.offsets[-1] + self.numbers
            self._control = control
            self._messages = [
                GradientMessage(flat[: end + control], flat[end : end + control])
                for flat in self._flats
            ]
        return self._messages[1 - self._turn]


def _code(values: Tensor) -> int:
    return crc32(values.view(torch.uint8).cpu().numpy().data)


def _sizes(gradients: object) -> list[torch.Size] | None:
    """Gives the sizes of a list of tensors, without a line of Python for each at every step; None
    for anything else."""
    try:
        if isinstance(gradients, list | tuple):
            return list(map(Tensor.size, gradients))
        return None
    except TypeError:
        return None


def _fit(gradients: object, shapes: Sequence[torch.Size]) -> bool:
    """Whether there is a gradient, or None, for each parameter, in its shape: others would be
    repeated to fill it."""
    if not isinstance(gradients, Sequence) or len(gradients) != len(shapes):
        return False
    return all(_fits(gradient, shape) for gradient, shape in zip(gradients, shapes, strict=True))


def _fits(gradient: object, shape: torch.Size) -> bool:
    return gradient is None or (isinstance(gradient, Tensor) and gradient.shape == shape)


def _require_dense(gradients: Sequence[Tensor | None]) -> None:
    """Raises InvalidInput where a gradient is none that is copied whole to where it is summed."""
    for index, gradient in enumerate(gradients):
        if gradient is not None and (gradient.layout is not torch.strided or gradient.is_complex()):
            raise InvalidInput(
                f"compute: gradient {index}: wanted a dense one of real numbers, got one of "
                f"{gradient.dtype}, "
                f"{gradient.layout}; have nn.Embedding(sparse=False) make it so, or give "
                "gradient.to_dense(), or "
                "gradient.real",
                field="compute",
            )


def _no_numbers(given: object, count: int) -> str | None:
    """Says what is given in the place of so many numbers, if it is not they."""
    if not isinstance(given, Tensor):
        return f"a {type(given).__name__}"
    if given.numel() == count:
        return None
    return f"one of the shape {tuple(given.shape)}"


def _misfit(gradients: object, shapes: Sequence[torch.Size]) -> str:
    """Says how gradients do not fit."""
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
    return f"gradient {index}: wanted a tensor of the shape {tuple(shape)}, or None for zeros, got {found}"
