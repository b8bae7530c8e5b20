"""Calls functions at their times in one thread, for the lab's boots, notices and interruptions."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable

from elastic.clock import Clock

log = logging.getLogger(__name__)


# Not APScheduler, which waits by the machine's clock alone, while a test may move a lab's clock.
# The standard library's sched takes a clock, but does not wake for an entry that is added while it
# waits: the condition below would still be needed.
class Schedule:
    """Calls each entry at its time; entries of one instant in the order they were added."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._has_ended = False
        self._is_doing = False
        self._thread = threading.Thread(target=self._run, name="lab agenda", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def at(self, at_s: float, do: Callable[[], None]) -> None:
        """Calls `do` at the instant, or at once if it is past."""
        with self._changed:
            heapq.heappush(self._entries, (at_s, next(self._numbers), do))
            self._changed.notify_all()

    def catch_up(self) -> None:
        """Returns once all that is due has been done; for manual clocks."""
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(
                # An entry starts or ends machines, which takes seconds: more is a hang of the lab's
                # own.
                lambda: self._has_ended or not (self._is_doing or self._is_due()),
                timeout=30.0,
            )

    def next_at_s(self) -> float | None:
        """The instant of the next entry; None if there is none."""
        with self._changed:
            if self._entries:
                return self._entries[0][0]
            return None

    def end(self) -> None:
        """Drops the remaining entries, and waits for the running one."""
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()
        # The entry that runs may be at a machine's end.
        self._thread.join(timeout=10.0)

    def _run(self) -> None:
        while (do := self._next()) is not None:
            try:
                do()
            except Exception:
                log.exception("an entry of the lab's agenda failed")
            with self._changed:
                self._is_doing = False
                self._changed.notify_all()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            while not self._has_ended:
                wait_s = None
                if self._entries:
                    wait_s = self._entries[0][0] - self._clock.now_s()
                if wait_s is not None and wait_s <= 0:
                    self._is_doing = True
                    return heapq.heappop(self._entries)[2]
                self._changed.wait(wait_s)
        return None

    def _is_due(self) -> bool:
        return bool(self._entries) and self._entries[0][0] <= self._clock.now_s()
