"""One life: a job, a market and faults, all drawn from a seed."""

from __future__ import annotations

import logging
import random
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog

from benchmarks.soak.faults import DAY, FaultKind, drawn
from benchmarks.soak.life import FaultyLife
from benchmarks.soak.promises import AFTERWARDS, PromiseBroken, Promises, Violation
from elastic.model import Capacity, CapacityChoice, JobSpec, NodeType, Objective, Offering
from elastic.policy import decide
from elastic.simulator import (
    Availability,
    Program,
    SimulatedMarket,
    SimulatedPool,
    SimulationSettings,
    Speeds,
)
from elastic.simulator.empty_database import fast_folder
from elastic.simulator.simulation import BEGINS_S

_HOUR = 3600.0
_LONGEST = 4 * DAY


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


def play(seed: int, a_day: float, kinds: tuple[FaultKind, ...] = tuple(FaultKind)) -> Outcome:
    """Plays the life of a seed to its end, or for four days, and checks the promises."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    chance = random.Random(f"life {seed}")
    hours = chance.uniform(12.0, 60.0)
    iterations = int(hours * _HOUR)
    spec = JobSpec(
        name=f"life-{seed}",
        command=("train.py",),
        iterations=iterations,
        nodes_max=chance.choice((1, 1, 2, 4)),
        capacity=chance.choice((CapacityChoice.ANY, CapacityChoice.ANY, CapacityChoice.SPOT)),
        objective=_objective(chance, hours),
    )
    speeds = {"small": {1: 1.0, 2: 0.55, 4: 0.3}, "large": {1: 0.5, 2: 0.28, 4: 0.16}}
    promises = Promises()
    with fast_folder() as folder:
        life = FaultyLife(
            Path(folder),
            spec,
            Program(Speeds(speeds), iterations),
            _market(chance),
            decide,
            SimulationSettings(seed=seed),
            faults=drawn(seed, until_s=_LONGEST, a_day=a_day, kinds=kinds),
            after_look=promises.look,
        )
        try:
            with suppress(PromiseBroken):
                life.run(until_s=_LONGEST)
                _wind_down(life)
                promises.end(life)
            return Outcome(
                seed,
                life.elapsed_s / DAY,
                tuple(promises.violations),
                life.met,
                len(life.cloud.machines()),
                life.deaths,
                life.ticks,
                life.job.phase.value,
            )
        finally:
            life.close()


def _objective(chance: random.Random, hours: float) -> Objective:
    kind = chance.random()
    if kind < 0.4:
        return Objective()
    if kind < 0.7:
        return Objective(budget_usd=round(hours * chance.uniform(0.3, 1.5), 2))
    return Objective(deadline_s=BEGINS_S + hours * _HOUR * chance.uniform(0.8, 2.0))


def _market(chance: random.Random) -> SimulatedMarket:
    types = (NodeType("small", 2.0, 4.0), NodeType("large", 8.0, 16.0))
    usd_per_h = {"small": 1.0, "large": 1.8}
    prices: dict[Offering, tuple[tuple[float, float], ...]] = {}
    pools = {}
    for each in types:
        on_demand = Offering(each.name, Capacity.ON_DEMAND, "a")
        prices[on_demand] = ((0.0, usd_per_h[each.name]),)
        for zone in "ab":
            spot = Offering(each.name, Capacity.SPOT, zone)
            prices[spot] = _steps(chance, 0.35 * usd_per_h[each.name])
            pools[spot] = SimulatedPool(_availability(chance), notice_s=120.0)
    return SimulatedMarket(types, prices, pools)


def _steps(chance: random.Random, usd_per_h: float) -> tuple[tuple[float, float], ...]:
    """A spot price that moves by some percent every few hours."""
    steps = [(0.0, usd_per_h)]
    at_s = 0.0
    while at_s < _LONGEST:
        at_s += chance.expovariate(1 / (4 * _HOUR))
        steps.append((at_s, usd_per_h * chance.uniform(0.8, 1.3)))
    return tuple(steps)


def _availability(chance: random.Random) -> Availability:
    """A pool that is up for half a day, and down for an hour."""
    turns = []
    at_s = 0.0
    while at_s < _LONGEST:
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
