"""Finds members whose training thread hangs although their process lives and answers.

A slow member is not such a one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from statistics import median

from elastic.durations import LOOK_S, MINUTE_S
from elastic.figures import duration
from elastic.liveness import LifeSign, Liveness, ObserverTime, sum_bounds
from elastic.workloads.session.links.links import Status
from elastic.workloads.session.messages import tell

TURNS = 32
KNOWN_TURNS = 8  # fewer do not show how long a turn usually takes
FIRST_TURNS = 2  # of a member, in which it may still be compiling
TIMES_FIRST = 3.0


class HangDetector:
    """What one member knows of its peers' pace.

    A member that has begun fewer sums than this one holds it up. `elastic.liveness.sum_bounds` says
    after how long that is reported, and after how long the member is given up. It is given up only
    after three times as long if it has not made two turns yet, because it may still be compiling,
    or if no usual turn is known. Time in which this process or its machine was stopped does not
    count.
    """

    def __init__(self, hang_s: float, *, tell: Callable[[str], None] = tell) -> None:
        """`hang_s` of 0: no member is ever given up."""
        self._bounds = sum_bounds(hang_s=hang_s)
        self._tell = tell
        self._turns_s: deque[float] = deque(maxlen=TURNS)
        self._turned_s: float | None = None
        self._first_steps: dict[str, int] = {}
        self._given_up: frozenset[str] = frozenset()
        self._own = Status()
        # After a longer time between two looks, this process itself stood still.
        self._time = ObserverTime(2 * LOOK_S)
        self._began_s = 0.0
        self._told_s: float | None = None

    def turn_ended(self, *, now_s: float) -> None:
        """Notes how long a turn took, with all that the script does between two turns."""
        if self._turned_s is not None:
            self._turns_s.append(now_s - self._turned_s)
        self._turned_s = now_s

    def hung(
        self, own: Status, others: Mapping[str, Status], *, now_s: float, is_waiting: bool = True
    ) -> frozenset[str]:
        """Returns the members to give up. Call it at least once a second.

        `is_waiting` says that this process's training thread waits for a sum.
        """
        for name, status in others.items():
            if status.round:
                self._first_steps.setdefault(name, status.step)
        looked_s = self._time.looked(now_s=now_s)
        if (own.round, own.begun) != (self._own.round, self._own.begun):
            self._began_s = looked_s
            self._told_s = None
        self._own = own
        waited_s = looked_s - self._began_s
        self._tell_once(own, others, waited_s, is_waiting=is_waiting)
        found = frozenset(
            name
            for name, status in others.items()
            if (status.round, status.begun) < (own.round, own.begun)
            and self._has_stalled(name, status, waited_s)
        )
        if fresh := found - self._given_up:
            self._given_up |= found
            why = why_stalled(own, others, is_waiting=is_waiting)
            self._tell(
                f"session: gives up {', '.join(sorted(fresh))}: {why}; for {duration(waited_s)} now"
            )
        return found

    def _has_stalled(self, name: str, status: Status, waited_s: float) -> bool:
        """Whether a member has held this one up for too long."""
        is_usual_known = len(self._turns_s) >= KNOWN_TURNS
        usual_s = median(self._turns_s) if is_usual_known else 0.0
        is_first = status.step < self._first_steps.get(name, status.step) + FIRST_TURNS
        patience = TIMES_FIRST if is_first or not is_usual_known else 1.0
        # A member that may take `patience` times as long is judged as if it had kept others waiting
        # for less.
        sign = LifeSign(waited_s / patience, usual_s)
        return self._bounds.judge(sign) is Liveness.STALLED

    def _tell_once(
        self, own: Status, others: Mapping[str, Status], waited_s: float, *, is_waiting: bool
    ) -> None:
        """Reports a turn that stands still: once, and then once in a while."""
        if self._told_s is None:
            usual_s = median(self._turns_s or [0.0])
            is_due = self._bounds.suspect.is_over(LifeSign(waited_s, usual_s))
        else:
            is_due = waited_s >= self._told_s + MINUTE_S
        if not is_due or (why := why_stalled(own, others, is_waiting=is_waiting)) is None:
            return
        self._told_s = waited_s
        self._tell(f"session: {why}; for {duration(waited_s)} now")


def why_stalled(own: Status, others: Mapping[str, Status], *, is_waiting: bool) -> str | None:
    """Says which member keeps the others waiting; None if none waits, because all are computing.

    `is_waiting` says that this process's training thread waits for a sum.

    >>> why_stalled(Status(3, 144, begun=7), {"a": Status(3, 144, begun=6)}, is_waiting=True)
    'turn 144 waits for member a (sums begun in round 3: this process 7, a 6)'
    >>> why_stalled(Status(3, 144, begun=6), {"a": Status(3, 144, begun=7)}, is_waiting=False)
    'the others wait for this process in turn 144 (sums begun in round 3: this process 6, a 7)'
    >>> why_stalled(Status(3, 144, begun=7), {"a": Status(3, 144, begun=7)}, is_waiting=False)
    """
    furthest = max((each.round, each.begun) for each in (own, *others.values()))
    behind = [name for name, each in others.items() if (each.round, each.begun) < furthest]
    if (own.round, own.begun) < furthest:
        why = f"the others wait for this process in turn {own.step}"
    elif behind:
        why = f"turn {own.step} waits for member{'s' * (len(behind) > 1)} {', '.join(behind)}"
    elif is_waiting:
        why = (
            f"turn {own.step} waits for a sum that all have begun: other values on other ranks, or "
            "a slow network"
        )
    else:
        return None
    begun = [
        f"this process {own.begun}",
        *(f"{name} {_begun(each, own)}" for name, each in others.items()),
    ]
    return f"{why} (sums begun in round {own.round}: {', '.join(begun)})"


def _begun(status: Status, own: Status) -> str:
    return f"{status.begun}" if status.round == own.round else f"is in round {status.round}"
