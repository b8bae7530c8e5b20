"""A scale that keeps fp16 gradients within fp16's range, moved as torch.amp.GradScaler moves its
own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from elastic.errors import InvalidInput

# The defaults of torch.amp.GradScaler.
_FIRST = 65536.0
_GROWTH = 2.0
_BACKOFF = 0.5
_INTERVAL = 2000
# The default of fairseq's --min-loss-scale: what still overflows there is no matter of range.
_LEAST = 1e-4


class LossScale:
    """Losses are multiplied by it, and summed gradients divided again: nothing is read back from
    the device.

    torch's own GradScaler wants an optimizer with `.grad`s, and looks at one rank's gradients. Here
    it is the sums over ranks that are looked at, which are the same everywhere: so is the scale,
    without a message of its own.
    """

    def __init__(self, device: torch.device) -> None:
        self.value = torch.full((), _FIRST, dtype=torch.float32, device=device)
        self._good_turns = torch.zeros((), dtype=torch.int32, device=device)

    def tensors(self) -> list[Tensor]:
        """Gives the live state, for copying into or out of."""
        return [self.value, self._good_turns]

    @torch.no_grad()
    def unscale(self, gradients: Sequence[Tensor]) -> Tensor:
        """Divides summed gradients by the scale, in place, and moves the scale.

        Gives a number, 1 where any of them is not finite: then the turn must move nothing.
        """
        overflow = torch.zeros((), dtype=torch.float32, device=self.value.device)
        torch._amp_foreach_non_finite_check_and_unscale_(
            list(gradients), overflow, self.value.reciprocal()
        )
        torch._amp_update_scale_(
            self.value, self._good_turns, overflow, _GROWTH, _BACKOFF, _INTERVAL
        )
        return overflow

    def read(self) -> float:
        """Gives the scale, for which a GPU is waited. Raises InvalidInput where gradients overflow
        whatever it is."""
        scale = self.value.item()
        if scale < _LEAST:
            raise InvalidInput(
                f"precision: gradients overflow fp16 even with losses multiplied by {scale:.2g}: "
                "train in bf16 or "
                "fp32, or with a lower learning rate (lr)",
                field="precision",
            )
        return scale
