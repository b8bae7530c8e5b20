"""The log file of a generation: bounded in size, its end ready for a report."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MAX_LOG_BYTES = 16 << 20
TAIL_BYTES = 8000  # torchrun alone writes 3,000 below the traceback of one worker


def tail(path: Path, *, size: int = TAIL_BYTES, since: int = 0) -> str:
    """The last bytes of a log, of those after ``since``, from the start of a line; empty when there is no log.

    What was moved away a moment ago counts, and so does all that there is where ``since`` was moved away itself. Of a
    line that began before ``since`` nothing does.
    """
    since = since if since <= _size(path) else 0
    data, is_whole = _end_of(path, size=size, since=max(since - 1, 0))
    if is_whole and not since:
        before, is_whole = _end_of(_moved(path), size=size - len(data))
        data = before + data
    _, newline, whole_lines = data.partition(b"\n")
    if since or (newline and not is_whole):
        data = whole_lines
    return data.decode(errors="replace")


def bound(path: Path, *, max_bytes: int = MAX_LOG_BYTES) -> None:
    """Moves the end of a log that has grown too large to ``<path>.1``, in place of what was moved before.

    The writers keep the file open for appending, so it is copied and cut rather than renamed; a line written in between
    is lost. On a full disk it is cut all the same: nothing else there gives room again.
    """
    size = _size(path)
    if size <= max_bytes:
        return
    with contextlib.suppress(OSError), path.open("rb") as log, _moved(path).open("wb") as moved:
        at = size - max_bytes
        while at < size and (copied := os.sendfile(moved.fileno(), log.fileno(), at, size - at)):
            at += copied
    os.truncate(path, 0)


def _end_of(path: Path, *, size: int, since: int = 0) -> tuple[bytes, bool]:
    """The last bytes of a file after ``since``, and whether these are all; none of a file that is not there."""
    try:
        with path.open("rb") as file:
            start = max(since, file.seek(0, os.SEEK_END) - size)
            file.seek(start)
            return file.read(size), start == since
    except FileNotFoundError:
        return b"", True


def _moved(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
