"""The one place that asks what time it is."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from elastic.durations import ANSWER_TIMEOUT_S, MINIMUM_BILLED_S, MINUTE_S

# The speed of a steady clock while it is ahead.
CATCHING_UP = 0.5
# Clocks that differ by no more agree: an answer tells whole seconds, and takes some to arrive.
AGREES_S = ANSWER_TIMEOUT_S
# Beyond this a difference is no matter of slow answers: nothing irreversible happens until it is
# clear which clock is right. EC2's least bill is for a minute.
HOLDS_S = MINIMUM_BILLED_S
# A provider is believed once it has said for this time that this clock is wrong.
INSISTS_S = MINUTE_S


def seconds_since_boot() -> float:
    """A clock that cannot be set, and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


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
    """A clock that goes on evenly, and never back, whatever becomes of the machine's clock.

    It begins with the machine's clock. From then on it counts the seconds of a clock that cannot be
    set. It takes another time where `told` says what time it is at a provider, whose instants are
    on the bill, or where `follow` tells it to go by the machine's clock again.
    """

    def __init__(
        self,
        *,
        now_s: Callable[[], float] = time.time,
        elapsed_s: Callable[[], float] = seconds_since_boot,
        began_s: float | None = None,
    ) -> None:
        """`began_s` is the time now, where something better than the machine's clock knows it."""
        self._machine_s = now_s
        self._elapsed_s = elapsed_s
        self._lock = threading.Lock()
        # The time that was shown last, and when, by the clock that cannot be set.
        self._said_s = now_s() if began_s is None else began_s
        self._said_at_s = elapsed_s()
        # Whether it goes on as it did before, and whether a provider has said what time it is.
        self.has_continued = began_s is not None
        self.is_confirmed = False
        # As long as another clock is behind, this one goes at half speed.
        self._ahead_s = 0.0
        # How far a provider's clock is ahead while the two differ, and since when it says so.
        self._disputed_s = 0.0
        self._disputed_since_s: float | None = None

    def now_s(self) -> float:
        with self._lock:
            return self._now_s()

    def sleep(self, duration_s: float) -> None:
        time.sleep(duration_s)

    @property
    def disputed_s(self) -> float:
        """How far a provider's clock is ahead of this one, in seconds, while that is more than a
        minute and it is not clear which one is right; else 0."""
        with self._lock:
            if self._disputed_since_s is None or abs(self._disputed_s) < HOLDS_S:
                return 0.0
            return self._disputed_s

    @property
    def machine_ahead_s(self) -> float:
        """How far the machine's clock is ahead of this one, in seconds; below 0 if it is behind."""
        with self._lock:
            return self._machine_s() - self._now_s()

    def told(self, at_s: float) -> None:
        """Notes what time it is by a provider's clock, whose answers tell whole seconds.

        The first one counts at once, unless this clock went on from an earlier one. Any other that
        differs must be repeated for a minute: one wrong answer moves nothing.
        """
        with self._lock:
            now_s = self._now_s()
            ahead_s = at_s - now_s + self._ahead_s
            if abs(ahead_s) <= AGREES_S:
                self._disputed_since_s = None
            elif not (self.is_confirmed or self.has_continued):
                self._said_s = at_s
                self._ahead_s = 0.0
            else:
                self._weigh(ahead_s)
            self.is_confirmed = True

    def follow(self) -> None:
        """Goes by the machine's clock from now on: at once where that is ahead."""
        with self._lock:
            self._go_to(self._machine_s() - self._now_s())

    def _weigh(self, ahead_s: float) -> None:
        at_s = self._elapsed_s()
        if self._disputed_since_s is None or abs(self._disputed_s - ahead_s) > AGREES_S:
            self._disputed_since_s = at_s
        self._disputed_s = ahead_s
        if at_s - self._disputed_since_s >= INSISTS_S:
            self._disputed_since_s = None
            self._go_to(ahead_s - self._ahead_s)

    def _go_to(self, ahead_s: float) -> None:
        """Goes to a time that is so far ahead, at once; or if it is behind, at half speed."""
        if ahead_s >= 0:
            self._said_s += ahead_s
            self._ahead_s = 0.0
        else:
            self._ahead_s = -ahead_s

    def _now_s(self) -> float:
        at_s = self._elapsed_s()
        passed_s = at_s - self._said_at_s
        # At half speed, the other clock catches up after twice the time that this one is ahead.
        caught_up_s = min(self._ahead_s, CATCHING_UP * passed_s)
        self._ahead_s -= caught_up_s
        self._said_s += passed_s - caught_up_s
        self._said_at_s = at_s
        return self._said_s


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
