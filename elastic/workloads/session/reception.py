"""Newcomers as a member sees them: who is brought up to date from here, and who of them may be counted in."""

from __future__ import annotations

from collections.abc import Callable, Collection
from time import monotonic

from elastic.workloads.session.c10d import View
from elastic.workloads.session.crew import Crew
from elastic.workloads.session.desk import Desk
from elastic.workloads.session.following import Allowance, Follower
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.sockets import Address
from elastic.workloads.session.state import State

RETRY_S = 0.5  # before a newcomer is connected to again, as long as another member is its source
SLOW_S = 2.0  # before one that has not kept up is, for the first time; then twice as long, and so on
SLOWEST_S = 64.0
LAST_WORD_S = 2.0  # for newcomers to take what was queued for them, at the end
COMPANY_S = 1.0  # how long a newcomer with all state waits for others that are still receiving theirs

Place = Callable[[str], tuple[Address, Address] | None]


class Reception:
    """One member's dealings with those who wait to come in."""

    def __init__(self, settings: SessionSettings, state: State, desk: Desk) -> None:
        self._settings, self._state, self._desk, self._allowance = settings, state, desk, Allowance()
        self._crew = Crew()
        self._complete_since_s: float | None = None
        self._due_s: dict[str, float] = {}
        self._pause_s: dict[str, float] = {}

    def serve(self, me: str, view: View, place: Place, *, blind: Collection[str] = ()) -> list[str]:
        """Lets the last of the present members, and nobody else, bring newcomers up to date.

        `place` gives a node's addresses, of its links and of its inlet; `blind` are members that see no newcomers, for
        they see no store. Gives the names of those whose process is dead.
        """
        desk = self._desk
        if desk.current is None or desk.is_lost:
            return []
        able = [name for name in desk.current.members if name in view.participants and name not in blind]
        # Who is to leave does so soon, unless it is alone: then it can only once another has the state.
        if not able or able[-1] != me or (desk.is_leaving and len(able) > 1):
            return []
        served = {each.newcomer for each in desk.followers}
        for name in view.waiting:
            is_due = name not in served and monotonic() >= self._due_s.get(_process(name), 0.0)
            if is_due and (found := place(name)) is not None:
                self._follow(name, found[1])
        refused = [each for each in desk.followers if each.is_refused]
        with desk.changed:
            desk.followers[:] = [each for each in desk.followers if each not in refused]
        return [each.newcomer for each in refused if each.newcomer in view.waiting]

    def lost(self, view: View) -> frozenset[str]:
        """Lets go of newcomers that nothing more can reach from here, for a while; gives who of them is to be a member
        already, and cannot be."""
        desk = self._desk
        with desk.changed:
            over = [each for each in desk.followers if each.is_over and not each.is_refused]
            lost = frozenset(each.newcomer for each in over if each.is_received) & set(view.participants)
            parted = [each for each in over if each.newcomer not in lost]
            desk.followers[:] = [each for each in desk.followers if each not in parted]
        for each in parted:
            self._due_s[_process(each.newcomer)] = monotonic() + self.pause_after(each)
        return lost

    def pause_after(self, follower: Follower) -> float:
        """Gives the seconds for which a newcomer that nothing more reaches is left alone: more each time that its
        process has not kept up."""
        if not follower.is_slow:
            return RETRY_S
        process = _process(follower.newcomer)
        self._pause_s[process] = min(2 * self._pause_s.get(process, SLOW_S / 2), SLOWEST_S)
        return self._pause_s[process]

    def arrived(self, view: View) -> frozenset[str]:
        """Gives who has all state and may be counted in: all at once, or whoever has waited long for the others."""
        followers = [each for each in self._desk.followers if each.newcomer in view.waiting]
        complete = frozenset(each.newcomer for each in followers if each.is_complete)
        if not complete:
            self._complete_since_s = None
            return complete
        self._complete_since_s = self._complete_since_s or monotonic()
        is_alone = len(complete) == len(view.waiting)
        return complete if is_alone or monotonic() - self._complete_since_s > COMPANY_S else frozenset()

    def end(self) -> None:
        """Waits a while for what the desk has told to end."""
        self._crew.join(timeout_s=LAST_WORD_S)

    def _follow(self, name: str, inlet: Address) -> None:
        hello = {"job": self._settings.job, "step": self._desk.step, **self._desk.terms.told()}
        chunk_bytes = self._settings.chunk_bytes
        follower = Follower(name, inlet, self._state, chunk_bytes=chunk_bytes, hello=hello, allowance=self._allowance)
        self._crew.start(follower)
        with self._desk.changed:
            self._desk.followers.append(follower)


def _process(name: str) -> str:
    """Gives what stays of a name when its process takes another one."""
    return name.rpartition("_")[0]
