"""The log file of a generation: bounded in size, its end ready for a report."""

from __future__ import annotations

import os
from pathlib import Path

MAX_LOG_BYTES = 16 << 20
TAIL_BYTES = 8000  # torchrun alone writes 3,000 below the traceback of one worker


def tail(path: Path, *, size: int = TAIL_BYTES, since: int = 0) -> str:
    """The last bytes of a log, of those after ``since``, from the start of a line; empty when there is no log."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            start = max(since if since <= end else 0, end - size)
            file.seek(start)
            data = file.read(size)
    except FileNotFoundError:
        return ""
    if start > since and b"\n" in data:
        data = data.split(b"\n", 1)[1]
    return data.decode(errors="replace")


def bound(path: Path, *, max_bytes: int = MAX_LOG_BYTES) -> None:
    """Moves a log that has grown too large to ``<path>.1``, in place of the one moved before.

    The writers keep the file open for appending, so it is copied and cut rather than renamed; a line written in between
    is lost.
    """
    try:
        if path.stat().st_size <= max_bytes:
            return
    except FileNotFoundError:
        return
    path.with_name(f"{path.name}.1").write_bytes(path.read_bytes())
    os.truncate(path, 0)
