"""A session's messages on its script's stderr."""

from __future__ import annotations

import contextlib
import sys


def tell(words: str) -> None:
    """Prints a message, if stderr takes it."""
    with contextlib.suppress(OSError, ValueError):  # no reader, or it is closed
        print(words, file=sys.stderr, flush=True)
