"""The moving average of weights, which is steadier than they are, and makes better pictures."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

# Real-ESRGAN's, which trains by it too (arXiv:2107.10833, section 4.1; its code's `ema_decay`).
DECAY = 0.999


class MovingAverage:
    """Follows `parameters`: after each step the averages go 1 - decay of the way to them.

    The decay begins low and rises to `DECAY`: min(DECAY, steps / (steps + 9)). Otherwise a short
    job's average would be its untrained weights (the rule of TensorFlow's
    ExponentialMovingAverage). So it covers about the last ninth of all steps, and the last thousand
    steps at most.
    """

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self._parameters = [parameter.detach() for parameter in parameters]
        self._averages = [parameter.clone() for parameter in self._parameters]

    @torch.no_grad()
    def follow(
        self,
        gradients: Sequence[Tensor | None],
        counts: Sequence[Tensor],
        *,
        overflow: Tensor | None = None,
    ) -> None:
        """Moves the average of each parameter whose gradient is not None; `counts` are their steps.

        The steps are counted on the device, so that none waits for a GPU, and for each parameter by
        itself: a newcomer to a session follows the steps of those that it has. `overflow` is a
        number there; where it is 1, nothing moves.
        """
        moved = [index for index, gradient in enumerate(gradients) if gradient is not None]
        if not moved:
            return
        steps = torch.stack([counts[index] for index in moved])
        ways = 1 - torch.clamp(steps / (steps + 9), max=DECAY)
        if overflow is not None:
            ways = ways * (1 - overflow)
        torch._foreach_lerp_(
            [self._averages[index] for index in moved],
            [self._parameters[index] for index in moved],
            ways.unbind(),
        )

    @torch.no_grad()
    def begin(self) -> None:
        """Sets the averages to the weights as they are."""
        torch._foreach_copy_(self._averages, self._parameters)

    def tensors(self) -> list[Tensor]:
        """Returns the live averages, in the order of the parameters."""
        return [*self._averages]
