"""Zips that are the same for the same files, whenever and wherever they are made."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

_EARLIEST = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # what a zip can tell; an instant of our own would make each another one
_POSIX = 3  # the system that made it, whose permissions follow


def zip_of(files: Iterable[tuple[str, bytes, int]]) -> bytes:
    """Gives a zip of files, in their order: each a path with slashes, what it holds, its
    permissions (0o644)."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content, mode in files:
            entry = zipfile.ZipInfo(path, _EARLIEST)
            entry.create_system = _POSIX
            entry.external_attr = (0o100000 | mode) << 16  # a plain file
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()
