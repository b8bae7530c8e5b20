"""What a session says to whoever reads its script's stderr."""

from __future__ import annotations

import contextlib
import sys


def tell(words: str) -> None:
    """Says it, if anybody can hear it."""
    with contextlib.suppress(OSError, ValueError):  # nobody reads it, or it is closed
        print(words, file=sys.stderr, flush=True)
