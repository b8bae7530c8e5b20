"""Tells a member whose training thread hangs, though its process lives and answers, from one that
is slow."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from statistics import median

from elastic.figures import duration
from elastic.workloads.session.links import Status
from elastic.workloads.session.messages import tell
from elastic.workloads.session.stall_reason import why_stalled

TURNS = 32
KNOWN_TURNS = 8  # before so many nothing is known of how long a turn takes
TIMES_USUAL = 20.0
LEAST_S = 3.0  # what is known of a member's sums may be 1.5 s old
FIRST_TURNS = 2  # of a member, in which it may still be compiling
TIMES_FIRST = 3.0
NAP_S = 2.0  # a longer time between two looks is one in which this process stood still itself
LONG_S = 30.0
TIMES_LONG = 3.0
AGAIN_S = 300.0


class HangDetector:
    """What one member knows of its peers' pace.

    A member that has begun fewer sums than this one holds it up. It is given up when that has gone
    on for `hang_s`, and for 20 times a usual turn; after three times as long where it has not made
    two turns itself yet, for it may still be compiling, or where no usual turn is known. A turn
    that stands still for 30 s, and for 3 usual ones, is reported. Time in which this process, or
    its machine, was stopped does not count.
    """

    def __init__(self, hang_s: float, *, tell: Callable[[str], None] = tell) -> None:
        """`hang_s` of 0: nobody is ever given up."""
        self._hang_s, self._tell = max(hang_s, LEAST_S) if hang_s else 0.0, tell
        self._turns_s: deque[float] = deque(maxlen=TURNS)
        self._turned_s: float | None = None
        self._first_steps: dict[str, int] = {}
        self._given_up: frozenset[str] = frozenset()
        self._own = Status()
        self._looked_s = self._waited_s = self._told_s = 0.0

    def turn_ended(self, *, now_s: float) -> None:
        """Takes note of how long a turn takes, with all that the script does between two."""
        if self._turned_s is not None:
            self._turns_s.append(now_s - self._turned_s)
        self._turned_s = now_s

    def hung(
        self, own: Status, others: Mapping[str, Status], *, now_s: float, is_waiting: bool = True
    ) -> frozenset[str]:
        """Gives who is to be given up; to be asked once a second, or more often.

        `is_waiting` says that this process's training thread waits for a sum.
        """
        for name, status in others.items():
            if status.round:
                self._first_steps.setdefault(name, status.step)
        passed_s, self._looked_s = min(now_s - self._looked_s, NAP_S), now_s
        if (own.round, own.begun) != (self._own.round, self._own.begun):
            self._waited_s = self._told_s = 0.0
        else:
            self._waited_s += passed_s
        self._own = own
        self._tell_once(own, others, is_waiting=is_waiting)
        if not self._hang_s:
            return frozenset()
        found = frozenset(
            name for name, status in others.items() if self._holds_up(name, status, own)
        )
        if fresh := found - self._given_up:
            self._given_up |= found
            why = why_stalled(own, others, is_waiting=is_waiting)
            self._tell(
                f"session: gives up {', '.join(sorted(fresh))}: {why}; for "
                f"{duration(self._waited_s)} now"
            )
        return found

    def _holds_up(self, name: str, status: Status, own: Status) -> bool:
        if not (status.round, status.begun) < (own.round, own.begun):
            return False
        if len(self._turns_s) < KNOWN_TURNS:
            return self._waited_s >= TIMES_FIRST * self._hang_s
        long_s = max(self._hang_s, TIMES_USUAL * median(self._turns_s))
        is_known = status.step >= self._first_steps.get(name, status.step) + FIRST_TURNS
        return self._waited_s >= (long_s if is_known else TIMES_FIRST * long_s)

    def _tell_once(self, own: Status, others: Mapping[str, Status], *, is_waiting: bool) -> None:
        """Tells of a turn that stands still, and then once in a while."""
        due_s = (
            self._told_s + AGAIN_S
            if self._told_s
            else max(LONG_S, TIMES_LONG * median(self._turns_s or [0.0]))
        )
        if (
            self._waited_s < due_s
            or (why := why_stalled(own, others, is_waiting=is_waiting)) is None
        ):
            return
        self._told_s = self._waited_s
        self._tell(f"session: {why}; for {duration(self._waited_s)} now")
