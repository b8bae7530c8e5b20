"""Track T5: what goes wrong around a job, one thing at a time and all at once, through the whole
reconciler.

Run alone: python -m benchmarks.decisions.stress [--cells stale] [--cases 2] The daemon's own
reconciler, policy and store live through a job of `WORK_H` on recorded spot pools. The measure is
the best fixed on-demand group: the cheapest that is in time by what was announced, bought in the
same world by the policy `fixed`.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import process_time

import structlog

from benchmarks.decisions import data as recorded
from benchmarks.decisions.score import cost_rows
from benchmarks.decisions.track import OURS, Outcome, Row
from elastic.errors import PriceUnavailable
from elastic.model import Capacity, CapacityChoice, JobSpec, Limits, NodeType, Objective, Offering
from elastic.policy import decide
from elastic.pricing import PriceSource, Quote, TracePrices
from elastic.simulator import (
    BEGINS_S,
    Availability,
    Program,
    SimulatedMarket,
    SimulatedPool,
    SimulationSettings,
    Speeds,
    simulated,
)

ON_DEMAND = "on-demand"
WORK_H = 8.0
STEP_S = 2.0
ZONES = 3
BOOT_S, SLOW = 60.0, 5.0
SILENT_FROM_S = 3600.0
DEARER_FROM_S, DEARER = 2 * 3600.0, 4.0
REFUSED_S, REFUSED_EVERY_S = 1200.0, 3600.0
SLACK, HALF_SLACK = 1.6, 2.6
"""Time to the deadline over the work announced; where half is announced, 1.3 of what there truly
is."""
NOTICE_S = 120.0

_TYPES = {"small": (1.0, STEP_S), "large": (2.2, STEP_S / 2)}
_SPOT_SHARE = 0.3  # of the on-demand price, as in T1
_SPEEDS = Speeds({name: {1: step_s, 2: step_s * 0.55} for name, (_, step_s) in _TYPES.items()})
_SIZES = (1, 2)


@dataclass(frozen=True, slots=True)
class Stress:
    """What goes wrong. `announced` is the work that the job's file tells, over what there truly
    is."""

    name: str
    is_silent: bool = False
    dearer: float = 1.0
    announced: float = 1.0
    boots: float = 1.0
    is_refused: bool = False


STRESSES = (
    Stress("nothing"),
    Stress("stale feed", is_silent=True),
    Stress("spot price x 4", dearer=DEARER),
    Stress("twice announced", announced=2.0),
    Stress("half announced", announced=0.5),
    Stress("slow boots x 5", boots=SLOW),
    Stress("refusals", is_refused=True),
    Stress(
        "all at once", is_silent=True, dearer=DEARER, announced=2.0, boots=SLOW, is_refused=True
    ),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One job under one stress, on the pools of a recording from one instant on."""

    stress: Stress
    series: tuple[str, ...]
    data: Path
    from_h: float

    @property
    def cell(self) -> str:
        return self.stress.name

    @property
    def name(self) -> str:
        return f"{self.series[0]}+{len(self.series) - 1} {self.cell} @{self.from_h:g}h"


@dataclass(slots=True)
class SilentFeed:
    """A source that answers no more from an instant on."""

    source: PriceSource
    silent_from_s: float
    name: str = "trace"

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        if now_s >= self.silent_from_s:
            raise PriceUnavailable("the feed is silent, as the track has it")
        return self.source.refresh(now_s)


def play(case: Case, policy: str) -> Mapping[str, float]:
    """Lives through one case; gives dollars by the true prices, those of the best fit, and seconds
    late."""
    usd, late_s, cpu_s, hours = _lived(case, policy)
    best_usd = usd if policy == ON_DEMAND else _lived(case, ON_DEMAND)[0]
    return {"usd": usd, "best_usd": best_usd, "late_s": late_s, "cpu_s": cpu_s, "cluster_h": hours}


@cache
def _lived(case: Case, policy: str) -> tuple[float, float, float, float]:
    stress = case.stress
    iterations = round(WORK_H * 3600 / STEP_S)
    announced = round(iterations * stress.announced)
    slack = HALF_SLACK if stress.announced < 1 else SLACK
    deadline_s = announced * STEP_S * slack
    market = _market(case)
    spec = JobSpec(
        "stressed",
        ("train.py",),
        nodes_max=max(_SIZES),
        iterations=announced,
        objective=Objective(deadline_s=BEGINS_S + deadline_s),
    )
    if policy == ON_DEMAND:
        name, count = best_fit(announced, deadline_s)
        spec = replace(
            spec,
            policy="fixed",
            fixed_node_type=name,
            nodes_min=count,
            nodes_max=count,
            capacity=CapacityChoice.ON_DEMAND,
        )
    told = TracePrices(market.rows(), started_at_s=BEGINS_S)
    feed = SilentFeed(told, BEGINS_S + SILENT_FROM_S) if stress.is_silent else told
    terms = SimulationSettings(boot_s=BOOT_S * stress.boots, limits=Limits(reaction_s=16.0))
    begun_s = process_time()
    with simulated(
        spec, Program(_SPEEDS, iterations), market, decide=decide, terms=terms, feed=feed
    ) as world:
        job = world.run(until_s=3 * deadline_s)
        late_s = 2 * deadline_s
        if job.finished_at_s is not None:
            late_s = max(job.finished_at_s - BEGINS_S - deadline_s, 0.0)
        return world.bill_usd(), late_s, process_time() - begun_s, world.elapsed_s / 3600


