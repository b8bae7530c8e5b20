"""Gathers turns into windows of at least half a second, so that a step costs little."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable

from elastic.durations import WINDOW_S
from elastic.worker.messages import MOST_OF_A_PHASE, Datagram
from elastic.worker.outbox import Outbox

UNFIT_FOR_A_PHASE = re.compile(r"[^A-Za-z0-9_.-]")


class Recorder:
    """Counts the turns of one process and hands closed windows to its outbox.

    The first turn of a process, and of a phase, is a cold window of its own. It holds start-up and
    first allocations, so it counts as progress and never as a rate. While messages wait in the
    outbox, the open window stays open and grows.
    """

    def __init__(
        self,
        outbox: Outbox,
        *,
        started_at: float,
        monotonic: Callable[[], float] = time.perf_counter,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        self._outbox = outbox
        self._monotonic = monotonic
        self._wall_s = wall_s
        self._started_at = started_at
        self._hold_until: float | None = None
        # Windows that `discard` may still drop.
        self._held: list[Datagram] = []
        self._phase: str | None = None
        self._iteration: int | None = None
        self._turns = 0
        self._start = self._last = started_at
        self._close_at = started_at + WINDOW_S

    def turn(self, iteration: int | None, phase: str, *, work: int = 1) -> float:
        """Records that a turn has just ended; returns the monotonic instant for the caller.

        The turn counts `work` iterations.
        """
        now = self._monotonic()
        is_first = phase != self._phase
        if is_first:
            self._close_window()
            self._phase = phase
        self._turns += work
        self._iteration = iteration
        self._last = now
        if is_first:
            self._close_window(is_cold=True)
        elif now >= self._close_at:
            self._close_if_heard(now)
        return now

    def hold(self, *, for_s: float) -> None:
        """Holds the next windows back for a while, so that ``discard`` can drop them."""
        self._hold_until = self._monotonic() + for_s

    def discard(self) -> None:
        """Drops all held windows: the script counts its own turns, from the process's start."""
        if self._hold_until is None:
            return
        self._hold_until = None
        self._held.clear()
        self._phase = None
        self._turns = 0
        self._start = self._last = self._started_at

    def restart(self) -> None:
        """Sends all windows so far, and begins again here: the next turn is a cold one."""
        self.flush()
        self._phase = None
        self._start = self._last = self._monotonic()

    def flush(self) -> None:
        """Closes the open window and sends all that can be sent without blocking."""
        self._hold_until = None
        self._close_window()
        self._release()

    def _close_if_heard(self, now: float) -> None:
        if self._outbox.flush():
            self._close_window()
        self._close_at = now + WINDOW_S

    def _close_window(self, *, is_cold: bool = False) -> None:
        if not self._turns:
            return
        self._held.append(
            {
                "kind": "window",
                "phase": _clean(self._phase or "main"),
                "iteration": None if self._iteration is None else max(0, int(self._iteration)),
                "iterations": self._turns,
                "elapsed_s": self._last - self._start,
                "is_cold": is_cold,
                "ended_at_s": self._wall_s() - (self._monotonic() - self._last),
            }
        )
        self._start = self._last
        self._turns = 0
        self._close_at = self._last + WINDOW_S
        if self._hold_until is None or self._last >= self._hold_until:
            self._hold_until = None
            self._release()

    def _release(self) -> None:
        for window in self._held:
            self._outbox.put(window)
        self._held.clear()
        self._outbox.flush()


@functools.lru_cache(maxsize=64)
def _clean(phase: str) -> str:
    return UNFIT_FOR_A_PHASE.sub("_", phase)[:MOST_OF_A_PHASE]
