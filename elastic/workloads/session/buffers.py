"""Flat buffers for gradients and what rides along: two, so that the last step's sums outlive the next fill."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.layout import dense_strides, overlaps
from elastic.workloads.session.agreement import MAX_MEMBERS
from elastic.workloads.session.state import Apply


@dataclass(frozen=True, slots=True)
class Message:
    """What is summed over the ranks, in one piece; and of it the numbers that ride behind, `(riders,)`."""

    whole: Tensor
    riders: Tensor


def without_gradients(riders: Sequence[float]) -> Message:
    """Gives the message of a rank that has computed nothing.

    >>> without_gradients([1.0, 0.5]).whole.tolist()
    [1.0, 0.5]
    """
    whole = torch.tensor(riders)
    return Message(whole, whole)


class Buffers:
    """Mirrors the parameters twice, taking turns; `numbers` of the job's own and three of each rank's ride behind.

    Each lies there without gaps, in its own order of dimensions, so that most gradients are copied as they are.

    All views are made once: a view made at each step costs it as much as a small sum does.
    """

    def __init__(self, parameters: Sequence[Tensor], numbers: int) -> None:
        kinds = {(parameter.dtype, parameter.device) for parameter in parameters}
        if len(kinds) != 1:
            raise InvalidInput(
                f"a session's parameters must be of one type on one device, got {sorted(map(str, kinds))}"
            )
        for index, parameter in enumerate(parameters):
            if overlaps(parameter):
                raise InvalidInput(
                    f"unit {index}: wanted a parameter whose values share no memory, found "
                    f"strides {tuple(parameter.stride())} of shape {tuple(parameter.shape)}; train a "
                    "copy of it (.contiguous())",
                    field="units",
                )
        self.offsets = [0]
        for parameter in parameters:
            self.offsets.append(self.offsets[-1] + parameter.numel())
        self.numbers, self._shapes = numbers, [parameter.size() for parameter in parameters]
        size = self.offsets[-1] + numbers + 3 * MAX_MEMBERS
        first = parameters[0]
        # Written to now, not by the first two turns: new pages cost five times what is written to them, and by then
        # other members would wait.
        self._flats = [torch.empty(size, dtype=first.dtype, device=first.device).zero_() for _ in range(2)]
        self._views = [
            [flat.as_strided(p.size(), dense_strides(p), at) for p, at in zip(parameters, self.offsets, strict=False)]
            for flat in self._flats
        ]
        self._owns = [flat[self.offsets[-1] : self.offsets[-1] + numbers] for flat in self._flats]
        self._messages: list[Message] = []
        self._riders, self._given = array("d"), torch.zeros(0)
        self._turn = 0
        self._held_step: int | None = None

    @torch.no_grad()
    def fill(self, gradients: Sequence[Tensor | None], numbers: Tensor | None, riders: Sequence[float]) -> Message:
        """Gives the message of this rank, in the buffer that does not hold the last step's sums; None is zeros.

        Raises InvalidInput.
        """
        views, own = self._views[1 - self._turn], self._owns[1 - self._turn]
        if not _fit(gradients, self._shapes):
            raise InvalidInput(f"compute: {_misfit(gradients, self._shapes)}", field="compute")
        if numbers is not None and (found := _no_numbers(numbers, self.numbers)) is not None:
            raise InvalidInput(
                f"turn.numbers: wanted a tensor of the shape ({self.numbers},), as join(numbers={self.numbers}) said, "
                f"got {found}",
                field="numbers",
            )
        if any(gradient is None for gradient in gradients):
            for view in (view for view, gradient in zip(views, gradients, strict=True) if gradient is None):
                view.zero_()
            views = [view for view, gradient in zip(views, gradients, strict=True) if gradient is not None]
        if views:
            torch._foreach_copy_(views, [gradient for gradient in gradients if gradient is not None])
        if self.numbers:
            own.fill_(0.0) if numbers is None else own.copy_(numbers.reshape(-1))
        message = self._message(riders)
        message.riders.copy_(self._given)
        return message

    def keep(self, step: int) -> None:
        """Takes what was last filled, and summed since, for the sums that make the state that of `step` steps."""
        self._turn = 1 - self._turn
        self._held_step = step

    def holds(self, step: int) -> bool:
        """Whether the last sums kept are those by which the state came to `step` steps."""
        return self._held_step == step

    def summed(self) -> list[Tensor]:
        """Gives the last step's gradients, a view for each parameter, valid until the step after the next."""
        return self._views[self._turn]

    def hand_to(self, apply: Apply, step: int) -> None:
        """Has the last step's gradients applied. Raises InvalidInput where they are not the same after that: others may
        still be sent them."""
        flat = self._flats[self._turn]
        before = flat._version  # noqa: SLF001 (autograd's counter of changes in place: torch has no other name for it)
        apply(self.summed(), step)
        if flat._version != before:  # noqa: SLF001 (the same)
            raise InvalidInput(
                "apply: wanted the gradients left as they are, found them changed in place; have it work on new ones "
                "(gradient * 0.5, not gradient.mul_(0.5))",
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
        return self._owns[self._turn].clone() if self.numbers else self._owns[self._turn]

    def _message(self, riders: Sequence[float]) -> Message:
        """Gives the message that is being filled, its riders still to be copied from `_given`."""
        if len(riders) != len(self._riders):
            end = self.offsets[-1] + self.numbers
            self._riders = array("d", riders)
            self._given = torch.frombuffer(self._riders, dtype=torch.float64)
            self._messages = [Message(flat[: end + len(riders)], flat[end : end + len(riders)]) for flat in self._flats]
        self._riders[:] = array("d", riders)
        return self._messages[1 - self._turn]


def _fit(gradients: object, shapes: Sequence[torch.Size]) -> bool:
    """Whether there is a gradient, or None, for each parameter, in its shape: others would be repeated to fill it."""
    if not isinstance(gradients, Sequence) or len(gradients) != len(shapes):
        return False
    try:
        return list(map(Tensor.size, gradients)) == shapes  # without a line of Python for each, at every step
    except TypeError:
        return all(_fits(gradient, shape) for gradient, shape in zip(gradients, shapes, strict=True))


def _fits(gradient: object, shape: torch.Size) -> bool:
    return gradient is None or (isinstance(gradient, Tensor) and gradient.shape == shape)


def _no_numbers(given: object, count: int) -> str | None:
    """Says what is given in the place of so many numbers, if it is not they."""
    if not isinstance(given, Tensor):
        return f"a {type(given).__name__}"
    return None if given.numel() == count else f"one of the shape {tuple(given.shape)}"


def _misfit(gradients: object, shapes: Sequence[torch.Size]) -> str:
    """Says how gradients do not fit."""
    wanted = f"wanted {len(shapes)} gradients, one for each unit, or None for zeros, got"
    if not isinstance(gradients, Sequence):
        return f"{wanted} {'nothing' if gradients is None else f'a {type(gradients).__name__}'}"
    if len(gradients) != len(shapes):
        return f"{wanted} {len(gradients)}"
    pairs = zip(gradients, shapes, strict=True)
    index, (wrong, shape) = next(pair for pair in enumerate(pairs) if not _fits(*pair[1]))
    found = tuple(wrong.shape) if isinstance(wrong, Tensor) else f"a {type(wrong).__name__}"
    return f"gradient {index}: wanted a tensor of the shape {tuple(shape)}, or None for zeros, got {found}"
