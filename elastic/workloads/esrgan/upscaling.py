"""Enlarges pictures fourfold by a trained generator, tile by tile: memory follows the tile, not the picture."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import numpy
import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.esrgan import weights
from elastic.workloads.esrgan.generator import SCALE, Generator, enlarge
from elastic.workloads.pictures import Pixels, profile_of, read_pixels
from elastic.workloads.png import PngWriter

TILE, OVERLAP = 96, 16
"""Pixels of the small picture. For such a tile the reference's generator takes some 350 MiB, weights apart. Neighbours
fade into one another over the overlap, which hides that each is computed without what lies beyond it."""
_ROWS_AT_ONCE = 64  # of the large picture: packing takes several times their size

Tell = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Upscaler:
    """A generator that is done training, on the device that it works on."""

    generator: Generator
    channels: int
    device: torch.device

    def upscale(self, source: Path, target: Path, *, tell: Tell = lambda done: None) -> tuple[int, int]:
        """Writes the picture four times as wide and as high to a PNG, whole or not at all; gives that size.

        It keeps alpha, 16 bits a channel, grey and the ICC profile; EXIF's rotation is carried out. `tell` hears which
        part of it is done. Raises InvalidInput.
        """
        pixels = read_pixels(source)
        height, width, channels = pixels.shape
        partial = target.with_name(f"{target.name}.{token_hex(4)}.partial")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                writer = PngWriter(
                    file,
                    width=width * SCALE,
                    height=height * SCALE,
                    channels=channels,
                    bits=pixels.itemsize * 8,
                    profile=profile_of(source),
                )
                self._write(pixels, writer, tell)
                writer.close()
            partial.replace(target)
        except OSError as error:
            raise InvalidInput(f"{target}: wanted to write the picture: {error.strerror}") from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        return width * SCALE, height * SCALE

    def _write(self, pixels: Pixels, writer: PngWriter, tell: Tell) -> None:
        tops = tile_starts(pixels.shape[0])
        left_over = numpy.empty((0, 0, 0), dtype=pixels.dtype)
        for index, top in enumerate(tops):
            band = self._band(pixels[top : top + TILE])
            if index:
                _fade_in(band, over=left_over)
            following = tops[index + 1] if index + 1 < len(tops) else pixels.shape[0]
            done = (following - top) * SCALE
            for row in range(0, done, _ROWS_AT_ONCE):
                writer.write(band[row : min(row + _ROWS_AT_ONCE, done)])
            left_over = band[done:].copy()
            tell(following / pixels.shape[0])

    def _band(self, pixels: Pixels) -> Pixels:
        """Gives a row of tiles, enlarged and joined."""
        height, width, channels = pixels.shape
        band = numpy.empty((height * SCALE, width * SCALE, channels), dtype=pixels.dtype)
        reached = 0
        for left in tile_starts(width):
            tile = self._tile(pixels[:, left : left + TILE])
            begin = left * SCALE
            _fade_in(tile.swapaxes(0, 1), over=band[:, begin:reached].swapaxes(0, 1))
            reached = begin + tile.shape[1]
            band[:, begin:reached] = tile
        return band

    @torch.inference_mode()
    def _tile(self, pixels: Pixels) -> Pixels:
        most = numpy.iinfo(pixels.dtype).max
        low = torch.from_numpy(pixels.astype(numpy.float32)).permute(2, 0, 1).div_(most).to(self.device)
        has_alpha = low.shape[0] in (2, 4)
        colours = low[:-1] if has_alpha else low
        parts = [self._enlarged(colours)]
        if has_alpha:
            parts.append(enlarge(low[None, -1:])[0])
        high = torch.cat(parts).clamp_(0, 1).mul_(most).round_().permute(1, 2, 0).cpu().numpy()
        return high.astype(pixels.dtype)

    def _enlarged(self, colours: Tensor) -> Tensor:
        """Gives `(1 or 3, h, w)` enlarged, by a generator of as many channels or of others."""
        if len(colours) == self.channels:
            images = colours[None]
        elif self.channels == 3:
            images = colours.expand(3, -1, -1)[None]  # grey is a colour too
        else:
            images = colours[:, None]  # each colour by itself
        high: Tensor = self.generator(images.contiguous(memory_format=torch.channels_last))
        if len(colours) == self.channels:
            return high[0]
        return high[0].mean(0, keepdim=True) if self.channels == 3 else high[:, 0]


def upscaler_of(path: Path) -> Upscaler:
    """Gives what enlarges by a file's weights, on a GPU where there is one. Raises InvalidInput."""
    shape = weights.shape_of(path)
    with torch.device("meta"):  # weights that are about to be replaced are not worth drawing
        generator = Generator(shape)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = generator.requires_grad_(False).to_empty(device=device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    weights.put(path, generator)  # copied, so that nothing keeps the whole file mapped
    return Upscaler(generator, shape.channels, device)


def tile_starts(length: int) -> list[int]:
    """Gives where tiles begin: all of one size, spread evenly, each overlapping the next one.

    >>> tile_starts(90), tile_starts(176), tile_starts(236)
    ([0], [0, 80], [0, 70, 140])
    """
    if length <= TILE:
        return [0]
    gaps = -(-(length - TILE) // (TILE - OVERLAP))
    return [(length - TILE) * place // gaps for place in range(gaps + 1)]


def _fade_in(after: Pixels, *, over: Pixels) -> None:
    """Has the first rows of `after` fade in over those that it has in common with what came before."""
    shared = len(over)
    share = (numpy.arange(1, shared + 1, dtype=numpy.float32) / (shared + 1))[:, None, None]
    after[:shared] = (over * (1 - share) + after[:shared] * share).round()
