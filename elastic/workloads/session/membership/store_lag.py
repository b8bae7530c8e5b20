"""Finds a member that has lost the store although its links work.

A member that only looks a little later is not such a one.
"""

from __future__ import annotations

from collections.abc import Mapping

from elastic.durations import RETRY_S
from elastic.liveness import ROUND_BOUNDS, LifeSign, ObserverTime, is_given_up
from elastic.workloads.session.links import Status
from elastic.workloads.session.membership.shared_state import SharedState
from elastic.workloads.session.rendezvous import View


class StoreLag:
    """What one member knows of which members see the rounds that it sees.

    A round is built by all of its members. A member that cannot reach the store would keep the
    others waiting. They leave it out, and it joins again when it can.
    """

    def __init__(self) -> None:
        self._late_since_s: dict[str, float] = {}
        # While a round waits to be built, looks are hundredths of a second apart. After a longer
        # time between two, this process stood still, or tried the store again.
        self._time = ObserverTime(RETRY_S)

    def unseeing(
        self, shared: SharedState, view: View, others: Mapping[str, Status], *, now_s: float
    ) -> frozenset[str]:
        """Returns the members that have long not seen a round that waits to be built.

        Call it after each look at the store. Do not call it while the store does not answer, nor in
        a process that is not a member yet, because its state may be older.
        """
        looked_s = self._time.looked(now_s=now_s)
        if shared.current is None or view.round <= shared.current.number:
            self._late_since_s.clear()
            return frozenset()
        late = [name for name, status in others.items() if status.seen < view.round]
        self._late_since_s = {name: self._late_since_s.get(name, looked_s) for name in late}
        # Either training waits until the round is built, or a member waits to leave. Otherwise only
        # newcomers wait, or a new store.
        is_waited_for = shared.is_lost or not set(shared.current.members) <= {
            *view.participants,
            *late,
        }
        return frozenset(
            name
            for name, since_s in self._late_since_s.items()
            if is_given_up(
                ROUND_BOUNDS.judge(LifeSign(looked_s - since_s)), is_waited_for=is_waited_for
            )
        )


def blind(others: Mapping[str, Status]) -> set[str]:
    """Returns the members that report that no store answers them."""
    return {name for name, status in others.items() if not status.seen}


def is_alone_blind(own: Status, others: Mapping[str, Status]) -> bool:
    """Whether another member sees a store, and the one with the status `own` sees none."""
    return not own.seen and any(status.seen for status in others.values())
