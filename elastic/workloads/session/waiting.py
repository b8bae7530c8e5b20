"""What a process says while it waits in vain: once, and only when that has gone on for some seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable

LONG_S = 5.0  # a store that its daemon starts anew is back sooner


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


class Waiting:
    """One process's waits, one after the other."""

    def __init__(self, tell: Callable[[str], None] = _tell) -> None:
        self._tell = tell
        self._since_s: float | None = None
        self._is_told = False

    def goes_on(self, why: str, *, now_s: float) -> None:
        """Takes note that it still waits; the first of the same wait begins it."""
        if self._since_s is None:
            self._since_s = now_s
        if not self._is_told and now_s - self._since_s >= LONG_S:
            self._is_told = True
            self._tell(f"session: {why}; has tried for {now_s - self._since_s:.0f} s, and goes on trying")

    def ends(self) -> None:
        """Takes note that what it waited for has come."""
        self._since_s, self._is_told = None, False
