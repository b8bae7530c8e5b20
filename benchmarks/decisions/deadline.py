"""Tracks T1 and T1b: one node, one deadline, spot pools as they were recorded.

A case is a stretch of a recording. The histories that the policy is given of its pools come from
the other recordings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.decisions.clairvoyant import Least
from benchmarks.decisions.data import Availability, availability, recordings
from benchmarks.decisions.ours import Shown
from benchmarks.decisions.playing import against, least, played
from benchmarks.decisions.pools import recorded_elsewhere
from benchmarks.decisions.rivals import RIVALS
from benchmarks.decisions.score import cost_rows
from benchmarks.decisions.track import OURS, Outcome, Row, halved
from benchmarks.decisions.world import Task, TickMarket
from elastic.model import Capacity, Group, NodeType, Offering

TICK_S = 180.0
TICKS_PER_H = round(3600 / TICK_S)
WORK_H = (24, 48)
SLACKS = (1.15, 1.3, 1.6)
DEAD_H = (0.05, 0.2, 0.5)
ON_DEMAND_USD_PER_H, SPOT_USD_PER_H = 10 / 3, 1.0
_LEAST_ZONES = 3
_NODE_TYPE = NodeType("gpu", cpu=8, memory_gib=61, gpu_count=1, gpu_model="gpu")
_PER_UNIT = 80  # iterations a tick
_SEED = 118


@dataclass(frozen=True, slots=True)
class Stretch:
    """So much work from one instant of recorded pools on."""

    series: tuple[str, ...]
    data: Path
    start: int
    number: int
    work_h: int
    slack: float
    dead_h: float

    @property
    def cell(self) -> str:
        return f"{self.work_h}h {self.slack:g} d{self.dead_h:g}"

    @property
    def name(self) -> str:
        place = (
            self.series[0] if len(self.series) == 1 else f"{self.series[0]}+{len(self.series) - 1}"
        )
        return f"{place} {self.cell} #{self.number}"


def stretches(
    data: Path, places: Sequence[Sequence[Availability]], *, starts: int, played: int, seed: int
) -> list[Stretch]:
    """Every set of pools in every cell, from `played` of `starts` evenly spaced instants."""
    draw = np.random.default_rng(seed)
    found = []
    for pools in places:
        ticks = min(len(each.every(TICK_S)) for each in pools)
        for work_h in WORK_H:
            for slack in SLACKS:
                for dead_h in DEAD_H:
                    room = ticks - round(work_h * slack * TICKS_PER_H)
                    numbers = sorted(draw.choice(starts, size=played, replace=False).tolist())
                    found += [
                        Stretch(
                            tuple(each.name for each in pools),
                            data,
                            room * number // starts,
                            number,
                            work_h,
                            slack,
                            dead_h,
                        )
                        for number in numbers
                        if room > 0
                    ]
    return found


def play_stretch(case: Stretch, policy: str) -> Mapping[str, float]:
    """Plays one stretch; gives dollars, the least dollars, seconds late, and where the dollars
    went."""
    market = _market(case)
    found = played(market, _task(case), _shown(case, market), _groups(market), policy)
    return against(found, _least(case))


def _groups(market: TickMarket) -> list[Group]:
    return [Group.of(each) for each in market.offerings]


def _task(case: Stretch) -> Task:
    return Task(
        work=case.work_h * TICKS_PER_H,
        deadline=round(case.work_h * case.slack * TICKS_PER_H),
        rates={((_NODE_TYPE.name, 1),): 1},
        pause=round(case.dead_h * TICKS_PER_H),
    )


def _market(case: Stretch) -> TickMarket:
    pools = [each for each in availability(case.data) if each.name in case.series]
    zones = [f"zone-{number}" for number in range(1, len(pools) + 1)]
    spot = [Offering(_NODE_TYPE.name, Capacity.SPOT, zone) for zone in zones]
    bought = Offering(_NODE_TYPE.name, Capacity.ON_DEMAND, zones[0])
    series = [np.roll(each.every(TICK_S), -case.start) for each in pools]
    ticks = min(len(each) for each in series)
    up = np.array([np.ones(ticks, dtype=bool), *(each[:ticks] for each in series)])
    usd = np.full(up.shape, SPOT_USD_PER_H)
    usd[0] = ON_DEMAND_USD_PER_H
    return TickMarket(TICK_S, (bought, *spot), usd, up)


def _shown(case: Stretch, market: TickMarket) -> Shown:
    told = availability(case.data)
    recording = next(each.recording for each in told if each.name in case.series)
    others = [each for each in told if each.recording != recording]
    return Shown(
        node_types=(_NODE_TYPE,),
        per_unit=_PER_UNIT,
        measured=(Group.of(market.offerings[0]),),
        elsewhere=recorded_elsewhere((each.is_up, each.gap_s) for each in others),
    )


@cache
def _least(case: Stretch) -> Least:
    market = _market(case)
    return least(market, _task(case), _groups(market))


class _OnePool:
    NAME = "T1"
    TITLE = "one spot pool and a deadline"
    POLICIES = (OURS, *RIVALS)

    def cases(self, data: Path, *, whole: bool) -> list[Stretch]:
        places = [[each] for each in availability(data)]
        found = stretches(data, places, starts=4, played=4 if whole else 1, seed=_SEED)
        return found if whole else halved(found)

    def play(self, case: Stretch, policy: str) -> Mapping[str, float]:
        return play_stretch(case, policy)

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        return cost_rows(
            outcomes,
            pooled=_slack,
            goals={"slack 1.15, all": 1.09, "slack 1.3, all": 1.07, "slack 1.6, all": 1.06},
        )


class _Zones:
    NAME = "T1b"
    TITLE = "the spot pools of several zones and a deadline"
    POLICIES = (OURS, *RIVALS)

    def cases(self, data: Path, *, whole: bool) -> list[Stretch]:
        found = stretches(data, _places(data), starts=8, played=8 if whole else 4, seed=_SEED)
        return found if whole else halved(found)

    def play(self, case: Stretch, policy: str) -> Mapping[str, float]:
        return play_stretch(case, policy)

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        return cost_rows(
            outcomes,
            pooled=_slack,
            goals={"slack 1.15, all": 1.06, "slack 1.3, all": 1.02, "slack 1.6, all": 1.01},
        )


def _places(data: Path) -> list[list[Availability]]:
    """The zones that were recorded with the same instance at the same instants, where there are
    several."""
    found: list[list[Availability]] = []
    for series in recordings(availability(data)).values():
        kinds = sorted({(each.kind, each.gap_s) for each in series})
        alike = [[each for each in series if (each.kind, each.gap_s) == kind] for kind in kinds]
        found += [each for each in alike if len(each) >= _LEAST_ZONES]
    return found


def _slack(cell: str) -> str:
    return f"slack {cell.split()[1]}, all"


ONE_POOL, ZONES = _OnePool(), _Zones()
