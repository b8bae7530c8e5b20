"""Photographs on disk as tensors: those that scikit-image brings, or any folder of images."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy
import torch
from PIL import Image, UnidentifiedImageError
from torch import Tensor
from torch.nn import functional

from elastic.errors import InvalidInput
from elastic.workloads.sample_order import Draw

BUNDLED = "skimage"
SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
CACHED_PHOTOGRAPHS = 32

# Real photographs inside scikit-image's wheel; the two held out are never trained on.
_BUNDLED_TRAINING = [
    "brick.png",
    "camera.png",
    "coffee.png",
    "coins.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "ihc.png",
    "moon.png",
    "motorcycle_left.png",
    "motorcycle_right.png",
    "retina.jpg",
    "rocket.jpg",
]
_BUNDLED_HELD_OUT = ("astronaut.png", "chelsea.png")
_MOST_HELD_OUT = 8


@dataclass(frozen=True, slots=True)
class Photographs:
    """Some image files, and how many crops an epoch takes of each."""

    paths: tuple[Path, ...]
    crops_each: tuple[int, ...]
    channels: int

    def __len__(self) -> int:
        """Gives the number of crops in an epoch."""
        return sum(self.crops_each)

    def crop(self, drawn: Draw, height: int, width: int) -> Tensor:
        """Gives the crop that was drawn, `(channels, height, width)`, float32, [0, 1]."""
        pixels = _covering(_read(self._path_of(drawn.item), self.channels), height, width)
        top = int(drawn.top * (pixels.shape[1] - height + 1))
        left = int(drawn.left * (pixels.shape[2] - width + 1))
        cut = pixels[:, top : top + height, left : left + width].float().div_(255)
        return cut.flip(2) if drawn.is_mirrored else cut

    def _path_of(self, item: int) -> Path:
        for path, crops in zip(self.paths, self.crops_each, strict=True):
            if item < crops:
                return path
            item -= crops
        raise IndexError(f"an epoch has {len(self)} crops, asked for one {item} past the last")


def open_photographs(
    data: str, dataset_name: str | None, *, height: int, width: int, channels: int
) -> tuple[Photographs, Photographs]:
    """Gives the photographs to train on and those held out; raises InvalidInput where there are too few.

    A bundled photograph gives as many crops an epoch as fit side by side; an image of a folder gives one.
    """
    if data == BUNDLED:
        folder = _bundled_folder()
        training = tuple(folder / name for name in _BUNDLED_TRAINING)
        held_out = tuple(folder / name for name in _BUNDLED_HELD_OUT)
        crops = tuple(_tiles(path, height, width) for path in training)
    else:
        paths = _images_in(Path(data) / dataset_name if dataset_name else Path(data))
        spared = min(_MOST_HELD_OUT, max(1, len(paths) // 10))
        held_out, training = paths[:spared], paths[spared:]
        crops = (1,) * len(training)
    return Photographs(training, crops, channels), Photographs(held_out, (1,) * len(held_out), channels)


def shrink(high: Tensor) -> Tensor:
    """Gives the antialiased bicubic quarter of `(batch, channels, h, w)`, [0, 1]."""
    size = (high.shape[2] // 4, high.shape[3] // 4)
    small = functional.interpolate(high, size=size, mode="bicubic", align_corners=False, antialias=True)
    return small.clamp_(0, 1)


def _bundled_folder() -> Path:
    found = importlib.util.find_spec(BUNDLED)  # found, not imported: only its files are wanted
    if found is None or found.origin is None:
        raise InvalidInput("data: scikit-image is not installed; pip install scikit-image, or name a folder of images")
    return Path(found.origin).parent / "data"


def _images_in(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        raise InvalidInput(f"data: wanted a folder of images, found none at {folder}", field="data")
    paths = tuple(sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES))
    if len(paths) < 2:
        raise InvalidInput(
            f"data: wanted at least two images (one is held out) in {folder}, found {len(paths)}", field="data"
        )
    return paths


def _tiles(path: Path, height: int, width: int) -> int:
    with Image.open(path) as image:
        return max(1, (image.height // height) * (image.width // width))


@lru_cache(maxsize=CACHED_PHOTOGRAPHS)
def _read(path: Path, channels: int) -> Tensor:
    """Gives the image as uint8 `(channels, h, w)`: grey, palette and transparent ones come out in the same shape."""
    try:
        with Image.open(path) as image:
            pixels = numpy.array(image.convert("RGB" if channels == 3 else "L"))
    except (UnidentifiedImageError, OSError) as error:
        raise InvalidInput(
            f"data: {path} is not an image that can be read ({error}); remove it", field="data"
        ) from error
    return torch.from_numpy(pixels.reshape(pixels.shape[0], pixels.shape[1], channels)).permute(2, 0, 1).contiguous()


def _covering(pixels: Tensor, height: int, width: int) -> Tensor:
    """Gives the image itself, or one just enlarged enough for the crop to fit."""
    factor = max(height / pixels.shape[1], width / pixels.shape[2])
    if factor <= 1:
        return pixels
    size = _ceil_size(pixels.shape[1:], factor, height, width)
    large = functional.interpolate(pixels[None].float(), size=size, mode="bicubic", align_corners=False)
    return large[0].round_().clamp_(0, 255).to(torch.uint8)


def _ceil_size(shape: Sequence[int], factor: float, height: int, width: int) -> tuple[int, int]:
    return max(height, round(shape[0] * factor)), max(width, round(shape[1] * factor))
