"""The discriminator: strided convolutions that score patches, normalised within each sample."""

from __future__ import annotations

from torch import Tensor, nn

from elastic.workloads.esrgan.options import EsrganOptions

SLOPE = 0.2  # like the reference's discriminator
CHANNELS_PER_GROUP = 16  # arXiv:1803.08494, table 3: the best of the fixed group widths


class Discriminator(nn.Module):
    """Scores patches, `(batch, channels, h, w)` to logits `(batch, 1, ceil(h / 16), ceil(w / 16))`.

    GroupNorm replaces the reference's BatchNorm: a sample's score must not depend on which samples
    share its rank.
    """

    def __init__(self, options: EsrganOptions) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = options.channels
        for stage in range(4):
            outputs = options.discriminator_filters * 2**stage
            layers += _stage(inputs, outputs, normalises_first=stage > 0)
            inputs = outputs
        layers.append(nn.Conv2d(inputs, 1, kernel_size=3, padding=1))
        self.layers = nn.Sequential(*layers)

    def forward(self, image: Tensor) -> Tensor:
        scores: Tensor = self.layers(image)
        return scores


def _stage(inputs: int, outputs: int, *, normalises_first: bool) -> list[nn.Module]:
    """Returns two convolutions, the second of which halves the image."""
    first: list[nn.Module] = [nn.Conv2d(inputs, outputs, kernel_size=3, padding=1)]
    if normalises_first:
        first.append(_norm(outputs))
    halving = nn.Conv2d(outputs, outputs, kernel_size=3, stride=2, padding=1)
    return [
        *first,
        nn.LeakyReLU(SLOPE, inplace=True),
        halving,
        _norm(outputs),
        nn.LeakyReLU(SLOPE, inplace=True),
    ]


def _norm(filters: int) -> nn.GroupNorm:
    groups = 1
    if filters % CHANNELS_PER_GROUP == 0:
        groups = filters // CHANNELS_PER_GROUP
    return nn.GroupNorm(groups, filters)
