"""ESRGAN's losses, each rank's share: summed over ranks they are what one process computes."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def l1(found: Tensor, wanted: Tensor, weights: Tensor) -> Tensor:
    """Returns the weighted sum of the samples' mean absolute errors; `weights` is `(batch,)`."""
    differences = (widened(found) - widened(wanted)).abs()
    return differences.flatten(1).mean(1) @ weights


def weighted_sum(scores: Tensor, weights: Tensor) -> Tensor:
    """Gives the weighted sum of `(batch, 1, h, w)` over samples, `(1, h, w)`."""
    return (scores * weights.view(-1, 1, 1, 1)).sum(0)


def discriminator_loss(
    real: Tensor, fake: Tensor, *, mean_real: Tensor, mean_fake: Tensor, weights: Tensor
) -> Tensor:
    """Returns how badly real patches are told from fake ones.

    Each is compared with the other kind's mean over the global batch: arXiv:1809.00219, equation 1,
    with the relativistic average of arXiv:1807.00734.
    """
    return (
        _cross_entropy(real - mean_fake, True, weights)
        + _cross_entropy(fake - mean_real, False, weights)
    ) / 2


def generator_loss(
    real: Tensor, fake: Tensor, *, mean_real: Tensor, mean_fake: Tensor, weights: Tensor
) -> Tensor:
    """Returns how badly fake patches pass for real ones, from both sides.

    arXiv:1809.00219, equation 2.
    """
    return (
        _cross_entropy(real - mean_fake, False, weights)
        + _cross_entropy(fake - mean_real, True, weights)
    ) / 2


def _cross_entropy(logits: Tensor, is_real: bool, weights: Tensor) -> Tensor:
    losses = functional.softplus(-logits if is_real else logits)
    return losses.flatten(1).mean(1) @ weights


def widened(values: Tensor) -> Tensor:
    """Gives at least float32: bfloat16 has too few digits to sum over an image."""
    if values.dtype == torch.float64:
        return values
    return values.float()
