"""A lock among the processes of one machine: its nodes may share what their jobs bring."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Holds the lock until the end of the block, or of this process, however that ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
