"""Charts over time: throughput with the decisions on it, and dollars against the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from api import schemas
from api.dashboard.charts import Plot, plot
from api.dashboard.facts import JobFacts
from api.dashboard.format import moment, quantity, usd
from api.dashboard.views.decisions import decision_item
from api.dashboard.views.parts import group_name
from elastic.model import Action
from elastic.policy import FixedChoice
from elastic.store import ThroughputPoint

_BUDGET_SHOWN_UP_TO = 2.5
"""A budget further above what is spent than this factor would press the line flat; it is said in words instead."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision on a time axis."""

    at_s: float
    label: str
    text: str
    href: str


@dataclass(frozen=True, slots=True)
class NamedSeries:
    """Values over a timeline's instants, under a name; `tone` names the colour."""

    name: str
    tone: str
    values: tuple[float | None, ...]
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """A chart over time: what a script draws (`at_s`, `series`, `marks`) and what the server has drawn (`plot`).

    `summary` says in words what the picture shows. There is nothing to draw while `series` is empty.
    """

    id: str
    title: str
    unit: str
    summary: str
    at_s: tuple[float, ...]
    series: tuple[NamedSeries, ...]
    marks: tuple[Mark, ...]
    plot: Plot
    ticks: tuple[str, ...]
    instants: tuple[str, ...]


def throughput_timeline(facts: JobFacts) -> Timeline:
    """Gives iterations per second over time, with each decision that changed something."""
    points = facts.throughput
    marks = tuple(mark for mark in _marks(facts) if points and mark.at_s <= points[-1].at_s)
    at_s, series = _rates(points, begin_s=marks[0].at_s if marks else None)
    summary = f"{quantity(points[-1].iterations_per_s)} iterations per second lately" if points else ""
    return _timeline("throughput", "Throughput", "it/s", summary, at_s, series, marks, facts.now_s)


def cost_timeline(facts: JobFacts) -> Timeline:
    """Gives dollars over time, against the budget and against staying with the group that trained first."""
    points = facts.cost
    series = [NamedSeries("spent", "money", tuple(each.usd for each in points))] if points else []
    if points and facts.began is not None:
        series.append(_baseline(points, facts.began))
    budget_usd = facts.job.spec.objective.budget_usd
    if points and budget_usd is not None and budget_usd <= _BUDGET_SHOWN_UP_TO * points[-1].usd:
        series.append(NamedSeries("budget", "limit", (budget_usd,) * len(points), is_dashed=True))
    return _timeline(
        "cost",
        "Cost",
        "$",
        _cost_summary(facts) if points else "",
        [each.at_s for each in points],
        tuple(series),
        (),
        facts.now_s,
    )


def _timeline(
    key: str,
    title: str,
    unit: str,
    summary: str,
    at_s: Sequence[float],
    series: tuple[NamedSeries, ...],
    marks: tuple[Mark, ...],
    now_s: float,
) -> Timeline:
    drawn = plot(at_s, [(each.tone, each.values) for each in series], marks_at_s=[each.at_s for each in marks])
    ends = (at_s[0], (at_s[0] + at_s[-1]) / 2, at_s[-1]) if at_s else ()
    return Timeline(
        id=key,
        title=title,
        unit=unit,
        summary=summary,
        at_s=tuple(at_s),
        series=series,
        marks=marks,
        plot=drawn,
        ticks=tuple(_tick(tick, unit) for tick in drawn.scale.ticks),
        instants=tuple(moment(each, now_s) for each in ends),
    )


def _rates(points: Sequence[ThroughputPoint], *, begin_s: float | None) -> tuple[list[float], tuple[NamedSeries, ...]]:
    """Gives one line for each training phase, since their rates do not compare; the last phase has the main colour."""
    phases = list(dict.fromkeys(point.training_phase for point in points))
    at_s = [point.at_s for point in points]
    if begin_s is not None and at_s and begin_s < at_s[0]:  # a decision taken before the first iteration is shown, too
        at_s.insert(0, begin_s)
    lines = {
        phase: {point.at_s: point.iterations_per_s for point in points if point.training_phase == phase}
        for phase in phases
    }
    series = tuple(
        NamedSeries(
            f"it/s in {phase}" if len(phases) > 1 else "it/s",
            "rate" if phase == phases[-1] else "earlier",
            tuple(lines[phase].get(instant) for instant in at_s),
        )
        for phase in phases
    )
    return at_s, series


def _marks(facts: JobFacts) -> list[Mark]:
    made = [each for each in reversed(facts.decisions) if each.plan.action is not Action.HOLD]
    items = [decision_item(each, now_s=facts.now_s) for each in made]
    return [
        Mark(each.at.at_s, str(each.id), f"{each.headline}: {each.reason}", f"/decisions/{each.id}") for each in items
    ]


def _baseline(points: Sequence[schemas.CostPoint], choice: FixedChoice) -> NamedSeries:
    """Lays the whole cost of a fixed choice over the time that the job has taken, whatever time it would have taken."""
    begin_s, span_s = points[0].at_s, points[-1].at_s - points[0].at_s
    usd_by = tuple(choice.usd_after((each.at_s - begin_s) / span_s if span_s > 0 else 1.0) for each in points)
    return NamedSeries(f"{group_name(choice.group)} throughout", "fixed", usd_by, is_dashed=True)


def _cost_summary(facts: JobFacts) -> str:
    budget_usd = facts.job.spec.objective.budget_usd
    return f"{usd(facts.spent_usd)} spent" + ("" if budget_usd is None else f" of a budget of {usd(budget_usd)}")


def _tick(value: float, unit: str) -> str:
    return usd(value) if unit == "$" else f"{value:g}"
