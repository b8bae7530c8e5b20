"""Flat buffers for gradients and what rides along: two, so that the last step's sums outlive the next fill."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elastic.errors import InvalidInput

MAX_WORLD = 256


class Buffers:
    """Mirrors the parameters twice, taking turns; `numbers` of the job's own and two of each rank's ride behind."""

    def __init__(self, parameters: Sequence[Tensor], numbers: int) -> None:
        kinds = {(parameter.dtype, parameter.device) for parameter in parameters}
        if len(kinds) != 1:
            raise InvalidInput(
                f"a session's parameters must be of one type on one device, got {sorted(map(str, kinds))}"
            )
        self.offsets = [0]
        for parameter in parameters:
            self.offsets.append(self.offsets[-1] + parameter.numel())
        self.numbers = numbers
        size = self.offsets[-1] + numbers + 2 * MAX_WORLD
        first = parameters[0]
        self._flats = [torch.zeros(size, dtype=first.dtype, device=first.device) for _ in range(2)]
        self._views = [
            [flat.as_strided(p.size(), p.stride(), at) for p, at in zip(parameters, self.offsets, strict=False)]
            for flat in self._flats
        ]
        self._turn = 0

    @torch.no_grad()
    def fill(self, gradients: Sequence[Tensor | None], numbers: Tensor | None, riders: Tensor) -> Tensor:
        """Gives the message of this rank, in the buffer that does not hold the last step's sums; None is zeros."""
        flat, views = self._flats[1 - self._turn], self._views[1 - self._turn]
        given = [(view, gradient) for view, gradient in zip(views, gradients, strict=True) if gradient is not None]
        torch._foreach_copy_([view for view, _ in given], [gradient for _, gradient in given])
        if len(given) < len(views):
            for view in (view for view, gradient in zip(views, gradients, strict=True) if gradient is None):
                view.zero_()
        own = self.offsets[-1]
        end = own + self.numbers
        if self.numbers:
            flat[own:end] = 0.0 if numbers is None else numbers
        flat[end : end + len(riders)] = riders
        return flat[: end + len(riders)]

    def keep(self) -> None:
        """Takes what was last filled, and summed since, for the sums of the last step."""
        self._turn = 1 - self._turn

    def summed(self) -> list[Tensor]:
        """Gives the last step's gradients, a view for each parameter, valid until the step after the next."""
        return self._views[self._turn]

    def flat(self) -> Tensor:
        """Gives the last step's gradients and the job's numbers, as one message can carry them."""
        return self._flats[self._turn][: self.offsets[-1] + self.numbers]

    def other(self) -> Tensor:
        """Gives the buffer that `flat` does not use: room for sums handed over by another rank."""
        return self._flats[1 - self._turn][: self.offsets[-1] + self.numbers]

    def own_numbers(self) -> Tensor:
        """Gives a copy of the last step's summed numbers, `(numbers,)`."""
        return self.flat()[self.offsets[-1] :].clone()
