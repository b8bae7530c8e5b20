"""The one place that asks what time it is."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

# The speed of a steady clock while it is ahead. At half speed, the other clock catches up after
# twice the time that it was set back by.
CATCHING_UP = 0.5


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


class SteadyClock:
    """A clock that never runs back, whatever the wall clock does.

    It shows the wall clock's time, or where that was set back, its own last time plus half of the
    time since. Where the wall clock is set forward it follows at once.
    """

    def __init__(
        self,
        *,
        now_s: Callable[[], float] = time.time,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._other_s = now_s
        self._elapsed_s = elapsed_s
        self._lock = threading.Lock()
        # The time that was shown last, and when, by the clock that cannot be set.
        self._said_s = now_s()
        self._said_at_s = elapsed_s()

    def now_s(self) -> float:
        with self._lock:
            at_s = self._elapsed_s()
            least_s = self._said_s + CATCHING_UP * (at_s - self._said_at_s)
            self._said_s = max(self._other_s(), least_s)
            self._said_at_s = at_s
            return self._said_s

    def sleep(self, duration_s: float) -> None:
        time.sleep(duration_s)


class ManualClock:
    """A clock that moves only when it is told to. Sleeping advances it and returns at once."""

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
