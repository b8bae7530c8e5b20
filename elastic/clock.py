"""The one place that asks what time it is."""

import time
from typing import Protocol


class Clock(Protocol):
    """Gives the present instant, in Unix seconds UTC, and waits."""

    def now_s(self) -> float: ...

    def sleep(self, duration_s: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now_s(self) -> float:
        return time.time()

    def sleep(self, duration_s: float) -> None:
        time.sleep(duration_s)


class ManualClock:
    """A clock that moves only when told to: sleeping on it advances it and returns at once."""

    def __init__(self, start_s: float = 1_700_000_000.0) -> None:
        self._now_s = start_s

    def now_s(self) -> float:
        return self._now_s

    def sleep(self, duration_s: float) -> None:
        self.advance(duration_s)

    def advance(self, duration_s: float) -> None:
        """Moves the clock forward by `duration_s` seconds."""
        if duration_s < 0:
            raise ValueError(f"a clock only moves forward, got {duration_s} s")
        self._now_s += duration_s
