"""The members of a session, and those that wait to join, as recorded in the job's store.

The record is JSON, and replaced by compare-and-set only. It differs from torchrun's rendezvous in
how a round ends. There every member leaves and joins again while a clock runs. Here one member
writes the whole next round.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from elastic.rendezvous import Credential, StoreClient, StoreLost

_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class View:
    """What the store says: the present round, its members by rank, and the processes that wait to
    join."""

    round: int
    participants: tuple[str, ...]
    waiting: tuple[str, ...]
    is_closed: bool


class StoreRendezvous:
    """One process's place in a job's rendezvous.

    Its name was never used by another process or for an earlier place.
    """

    def __init__(
        self,
        address: str,
        job: str,
        host: str,
        *,
        credential: Credential,
        name: str | None = None,
    ) -> None:
        """Connects to the store. Raises StoreLost."""
        self.address = address
        self.name = name or f"{host}_{os.getpid()}_{next(_NUMBERS)}"
        self._job = job
        self._store = StoreClient(address, credential)
        self._seen: tuple[bytes, View] = (b"", View(0, (), (), is_closed=False))

    def look(self) -> View:
        """Returns the present state."""
        found = self._store.find(self._key("members")) or b""
        # It has nearly always stayed the same.
        if found != self._seen[0]:
            self._seen = (found, _view(found))
        return self._seen[1]

    def register(self) -> None:
        """Puts this node on the wait list."""
        while True:
            view = self.look()
            if self.name in view.waiting or self.name in view.participants:
                return
            waiting = sorted([*view.waiting, self.name], key=_order)
            if self._written(view, replace(view, waiting=tuple(waiting))):
                return

    def publish(self, seen: View, members: Sequence[str], *, number: int) -> bool:
        """Makes `members` the round `number`, unless something has changed since `seen`.

        Returns whether it did.
        """
        if self.look() != seen:
            return False
        waiting = tuple(each for each in seen.waiting if each not in members)
        participants = tuple(sorted(members, key=_order))
        return self._written(seen, View(number, participants, waiting, seen.is_closed))

    def strike(self, names: Sequence[str]) -> None:
        """Removes names from the wait list."""
        view = self.look()
        self._written(
            view, replace(view, waiting=tuple(each for each in view.waiting if each not in names))
        )

    def ask(self, key: str) -> str | None:
        """Returns what the store has under a key of this job; None if it has nothing."""
        found = self._store.find(self._key(key))
        return None if found is None else found.decode()

    def tell(self, key: str, value: str) -> None:
        """Stores a value under a key of this job."""
        self._store.set(self._key(key), value.encode())

    def floor(self) -> int:
        """Returns the newest round that was trained in before this store began, as reported to the
        store."""
        return int(self.ask("floor") or 0)

    def registered(self) -> int:
        """Returns the newest round that was about to be published before this store began, as
        reported."""
        return int(self.ask("registered") or 0)

    def is_held(self) -> bool:
        """Whether members were training when this store began: then they will fill it."""
        return self.ask("held") is not None

    def close(self) -> None:
        """Records that the job is complete: no process can join any more."""
        while not (view := self.look()).is_closed:
            self._written(view, replace(view, is_closed=True))

    def _key(self, key: str) -> str:
        return f"{self._job}/{key}"

    def _written(self, before: View, after: View) -> bool:
        """Replaces `before` by `after`, if `before` is still in force; returns whether `after` is
        now."""
        known, view = self._seen
        assert view == before, "a change follows from what was seen last"
        content = json.dumps(asdict(after)).encode()
        found = self._store.compare_set(self._key("members"), known, content)
        return found == content


def _view(content: bytes) -> View:
    """Reads the record. Raises StoreLost if it is not valid, because another store may be."""
    if not content:
        return View(0, (), (), is_closed=False)
    try:
        told = json.loads(content)
        return View(
            int(told["round"]),
            tuple(str(each) for each in told["participants"]),
            tuple(str(each) for each in told["waiting"]),
            is_closed=bool(told["is_closed"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StoreLost(f"the store's record of the members makes no sense: {error}") from error


def _order(name: str) -> tuple[str, int, int]:
    host, pid, number = name.rsplit("_", 2)
    return host, int(pid), int(number)
