"""A light world at the level of decisions: one job, a market tick by tick, and the effect of a
plan.

A policy sees the present and the past, never the future. Each launch is paid from its tick on. New
nodes boot for `boot` ticks while the old group trains. Once all nodes of a target are there, the
others are ended, and nothing trains for `pause` ticks. So with `boot` 0 a launch costs `pause` dead
paid ticks, and the old group ends at once.

A spot node is lost at the beginning of the first tick in which its pool is down. A tick that has
begun is paid in full. If ticks are longer than a boot, `rest` is the part of one that a launch
costs besides: it is paid, and takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elastic.model import Group, Offering

NodeTypes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TickMarket:
    """What each offering costs, and whether it is available, in each tick."""

    tick_s: float
    offerings: tuple[Offering, ...]
    # A row for each of `offerings`, in their order; so is `is_up`.
    usd_per_h: NDArray[np.float64]
    is_up: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Task:
    """A job."""

    # Units of work in all.
    work: int
    # The tick by which they must be done.
    deadline: int
    # Units a tick of each group, by its node types.
    rates: Mapping[NodeTypes, int]
    # Ticks until a new node is there.
    boot: int = 0
    # Ticks without training after a change of group.
    pause: int = 0
    nodes_max: int = 1
    # The part of a tick that a launch costs besides.
    rest: float = 0.0

    @property
    def dead(self) -> float:
        """Ticks that a launch costs in all, before it trains."""
        return self.boot + self.pause + self.rest

    def rate(self, group: Group | None) -> int:
        if group is None:
            return 0
        return self.rates.get(group.node_types, 0)


@dataclass(frozen=True, slots=True)
class WantedGroup:
    """What a policy wants from now on."""

    target: Group | None
    may_buy: bool = True
    is_trial: bool = False


@dataclass(slots=True)
class TickNode:
    """One node: its offering, its launch, and the tick from which it is there."""

    number: int
    offering: Offering
    launched: int
    joins: int


@dataclass(slots=True)
class Spent:
    """Where the dollars went."""

    working_usd: float = 0.0
    dead_usd: float = 0.0
    # A trial ends with its first tick of training.
    trial_usd: float = 0.0
    # The dollars above that went to on-demand nodes.
    on_demand_usd: float = 0.0

    @property
    def usd(self) -> float:
        return self.working_usd + self.dead_usd + self.trial_usd


Policy = Callable[["TickWorld"], WantedGroup]


@dataclass(slots=True)
class TickWorld:
    """The job's state at `tick`."""

    market: TickMarket
    task: Task
    tick: int = 0
    done: int = 0
    target: Group | None = None
    is_on_trial: bool = False
    current: Group | None = None
    # Nothing trains before this tick.
    pauses_until: int = 0
    machines: list[TickNode] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    launches: int = 0
    _places: dict[Offering, int] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {each: place for place, each in enumerate(self.market.offerings)}

    @property
    def left(self) -> int:
        return max(self.task.work - self.done, 0)

    @property
    def ticks_left(self) -> int:
        return self.task.deadline - self.tick

    @property
    def is_training(self) -> bool:
        return self.current is not None and self.tick >= self.pauses_until

    def is_up(self, offering: Offering) -> bool:
        return bool(self._of(self.market.is_up, offering))

    def usd_per_h(self, group: Group) -> float:
        return sum(
            count * float(self._of(self.market.usd_per_h, each)) for each, count in group.members
        )

    def can_have(self, group: Group) -> bool:
        return all(self.is_up(each) for each, _ in group.members)

    def play(self, policy: Policy, *, until: int) -> bool:
        """Goes on until all work is done, or until tick `until`; returns whether it is done."""
        while self.left > 0 and self.tick < until:
            self._lose()
            self._switch()
            self._follow(policy(self))
            self._switch()
            self._pass()
        return self.left == 0

    def _of(self, table: NDArray[np.generic], offering: Offering) -> np.generic:
        row = table[self._places[offering]]
        found: np.generic = row[self.tick % len(row)]
        return found

    def _lose(self) -> None:
        stay = [each for each in self.machines if self.is_up(each.offering)]
        if len(stay) < len(self.machines):
            self.machines = stay
            if self.current is not None and not self._holds(self.current):
                self.current = None

    def _holds(self, group: Group, *, joined: bool = True) -> bool:
        return all(self._count(each, joined=joined) >= count for each, count in group.members)

    def _count(self, offering: Offering, *, joined: bool) -> int:
        return sum(
            each.offering == offering and (each.joins <= self.tick or not joined)
            for each in self.machines
        )

    def _follow(self, wanted: WantedGroup) -> None:
        if wanted.target != self.target:
            self.target = wanted.target
            self.is_on_trial = wanted.is_trial
        if self.target is None:
            self.machines = []
            self.current = None
            return
        self._let_go()
        if not wanted.may_buy:
            return
        for offering, count in self.target.members:
            missing = count - self._count(offering, joined=False)
            if missing > 0 and self.is_up(offering):
                self._launch(offering, missing)

    def _let_go(self) -> None:
        """Ends what neither trains nor is wanted."""
        room: dict[Offering, int] = {}
        for group in (self.target, self.current):
            for offering, count in group.members if group else ():
                room[offering] = max(room.get(offering, 0), count)
        kept = []
        for each in self.machines:
            if room.get(each.offering, 0) > 0:
                room[each.offering] -= 1
                kept.append(each)
        self.machines = kept

    def _launch(self, offering: Offering, count: int) -> None:
        for _ in range(count):
            self.launches += 1
            self.spent.dead_usd += self.task.rest * self._tick_usd(offering)
            joins = self.tick + self.task.boot
            self.machines.append(TickNode(self.launches, offering, self.tick, joins))

    def _switch(self) -> None:
        """Goes to the target once it is complete: nothing trains for the pause."""
        if self.target is None or self.current == self.target or not self._holds(self.target):
            return
        self.current = self.target
        self.pauses_until = self.tick + self.task.pause
        self._let_go()

    def _tick_usd(self, offering: Offering) -> float:
        return float(self._of(self.market.usd_per_h, offering)) * self.market.tick_s / 3600.0

    def _pass(self) -> None:
        """Pays one tick, and trains in it."""
        usd = {True: 0.0, False: 0.0}
        for each in self.machines:
            is_spot = each.offering.capacity.value == "spot"
            usd[is_spot] += self._tick_usd(each.offering)
        total = sum(usd.values())
        self.spent.on_demand_usd += usd[False]
        is_there = self.is_training and self.current == self.target
        if self.is_on_trial:
            self.spent.trial_usd += total
            self.is_on_trial = not is_there
        elif self.is_training and self.current is not None:
            # Nodes that do not train yet are dead dollars.
            own = self.usd_per_h(self.current) * self.market.tick_s / 3600.0
            self.spent.working_usd += min(total, own)
            self.spent.dead_usd += max(0.0, total - own)
        else:
            self.spent.dead_usd += total
        if self.is_training:
            self.done += self.task.rate(self.current)
        self.tick += 1
