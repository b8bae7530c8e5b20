"""Track T3: how many nodes a job needs that has a deadline, its speed at every size unknown.

Seconds an iteration follow one of three laws of the number of nodes. New nodes boot for 90 s while
what trains goes on; a change stops training for 30 s. The deadline is a share of what one node
would take, and two minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.decisions.clairvoyant import Least
from benchmarks.decisions.ours import Shown
from benchmarks.decisions.playing import against, least, played
from benchmarks.decisions.rivals import RIVALS
from benchmarks.decisions.score import cost_rows
from benchmarks.decisions.track import OURS, Outcome, Row, halved
from benchmarks.decisions.world import Task, TickMarket
from elastic.model import Capacity, Group, NodeType, Offering

SIZES = range(1, 17)
WORK_MIN = (15, 30, 60, 120, 240, 480)
SHARES = (0.9, 0.8, 0.6, 0.4)
BOOT_S, PAUSE_S, GRACE_S = 90.0, 30.0, 120.0
SPOT_UP_S, SPOT_DOWN_S = 3600.0, 600.0
SPARE = 1.2
"""A case may be late unless the fastest fixed group has so much of the time that it takes."""
_NODE_TYPE = NodeType("cpu", cpu=8, memory_gib=32)
_BOUGHT = Offering(_NODE_TYPE.name, Capacity.ON_DEMAND, "zone-1")
_SPOT = Offering(_NODE_TYPE.name, Capacity.SPOT, "zone-1")
_MARKETS = ("on-demand", "with spot")
_LONG_MIN = 120
_MOST_USD = 1.10

LAWS: Mapping[str, Callable[[int], float]] = {
    "linear": float,
    "amdahl": lambda nodes: 1 / (0.1 + 0.9 / nodes),
    "superlinear": lambda nodes: min(nodes, 4) ** 1.25 * max(1.0, nodes / 4) ** 0.8,
}
"""How much faster so many nodes are than one."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A job of so many minutes on one node."""

    work_min: int
    law: str
    share: float
    has_spot: bool

    @property
    def cell(self) -> str:
        market = _MARKETS[self.has_spot]
        return f"{_hours(self.work_min)} {self.law} {market}"

    @property
    def name(self) -> str:
        return f"{self.cell} {self.share:g}"


def _hours(minutes: int) -> str:
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h"


def _tick_s(case: Sized) -> float:
    return 15.0 if case.work_min <= 60 else 30.0


def _units(case: Sized) -> int:
    """The work that one node does in a tick: fewer units where there are many ticks, to be
    quick."""
    return 10 if case.work_min <= _LONG_MIN else 5


def _task(case: Sized) -> Task:
    tick_s = _tick_s(case)
    units = _units(case)
    work_ticks = round(case.work_min * 60 / tick_s)
    return Task(
        work=work_ticks * units,
        deadline=round((case.share * case.work_min * 60 + GRACE_S) / tick_s),
        rates={((_NODE_TYPE.name, each),): round(units * LAWS[case.law](each)) for each in SIZES},
        boot=round(BOOT_S / tick_s),
        pause=round(PAUSE_S / tick_s),
        nodes_max=SIZES[-1],
    )


def _market(case: Sized) -> TickMarket:
    tick_s = _tick_s(case)
    ticks = 3 * round((case.work_min * 60 + GRACE_S) / tick_s)
    if not case.has_spot:
        return TickMarket(tick_s, (_BOUGHT,), np.ones((1, ticks)), np.ones((1, ticks), dtype=bool))
    draw = np.random.default_rng([case.work_min, list(LAWS).index(case.law), int(100 * case.share)])
    spells: list[float] = []
    while sum(spells) < ticks * tick_s:
        spells += [draw.exponential(SPOT_UP_S), draw.exponential(SPOT_DOWN_S)]
    lengths = [max(1, round(each / tick_s)) for each in spells]
    states = np.repeat([place % 2 == 0 for place in range(len(spells))], lengths)[:ticks]
    up = np.array([np.ones(len(states), dtype=bool), states])
    usd = np.full(up.shape, 1.0)
    usd[1] = 0.3
    return TickMarket(tick_s, (_BOUGHT, _SPOT), usd, up)


def _groups(case: Sized) -> list[Group]:
    sold = [_BOUGHT, _SPOT] if case.has_spot else [_BOUGHT]
    return [Group.of(each, count) for each in sold for count in SIZES]


@cache
def _least(case: Sized) -> Least:
    return least(_market(case), _task(case), _groups(case))


def _may_be_late(task: Task) -> bool:
    fastest = task.boot + task.pause + task.work / max(task.rates.values())
    return task.deadline < SPARE * fastest


class _Sizes:
    NAME = "T3"
    TITLE = "sizes from 1 to 16 nodes and a deadline, speeds unknown"
    POLICIES = (OURS, *RIVALS)

    def cases(self, data: Path, *, whole: bool) -> list[Sized]:
        every = [
            Sized(work_min, law, share, has_spot)
            for work_min in WORK_MIN
            for law in LAWS
            for has_spot in (False, True)
            for share in SHARES
        ]
        return every if whole else halved(every)

    def play(self, case: Sized, policy: str) -> Mapping[str, float]:
        task = _task(case)
        shown = Shown((_NODE_TYPE,), per_unit=16, noise=0.02, every_s=300.0, hurry_s=120.0)
        found = played(_market(case), task, shown, _groups(case), policy)
        return against(found, _least(case)) | {
            "may_be_late": float(_may_be_late(task)),
        }

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        long = [_hours(each) for each in WORK_MIN if each >= _LONG_MIN]
        goals = {f"{each} {market}, all": _MOST_USD for each in long for market in _MARKETS}
        return cost_rows(outcomes, pooled=_pooled, goals=goals)


def _pooled(cell: str) -> str:
    words = cell.split()
    return f"{' '.join(words[:2] + words[3:])}, all"


SIZED = _Sizes()
