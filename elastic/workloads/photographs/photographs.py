"""Photographs on disk as tensors: those of scikit-image, or any folder of images."""

from __future__ import annotations

import importlib.util
import math
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from threading import Lock

import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional

from elastic.errors import InvalidInput
from elastic.workloads.image_folder import BUNDLED, check_unreadable, images_in, left_out
from elastic.workloads.photographs.sample_order import Draw
from elastic.workloads.pictures import NoImage, Pixels, read_pixels, with_channels

# An eighth of the smallest node's memory (2 GiB): all of scikit-image's photographs, or some of a
# folder's.
CACHED_BYTES = 256 * 2**20

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


class Photographs:
    """Some image files, and how many crops an epoch takes of each.

    An unreadable image is left out, and the next one takes its place, the same on all nodes with
    the same files. `tell` is called for it; more than `most_unreadable` raise InvalidInput.
    """

    def __init__(
        self,
        paths: Sequence[str],
        crops_each: Sequence[int],
        channels: int,
        *,
        most_unreadable: int = 0,
    ) -> None:
        self.paths = tuple(paths)
        self.channels = channels
        self.tell: Callable[[str], None] = _tell
        self._ends = tuple(accumulate(crops_each))
        self._most_unreadable = most_unreadable
        self._unreadable: dict[str, str] = {}
        self._cache = _Cache(len(self.paths))

    def __len__(self) -> int:
        """Gives the number of crops in an epoch."""
        return self._ends[-1]

    def crop(self, drawn: Draw, height: int, width: int) -> Tensor:
        """Gives the crop that was drawn, `(channels, height, width)`, float32, [0, 1]."""
        return as_batch([self.cut(drawn, height, width)])[0].contiguous()

    def cut(self, drawn: Draw, height: int, width: int) -> Tensor:
        """Gives the same crop as it is stored, `(height, width, channels)`, uint8."""
        pixels = self._pixels_of(bisect_right(self._ends, drawn.item))
        # An image that is smaller than the crop is enlarged until it fits. Only the part that the
        # crop shows is: all of a strip of 1 x 2000 pixels would take gigabytes.
        factor = max(1.0, height / pixels.shape[0], width / pixels.shape[1])
        high = min(pixels.shape[0], math.ceil(height / factor))
        wide = min(pixels.shape[1], math.ceil(width / factor))
        top = int(drawn.top * (pixels.shape[0] - high + 1))
        left = int(drawn.left * (pixels.shape[1] - wide + 1))
        # A copy: torch needs writable memory, and the image's own may be freed.
        cut = torch.from_numpy(pixels[top : top + high, left : left + wide].copy())
        if (high, wide) != (height, width):
            cut = _enlarged(cut, height, width)
        return cut.flip(1) if drawn.is_mirrored else cut

    def _pixels_of(self, index: int) -> Pixels:
        """Gives an image's pixels, or the next readable one's."""
        for place in range(index, index + len(self.paths)):
            path = self.paths[place % len(self.paths)]
            if path in self._unreadable:
                continue
            try:
                return self._cache.pixels(path, self._read)
            except NoImage as error:
                self._leave_out(path, str(error))
        raise InvalidInput("data: wanted an image that can be read, found none left", field="data")

    def _read(self, path: str) -> Pixels:
        return with_channels(read_pixels(path), self.channels)

    def _leave_out(self, path: str, why: str) -> None:
        self._unreadable[path] = why
        check_unreadable(list(self._unreadable.values()), most=self._most_unreadable)
        self.tell(left_out(why))


class _Cache:
    """The pixels that were read first, up to a bounded size; several threads may ask.

    Each image comes once an epoch, in another order each time, so keeping the last ones would hit
    less often. If not even a tenth fits, none is kept: new memory costs half as much as decoding
    (benchmarks/image_loading.py).
    """

    def __init__(self, images: int) -> None:
        self._images = images
        self._kept: dict[str, Pixels] = {}
        self._lock = Lock()
        self._size_bytes = 0

    def pixels(self, path: str, read: Callable[[str], Pixels]) -> Pixels:
        if (kept := self._kept.get(path)) is not None:
            return kept
        pixels = read(path)
        if pixels.nbytes * self._images <= 10 * CACHED_BYTES:
            self._keep(path, pixels)
        return pixels

    def _keep(self, path: str, pixels: Pixels) -> None:
        with self._lock:
            if path not in self._kept and self._size_bytes + pixels.nbytes <= CACHED_BYTES:
                self._kept[path] = pixels
                self._size_bytes += pixels.nbytes


def open_photographs(
    data: str,
    dataset_name: str | None,
    *,
    height: int,
    width: int,
    channels: int,
    most_unreadable: int = 0,
) -> tuple[Photographs, Photographs]:
    """Returns the photographs to train on and those held out.

    A bundled photograph gives as many crops an epoch as fit side by side; an image of a folder
    gives one. Raises InvalidInput if there are too few.
    """
    if data == BUNDLED:
        folder = _bundled_folder()
        training = [str(folder / name) for name in _BUNDLED_TRAINING]
        held_out = [str(folder / name) for name in _BUNDLED_HELD_OUT]
        crops = [_tiles(path, height, width) for path in training]
    else:
        paths = images_in(Path(data) / dataset_name if dataset_name else data)
        # A tenth of the images is held out, at least one and at most eight.
        spared = min(_MOST_HELD_OUT, max(1, len(paths) // 10))
        held_out = list(paths[:spared])
        training = list(paths[spared:])
        crops = [1] * len(training)
    # An unreadable image is replaced by the next, even by one that is trained on: some image must
    # be judged.
    judged = [1] * len(held_out) + [0] * len(training)
    return (
        Photographs(training, crops, channels, most_unreadable=most_unreadable),
        Photographs([*held_out, *training], judged, channels, most_unreadable=most_unreadable),
    )


def as_batch(cuts: Sequence[Tensor]) -> Tensor:
    """Returns crops as `(batch, channels, height, width)`, float32, [0, 1]; memory order stays."""
    return torch.stack(list(cuts)).permute(0, 3, 1, 2).float().div_(255)


def shrink(high: Tensor) -> Tensor:
    """Gives the antialiased bicubic quarter of `(batch, channels, h, w)`, [0, 1]."""
    size = (high.shape[2] // 4, high.shape[3] // 4)
    small = functional.interpolate(
        high, size=size, mode="bicubic", align_corners=False, antialias=True
    )
    return small.clamp_(0, 1)


def _bundled_folder() -> Path:
    found = importlib.util.find_spec(BUNDLED)  # found, not imported: only its files are wanted
    if found is None or found.origin is None:
        raise InvalidInput(
            "data: scikit-image is not installed; pip install scikit-image, or name a folder of "
            "images"
        )
    return Path(found.origin).parent / "data"


def _tiles(path: str, height: int, width: int) -> int:
    with Image.open(path) as image:
        return max(1, (image.height // height) * (image.width // width))


def _enlarged(small: Tensor, height: int, width: int) -> Tensor:
    """Gives `(h, w, channels)`, uint8, as large as that."""
    large = functional.interpolate(
        small.permute(2, 0, 1)[None].float(),
        size=(height, width),
        mode="bicubic",
        align_corners=False,
    )
    return large[0].round_().clamp_(0, 255).to(torch.uint8).permute(1, 2, 0)


def _tell(text: str) -> None:
    print(f"esrgan: {text}", file=sys.stderr, flush=True)
