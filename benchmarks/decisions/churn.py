"""Track T1c: a spot pool whose nodes are taken back again and again, of which nothing is known
before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.decisions.ours import Shown
from benchmarks.decisions.playing import against, least, played
from benchmarks.decisions.rivals import RIVALS
from benchmarks.decisions.score import cost_rows
from benchmarks.decisions.track import OURS, Outcome, Row
from benchmarks.decisions.world import Task, TickMarket
from elastic.model import Capacity, Group, NodeType, Offering

TICK_S = 60.0
EVERY_MIN = (14, 20, 30, 60, 480)
DOWN_MIN = 2
DEAD_MIN = 12
WORK_H = 12
DEADLINE_H = 24
_PHASES = 4
_GOALS = {14: 1.05, 20: 1.05, 30: 1.05, 60: 0.9, 480: 0.4}
_NODE_TYPE = NodeType("gpu", cpu=8, memory_gib=61, gpu_count=1, gpu_model="gpu")
_BOUGHT = Offering(_NODE_TYPE.name, Capacity.ON_DEMAND, "zone-1")
_SPOT = Offering(_NODE_TYPE.name, Capacity.SPOT, "zone-1")
_GROUPS = (Group.of(_BOUGHT), Group.of(_SPOT))


@dataclass(frozen=True, slots=True)
class Taken:
    """A pool that is up for so many minutes, then down for a moment, begun at one of the phases of
    that."""

    every_min: int
    phase: int

    @property
    def cell(self) -> str:
        return f"lost every {self.every_min} min"

    @property
    def name(self) -> str:
        return f"{self.cell} #{self.phase}"


def _market(case: Taken) -> TickMarket:
    ticks = np.arange(3 * DEADLINE_H * 60) + case.every_min * case.phase // _PHASES
    up = np.array([np.ones(len(ticks), dtype=bool), ticks % case.every_min >= DOWN_MIN])
    usd = np.full(up.shape, 1.0)
    usd[0] = 10 / 3
    return TickMarket(TICK_S, (_BOUGHT, _SPOT), usd, up)


class _Churn:
    NAME = "T1c"
    TITLE = "a spot pool that is taken back again and again; cost / on-demand alone"
    POLICIES = (OURS, *RIVALS)

    def cases(self, data: Path, *, whole: bool) -> list[Taken]:
        phases = range(_PHASES) if whole else range(0, _PHASES, 2)
        return [Taken(every_min, phase) for every_min in EVERY_MIN for phase in phases]

    def play(self, case: Taken, policy: str) -> Mapping[str, float]:
        market = _market(case)
        task = Task(WORK_H * 60, DEADLINE_H * 60, {(("gpu", 1),): 1}, pause=DEAD_MIN)
        shown = Shown(node_types=(_NODE_TYPE,), per_unit=80, measured=(Group.of(_BOUGHT),))
        found = played(market, task, shown, _GROUPS, policy)
        alone = (task.work + task.pause) * TICK_S / 3600 * 10 / 3
        return against(found, least(market, task, _GROUPS)) | {"alone_usd": alone}

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        goals = {f"lost every {minutes} min": goal for minutes, goal in _GOALS.items()}
        return cost_rows(outcomes, goals=goals, against="alone_usd")


CHURN = _Churn()
