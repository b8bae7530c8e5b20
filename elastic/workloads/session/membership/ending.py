"""How members end a job together: none leaves before rank 0 has made the state durable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from time import monotonic, sleep

from elastic.durations import END_GRACE_S, SPIN_S
from elastic.rendezvous import StoreLost
from elastic.workloads.session.links import Links
from elastic.workloads.session.membership.shared_state import SessionEnded, SharedState
from elastic.workloads.session.rendezvous import MemberView, Move, StoreRendezvous, decide
from elastic.workloads.session.rounds import LEFT_OUT, Round, RoundLost
from elastic.workloads.session.settings import SessionSettings


class EndOfJob:
    """How one process reaches the job's end, in its training thread."""

    def __init__(self, settings: SessionSettings, shared: SharedState, links: Links) -> None:
        self._settings = settings
        self._shared = shared
        self._links = links

    def announce(self, step: int) -> None:
        """Tells the others that the job is over for this process after `step` steps."""
        self._shared.ending = step
        self._links.say(self._shared.status(), is_urgent=True)

    def has_come(
        self,
        keep: Callable[[], None] | None,
        *,
        meet: Callable[[], None] | None,
        recover: Callable[[], bool],
    ) -> bool:
        """Whether the job is complete, and its state kept.

        `meet` waits for all members; None to wait for none. `recover` waits for a round after a
        lost one. After that, call this again, because some members may still lack the last step.
        """
        try:
            self._confirm()
            if keep is not None:
                keep()
                # Close before the others know: a rank that loses rank 0 from here on need not keep
                # the state again.
                self._ask(StoreRendezvous.close)
            if meet is not None:
                meet()
        except RoundLost:
            if not (
                keep is None and self._ask(lambda store: store.look().is_closed)
            ) and not _is_over(recover):
                return False
        self._ask(StoreRendezvous.close)
        self._shared.is_finished = True
        return True

    def await_all(self) -> None:
        """Waits until the job is over for every member. Raises RoundLost.

        A member that is still in a turn makes other sums: it must first learn that the job ends.
        """
        shared = self._shared
        current = shared.current
        if current is None:
            raise RoundLost(LEFT_OUT)
        others = [name for rank, name in enumerate(current.members) if rank != current.rank]
        while True:
            reports = self._links.statuses()
            if all(name in reports and reports[name].ending == shared.ending for name in others):
                return
            if current.group is None or current.group.is_cut:
                raise RoundLost("a member has not reached the job's end")
            sleep(SPIN_S)

    def linger(self) -> None:
        """Waits until the others need nothing more of this process, but at most a short while."""
        shared = self._shared
        current = self._shared.current
        if current is None or shared.is_lost:
            return
        self._links.say(shared.status(), is_urgent=True)
        until_s = monotonic() + END_GRACE_S
        while monotonic() < until_s:
            reports = self._links.statuses()
            gone = self._links.gone()
            here = [
                reports[name] for name in current.members if name in reports and name not in gone
            ]
            if all(each.step >= shared.step and each.round >= current.number for each in here):
                return
            sleep(SPIN_S)

    def _confirm(self) -> None:
        """Raises RoundLost if the job goes on without this process.

        A process that is alone can learn that only from the store.
        """
        current = self._shared.current
        if current is None or self._shared.is_lost:
            raise RoundLost(LEFT_OUT)
        if current.group is None and self._ask(lambda store: _leaves_out(store, current)):
            raise RoundLost(LEFT_OUT)

    def _ask(self, ask: Callable[[StoreRendezvous], bool | None]) -> bool | None:
        """Asks the store over a new connection; None if it does not answer.

        The other connection belongs to the membership thread.
        """
        with contextlib.suppress(StoreLost, RuntimeError):
            # This connection makes it no member.
            settings = self._settings
            return ask(
                StoreRendezvous(
                    settings.address(),
                    settings.job,
                    "nowhere",
                    credential=settings.credential(),
                )
            )
        return None


def _leaves_out(store: StoreRendezvous, lone: Round) -> bool:
    # Decide as the membership thread would: it must start over if a newer round left it out.
    view = store.look()
    floor = store.floor()
    (me,) = lone.members
    sight = MemberView(me, view.round, view.participants, lone.number, lone.members, floor=floor)
    return decide(sight).move is Move.REJOIN


def _is_over(recover: Callable[[], bool]) -> bool:
    """Whether the others have meanwhile ended the job without this process."""
    try:
        recover()
        return False
    except SessionEnded as ended:
        if not ended.is_complete:
            raise
        return True
