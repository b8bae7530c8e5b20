"""The product's own `decide` in the light world: what it is shown, tick by tick, and when it is
asked.

It is asked in each tick in which anything that it can see has changed, a group's first windows
included; in each tick within an hour of the last in which it may wait; and every quarter of an hour
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.decisions.pools import Pools
from benchmarks.decisions.world import Task, TickNode, TickWorld, WantedGroup
from elastic.model import (
    Action,
    Change,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Limits,
    Node,
    NodePhase,
    NodeType,
    Objective,
    Obstacle,
    Plan,
    Price,
    Sample,
    Series,
    Snapshot,
    Switch,
    Unavailable,
)
from elastic.policy import decide

EPOCH_S = 1_700_000_000.0
EVERY_S = 900.0
HURRY_S = 3600.0
# windows shown of a tick that trained, and two ticks of each group: as many as a trial asks for
_WINDOWS = 8
_NEW_TICKS = 3  # the first windows of a group are news
_KEPT_CHANGES = 64  # as many as the store hands on
_KNOWN = {each.name for each in fields(Snapshot)}
_AGELESS_S = 1e12


@dataclass(frozen=True, slots=True)
class Shown:
    """What the policy knows of the job before it begins. `per_unit` is iterations in a unit of
    work.

    `measured` are groups that trained before, at their true pace; `elsewhere` is what other jobs
    saw of other spot pools, as `elastic.model.Pool`. `noise` is the relative spread of windows.
    """

    node_types: tuple[NodeType, ...]
    per_unit: int
    measured: tuple[Group, ...] = ()
    elsewhere: tuple[Any, ...] = ()
    noise: float = 0.01
    every_s: float = EVERY_S
    hurry_s: float = HURRY_S
    seed: int = 0


@dataclass(slots=True)
class Ours:
    """The policy under test. `begins_s` is the instant of tick 0."""

    shown: Shown
    decide: Callable[[Snapshot], Plan] = decide
    begins_s: float = EPOCH_S
    cpu_s: float = 0.0
    decisions: int = 0
    log: list[tuple[int, str, Group | None]] = field(default_factory=list)
    _asked: int | None = None
    _seen: object = None
    _wish: WantedGroup = field(default_factory=lambda: WantedGroup(None))
    _trained: dict[Group, list[int]] = field(default_factory=dict)
    _series: dict[Group, tuple[int, Series]] = field(default_factory=dict)
    _changes: list[Change] = field(default_factory=list)
    _switches: list[Switch] = field(default_factory=list)
    _switched: tuple[Group, int] | None = None
    _pools: Pools | None = None
    _prices: tuple[NDArray[np.float64], tuple[Price, ...]] | None = None
    _noise: NDArray[np.float64] | None = None
    _done: int = 0

    def __call__(self, world: TickWorld) -> WantedGroup:
        self._note(world)
        if self._is_due(world):
            self._ask(world)
        return self._wish

    def _note(self, world: TickWorld) -> None:
        """Keeps what the run itself has seen by now."""
        if self._pools is None:
            self._pools = Pools(world.market.offerings, self.shown.elsewhere)
        self._pools.see(_up(world), self.begins_s + world.tick * world.market.tick_s)
        if world.done > self._done and world.current is not None:
            self._trained.setdefault(world.current, []).append(world.tick)
            self._note_switch(world, world.current)
        self._done = world.done

    def _note_switch(self, world: TickWorld, current: Group) -> None:
        """A switch is over with the first tick trained in the new group."""
        if self._switched is not None and self._switched == (current, world.pauses_until):
            return
        tick_s, task = world.market.tick_s, world.task
        ended_s = self.begins_s + world.pauses_until * tick_s
        switch = Switch(current, task.pause * tick_s, task.boot * tick_s, ended_s)
        self._switches = [*self._switches[-15:], switch]
        self._switched = (current, world.pauses_until)

    def _is_due(self, world: TickWorld) -> bool:
        market, task = world.market, world.task
        place = world.tick % market.is_up.shape[1]
        seen = (
            market.is_up[:, place].tobytes(),
            market.usd_per_h[:, place].tobytes(),
            world.current,
            world.is_training,
            len(world.machines),
            min(len(self._trained.get(world.current, ())), _NEW_TICKS) if world.current else 0,
        )
        has_changed, self._seen = seen != self._seen, seen
        if has_changed or self._asked is None:
            return True
        fastest = max(task.rates.values())
        spare = world.ticks_left - world.left / fastest - 2 * (task.boot + task.pause)
        if spare * market.tick_s < self.shown.hurry_s:
            return True
        return (world.tick - self._asked) * market.tick_s >= self.shown.every_s

    def _ask(self, world: TickWorld) -> None:
        snapshot = self.snapshot(world)
        begun_s = process_time()
        plan = self.decide(snapshot)
        self.cpu_s += process_time() - begun_s
        self.decisions += 1
        self._asked = world.tick
        if plan.target != world.target or plan.action is Action.STOP:
            change = Change(snapshot.now_s, world.target, plan.target, plan.reason.code)
            self._changes = [*self._changes[1 - _KEPT_CHANGES :], change]
            self.log.append((world.tick, plan.reason.code, plan.target))
        self._wish = WantedGroup(plan.target, plan.may_buy, is_trial=plan.action is Action.TRIAL)

    def snapshot(self, world: TickWorld) -> Snapshot:
        """What a decision in this tick may know."""
        task, tick_s = world.task, world.market.tick_s
        now_s = self.begins_s + world.tick * tick_s
        unavailable = [
            Unavailable(each, now_s + tick_s, Obstacle.CAPACITY)
            for each, is_up in zip(world.market.offerings, _up(world), strict=True)
            if not is_up
        ]
        assert self._pools is not None, "the pools are looked at before it is asked"
        told: dict[str, Any] = {
            "now_s": now_s,
            "job": self._job(world),
            "target": world.target,
            "current": world.current if world.is_training else None,
            "nodes": tuple(_node(world, each, self.begins_s) for each in world.machines),
            "node_types": self.shown.node_types,
            "prices": self._price_list(world),
            "series": self._all_series(world),
            "switches": tuple(self._switches),
            "changes": tuple(self._changes),
            "spent_usd": world.spent.usd,
            "limits": _limits(task, tick_s),
            "unavailable": tuple(unavailable),
            "pools": self._pools.known(),
        }
        return Snapshot(**{key: value for key, value in told.items() if key in _KNOWN})

    def _job(self, world: TickWorld) -> Job:
        task, per_unit = world.task, self.shown.per_unit
        spec = JobSpec(
            "job",
            ("train.py",),
            iterations=task.work * per_unit,
            nodes_max=task.nodes_max,
            objective=Objective(deadline_s=self.begins_s + task.deadline * world.market.tick_s),
        )
        phase = JobPhase.RUNNING if world.is_training else JobPhase.RESCALING
        return Job(
            "job-1",
            spec,
            phase,
            self.begins_s,
            iteration=world.done * per_unit,
            training_phase="main",
        )

    def _price_list(self, world: TickWorld) -> tuple[Price, ...]:
        """The prices in force, as one list for as long as none changes."""
        market = world.market
        now = market.usd_per_h[:, world.tick % market.usd_per_h.shape[1]]
        if self._prices is None or not np.array_equal(self._prices[0], now):
            at_s = self.begins_s + world.tick * market.tick_s
            listed = tuple(
                Price(number, each, float(usd), at_s, at_s, "recorded")
                for number, (each, usd) in enumerate(zip(market.offerings, now, strict=True), 1)
            )
            self._prices = (now.copy(), listed)
        return self._prices[1]

    def _all_series(self, world: TickWorld) -> tuple[Series, ...]:
        for group in self.shown.measured:
            if group not in self._trained and group not in self._series:
                self._series[group] = (-2, self._measured(world, group, [-2, -1]))
        for group, ticks in self._trained.items():
            known = self._series.get(group)
            if known is None or known[0] != ticks[-1]:
                self._series[group] = (ticks[-1], self._measured(world, group, ticks[-2:]))
        return tuple(series for _, series in self._series.values())

    def _measured(self, world: TickWorld, group: Group, ticks: Sequence[int]) -> Series:
        """The windows of the latest ticks: their paces differ, their mean is the true one."""
        if self._noise is None:
            drawn = np.random.default_rng(self.shown.seed).normal(0.0, 1.0, _WINDOWS)
            drawn -= drawn.mean()
            self._noise = 1.0 + self.shown.noise * drawn / max(float(drawn.std()), 1e-9)
        tick_s = world.market.tick_s
        turns = world.task.rate(group) * self.shown.per_unit / _WINDOWS
        iterations = max(1, round(turns))
        window_s = tick_s / _WINDOWS
        samples = [
            Sample(
                iterations,
                window_s * float(pace) * iterations / turns,
                self.begins_s + tick * tick_s + (number + 1) * window_s,
            )
            for tick in ticks
            for number, pace in enumerate(self._noise)
        ]
        return Series(group, "main", tuple(samples))


def _limits(task: Task, tick_s: float) -> Limits:
    told: dict[str, Any] = {
        "boot_prior_s": task.boot * tick_s,
        "switch_pause_prior_s": task.pause * tick_s,
        "price_max_age_s": _AGELESS_S,
        "spot_price_max_age_s": _AGELESS_S,
        "tick_s": tick_s,
    }
    known = {each.name for each in fields(Limits)}
    return Limits(**{key: value for key, value in told.items() if key in known})


def _node(world: TickWorld, machine: TickNode, begins_s: float) -> Node:
    tick_s = world.market.tick_s
    launched_s = begins_s + machine.launched * tick_s
    has_joined = machine.joins <= world.tick
    return Node(
        f"node-{machine.number}",
        "job-1",
        machine.offering,
        NodePhase.JOINED if has_joined else NodePhase.BOOTING,
        f"token-{machine.number}",
        launched_s,
        launched_at_s=launched_s,
        joined_at_s=begins_s + machine.joins * tick_s if has_joined else None,
    )


def _up(world: TickWorld) -> NDArray[np.bool_]:
    up = world.market.is_up
    found: NDArray[np.bool_] = up[:, world.tick % up.shape[1]]
    return found
