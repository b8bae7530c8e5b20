"""A disk without room for this process."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def a_full_disk(room: int = 0) -> Iterator[None]:
    """Lets this process write no file beyond so many bytes, as if its disk ended there."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores the signal, so that a write fails instead.
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
