"""How a newcomer becomes a member: it waits for the state, or founds the first round."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from elastic.durations import LONGEST_RETRY_S, LOOK_S, MOMENT_S, SELDOM_S
from elastic.errors import InvalidInput
from elastic.figures import duration
from elastic.liveness import LifeSign, ObserverTime, TimeBound
from elastic.workloads.session.messages import tell
from elastic.workloads.session.rendezvous.store_rendezvous import StoreRendezvous, View
from elastic.workloads.session.state import SessionTerms

# A member's sign of life, and its refilling of a new store, count as missing after three of the
# pauses between its signs of life.
STALE_S = 3 * SELDOM_S
# How long members need to find their round emptied: three looks, for some reconnect first.
DEFENCE_S = 3 * LOOK_S
# Members ignore a newcomer that does not keep up for `LONGEST_RETRY_S` at a time.
UNSERVED_S = 3 * LONGEST_RETRY_S
DONE = "done"  # the key of the steps that members had done at their last sign of life
PROVEN = "proven"  # the key of the newest round whose members are all known to be dead


class Entrance:
    """How one newcomer joins.

    Its clock runs only while it looks. Time in which the store was away, or this process stood
    still, proves nothing.
    """

    def __init__(
        self,
        name: str,
        terms: SessionTerms,
        record: Callable[[int, Sequence[str]], None] | None,
        *,
        founding_s: float,
    ) -> None:
        self._name = name
        self._terms = terms
        self._record = record
        self._founding_s = founding_s
        # In a longer time between two looks, no process may have reached the store.
        self._time = ObserverTime(LOOK_S)
        self._now_s = self._time.looked(now_s=monotonic())
        self._since_s = 0.0
        self._probed_s = -LOOK_S
        self._served_s = 0.0
        self._emptied: tuple[int, float] = (0, 0.0)
        self._beats: dict[str, tuple[str | None, float]] = {}
        self.unreached: str | None = None

    def step(self, rendezvous: StoreRendezvous, view: View, *, is_served: bool) -> bool:
        """Takes one step; False if no process is left to begin with.

        `is_served` says that a member sends it the state. Raises InvalidInput if the members train
        on other terms, or are alive but have long sent nothing.
        """
        self._now_s = self._time.looked(now_s=monotonic())
        if is_served or not view.participants:
            self._served_s = self._now_s
        elif self._now_s - self._served_s > UNSERVED_S:
            raise InvalidInput(self._unserved(view))
        if self._name not in view.waiting:
            self._finds_members(rendezvous, view)
            rendezvous.register()
            self._since_s = self._now_s
        elif not view.participants:
            if not self._leaves_time(rendezvous, view):
                return self._found(rendezvous, view)
        elif self._now_s - self._probed_s > LOOK_S:
            self._probed_s = self._now_s
            if not self._finds_members(rendezvous, view):
                # All members have died, and none is left to say so.
                rendezvous.publish(view, (), number=view.round)
        return True

    def _unserved(self, view: View) -> str:
        why = "none of them connects to this process"
        if self.unreached is not None:
            why = self.unreached
        return (
            f"members: wanted the state from one of {len(view.participants)} that train, got "
            f"nothing for {duration(UNSERVED_S)}; let the job's nodes connect to each other on "
            f"every TCP port from 1024 on: {why}"
        )

    def _leaves_time(self, rendezvous: StoreRendezvous, view: View) -> bool:
        """Whether to wait for a process with a better claim: a member, or a newcomer that is
        further on."""
        if view.round != self._emptied[0]:
            self._emptied = (view.round, self._now_s)
        if (
            view.round
            and rendezvous.ask(PROVEN) != f"{view.round}"
            and self._now_s - self._emptied[1] <= DEFENCE_S
        ):
            return True
        is_anothers = not view.round and rendezvous.is_held()
        return self._now_s - self._since_s <= (STALE_S if is_anothers else self._founding_s)

    def _finds_members(self, rendezvous: StoreRendezvous, view: View) -> bool:
        """Whether a member may be alive. Raises InvalidInput if this process cannot train with it.

        A member that this process cannot reach may be reachable from elsewhere. It counts as dead
        once it has long given the store no sign of life. On the same network namespace it counts as
        dead at once.
        """
        self.unreached = None
        unproven: list[str] = []
        for name in view.participants:
            about = _about(rendezvous, name)
            if about is not None and (is_there := _answers(about)) is not None:
                if is_there:
                    self._terms.check(about["terms"])
                    return True
                continue
            if not unproven:
                self._hear(rendezvous, view)
            unproven.append(name)
            if self._may_live(name):
                place = ""
                if about is not None:
                    place = f" at {about['host']}:{about['link']}"
                self.unreached = f"member {name} cannot be reached{place}, and may still be alive"
                return True
        if unproven:
            # Trying to reach them all took time: read their signs of life again.
            self._hear(rendezvous, view)
        elif view.participants:
            rendezvous.tell(PROVEN, f"{view.round}")
        return any(map(self._may_live, unproven))

    def _hear(self, rendezvous: StoreRendezvous, view: View) -> None:
        """Notes the members' newest signs of life, and when this process first saw each."""
        # A sign of life counts from when this process first saw it, by its own clock.
        told = {name: rendezvous.ask(alive(name)) for name in view.participants}
        known = self._beats
        self._beats = {
            name: known[name] if name in known and known[name][0] == beat else (beat, self._now_s)
            for name, beat in told.items()
        }

    def _may_live(self, name: str) -> bool:
        return not TimeBound(STALE_S).is_over(LifeSign(self._now_s - self._beats[name][1]))

    def _found(self, rendezvous: StoreRendezvous, view: View) -> bool:
        """Founds the first round alone, if this process has come furthest of all that wait."""
        waiting = {name: _about(rendezvous, name) for name in view.waiting}
        # A process with torn state, or one that cannot be reached, must not found.
        able = {
            name: at for name, at in waiting.items() if at and not at["is_torn"] and _may_come(at)
        }
        if able and min(able, key=lambda name: (-able[name]["step"], name)) == self._name:
            number = max(view.round, rendezvous.floor(), rendezvous.registered()) + 1
            if (done := rendezvous.ask(DONE)) is not None:
                tell(
                    f"session: no member that had done {done} steps is alive; this process "
                    f"continues from step {able[self._name]['step']}, as round {number}"
                )
            if self._record is not None:
                self._record(number, (self._name,))
            rendezvous.publish(view, (self._name,), number=number)
        return bool(able)


