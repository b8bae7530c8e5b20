"""The generator: dense blocks at low resolution, then two doublings (arXiv:1809.00219, fig. 4)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from elastic.workloads.esrgan.options import EsrganOptions

RESIDUAL_SCALE = 0.2  # arXiv:1809.00219, section 3.1
SLOPE = 0.01  # nn.LeakyReLU's default, which the reference uses in its generator
SCALE = 4
DETAIL_GAIN = 4.0  # the bundled photographs' standard deviation within a crop is about a quarter


class Generator(nn.Module):
    """Enlarges an image fourfold, in [0, 1].

    From `(batch, channels, h, w)` to `(batch, channels, 4 h, 4 w)`.
    """

    def __init__(self, options: EsrganOptions) -> None:
        super().__init__()
        filters = options.filters
        self.skip = options.skip
        self.head = _convolution(options.channels, filters)
        self.blocks = nn.Sequential(
            *(ResidualInResidualBlock(filters) for _ in range(options.residual_blocks))
        )
        self.trunk = _convolution(filters, filters)
        self.upsampling = nn.Sequential(*(layer for _ in range(2) for layer in _doubling(filters)))
        self.tail = nn.Sequential(
            _convolution(filters, filters), _leaky(), _convolution(filters, options.channels)
        )
        if self.skip != "none":
            # It starts as plain interpolation, so that every step from the first improves on it.
            last = self.tail[-1]
            assert isinstance(last, nn.Conv2d) and last.bias is not None
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, low: Tensor) -> Tensor:
        shallow = self.head(low if self.skip == "none" else _detail(low))
        deep = shallow + self.trunk(self.blocks(shallow))
        image: Tensor = self.tail(self.upsampling(deep))
        if self.skip == "none":
            return image
        return image + enlarge(low, mode=self.skip).to(image.dtype)


class ResidualInResidualBlock(nn.Module):
    """Three dense blocks within one scaled residual connection."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.dense_blocks = nn.Sequential(*(DenseBlock(filters) for _ in range(3)))

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(x, self.dense_blocks(x), alpha=RESIDUAL_SCALE)


class DenseBlock(nn.Module):
    """Five convolutions, each with the outputs of all before it as its input.

    It concatenates only what a next one reads.
    """

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            _convolution(filters * inputs, filters) for inputs in range(1, 6)
        )

    def forward(self, x: Tensor) -> Tensor:
        seen = x
        *inner, last = self.convolutions
        for convolution in inner:
            seen = torch.cat([seen, functional.leaky_relu_(convolution(seen), SLOPE)], dim=1)
        return torch.add(x, last(seen), alpha=RESIDUAL_SCALE)


def enlarge(low: Tensor, *, mode: str = "bicubic") -> Tensor:
    """Returns `low` four times larger, by `bicubic` or `nearest` interpolation, unclamped."""
    return functional.interpolate(low, scale_factor=SCALE, mode=mode)


def _detail(low: Tensor) -> Tensor:
    """Returns the image without its mean colour, spread to unit size.

    The skip carries the colour already, and each step would shift it back and forth
    (docs/decisions/0011).
    """
    return (low - low.mean((2, 3), keepdim=True)) * DETAIL_GAIN


def _convolution(inputs: int, outputs: int) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel_size=3, padding=1)


def _leaky() -> nn.LeakyReLU:
    return nn.LeakyReLU(SLOPE, inplace=True)


def _doubling(filters: int) -> tuple[nn.Module, ...]:
    return _convolution(filters, filters * 4), _leaky(), nn.PixelShuffle(2)
