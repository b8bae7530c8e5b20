"""Image files for tests, of kinds that Pillow reads and does not write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from elastic.workloads.pictures import PngWriter


def deep_png(path: Path, channels: int, *, size: tuple[int, int] = (20, 24)) -> NDArray[Any]:
    """Writes a smooth picture with 16 bits a channel, and gives its pixels `(height, width,
    channels)`."""
    height, width = size
    down, across = numpy.mgrid[:height, :width]
    planes = [
        (down * (3 + number) + across * 5) / (3 * height + 6 * height + 5 * width)
        for number in range(channels)
    ]
    planes_together = numpy.stack(planes, axis=2)
    pixels: NDArray[Any] = (planes_together / planes_together.max() * 65_000).astype(numpy.uint16)
    with path.open("wb") as file:
        writer = PngWriter(file, width=width, height=height, channels=channels, bits=16)
        writer.write(pixels)
        writer.close()
    return pixels
