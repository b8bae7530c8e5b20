"""Newcomers as a member sees them: it brings them up to date, and knows which may join."""

from __future__ import annotations

from collections.abc import Callable, Collection
from time import monotonic

from elastic.durations import END_GRACE_S, LONGEST_RETRY_S, MOMENT_S, RETRY_S
from elastic.rendezvous import Address
from elastic.workloads.session.membership.shared_state import SharedState
from elastic.workloads.session.membership.thread_group import ThreadGroup
from elastic.workloads.session.rendezvous import View
from elastic.workloads.session.settings import SessionSettings
from elastic.workloads.session.state import Allowance, State, StateSender

Place = Callable[[str], tuple[Address, Address] | None]


class Reception:
    """What one member does for the newcomers that wait to join."""

    def __init__(self, settings: SessionSettings, state: State, shared: SharedState) -> None:
        self._settings = settings
        self._state = state
        self._shared = shared
        self._allowance = Allowance()
        self._threads = ThreadGroup()
        self._complete_since_s: float | None = None
        # By process, not by name: a process that starts over takes another name.
        self._due_s: dict[str, float] = {}
        self._pause_s: dict[str, float] = {}

    def serve(self, me: str, view: View, place: Place, *, blind: Collection[str] = ()) -> list[str]:
        """Sends newcomers the state, if this is the last of the members that can.

        `place` returns a node's addresses, of its links and of its state receiver. `blind` are
        members that see no newcomers, because they see no store. Returns the newcomers whose
        process is dead.
        """
        shared = self._shared
        if shared.current is None or shared.is_lost:
            return []
        # The last of the members that can serve newcomers does it.
        able = [
            name
            for name in shared.current.members
            if name in view.participants and name not in blind
        ]
        # A member that must leave does so soon, so it serves no newcomer. If it is alone it does,
        # because another process must have the state first.
        if not able or able[-1] != me or (shared.is_leaving and len(able) > 1):
            return []
        # Begin to send the state to those that wait and whose pause is over.
        served = {each.newcomer for each in shared.senders}
        for name in view.waiting:
            is_due = name not in served and monotonic() >= self._due_s.get(_process(name), 0.0)
            if is_due and (found := place(name)) is not None:
                self._follow(name, found[1])
        refused = [each for each in shared.senders if each.is_refused]
        with shared.changed:
            shared.senders[:] = [each for each in shared.senders if each not in refused]
        return [each.newcomer for each in refused if each.newcomer in view.waiting]

    def lost(self, view: View) -> frozenset[str]:
        """Drops, for a while, newcomers that can no longer be reached from here.

        Returns those among them that should be members already, and cannot be.
        """
        shared = self._shared
        with shared.changed:
            # Senders that ended by themselves. A newcomer that the round counts in already is lost
            # to it.
            over = [each for each in shared.senders if each.is_over and not each.is_refused]
            lost = frozenset(each.newcomer for each in over if each.is_received) & set(
                view.participants
            )
            parted = [each for each in over if each.newcomer not in lost]
            shared.senders[:] = [each for each in shared.senders if each not in parted]
        for each in parted:
            self._due_s[_process(each.newcomer)] = monotonic() + self.pause_after(each)
        return lost

    def pause_after(self, sender: StateSender) -> float:
        """Returns the seconds before a lost newcomer is tried again: more for each time that it did
        not keep up."""
        if not sender.is_slow:
            return RETRY_S  # perhaps another member is its source
        process = _process(sender.newcomer)
        self._pause_s[process] = min(2 * self._pause_s.get(process, RETRY_S), LONGEST_RETRY_S)
        return self._pause_s[process]

    def arrived(self, view: View) -> frozenset[str]:
        """Returns the newcomers that may join: all at once, or those that waited long enough."""
        senders = [each for each in self._shared.senders if each.newcomer in view.waiting]
        complete = frozenset(each.newcomer for each in senders if each.is_complete)
        if not complete:
            self._complete_since_s = None
            return complete
        self._complete_since_s = self._complete_since_s or monotonic()
        is_alone = len(complete) == len(view.waiting)
        # A moment more for others that are still receiving theirs.
        if is_alone or monotonic() - self._complete_since_s > MOMENT_S:
            return complete
        return frozenset()

    def end(self) -> None:
        """Waits a while for newcomers to take what was queued for them: the shared state has told
        the threads to end."""
        self._threads.join(timeout_s=END_GRACE_S)

    def _follow(self, name: str, receiver: Address) -> None:
        hello = {
            "job": self._settings.job,
            "step": self._shared.step,
            **self._shared.terms.as_dict(),
        }
        chunk_bytes = self._settings.chunk_bytes
        sender = StateSender(
            name,
            receiver,
            self._state,
            chunk_bytes=chunk_bytes,
            hello=hello,
            credential=self._settings.credential(),
            allowance=self._allowance,
        )
        self._threads.start(sender)
        with self._shared.changed:
            self._shared.senders.append(sender)


def _process(name: str) -> str:
    """Returns the part of a name that stays when its process takes another one."""
    return name.rpartition("_")[0]
