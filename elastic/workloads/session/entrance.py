"""How a newcomer becomes a member: it waits to be brought up to date, or founds the first generation."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from elastic.workloads.session.c10d import Rendezvous, View
from elastic.workloads.session.terms import Terms

HELD_S = 30.0  # for members that trained on to fill a new store; they look four times a second
PROBE_S = 1.0
CONNECT_TIMEOUT_S = 0.5
BEAT_S = 5.0  # a member's sign of life in the store, for those who cannot reach it
STALE_S = 30.0


class Entrance:
    """One newcomer's way in."""

    def __init__(
        self, name: str, terms: Terms, record: Callable[[int, Sequence[str]], None] | None, *, founding_s: float
    ) -> None:
        self._name, self._terms, self._record, self._founding_s = name, terms, record, founding_s
        self._since_s: float | None = None
        self._probed_s = 0.0
        self._beats: dict[str, tuple[str | None, float]] = {}
        self.unreached: str | None = None

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
                # All members have died, and nobody is left to say so.
                rendezvous.publish(view, (), number=view.round)
        return True

    def _finds_members(self, rendezvous: Rendezvous, view: View) -> bool:
        """Whether a member may be alive; raises InvalidInput where this process cannot train with it.

        Who cannot be reached may be, for whoever is reached by another way than this process: it is dead once it has
        given no sign of life to the store for long, or at once where nothing can lie between.
        """
        self._beats = {name: self._beat(rendezvous, name) for name in view.participants}
        self.unreached = None
        for name in view.participants:
            about = _about(rendezvous, name)
            if about is not None and (is_there := _answers(about)) is not None:
                if is_there:
                    self._terms.check(about["terms"])
                    return True
            elif monotonic() - self._beats[name][1] < STALE_S:
                place = "" if about is None else f" at {about['host']}:{about['link']}"
                self.unreached = f"member {name} cannot be reached{place}, and is waited for as long as it may live"
                return True
        return False

    def _beat(self, rendezvous: Rendezvous, name: str) -> tuple[str | None, float]:
        """Gives a member's newest sign of life, and when this process first saw that one."""
        told, before = rendezvous.ask(alive(name)), self._beats.get(name)
        return before if before is not None and before[0] == told else (told, monotonic())

    def _found(self, rendezvous: Rendezvous, view: View) -> bool:
        """Founds the first generation, alone, if of all who wait this process has come furthest."""
        waiting = {name: _about(rendezvous, name) for name in view.waiting}
        able = {name: at for name, at in waiting.items() if at and not at["is_torn"] and _may_come(at)}
        if able and min(able, key=lambda name: (-able[name]["step"], name)) == self._name:
            number = max(view.round, rendezvous.floor(), rendezvous.claimed()) + 1
            if self._record is not None:
                self._record(number, (self._name,))
            rendezvous.publish(view, (self._name,), number=number)
        return bool(able)


@cache
def machine() -> str:
    """Gives what tells this boot of this machine, and this network namespace on it, from all others."""
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}/{os.stat('/proc/self/ns/net').st_ino}"


def alive(name: str) -> str:
    """Gives the key under which a member tells that it lives."""
    return f"alive/{name}"


def _about(rendezvous: Rendezvous, name: str) -> dict[str, Any] | None:
    told = rendezvous.ask(f"node/{name}")
    return None if told is None else dict(json.loads(told))


def _may_come(about: dict[str, Any]) -> bool:
    """Whether nothing speaks against waiting for one that waits itself: of all who found only one succeeds."""
    try:
        _connect(about)
    except ConnectionRefusedError:
        return False
    except OSError:
        pass
    return True


def _answers(about: dict[str, Any]) -> bool | None:
    """Whether a process lives, as far as a connection proves it: None where it proves nothing. One that is refused may
    have met another machine, or a firewall."""
    try:
        _connect(about)
        return True
    except ConnectionRefusedError:
        return False if about.get("machine") == machine() else None
    except OSError:
        return None


def _connect(about: dict[str, Any]) -> None:
    with contextlib.closing(socket.create_connection((about["host"], about["link"]), timeout=CONNECT_TIMEOUT_S)):
        pass
