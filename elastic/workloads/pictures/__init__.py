"""Image files as arrays of pixels: any kind is read, and PNGs larger than memory are written."""

from elastic.workloads.pictures.pictures import (
    NoImage,
    Picture,
    Pixels,
    open_picture,
    profile_of,
    read_pixels,
    size_of,
    with_channels,
)
from elastic.workloads.pictures.png import PngWriter

__all__ = [
    "NoImage",
    "Picture",
    "Pixels",
    "PngWriter",
    "open_picture",
    "profile_of",
    "read_pixels",
    "size_of",
    "with_channels",
]
