"""A scale that keeps fp16 gradients in fp16's range, by the rule of torch.amp.GradScaler."""

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
# The default of fairseq's --min-loss-scale: an overflow at that scale is no question of range.
_LEAST = 1e-4


class LossScale:
    """Multiplies losses, and divides the summed gradients; nothing is read back from the device.

    torch's own GradScaler needs an optimizer with `.grad`s, and checks one rank's gradients. This
    one checks the sums over ranks, which are the same everywhere. So is the scale, without a
    message of its own.
    """

    def __init__(self, device: torch.device) -> None:
        self.value = torch.full((), _FIRST, dtype=torch.float32, device=device)
        self._good_turns = torch.zeros((), dtype=torch.int32, device=device)

    def tensors(self) -> list[Tensor]:
        """Returns the live state, to copy from or to."""
        return [self.value, self._good_turns]

    @torch.no_grad()
    def unscale(self, gradients: Sequence[Tensor]) -> Tensor:
        """Divides summed gradients by the scale, in place, and moves the scale.

        Returns a number, 1 if any gradient is not finite: then the turn must move nothing.
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
        """Returns the scale, after waiting for the GPU.

        Raises InvalidInput if gradients overflow at any scale.
        """
        scale = self.value.item()
        if scale < _LEAST:
            raise InvalidInput(
                f"precision: gradients overflow fp16 even with losses multiplied by {scale:.2g}: "
                "train in bf16 or fp32, or with a lower learning rate (lr)",
                field="precision",
            )
        return scale
