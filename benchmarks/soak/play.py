"""One life: a job, a market and faults, all drawn from a seed."""

from __future__ import annotations

import logging
import math
import random
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from benchmarks.soak.faults import DAY, Fault, FaultKind, drawn
from benchmarks.soak.life import KEY, FaultyLife
from benchmarks.soak.promises import AFTERWARDS, PromiseBroken, Promises, Violation
from elastic.model import Capacity, CapacityChoice, JobSpec, NodeType, Objective, Offering
from elastic.policy import decide
from elastic.simulator import (
    BEGINS_S,
    Availability,
    Program,
    SimulatedMarket,
    SimulatedPool,
    SimulationSettings,
    Speeds,
)
from elastic.simulator.simulation import fast_folder

_HOUR = 3600.0
# Seconds of virtual time.
LONGEST_S = 4 * DAY
# A stop takes longer than a look, so that a daemon that waits for none is found out.
_SAVE_S = 8.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one life."""

    seed: int
    days: float
    violations: tuple[Violation, ...]
    met: dict[FaultKind, int]
    machines: int
    deaths: int
    looks: int
    phase: str
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Script:
    """What a life is made of. What is None is drawn from the seed."""

    seed: int
    # Faults a day, of these kinds; or exactly `faults`.
    a_day: float = 12.0
    kinds: tuple[FaultKind, ...] = tuple(FaultKind)
    faults: tuple[Fault, ...] | None = None
    # Hours of work on the smaller of two node types.
    hours: float | None = None
    nodes_max: int | None = None
    capacity: CapacityChoice | None = None
    # Dollars; infinite for a job without a budget or a deadline.
    budget_usd: float | None = None
    # Whether the source of prices itself knows what no type can cost.
    knows_bounds: bool = True
    # How often a price changes, in seconds, and between which shares of the usual one.
    price_lasts_s: float = 4 * _HOUR
    price_spread: tuple[float, float] = (0.8, 1.3)
    # Whether machines power themselves off when their lease is over.
    has_timers: bool = True


def play(script: Script) -> Outcome:
    """Plays a life to its end, or for four days, and checks the promises."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    began_s = time.process_time()
    chance = random.Random(f"life {script.seed}")
    hours = chance.uniform(12.0, 60.0)
    if script.hours is not None:
        hours = script.hours
    iterations = int(hours * _HOUR)
    spec = JobSpec(
        name=f"life-{script.seed}",
        command=("train.py",),
        iterations=iterations,
        nodes_max=script.nodes_max or chance.choice((1, 1, 2, 4)),
        capacity=script.capacity
        or chance.choice((CapacityChoice.ANY, CapacityChoice.ANY, CapacityChoice.SPOT)),
        objective=_objective(chance, hours, script.budget_usd),
    )
    speeds = {"small": {1: 1.0, 2: 0.55, 4: 0.3}, "large": {1: 0.5, 2: 0.28, 4: 0.16}}
    faults = script.faults
    if faults is None:
        faults = drawn(script.seed, until_s=LONGEST_S, a_day=script.a_day, kinds=script.kinds)
    promises = Promises()
    with fast_folder() as folder:
        life = FaultyLife(
            Path(folder),
            spec,
            Program(Speeds(speeds), iterations, save_s=_SAVE_S),
            _market(chance, script),
            decide,
            SimulationSettings(seed=script.seed),
            key=KEY,
            faults=faults,
            after_look=promises.look,
            knows_bounds=script.knows_bounds,
            has_timers=script.has_timers,
        )
        try:
            with suppress(PromiseBroken):
                life.run(until_s=LONGEST_S)
                _wind_down(life)
                promises.end(life)
            return Outcome(
                script.seed,
                life.elapsed_s / DAY,
                tuple(promises.violations),
                life.met,
                len(life.cloud.machines()),
                life.deaths,
                life.ticks,
                life.job.phase.value,
                time.process_time() - began_s,
            )
        finally:
            life.close()


def _objective(chance: random.Random, hours: float, budget_usd: float | None) -> Objective:
    kind = chance.random()
    if budget_usd is not None:
        return Objective(budget_usd=budget_usd if math.isfinite(budget_usd) else None)
    if kind < 0.4:
        return Objective()
    if kind < 0.7:
        return Objective(budget_usd=round(hours * chance.uniform(0.3, 1.5), 2))
    return Objective(deadline_s=BEGINS_S + hours * _HOUR * chance.uniform(0.8, 2.0))


def _market(chance: random.Random, script: Script) -> SimulatedMarket:
    types = (NodeType("small", 2.0, 4.0), NodeType("large", 8.0, 16.0))
    usd_per_h = {"small": 1.0, "large": 1.8}
    prices: dict[Offering, tuple[tuple[float, float], ...]] = {}
    pools = {}
    for each in types:
        on_demand = Offering(each.name, Capacity.ON_DEMAND, "a")
        prices[on_demand] = ((0.0, usd_per_h[each.name]),)
        for zone in "ab":
            spot = Offering(each.name, Capacity.SPOT, zone)
            prices[spot] = _steps(chance, 0.35 * usd_per_h[each.name], script)
            pools[spot] = SimulatedPool(_availability(chance), notice_s=120.0)
    return SimulatedMarket(types, prices, pools)


def _steps(
    chance: random.Random, usd_per_h: float, script: Script
) -> tuple[tuple[float, float], ...]:
    """A spot price that moves now and then."""
    steps = [(0.0, usd_per_h)]
    at_s = 0.0
    while at_s < LONGEST_S:
        at_s += chance.expovariate(1 / script.price_lasts_s)
        steps.append((at_s, usd_per_h * chance.uniform(*script.price_spread)))
    return tuple(steps)


def _availability(chance: random.Random) -> Availability:
    """A pool that is up for half a day, and down for an hour."""
    turns = []
    at_s = 0.0
    while at_s < LONGEST_S:
        at_s += chance.expovariate(1 / (12 * _HOUR)) + 60.0
        turns.append(at_s)
        at_s += chance.expovariate(1 / _HOUR) + 60.0
        turns.append(at_s)
    return Availability(True, tuple(turns))


def _wind_down(life: FaultyLife) -> None:
    """Has the daemon look on until whatever it ends had time to be gone."""
    until_s = life.clock.now_s() + AFTERWARDS
    while life.clock.now_s() < until_s:
        life.clock.advance(30.0)
        life.look_on()
