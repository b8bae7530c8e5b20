"""Tells a member whose training thread hangs, though its process lives and answers, from one that is slow."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from statistics import median

from elastic.workloads.session.links import Status

TURNS = 32
KNOWN_TURNS = 8  # before so many nothing is known of how long a turn takes
TIMES_USUAL = 20.0
NAP_S = 2.0  # a longer time between two looks is one in which this process stood still itself


class Patience:
    """What one member knows of its peers' pace.

    Whoever has begun fewer sums than this member holds it up. It is given up when that has gone on for `hang_s`, and
    for 20 times a usual turn; a member that has not yet made two turns itself never is, for it may still be compiling.
    Time in which this process, or its machine, was stopped does not count.
    """

    def __init__(self, hang_s: float) -> None:
        """`hang_s` of 0: nobody is ever given up."""
        self._hang_s = hang_s
        self._turns_s: deque[float] = deque(maxlen=TURNS)
        self._turned_s: float | None = None
        self._first_steps: dict[str, int] = {}
        self._own = Status()
        self._looked_s = self._waited_s = 0.0

    def turned(self, took_s: float) -> None:
        """Takes note of a turn: the time from the end of the one before to its own."""
        self._turns_s.append(took_s)

    def turn_ended(self, *, now_s: float) -> None:
        """Takes note of how long a turn takes, with all that the script does between two."""
        if self._turned_s is not None:
            self.turned(now_s - self._turned_s)
        self._turned_s = now_s

    def hung(self, own: Status, others: Mapping[str, Status], *, now_s: float) -> frozenset[str]:
        """Gives who is to be given up; to be asked once a second, or more often."""
        for name, status in others.items():
            if status.generation:
                self._first_steps.setdefault(name, status.step)
        passed_s, self._looked_s = min(now_s - self._looked_s, NAP_S), now_s
        is_going_on = (own.generation, own.begun) != (self._own.generation, self._own.begun)
        self._own, self._waited_s = own, 0.0 if is_going_on else self._waited_s + passed_s
        if not self._hang_s or len(self._turns_s) < KNOWN_TURNS:
            return frozenset()
        if self._waited_s < max(self._hang_s, TIMES_USUAL * median(self._turns_s)):
            return frozenset()
        return frozenset(name for name, status in others.items() if self._holds_up(name, status, own))

    def _holds_up(self, name: str, status: Status, own: Status) -> bool:
        is_behind = (status.generation, status.begun) < (own.generation, own.begun)
        return is_behind and status.step >= self._first_steps.get(name, status.step) + 2
