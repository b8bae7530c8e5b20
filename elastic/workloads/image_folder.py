"""A folder of images to train on, checked before any node is paid for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from elastic.errors import InvalidInput

BUNDLED = "skimage"
SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
# This many are decoded in full, spread evenly: about 15 s with photographs of 24 million pixels. Of
# all others only the head is read, 0.06 ms each (benchmarks/image_loading.py).
MOST_DECODED = 100
_NAMED = 5


def images_in(folder: str | Path, closed: list[str] | None = None) -> tuple[str, ...]:
    """Returns the paths of all images below a folder, in the same order everywhere.

    `closed` gets the folders that cannot be read. Raises InvalidInput for fewer than two images.
    """
    folder = os.fspath(folder)
    closed = [] if closed is None else closed
    if not os.path.isdir(folder):
        raise InvalidInput(
            f"data: wanted a folder of images, found none at {folder}; `data: {BUNDLED}` trains on "
            "the photographs that scikit-image brings",
            field="data",
        )
    paths: list[str] = []
    # A link may lead to a folder that was looked through already, or back to one that it is in.
    seen = {os.path.realpath(folder)}
    walk = os.walk(
        folder, followlinks=True, onerror=lambda error: closed.append(_closed_folder(error))
    )
    for root, below, names in walk:
        below[:] = [name for name in sorted(below) if _is_open(os.path.join(root, name), seen)]
        paths += [
            os.path.join(root, name)
            for name in names
            # A name that begins with a dot is no image: macOS leaves such files beside each.
            if os.path.splitext(name)[1].lower() in SUFFIXES and not name.startswith(".")
        ]
    if len(paths) < 2:
        raise _too_few(folder, len(paths), closed)
    return tuple(sorted(paths))


def look_over(folder: str | Path, *, height: int, width: int, most_unreadable: int) -> list[str]:
    """Returns notes on a folder's images: how many, which unreadable, which too small.

    Raises InvalidInput if more than `most_unreadable` cannot be read, or fewer than two can.
    """
    from elastic.workloads.pictures import NoImage, read_pixels, size_of

    closed: list[str] = []
    paths = images_in(folder, closed)
    to_decode = {paths[place * len(paths) // MOST_DECODED] for place in range(MOST_DECODED)}
    unreadable: list[str] = []
    small: list[str] = []
    for path in paths:
        try:
            wide, high = size_of(path)
            if path in to_decode:
                read_pixels(path)
        except NoImage as error:
            unreadable.append(str(error))
            continue
        # A small image is used, but its crops are enlarged.
        if wide < width or high < height:
            small.append(f"{path} ({wide} x {high})")
    check_unreadable(unreadable, most=most_unreadable)
    if len(paths) - len(unreadable) < 2:
        raise _too_few(folder, len(paths) - len(unreadable), closed)
    told = [f"data: {len(paths):,} images in {folder}"]
    if closed:
        told.append(f"data: folders that cannot be read are left out: {_first(closed)}")
    if len(unreadable) == 1:
        told.append(left_out(unreadable[0]))
    elif unreadable:
        told.append(
            f"data: {len(unreadable):,} of {len(paths):,} images are left out: {_first(unreadable)}"
        )
    if small:
        told.append(
            f"data: {len(small):,} of {len(paths):,} images are smaller than a crop of {width} x "
            f"{height}, and are enlarged to it, which teaches little detail: {_first(small)}"
        )
    return told


def left_out(why: str) -> str:
    """The note on one image that cannot be read: a note in the same words stands once, whether the
    image was looked at or drawn."""
    return f"data: an image is left out: {why}"


def check_unreadable(found: Sequence[str], *, most: int) -> None:
    """Raises InvalidInput for more than `most` images that cannot be read."""
    if len(found) > most:
        raise InvalidInput(
            f"data: wanted at most {most} images that cannot be read, found {len(found)}: "
            f"{_first(found)}; remove them, or allow more (hyperparameters: most_unreadable)",
            field="data",
        )


def _first(names: Sequence[str]) -> str:
    more = ""
    if len(names) > _NAMED:
        more = f"; and {len(names) - _NAMED:,} more"
    return "; ".join(names[:_NAMED]) + more


def _is_open(folder: str, seen: set[str]) -> bool:
    """Whether to look for images in a folder: not if it is hidden (a bin, thumbnails), or was seen.

    It is seen from now on.
    """
    if os.path.basename(folder).startswith("."):
        return False
    place = os.path.realpath(folder)
    is_new = place not in seen
    seen.add(place)
    return is_new


def _closed_folder(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}"


def _too_few(folder: str | Path, count: int, closed: Sequence[str]) -> InvalidInput:
    unread = ""
    if closed:
        unread = f", and folders that cannot be read: {_first(closed)}"
    return InvalidInput(
        f"data: wanted at least two images (one is held out) in {folder}, found {count}{unread}",
        field="data",
    )
