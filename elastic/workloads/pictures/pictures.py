"""Image files as arrays of pixels: upright, in 8 or 16 bits a channel, however they are stored."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from elastic.errors import InvalidInput

# `(height, width, channels)` in uint8 or uint16: grey, grey and alpha, colour, or colour and alpha.
Pixels: TypeAlias = NDArray[Any]

# Pillow warns from here on: 89 million pixels, of which reading takes at most 10 bytes each.
MOST_PIXELS = Image.MAX_IMAGE_PIXELS or 89_478_485
# With 16 bits a channel both halves are in memory for a moment: at most 16 bytes a pixel.
MOST_DEEP_PIXELS = MOST_PIXELS * 2 // 5
# Pillow's warnings are refused here, by errors that say what to do.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)
_ORIENTATION = 0x0112  # EXIF 2.32, table 4, tag Orientation
# Pillow needs three times the memory to convert all rows at once.
_ROWS_AT_ONCE = 256
_SIDEWAYS = (5, 6, 7, 8)
_UPSIDE_DOWN = (3, 4, 7, 8)
# Pillow keeps the upper half of each 16 bits of colour. Unpacked in the other byte order, its upper
# half is the lower one. That holds for big-endian numbers, for little-endian ones, and for those
# that libtiff has put into this machine's order.
_OTHER_ORDER = {"B": "L", "L": "B", "N": "B" if sys.byteorder == "little" else "L"}
_LOWER_HALF = {
    f"{mode};16{by}": f"{mode};16{other}"
    for mode in ("RGB", "RGBA")
    for by, other in _OTHER_ORDER.items()
}
_GREY_AND_ALPHA_16 = "LA;16B"
# TIFF 6.0: BitsPerSample, and PlanarConfiguration, which is 2 if each colour has a plane.
_BITS = 258
_PLANES = 284


@dataclass(frozen=True, slots=True)
class Picture:
    """An upright image whose pixels are made on demand: `rows` returns those of a range of rows.

    `shape` and `itemsize` are those of all its `Pixels` together.
    """

    shape: tuple[int, int, int]
    itemsize: int
    rows: Callable[[int, int], Pixels]


class NoImage(InvalidInput):
    """A file that cannot be read as an image; the text names it, and says why."""


def size_of(path: str | Path) -> tuple[int, int]:
    """Returns width and height of the upright image, from the file's head alone. Raises NoImage."""
    with _opened(path) as image:
        # In a PNG, EXIF may come after all pixels.
        is_sideways = image.format != "PNG" and _orientation(image) in _SIDEWAYS
        if is_sideways:
            return (image.height, image.width)
        return (image.width, image.height)


def read_pixels(path: str | Path) -> Pixels:
    """Returns the upright image: 16 bits a channel if a PNG or TIFF has them, else 8.

    Raises NoImage.

    A palette becomes colour, and so does CMYK. Of several frames it is the first.
    """
    with _opened(path) as image:
        if _is_deep(image):
            pixels = _deep(path, image)
        else:
            pixels = _plain(image)
        orientation = _orientation(image)
    return _upright(pixels if pixels.ndim == 3 else pixels[:, :, None], orientation)


def open_picture(path: str | Path) -> Picture:
    """Returns the image as `read_pixels` does, at half its memory.

    It takes 4 bytes a pixel, 8 to 16 with 16 bits a channel.

    Raises NoImage.
    """
    with _opened(path) as image:
        if _is_deep(image):
            whole = _upright(_deep(path, image), _orientation(image))
            return Picture(
                (whole.shape[0], whole.shape[1], whole.shape[2]), 2, lambda top, end: whole[top:end]
            )
        image.load()  # its content stays, though its file is closed
        orientation = _orientation(image)
        is_sideways = orientation in _SIDEWAYS
        if is_sideways:
            height, width = (image.width, image.height)
        else:
            height, width = (image.height, image.width)

        def rows(top: int, end: int) -> Pixels:
            if orientation in _UPSIDE_DOWN:
                begins, ends = (height - end, height - top)
            else:
                begins, ends = (top, end)
            if is_sideways:
                box = (begins, 0, ends, image.height)
            else:
                box = (0, begins, image.width, ends)
            pixels = _plain(image.crop(box))
            return _upright(pixels if pixels.ndim == 3 else pixels[:, :, None], orientation)

        first = rows(0, 1)
        return Picture((height, width, first.shape[2]), first.itemsize, rows)


def profile_of(path: str | Path) -> bytes | None:
    """Returns the ICC profile of the colours or greys of `read_pixels`, if the file has one."""
    with _opened(path) as image:
        profile = image.info.get("icc_profile")
        # ICC.1:2022, table 15: the colour space is at byte 16. Converted CMYK has no profile any
        # more.
        fits = profile and profile[16:20] in (b"RGB ", b"GRAY") and image.mode != "CMYK"
        return profile if fits else None


