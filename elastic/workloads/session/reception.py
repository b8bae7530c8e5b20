"""Newcomers as a member sees them: who is brought up to date from here, and who of them may be counted in."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from elastic.workloads.session.c10d import View
from elastic.workloads.session.desk import Desk
from elastic.workloads.session.following import Follower
from elastic.workloads.session.settings import Settings
from elastic.workloads.session.sockets import Address
from elastic.workloads.session.state import State

COMPANY_S = 1.0  # how long a newcomer with all state waits for others that are still receiving theirs

Place = Callable[[str], tuple[Address, Address] | None]


class Reception:
    """One member's dealings with those who wait to come in."""

    def __init__(self, settings: Settings, state: State, desk: Desk) -> None:
        self._settings, self._state, self._desk = settings, state, desk
        self._complete_since_s: float | None = None

    def serve(self, me: str, view: View, place: Place) -> list[str]:
        """Lets the last of the present members, and nobody else, bring newcomers up to date.

        `place` gives a node's addresses, of its links and of its inlet. Gives the names of those whose process is dead.
        """
        desk = self._desk
        if desk.current is None or desk.is_lost or desk.is_leaving:
            return []
        able = [name for name in desk.current.members if name in view.participants]
        if not able or able[-1] != me:
            return []
        served = {each.newcomer for each in desk.followers}
        for name in view.waiting:
            if name not in served and (found := place(name)) is not None:
                self._follow(name, found[1])
        refused = [each.newcomer for each in desk.followers if each.is_refused and each.newcomer in view.waiting]
        with desk.changed:
            desk.followers[:] = [each for each in desk.followers if not each.is_over]
        return refused

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

    def _follow(self, name: str, inlet: Address) -> None:
        hello = {"job": self._settings.job, **self._desk.terms.told()}
        follower = Follower(name, inlet, self._state, chunk_bytes=self._settings.chunk_bytes, hello=hello)
        follower.start()
        with self._desk.changed:
            self._desk.followers.append(follower)
