"""Who is in a session and who waits to come in, as its members write it in the job's store.

The record is JSON, and replaced by compare-and-set only. What differs from torchrun's rendezvous is
how a round is closed: not by every member leaving and joining again while a clock runs, but by one
member writing the next round whole.
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
    """What the store says: the round in force, its members by rank, and who waits to come in."""

    round: int
    participants: tuple[str, ...]
    waiting: tuple[str, ...]
    is_closed: bool


class StoreRendezvous:
    """One process's place in a job's rendezvous, under a name that no other process nor earlier
    place ever had."""

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
        self._seen: tuple[bytes, View] = b"", View(0, (), (), is_closed=False)

    def look(self) -> View:
        """Gives the state as it is now."""
        found = self._store.find(self._key("members")) or b""
        # Nearly always it is what it was.
        if found != self._seen[0]:
            self._seen = found, _view(found)
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
        """Makes `members` the round `number`, unless anything has changed since `seen`; gives
        whether it did."""
        if self.look() != seen:
            return False
        waiting = tuple(each for each in seen.waiting if each not in members)
        participants = tuple(sorted(members, key=_order))
        return self._written(seen, View(number, participants, waiting, seen.is_closed))

    def strike(self, names: Sequence[str]) -> None:
        """Takes names off the wait list."""
        view = self.look()
        self._written(
            view, replace(view, waiting=tuple(each for each in view.waiting if each not in names))
        )

    def ask(self, key: str) -> str | None:
        """Gives what the store keeps under a key of this job, None where it keeps nothing."""
        found = self._store.find(self._key(key))
        return None if found is None else found.decode()

    def tell(self, key: str, value: str) -> None:
        """Has the store keep a value under a key of this job."""
        self._store.set(self._key(key), value.encode())

    def floor(self) -> int:
        """Gives the newest round that was trained in before this store began, as far as the
        store was told."""
        return int(self.ask("floor") or 0)

    def registered(self) -> int:
        """Gives the newest round that was about to be published before this store began, as
        far as it was told."""
        return int(self.ask("registered") or 0)

    def is_held(self) -> bool:
        """Gives whether members trained on when this store began: it is theirs to fill."""
        return self.ask("held") is not None

    def close(self) -> None:
        """Says that the job is complete: nobody comes in any more."""
        while not (view := self.look()).is_closed:
            self._written(view, replace(view, is_closed=True))

    def _key(self, key: str) -> str:
        return f"{self._job}/{key}"

    def _written(self, before: View, after: View) -> bool:
        """Whether the store has `after` now, which `before` was to be in force for."""
        known, view = self._seen
        assert view == before
        content = json.dumps(asdict(after)).encode()
        found = self._store.compare_set(self._key("members"), known, content)
        return found == content


def _view(content: bytes) -> View:
    """Reads the record. Raises StoreLost if it is none: another store may be well."""
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
