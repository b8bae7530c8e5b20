"""Makes zips that are the same for the same files, at any time and on any machine."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

# The earliest instant that a zip can hold. The time of packing would make each zip different.
_EARLIEST = (1980, 1, 1, 0, 0, 0)
# The system that made the zip, POSIX, whose permissions follow.
_POSIX = 3


def zip_of(files: Iterable[tuple[str, bytes, int]]) -> bytes:
    """Makes a zip of files in their order: each a path with slashes, content, and permissions."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content, mode in files:
            entry = zipfile.ZipInfo(path, _EARLIEST)
            entry.create_system = _POSIX
            # POSIX permissions stand in the upper half; 0o100000 is a plain file.
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()
