"""PNG files written row by row, for pictures larger than memory (W3C PNG, third edition)."""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

import numpy

from elastic.workloads.pictures.pictures import Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# By channels: grey, grey and alpha, colour, colour and alpha.
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
# The filter that stores the difference of each row from the row above.
_UP = 2


class PngWriter:
    """Writes a picture's rows, from top to bottom, to an open file; `close` ends it."""

    def __init__(
        self,
        file: BinaryIO,
        *,
        width: int,
        height: int,
        channels: int,
        bits: int,
        profile: bytes | None = None,
    ) -> None:
        self._file = file
        self._packer = zlib.compressobj()
        self._above = numpy.zeros(width * channels * bits // 8, dtype=numpy.uint8)
        file.write(_SIGNATURE)
        self._chunk(
            b"IHDR", struct.pack(">IIBBBBB", width, height, bits, _COLOUR_TYPES[channels], 0, 0, 0)
        )
        if profile is not None:
            self._chunk(b"iCCP", b"ICC profile\0\0" + zlib.compress(profile))

    def write(self, rows: Pixels) -> None:
        """Writes `(rows, width, channels)`, uint8 or uint16 as announced."""
        plain = rows.astype(rows.dtype.newbyteorder(">")).reshape(len(rows), -1).view(numpy.uint8)
        above = numpy.concatenate([self._above[None], plain[:-1]])
        filtered = numpy.empty((len(plain), plain.shape[1] + 1), dtype=numpy.uint8)
        filtered[:, 0] = _UP
        numpy.subtract(plain, above, out=filtered[:, 1:])  # modulo 256, as the filter requires
        self._above = plain[-1].copy()
        if packed := self._packer.compress(filtered.data):
            self._chunk(b"IDAT", packed)

    def close(self) -> None:
        """Writes what is left."""
        self._chunk(b"IDAT", self._packer.flush())
        self._chunk(b"IEND", b"")

    def _chunk(self, kind: bytes, content: bytes) -> None:
        self._file.write(struct.pack(">I", len(content)) + kind)
        self._file.write(content)
        self._file.write(struct.pack(">I", zlib.crc32(content, zlib.crc32(kind))))