@cache
def machine() -> str:
    """Identifies this boot of this machine, and its network namespace.

    If that is unknown, it is a random word of this process, which proves nothing.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.stat('/proc/self/ns/net').st_ino}"
    except OSError:
        return secrets.token_hex()


def alive(name: str) -> str:
    """The key of a member's sign of life."""
    return f"alive/{name}"


def _about(rendezvous: StoreRendezvous, name: str) -> dict[str, Any] | None:
    told = rendezvous.ask(f"node/{name}")
    return None if told is None else dict(json.loads(told))


def _may_come(about: dict[str, Any]) -> bool:
    """Whether another newcomer may still join: only one of all that found succeeds."""
    try:
        _connect(about)
    except ConnectionRefusedError:
        return False
    except OSError:
        pass
    return True


def _answers(about: dict[str, Any]) -> bool | None:
    """Whether a process lives; None if a connection proves neither.

    A refused connection may have met another machine, or a firewall.
    """
    try:
        _connect(about)
        return True
    except ConnectionRefusedError:
        return False if about.get("machine") == machine() else None
    except OSError:
        return None


def _connect(about: dict[str, Any]) -> None:
    # A living member answers within milliseconds, and a dead one refuses at once. What takes longer
    # than the pause between two looks would count as time that this process slept.
    place = about["host"], about["link"]
    with contextlib.closing(socket.create_connection(place, timeout=MOMENT_S)):
        pass
