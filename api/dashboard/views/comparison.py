"""Compares jobs side by side: what a dollar bought, what they cost, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from api.dashboard.facts import JobPageFacts
from api.dashboard.views.extras import plain, spec_lines
from api.dashboard.views.jobs import JobHead, job_head, value_reached
from api.dashboard.views.parts import UNKNOWN, Number, amount, dollars, group_name, whole, words
from api.dashboard.views.timelines import (
    NamedSeries,
    TimelineView,
    ValueStep,
    forecast_here,
    timeline,
    value_steps,
)
from elastic.figures import count, duration, moment, percent, usd
from elastic.policy import Use

_STEPS = 120

Quality = Mapping[str, bool | int | float | str | None]


@dataclass(frozen=True, slots=True)
class Compared:
    """The facts about one of the jobs that are compared."""

    facts: JobPageFacts
    # What every dollar was spent on.
    uses: Mapping[Use, float]
    # What its script reported of its result.
    quality: Quality


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One thing of each job, in the order of the jobs."""

    label: str
    cells: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """Rows of one kind."""

    title: str
    rows: tuple[ComparedRow, ...]
    # What to know where there is no row.
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """Jobs side by side."""

    heads: tuple[JobHead, ...]
    # None before any of them has been measured.
    value: TimelineView | None
    parts: tuple[ComparedPart, ...]


def comparison_view(jobs: Sequence[Compared], *, now_s: float) -> ComparisonView:
    """What the page of a comparison shows."""
    return ComparisonView(
        heads=tuple(job_head(each.facts) for each in jobs),
        value=_value_timeline([each.facts for each in jobs], now_s=now_s),
        parts=(
            ComparedPart("Pace, cost and finish", _money_rows(jobs)),
            ComparedPart(
                "What their scripts say of their results",
                _quality_rows([each.quality for each in jobs]),
                note="None of them has left a `report.json` among its artifacts.",
            ),
            ComparedPart(
                "What was asked for differently",
                _spec_rows(jobs),
                note="The same was asked for, but for the name.",
            ),
        ),
    )


def _money_rows(jobs: Sequence[Compared]) -> tuple[ComparedRow, ...]:
    facts = [each.facts for each in jobs]

    def row(label: str, of: Callable[[JobPageFacts], Number]) -> ComparedRow:
        return ComparedRow(label, tuple(of(each) for each in facts))

    rows = (
        row("Iterations done", _done),
        row("it/$, all counted", lambda each: amount(value_reached(each))),
        row("Spent", lambda each: dollars(each.spent_usd)),
        row("Budget", lambda each: dollars(each.job.spec.objective.budget_usd)),
        ComparedRow("Of it useful", tuple(_useful(each.uses) for each in jobs)),
        row("Took until now", _took),
        row("Finish", _finish),
        row("Deadline", _deadline),
        row("On", _place),
        row("Nodes in all", lambda each: whole(len(each.nodes))),
    )
    # A row in which no job has anything compares nothing.
    return tuple(each for each in rows if any(cell != UNKNOWN for cell in each.cells))


def _quality_rows(reported: Sequence[Quality]) -> tuple[ComparedRow, ...]:
    # In the order in which the scripts wrote them: they put first what matters to them.
    names = dict.fromkeys(name for each in reported for name in each)
    return tuple(
        ComparedRow(words(name), tuple(_reported(each.get(name)) for each in reported))
        for name in names
    )


def _spec_rows(jobs: Sequence[Compared]) -> tuple[ComparedRow, ...]:
    """What was asked for, where that is not the same for all."""
    # As what was asked for, so without what the nodes made of it.
    lines = [dict(spec_lines(each.facts.job.spec, is_preloaded=None)) for each in jobs]
    names = dict.fromkeys(name for each in lines for name in each)
    found = {name: [each.get(name, "–") for each in lines] for name in names}
    return tuple(
        ComparedRow(name, tuple(Number(value, None) for value in values))
        for name, values in found.items()
        if len(set(values)) > 1
    )


def _done(facts: JobPageFacts) -> Number:
    text = count(facts.job.iteration)
    if facts.job.spec.iterations:
        text += f" of {count(facts.job.spec.iterations)}"
    return Number(text, facts.job.iteration)


def _useful(uses: Mapping[Use, float]) -> Number:
    total = sum(uses.values())
    if total <= 0:
        return UNKNOWN
    share = uses.get(Use.USEFUL, 0.0) / total
    return Number(percent(share), share)


def _took(facts: JobPageFacts) -> Number:
    end_s = facts.job.finished_at_s or facts.now_s
    took_s = end_s - facts.job.submitted_at_s - facts.idle_s
    return Number(duration(took_s), took_s)


def _finish(facts: JobPageFacts) -> Number:
    """When it ended, or is going to end and for how much."""
    if facts.job.finished_at_s is not None:
        return Number(moment(facts.job.finished_at_s, facts.now_s), facts.job.finished_at_s)
    if facts.eta_s is None:
        return UNKNOWN
    end_s = facts.now_s + facts.eta_s
    text = moment(end_s, facts.now_s)
    finish = forecast_here(facts)
    if finish is not None:
        text += f", {usd(finish.usd.value)} in all"
    return Number(text, end_s)


def _deadline(facts: JobPageFacts) -> Number:
    at_s = facts.job.spec.objective.deadline_s
    if at_s is None:
        return UNKNOWN
    return Number(moment(at_s, facts.now_s), at_s)


def _place(facts: JobPageFacts) -> Number:
    if facts.current is None:
        return UNKNOWN
    return Number(group_name(facts.current), None)


def _reported(value: bool | int | float | str | None) -> Number:
    if value is None:
        return UNKNOWN
    if isinstance(value, bool | str):
        return Number(plain(value), None)
    return Number(plain(value), value)


def _value_timeline(jobs: Sequence[JobPageFacts], *, now_s: float) -> TimelineView | None:
    """Draws what a dollar bought in each job, by the time since the job's first measurement."""
    steps = [value_steps(each) for each in jobs]
    longest_s = max((each[-1].end_s - each[0].begin_s for each in steps if each), default=0.0)
    if longest_s <= 0:
        return None
    # Jobs are measured at instants of their own: a common row of them is what can be drawn.
    at_s = [longest_s * step / _STEPS for step in range(_STEPS + 1)]
    series = tuple(
        NamedSeries(facts.job.spec.name, f"job-{place}", _sampled(own, at_s))
        for place, (facts, own) in enumerate(zip(jobs, steps, strict=True), start=1)
    )
    drawn = timeline(
        "value",
        "Iterations per dollar over time",
        "it/$",
        "time since each job's first measurement",
        at_s,
        series,
        (),
        now_s,
    )
    ticks_s = (0.0, longest_s / 2, longest_s)
    return replace(drawn, instants=tuple(map(duration, ticks_s)), is_elapsed=True)


def _sampled(steps: Sequence[ValueStep], at_s: Sequence[float]) -> tuple[float | None, ...]:
    """What a dollar bought at each time since the first step; None where nothing is known."""
    values: list[float | None] = []
    for each in at_s:
        instant_s = steps[0].begin_s + each if steps else each
        holding = [step for step in steps if step.begin_s <= instant_s < step.end_s]
        values.append(holding[0].iterations_per_usd if holding else None)
    return tuple(values)
