"""Enlarges pictures fourfold by a trained generator, tile by tile, with bounded memory."""

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
from elastic.workloads.esrgan.generator.generator import SCALE, Generator, enlarge
from elastic.workloads.pictures import Picture, Pixels, PngWriter, open_picture, profile_of

# Pixels of the small picture. For such a tile the reference's generator takes some 350 MiB, without
# its weights.
TILE = 96
# Neighbours fade into each other over the overlap, because each is computed without the pixels
# beyond it.
OVERLAP = 16
_ROWS_AT_ONCE = 64  # of the large picture: packing takes several times their size
# A row of enlarged tiles. With the picture, torch and a tile, memory stays below 1 GiB. So a wide
# picture has lower tiles.
_MOST_BAND_BYTES = 96 << 20

Tell = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Upscaler:
    """A trained generator, on the device that it works on."""

    generator: Generator
    channels: int
    device: torch.device

    def upscale(
        self, source: Path, target: Path, *, tell: Tell = lambda done: None
    ) -> tuple[int, int]:
        """Writes the picture four times as wide and high to a PNG, and returns that size.

        The PNG is complete or absent. It keeps alpha, 16 bits a channel, grey and the ICC profile,
        and applies EXIF's rotation. `tell` gets the fraction done. Raises InvalidInput.
        """
        picture = open_picture(source)
        height, width, channels = picture.shape
        rows = _rows_of_a_band(picture, source)
        partial = target.with_name(f"{target.name}.{token_hex(4)}.partial")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                writer = PngWriter(
                    file,
                    width=width * SCALE,
                    height=height * SCALE,
                    channels=channels,
                    bits=picture.itemsize * 8,
                    profile=profile_of(source),
                )
                self._write(picture, rows, writer, tell)
                writer.close()
            partial.replace(target)
        except OSError as error:
            raise InvalidInput(
                f"{target}: wanted to write the picture: {error.strerror}"
            ) from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        return width * SCALE, height * SCALE

    def _write(self, picture: Picture, rows: int, writer: PngWriter, tell: Tell) -> None:
        height = picture.shape[0]
        tops = tile_starts(height, rows)
        left_over: Pixels | None = None
        for index, top in enumerate(tops):
            band = self._band(picture.rows(top, min(top + rows, height)))
            if left_over is not None:
                _fade_in(band, over=left_over)
            if index + 1 < len(tops):
                following = tops[index + 1]
            else:
                following = height
            done = (following - top) * SCALE
            for row in range(0, done, _ROWS_AT_ONCE):
                writer.write(band[row : min(row + _ROWS_AT_ONCE, done)])
            left_over = band[done:].copy()
            del band  # free it before the next one
            tell(following / height)

    def _band(self, pixels: Pixels) -> Pixels:
        """Returns a row of tiles, enlarged and joined."""
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
        low = (
            torch.from_numpy(pixels.astype(numpy.float32))
            .permute(2, 0, 1)
            .div_(most)
            .to(self.device)
        )
        has_alpha = low.shape[0] in (2, 4)
        colours = low[:-1] if has_alpha else low
        parts = [self._enlarged(colours)]
        if has_alpha:
            parts.append(enlarge(low[None, -1:])[0])
        high = torch.cat(parts).clamp_(0, 1).mul_(most).round_().permute(1, 2, 0).cpu().numpy()
        return high.astype(pixels.dtype)

    def _enlarged(self, colours: Tensor) -> Tensor:
        """Returns `(1 or 3, h, w)` enlarged, by a generator of as many channels or of others."""
        if len(colours) == self.channels:
            images = colours[None]
        elif self.channels == 3:
            images = colours.expand(3, -1, -1)[None]  # grey is a colour too
        else:
            images = colours[:, None]  # each colour by itself
        high: Tensor = self.generator(images.contiguous(memory_format=torch.channels_last))
        if len(colours) == self.channels:
            return high[0]
        if self.channels == 3:
            return high[0].mean(0, keepdim=True)
        return high[:, 0]


def upscaler_of(path: Path) -> Upscaler:
    """Returns an upscaler with a file's weights, on a GPU if there is one. Raises InvalidInput."""
    shape = weights.shape_of(path)
    with torch.device("meta"):  # weights that are about to be replaced need no values
        generator = Generator(shape)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    generator = generator.requires_grad_(False).to_empty(device=device)
    generator.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    weights.put(path, generator)  # copied, so that nothing keeps the whole file mapped
    return Upscaler(generator, shape.channels, device)


def tile_starts(length: int, size: int = TILE) -> list[int]:
    """Returns where tiles of a size begin: spread evenly, each overlapping the next one.

    >>> tile_starts(90), tile_starts(176), tile_starts(236)
    ([0], [0, 80], [0, 70, 140])
    """
    if length <= size:
        return [0]
    gaps = -(-(length - size) // (size - OVERLAP))
    return [(length - size) * place // gaps for place in range(gaps + 1)]


def _rows_of_a_band(picture: Picture, source: Path) -> int:
    """The height of tiles whose row stays within its bound.

    Raises InvalidInput for a picture that is too wide.
    """
    _, width, channels = picture.shape
    a_row = width * channels * picture.itemsize * SCALE**2
    rows = min(TILE, _MOST_BAND_BYTES // a_row)
    if rows < 2 * OVERLAP:
        most = width * (_MOST_BAND_BYTES // (2 * OVERLAP)) // a_row
        raise InvalidInput(
            f"{source}: wanted at most {most:,} pixels in a row, found {width:,}; cut it in parts"
        )
    return rows


def _fade_in(after: Pixels, *, over: Pixels) -> None:
    """Fades the first rows of `after` in over the rows that it shares with the part before."""
    # Row by row: all rows of a wide picture at once would take more memory than the band itself.
    for row, before in enumerate(over):
        share = numpy.float32((row + 1) / (len(over) + 1))
        after[row] = (before * (1 - share) + after[row] * share).round()
