"""Costs against the least there could have been: means, late ones, and differences between policies
case by case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.decisions.track import OURS, TODAY, Outcome, Row

_RESAMPLES = 2000
_SEED = 118
_NO_GOALS: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Difference:
    """How much more one policy cost than another, as a share of the least, with its 95 % bootstrap
    interval."""

    to: str
    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}] to {self.to}"


def cost_rows(
    outcomes: Sequence[Outcome],
    *,
    goals: Mapping[str, float] = _NO_GOALS,
    pooled: Callable[[str], str] | None = None,
    against: str = "best_usd",
) -> list[Row]:
    """Judges the dollars of each cell, and of all cells that `pooled` gives one name, by the most
    that goals allow.

    A policy keeps a goal if its mean ratio does, and no case is late unless its value `may_be_late`
    is 1. Where there is no goal for the dollars it need only be in time.
    """
    cells: dict[str, list[Outcome]] = {}
    for each in outcomes:
        cells.setdefault(each.cell, []).append(each)
    if pooled is not None:
        for each in outcomes:
            cells.setdefault(pooled(each.cell), []).append(each)
    rows = []
    for cell, own in cells.items():
        ratios = {
            policy: _ratios([each for each in own if each.policy == policy], against)
            for policy in dict.fromkeys(each.policy for each in own)
        }
        for policy in ratios:
            played = [each for each in own if each.policy == policy]
            rows.append(_row(cell, policy, played, ratios, goals.get(cell), against))
    return rows


def _ratios(outcomes: Sequence[Outcome], against: str) -> dict[str, float]:
    return {each.case: each.values["usd"] / each.values[against] for each in outcomes}


def _row(
    cell: str,
    policy: str,
    played: Sequence[Outcome],
    ratios: Mapping[str, Mapping[str, float]],
    goal: float | None,
    against: str,
) -> Row:
    own = np.array(list(ratios[policy].values()))
    late = [each for each in played if each.values["late_s"] > 0]
    bad = [each for each in late if not each.values.get("may_be_late")]
    values = {
        "cases": float(len(played)),
        "ratio": float(own.mean()),
        "p95": float(np.quantile(own, 0.95)),
        "late": float(len(late)),
        "late_though_possible": float(len(bad)),
        **_parts(played, against),
    }
    found = [
        difference(ratios[policy], theirs, rival)
        for rival, theirs in ratios.items()
        if rival != policy
    ]
    known = [each for each in found if each is not None]
    for each in known:
        values |= {
            f"to_{each.to}": each.mean,
            f"to_{each.to}_low": each.low,
            f"to_{each.to}_high": each.high,
        }
    best = max(
        (each for each in known if each.to != TODAY), key=lambda each: each.mean, default=None
    )
    shares = " ".join(
        f"{key} {values[f'{key}_share']:+.3f}"
        for key in ("exploring", "switching", "dearer")
        if f"{key}_share" in values
    )
    told = "late 0" if goal is None else f"<= {goal:g}, late 0"
    return Row(
        track=played[0].track,
        cell=cell,
        policy=policy,
        text=f"{values['ratio']:.3f} p95 {values['p95']:.2f} late {len(bad)}",
        values=values,
        goal=told,
        is_met=not bad and (goal is None or bool(values["ratio"] <= goal)),
        note=str(best) if best is not None and policy == OURS else "",
        split=shares if policy == OURS else "",
    )


def _parts(played: Sequence[Outcome], against: str) -> dict[str, float]:
    """The mean of what else was counted, dollars as a share of the least."""
    found: dict[str, float] = {}
    for key in played[0].values:
        if key in ("usd", "best_usd", "late_s", "may_be_late"):
            continue
        values = [each.values.get(key, 0.0) for each in played]
        if key.endswith("_usd"):
            values = [
                value / each.values[against] for value, each in zip(values, played, strict=True)
            ]
            found[f"{key.removesuffix('_usd')}_share"] = float(np.mean(values))
        else:
            found[key] = float(np.mean(values))
    return found


def difference(own: Mapping[str, float], theirs: Mapping[str, float], to: str) -> Difference | None:
    """How much more `own` is on average than `theirs`, in the cases that both have; None if there
    is no such case."""
    both = [case for case in own if case in theirs]
    if not both:
        return None
    gaps = np.array([own[case] - theirs[case] for case in both])
    return Difference(to, float(gaps.mean()), *bootstrap(gaps))


def bootstrap(values: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of a mean, by resampling (Efron and Tibshirani 1993, percentile method)."""
    drawn = np.random.default_rng(_SEED).integers(0, len(values), size=(_RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), (0.025, 0.975))
    return float(low), float(high)
