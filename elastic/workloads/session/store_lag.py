"""Tells a member that has lost the store, though its links work, from one that looks at it a little
later."""

from __future__ import annotations

from collections.abc import Mapping

from elastic.workloads.session.links import Status
from elastic.workloads.session.shared_state import SharedState
from elastic.workloads.session.store_rendezvous import View

# Where nobody trains until a round is built, or a member waits to leave: looks are a second apart.
URGENT_S = 3.0
# Where only newcomers wait, or a new store, which members hear of one after the other.
CALM_S = 15.0
# A longer time between two looks is one in which this process, or the store, stood still.
NAP_S = 0.5


class StoreLag:
    """What one member knows of who sees the rounds that it sees.

    A round is built by all of its members. One that has not seen it by then would have the others
    wait for as long as it cannot reach the store: they leave it out, and it comes in again when it
    can.
    """

    def __init__(self) -> None:
        self._late_s: dict[str, float] = {}
        self._looked_s = 0.0

    def unseeing(
        self, shared: SharedState, view: View, others: Mapping[str, Status], *, now_s: float
    ) -> frozenset[str]:
        """Gives who has long not seen a round that waits to be built; to be asked after each look
        at the store. It is none of this while it does not answer, nor of one that is not a member
        yet: its state may be older."""
        passed_s, self._looked_s = min(now_s - self._looked_s, NAP_S), now_s
        if shared.current is None or view.round <= shared.current.number:
            self._late_s.clear()
            return frozenset()
        late = [name for name, status in others.items() if status.seen < view.round]
        self._late_s = {
            name: self._late_s[name] + passed_s if name in self._late_s else 0.0 for name in late
        }
        is_urgent = shared.is_lost or not set(shared.current.members) <= {*view.participants, *late}
        limit_s = URGENT_S if is_urgent else CALM_S
        return frozenset(name for name, late_s in self._late_s.items() if late_s > limit_s)


def blind(others: Mapping[str, Status]) -> set[str]:
    """Gives who says that no store answers it."""
    return {name for name, status in others.items() if not status.seen}


def is_alone_blind(own: Status, others: Mapping[str, Status]) -> bool:
    """Whether another sees a store, and the one whose word `own` is sees none."""
    return not own.seen and any(status.seen for status in others.values())