def in_8_bits(pixels: Pixels) -> Pixels:
    """Gives pixels in uint8, rounded where they were finer."""
    if pixels.dtype == numpy.uint8:
        return pixels
    return ((pixels.astype(numpy.uint32) + 128) // 257).astype(numpy.uint8)


def with_channels(pixels: Pixels, channels: int) -> Pixels:
    """Gives uint8 pixels in colour (3) or grey (1), without alpha."""
    pixels = in_8_bits(pixels)
    colours = pixels.shape[2] - (pixels.shape[2] in (2, 4))
    if colours == channels:
        return pixels[:, :, :channels]
    if channels == 3:
        return numpy.repeat(pixels[:, :, :1], 3, axis=2)
    # ITU-R BT.601, in the whole numbers that Pillow takes.
    weighted = pixels[:, :, :3].astype(numpy.uint32) @ numpy.array(
        [19595, 38470, 7471], dtype=numpy.uint32
    )
    return ((weighted + 0x8000) >> 16).astype(numpy.uint8)[:, :, None]


@contextmanager
def _opened(path: str | Path) -> Iterator[Image.Image]:
    try:
        with Image.open(path) as image:
            if _is_in_deep_planes(image):
                raise ValueError("its colours are in planes of 16 bits; save them interleaved")
            most = MOST_DEEP_PIXELS if _is_deep(image) else MOST_PIXELS
            if image.width * image.height > most:
                raise _too_large(path, f"{image.width} x {image.height}", most=most)
            yield image
    except NoImage:
        raise
    except Image.DecompressionBombError as error:  # Pillow opens none of twice the size
        raise _too_large(path, f"more than {2 * MOST_PIXELS:,}", most=MOST_PIXELS) from error
    except UnidentifiedImageError as error:
        raise NoImage(
            f"{path}: wanted an image, found a file of another kind, or a damaged one"
        ) from error
    except FileNotFoundError as error:
        raise NoImage(f"{path}: wanted an image, found no such file") from error
    except Exception as error:  # a decoder may raise anything on a damaged file
        raise NoImage(
            f"{path}: wanted an image, found one that cannot be read ({error})"
        ) from error


def _too_large(path: str | Path, found: str, *, most: int) -> NoImage:
    return NoImage(f"{path}: wanted at most {most:,} pixels, found {found}; cut it in parts")


def _is_deep(image: Image.Image) -> bool:
    """Whether Pillow would cut its 16 bits a channel to 8."""
    return image.format in ("PNG", "TIFF") and _packed_as(image) in (
        *_LOWER_HALF,
        _GREY_AND_ALPHA_16,
    )


def _packed_as(image: Image.Image) -> str:
    tiles = getattr(image, "tile", ())
    args = tiles[0].args if tiles else ""
    return str(args[0] if isinstance(args, tuple) and args else args)  # a TIFF says more


def _is_in_deep_planes(image: Image.Image) -> bool:
    """Whether Pillow reads it wrongly: one plane per colour, in 16 bits."""
    tags: Any = getattr(image, "tag_v2", {})
    bits = tags.get(_BITS, (8,))
    return tags.get(_PLANES) == 2 and len(bits) > 1 and max(bits) > 8


def _deep(path: str | Path, image: Image.Image) -> Pixels:
    packed = _packed_as(image)
    if packed == _GREY_AND_ALPHA_16:
        _unpack_as(image, "RGBA")  # four bytes a pixel as they are, upper before lower
        return _in_bands(image, lambda rows: numpy.array(rows).view(">u2").astype(numpy.uint16))
    pixels = _in_bands(image, lambda rows: numpy.asarray(rows).astype(numpy.uint16) << 8)
    # The lower halves need a second pass over the file.
    with Image.open(path) as again:
        _unpack_as(again, _LOWER_HALF[packed])
        for top, lower in _bands(again):
            pixels[top : top + lower.height] |= numpy.asarray(lower)
    return pixels


def _in_bands(image: Image.Image, read: Callable[[Image.Image], Pixels]) -> Pixels:
    """Returns what `read` makes of the image, some rows at a time."""
    if image.height <= _ROWS_AT_ONCE:
        return read(image)
    pixels: Pixels | None = None
    for top, rows in _bands(image):
        part = read(rows)
        if pixels is None:
            pixels = numpy.empty((image.height, *part.shape[1:]), dtype=part.dtype)
        pixels[top : top + len(part)] = part
    assert pixels is not None
    return pixels


def _bands(image: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    for top in range(0, image.height, _ROWS_AT_ONCE):
        yield top, image.crop((0, top, image.width, min(top + _ROWS_AT_ONCE, image.height)))


def _unpack_as(image: Image.Image, packed: str) -> None:
    tiles: Any = image
    tiles.tile = [
        each._replace(args=(packed, *each.args[1:]) if isinstance(each.args, tuple) else packed)
        for each in tiles.tile
    ]


def _plain(image: Image.Image) -> Pixels:
    mode = image.mode
    is_clear = "transparency" in image.info
    match mode:
        case "L" | "LA" | "RGB" | "RGBA" if not is_clear or mode.endswith("A"):
            return _in_bands(image, numpy.asarray)
        case "I;16" | "I;16L" | "I;16B" | "I;16N":
            return _in_bands(image, lambda rows: numpy.asarray(rows).astype(numpy.uint16))
        case "I":  # some files store a grey image of 16 bits so
            return _in_bands(
                image, lambda rows: numpy.asarray(rows).clip(0, 0xFFFF).astype(numpy.uint16)
            )
        case "F":
            raise ValueError("it holds fractions; save it with 8 or 16 bits a channel")
        case "1" | "L" | "La":
            has_alpha = is_clear or mode == "La"
            return _in_bands(
                image, lambda rows: numpy.asarray(rows.convert("LA" if has_alpha else "L"))
            )
        case _:
            has_alpha = is_clear or mode in ("PA", "RGBa")
            return _in_bands(
                image, lambda rows: numpy.asarray(rows.convert("RGBA" if has_alpha else "RGB"))
            )


def _orientation(image: Image.Image) -> object:
    try:
        return image.getexif().get(_ORIENTATION, 1)
    # Unreadable EXIF turns nothing, and the pixels are there.
    except Exception:  # noqa: BLE001
        return 1


def _upright(pixels: Pixels, orientation: object) -> Pixels:
    """Returns a view of the pixels as EXIF orients them."""
    if orientation in _SIDEWAYS:
        pixels = pixels.swapaxes(0, 1)
    if orientation in _UPSIDE_DOWN:
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return pixels
