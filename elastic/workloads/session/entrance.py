"""How a newcomer becomes a member: it waits to be brought up to date, or founds the first generation."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from elastic.workloads.session.c10d import Rendezvous, View
from elastic.workloads.session.terms import Terms

HELD_S = 30.0  # for members that trained on to fill a new store; they look four times a second
PROBE_S = 1.0
CONNECT_TIMEOUT_S = 0.5


class Entrance:
    """One newcomer's way in."""

    def __init__(
        self, name: str, terms: Terms, record: Callable[[int, Sequence[str]], None] | None, *, founding_s: float
    ) -> None:
        self._name, self._terms, self._record, self._founding_s = name, terms, record, founding_s
        self._since_s: float | None = None
        self._probed_s = 0.0

    def step(self, rendezvous: Rendezvous, view: View) -> bool:
        """Does what there is to do now; gives False where nobody is left to begin with.

        Raises InvalidInput where the members train on other terms.
        """
        if self._name not in view.waiting:
            self._finds_members(rendezvous, view)
            rendezvous.register()
            self._since_s = monotonic()
        elif not view.participants:
            is_anothers = not view.round and rendezvous.is_held()
            if monotonic() - (self._since_s or 0.0) > (HELD_S if is_anothers else self._founding_s):
                return self._found(rendezvous, view)
        elif monotonic() - self._probed_s > PROBE_S:
            self._probed_s = monotonic()
            if not self._finds_members(rendezvous, view):
                # Their machines answer, their processes do not: all members have died, and nobody is left to say so.
                rendezvous.publish(view, (), number=view.round)
        return True

    def _finds_members(self, rendezvous: Rendezvous, view: View) -> bool:
        """Whether a member may be alive; raises InvalidInput where this process cannot train with it."""
        for about in (_about(rendezvous, name) for name in view.participants):
            if _may_live(about):
                if about is not None:
                    self._terms.check(about["terms"])
                return True
        return False

    def _found(self, rendezvous: Rendezvous, view: View) -> bool:
        """Founds the first generation, alone, if of all who wait this process has come furthest."""
        waiting = {name: _about(rendezvous, name) for name in view.waiting}
        able = {name: at for name, at in waiting.items() if at and not at["is_torn"] and _may_live(at)}
        if able and min(able, key=lambda name: (-able[name]["step"], name)) == self._name:
            number = max(view.round, rendezvous.floor(), rendezvous.claimed()) + 1
            if self._record is not None:
                self._record(number, (self._name,))
            rendezvous.publish(view, (self._name,), number=number)
        return bool(able)


def _about(rendezvous: Rendezvous, name: str) -> dict[str, Any] | None:
    told = rendezvous.ask(f"node/{name}")
    return None if told is None else dict(json.loads(told))


def _may_live(about: dict[str, Any] | None) -> bool:
    """Whether nothing proves that the process is dead: only a refused connection does."""
    if about is None:
        return True
    try:
        with contextlib.closing(socket.create_connection((about["host"], about["link"]), timeout=CONNECT_TIMEOUT_S)):
            return True
    except ConnectionRefusedError:
        return False
    except OSError:
        return True
