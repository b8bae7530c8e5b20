"""Track T4 as a track: every experiment of `benchmarks.decisions.search`, judged by where it ends
and what it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.decisions import search
from benchmarks.decisions.score import difference
from benchmarks.decisions.track import OURS, TODAY, Outcome, Row

JOBS = ((4, 1), (24, 1), (4, 2))
"""Hours on the best configuration, and which run of the program it is: later ones know the first.
"""
_POLICIES: Mapping[str, str] = {
    OURS: "elasticd",
    "try all": "try all",
    "cheapest": "cheapest per hour",
}
_MOST_RATIO = {"4 h": 1.10, "24 h": 1.05, "4 h again": 1.01}
_LEAST_OPTIMUM, _LEAST_WITHIN_5, _MOST_P99_REGRET, _MOST_SHARE = 0.94, 0.97, 0.20, 0.05


@dataclass(frozen=True, slots=True)
class Trained:
    """One experiment, as long as its best configuration needs for so many hours."""

    data: Path
    experiment: str
    hours: int
    runs: int

    @property
    def cell(self) -> str:
        return f"{self.hours} h{' again' if self.runs > 1 else ''}"

    @property
    def name(self) -> str:
        return f"{self.cell} {self.experiment}"


@cache
def _experiments(data: Path) -> Mapping[str, search.Experiment]:
    return {each.name: each for each in search.load(data)}


class _Search:
    NAME = "T4"
    TITLE = "the best node type among those of an experiment, speeds unknown"
    POLICIES = tuple(_POLICIES)

    def cases(self, data: Path, *, whole: bool) -> list[Trained]:
        return [
            Trained(data, name, hours, runs) for hours, runs in JOBS for name in _experiments(data)
        ]

    def play(self, case: Trained, policy: str) -> Mapping[str, float]:
        experiment = _experiments(case.data)[case.experiment]
        found = search.play(
            experiment, search.POLICIES[_POLICIES[policy]], hours=float(case.hours), runs=case.runs
        )
        return {
            "usd": found.usd,
            "best_usd": found.best_usd,
            "regret": found.regret,
            "trial_usd": found.trial_usd,
            "cap_broken": float(found.has_broken_cap),
            "cpu_s": found.cpu_s,
        }

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        cells = dict.fromkeys((each.cell, each.policy) for each in outcomes)
        return [_row(cell, policy, outcomes) for cell, policy in cells]


def _row(cell: str, policy: str, outcomes: Sequence[Outcome]) -> Row:
    own = [each for each in outcomes if (each.cell, each.policy) == (cell, policy)]
    regrets = sorted(each.values["regret"] for each in own)
    ratios = {each.case: each.values["usd"] / each.values["best_usd"] for each in own}
    values = {
        "cases": float(len(own)),
        "optimum": float(np.mean([each < 1e-9 for each in regrets])),
        "within_5": float(np.mean([each <= 0.05 for each in regrets])),
        "p99_regret": regrets[math.ceil(0.99 * len(regrets)) - 1],
        "ratio": float(np.mean(list(ratios.values()))),
        "trial_share": float(
            np.mean([each.values["trial_usd"] / each.values["usd"] for each in own])
        ),
        "cap_broken": sum(each.values["cap_broken"] for each in own),
    }
    most_ratio = _MOST_RATIO[cell]
    is_met = (
        values["optimum"] >= _LEAST_OPTIMUM
        and values["within_5"] >= _LEAST_WITHIN_5
        and values["p99_regret"] <= _MOST_P99_REGRET
        and values["ratio"] <= most_ratio
        and values["trial_share"] <= _MOST_SHARE
        and values["cap_broken"] == 0
    )
    rivals = dict.fromkeys(each.policy for each in outcomes if each.policy not in (policy, TODAY))
    found = [
        difference(
            ratios,
            {
                each.case: each.values["usd"] / each.values["best_usd"]
                for each in outcomes
                if (each.cell, each.policy) == (cell, rival)
            },
            rival,
        )
        for rival in rivals
    ]
    best = max(
        (each for each in found if each is not None), key=lambda each: each.mean, default=None
    )
    return Row(
        own[0].track,
        cell,
        policy,
        f"best {values['optimum']:.0%}, 5 % {values['within_5']:.0%}, p99 "
        f"{values['p99_regret']:+.0%}, "
        f"{values['ratio']:.3f} x, trials {values['trial_share']:.1%}, cap "
        f"{values['cap_broken']:.0f}",
        values,
        goal=f">= 94 %, >= 97 %, +20 %, {most_ratio:g} x, 5 %, cap 0",
        is_met=is_met,
        note=str(best) if best is not None and policy == OURS else "",
    )


SEARCH = _Search()
