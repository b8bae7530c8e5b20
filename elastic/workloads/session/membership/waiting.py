"""What a process reports while it waits: first after some seconds, and then once in a while."""

from __future__ import annotations

from collections.abc import Callable

from elastic.durations import MINUTE_S, SELDOM_S
from elastic.figures import duration
from elastic.workloads.session.division import fits
from elastic.workloads.session.membership.shared_state import SharedState
from elastic.workloads.session.messages import tell
from elastic.workloads.session.rendezvous import View


class WaitLog:
    """One process's waits of a kind, one after the other."""

    def __init__(self, tell: Callable[[str], None] = tell) -> None:
        self._tell = tell
        self._since_s: float | None = None
        self._due_s = 0.0

    def goes_on(self, why: str, *, now_s: float) -> None:
        """Notes that it still waits. The first call begins the wait."""
        if self._since_s is None:
            self._since_s = now_s
            self._due_s = now_s + SELDOM_S  # a store that the daemon restarts is back sooner
        if now_s >= self._due_s:
            self._due_s = now_s + MINUTE_S
            self._tell(f"session: {why}; still trying after {duration(now_s - self._since_s)}")

    def lasted_s(self, *, now_s: float) -> float:
        """Returns how many seconds it has waited."""
        return 0.0 if self._since_s is None else now_s - self._since_s

    def ends(self) -> None:
        """Notes that the wait is over."""
        self._since_s = None


def awaited(shared: SharedState, view: View, *, name: str, units: int) -> str | None:
    """Returns what keeps the process `name` from training although the store answers; None if
    nothing.

    `units` are those of the whole state.
    """
    members = len(view.participants)
    receiver = shared.receiver
    # A member waits only if the memories of all members do not hold a batch.
    if not shared.is_entering:
        limits = () if shared.current is None or shared.is_lost else shared.current.limits
        if not limits or fits(shared.terms.batch, limits):
            return None
        return (
            f"the members' memories hold {sum(each or 0 for each in limits)} of a batch's "
            f"{shared.terms.batch} samples"
        )
    # A newcomer: counted in already, or receiving the state, or still waiting for a member.
    if name in view.participants:
        return f"waiting to meet the other members of a round of {members}"
    if receiver is not None and receiver.is_streaming:
        return (
            f"waiting to join: has {receiver.units} of {units} units of the state that {members} "
            "members send it"
        )
    if members:
        return f"waiting to join: none of {members} members has begun to send the state"
    return (
        f"waiting to join: there is no member, and one of the {len(view.waiting)} processes that "
        "wait must begin"
    )
