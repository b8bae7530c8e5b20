"""Random membership events against a real session, with what must hold after each."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.workloads.session.running import Fleet, Member

MOST = 4


@dataclass(slots=True)
class Schedule:
    """Plays seeded events: join (one or two), leave, kill (one, the first, or two at once), stop
    and wake, store.

    No event leaves fewer members than `least`.
    """

    fleet: Fleet
    seed: int
    tell: Callable[[str], None] = print
    least: int = 1
    alive: list[Member] = field(default_factory=list)
    played: list[str] = field(default_factory=list)

    def play(self, events: int) -> None:
        chance = random.Random(self.seed)
        self.alive = self.fleet.start(self.least)
        self.fleet.await_world(self.alive)
        while len(self.played) < events:
            name = chance.choice(self._possible())
            self.played.append(name)
            ranks = [member.last["rank"] for member in self.alive]
            getattr(self, f"_{name}")(chance)
            self.tell(f"{len(self.played)} {name}: ranks {ranks}, now {len(self.alive)} members")
            self.fleet.await_world(self.alive)
            self.fleet.assert_identical()

    def _possible(self) -> list[str]:
        size = len(self.alive)
        growing = (
            ["join"] * (size < MOST) * 3
            + ["join_two"] * (size < MOST - 1)
            + ["join_and_kill"] * (self.least < size < MOST)
        )
        spare = size - self.least
        shrinking = (
            ["leave"] * (spare > 0) * 2
            + ["kill"] * (spare > 0) * 2
            + ["kill_first"] * (spare > 0)
            + ["kill_two"] * (spare > 1)
        )
        return [*growing, *shrinking, *["stop"] * (spare > 0), "store"]

    def _join(self, chance: random.Random) -> None:
        self.alive += self.fleet.start()

    def _join_two(self, chance: random.Random) -> None:
        self.alive += self.fleet.start(2)

    def _join_and_kill(self, chance: random.Random) -> None:
        """Kills the source while it serves."""
        (newcomer,) = self.fleet.start()
        self.fleet.await_event(newcomer, "warm")
        source = max(self.alive, key=lambda member: member.last["rank"])
        source.kill()
        self.alive.remove(source)
        self.alive.append(newcomer)

    def _leave(self, chance: random.Random) -> None:
        leaver = self._taken(chance)
        leaver.kill(signal.SIGTERM)

    def _kill(self, chance: random.Random) -> None:
        self._taken(chance).kill()

    def _kill_first(self, chance: random.Random) -> None:
        first = min(self.alive, key=lambda member: member.last["rank"])
        first.kill()
        self.alive.remove(first)

    def _kill_two(self, chance: random.Random) -> None:
        for member in (self._taken(chance), self._taken(chance)):
            member.kill()

    def _stop(self, chance: random.Random) -> None:
        """Stops one until the others have gone on without it; then it wakes and comes in again."""
        stopped = self._taken(chance)
        stopped.kill(signal.SIGSTOP)
        self.fleet.await_world(self.alive)
        stopped.kill(signal.SIGCONT)
        self.alive.append(stopped)

    def _store(self, chance: random.Random) -> None:
        """Kills the store; training goes on without it; another one comes at another port."""
        self.fleet.kill_store()
        before = max(member.last["step"] for member in self.alive)
        self.fleet.await_step(self.alive, before + 5)
        self.fleet.start_store("held=1")

    def _taken(self, chance: random.Random) -> Member:
        return self.alive.pop(chance.randrange(len(self.alive)))
