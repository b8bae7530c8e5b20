"""Disk space that a node's agent keeps for itself.

A script that fills the disk would otherwise end the agent too, and its job's owner would hear of a
lost node instead of a full disk.
"""

from __future__ import annotations

import contextlib
import errno
import os

RESERVE_FILE = "reserve"
RESERVE_BYTES = 8 << 20
# A script that is restarted may fill this too: then the next piece is there.
PIECE_BYTES = 1 << 20


def keep_reserve(folder: str) -> None:
    """Takes the space for a node's work folder, as far as there is some."""
    with contextlib.suppress(OSError):
        file = os.open(os.path.join(folder, RESERVE_FILE), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.posix_fallocate(file, 0, RESERVE_BYTES)
        finally:
            os.close(file)


def is_full(error: OSError) -> bool:
    """Whether the disk, or the user's part of it, is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def makes_room(folder: str) -> bool:
    """Gives a piece of the reserve back to the disk; False if none is left."""
    path = os.path.join(folder, RESERVE_FILE)
    with contextlib.suppress(OSError):
        left = os.stat(path).st_size
        os.truncate(path, max(left - PIECE_BYTES, 0))
        return left > 0
    return False
