"""Standard output that survives its reader, so that commands do all their work."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Outlet(io.FileIO):
    """A descriptor that discards everything after a broken pipe."""

    has_reader = True

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            self.has_reader = False
            # The descriptor itself must change: Python flushes it once more at exit.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def outlive_reader() -> None:
    """Lets this process go on when the reader of its output is gone, as after `| head`.

    What the terminal's encoding lacks is shown as `\\u6f22`, as Python does on standard error.
    """
    out = sys.stdout
    if not isinstance(out, io.TextIOWrapper) or out is not sys.__stdout__:
        return  # closed, or replaced by a test
    out.flush()
    buffer = io.BufferedWriter(_Outlet(out.fileno(), "wb", closefd=False))
    sys.stdout = io.TextIOWrapper(
        buffer,
        encoding=out.encoding,
        errors="backslashreplace",
        line_buffering=out.line_buffering,
        write_through=False,
    )


def has_reader() -> bool:
    """Whether the output may still be read; a command that only writes may end if not."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return not isinstance(raw, _Outlet) or raw.has_reader