def best_fit(iterations: int, deadline_s: float) -> tuple[str, int]:
    """The on-demand group that does so many iterations in time for the least dollars; the fastest
    where none does."""
    groups = [(name, count) for name in _TYPES for count in _SIZES]

    def lasts_s(group: tuple[str, int]) -> float:
        return iterations * _SPEEDS.step_s((group,)) + 2 * (BOOT_S + 30.0)

    in_time = [each for each in groups if lasts_s(each) <= deadline_s]
    if not in_time:
        return min(groups, key=lasts_s)
    return min(in_time, key=lambda each: (lasts_s(each) * each[1] * _TYPES[each[0]][0], each))


def _market(case: Case) -> SimulatedMarket:
    pools: dict[Offering, SimulatedPool] = {}
    prices: dict[Offering, tuple[tuple[float, float], ...]] = {}
    refused = Availability(False, (REFUSED_S,), REFUSED_EVERY_S)
    series = [each for each in recorded.availability(case.data) if each.name in case.series]
    for name, (usd_per_h, _) in _TYPES.items():
        bought = Offering(name, Capacity.ON_DEMAND, "zone-1")
        prices[bought] = ((0.0, usd_per_h),)
        if case.stress.is_refused:
            pools[bought] = SimulatedPool(refused, takes_back=False)
        for number, each in enumerate(series, start=1):
            spot = Offering(name, Capacity.SPOT, f"zone-{number}")
            usd = usd_per_h * _SPOT_SHARE * (1 + 0.02 * number)
            prices[spot] = ((0.0, usd), (DEARER_FROM_S, usd * case.stress.dearer))
            pools[spot] = SimulatedPool(_availability(each, case.from_h), notice_s=NOTICE_S)
    types = tuple(NodeType(name, cpu, 16.0) for name, cpu in (("small", 4.0), ("large", 8.0)))
    return SimulatedMarket(types, prices, pools)


def _availability(series: recorded.Availability, from_h: float) -> Availability:
    first = int(from_h * 3600 // series.gap_s)
    up = [*series.is_up[first:], *series.is_up[:first]]
    turns = [place * series.gap_s for place in range(1, len(up)) if up[place] != up[place - 1]]
    return Availability(bool(up[0]), tuple(turns), len(up) * series.gap_s)


class _Stress:
    NAME = "T5"
    TITLE = (
        "stale feed, price x 4, wrong iterations, slow boots, refusals, through the whole "
        "reconciler"
    )
    POLICIES = (OURS, ON_DEMAND)

    def cases(self, data: Path, *, whole: bool) -> list[Case]:
        places = [
            tuple(each.name for each in series[:ZONES])
            for series in recorded.recordings(recorded.availability(data)).values()
        ]
        return [
            Case(stress, series, data, from_h=60.0 * (place + 1) + 37.0 * number)
            for stress in STRESSES
            for place, series in enumerate(places)
            for number in (range(4) if whole else range(1))
        ]

    def play(self, case: Case, policy: str) -> Mapping[str, float]:
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        return play(case, policy)

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        return cost_rows(outcomes, goals={each.name: 1.02 for each in STRESSES})


STRESS = _Stress()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", default="", help="stresses whose name holds this text")
    parser.add_argument("--cases", type=int, default=99, help="at most so many cases of each")
    parser.add_argument("--whole", action="store_true", help="every case, not the sample")
    given = parser.parse_args()
    counts: dict[str, int] = {}
    for case in STRESS.cases(recorded.folder(), whole=given.whole):
        counts[case.cell] = counts.get(case.cell, 0) + 1
        if given.cells not in case.cell or counts[case.cell] > given.cases:
            continue
        for policy in STRESS.POLICIES:
            values = STRESS.play(case, policy)
            print(
                f"{case.name:58} {policy:10} ${values['usd']:7.3f} "
                f"{values['usd'] / values['best_usd']:6.3f} "
                f"late {values['late_s']:6.0f} s  {values['cluster_h']:5.1f} h in "
                f"{values['cpu_s']:5.1f} CPU-s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
