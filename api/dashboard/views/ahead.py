"""Draws when the job will be done on the group that trains now: at best, expected, at worst."""

from __future__ import annotations

from collections.abc import Sequence

from api.dashboard.facts import JobPageFacts
from api.dashboard.views.timelines import (
    End,
    NamedSeries,
    TimelineMark,
    TimelineView,
    deadline_mark,
    ends_of,
    reach_s,
    timeline,
)
from elastic.figures import count, duration, moment, usd


def forecast_timeline(facts: JobPageFacts) -> TimelineView | None:
    """Draws iterations over time, from now on with a line to each predicted end.

    Marks show the deadline, and when the budget is spent. None if no end is known.
    """
    total = facts.job.spec.iterations
    ends = ends_of(facts)
    if total is None or not ends or facts.outlook is None or ends[-1].at_s <= facts.now_s:
        return None
    past = _past(facts)
    begin_s, done = past[-1]
    # The instants of all that is drawn: the past, the ends and the goals.
    goals = _goals(facts, ends, begin_s=past[0][0])
    ahead_s = [*(each.at_s for each in ends), *(each.at_s for each in goals)]
    instants = sorted({at_s for at_s, _ in past} | {at_s for at_s in ahead_s if at_s > begin_s})
    known = dict(past)
    series = [NamedSeries("done", "rate", tuple(known.get(each) for each in instants))]
    # A straight line from now to each predicted end.
    for end in ends:
        values = _ray(instants, (begin_s, float(done)), (end.at_s, float(total)))
        note = f"{moment(end.at_s, facts.now_s)}, {usd(end.usd)} in all"
        series.append(NamedSeries(end.name, _tone(end), values, is_dashed=True, note=note))
    series.append(
        NamedSeries("all", "fixed", (float(total),) * len(instants), is_dashed=True, is_side=True)
    )
    return timeline(
        "forecast",
        "When it will be done",
        "it",
        _summary(facts, ends, total),
        instants,
        tuple(series),
        tuple(goals),
        facts.now_s,
    )


def _past(facts: JobPageFacts) -> list[tuple[float, int]]:
    """Instants up to now, and the iterations done by then."""
    points = [each for each in facts.throughput if each.at_s < facts.now_s]
    if not points:
        return [(facts.now_s, facts.job.iteration)]
    ends_s = [*(each.at_s for each in points[1:]), facts.now_s]
    made = [
        each.iterations_per_s * (end_s - each.at_s)
        for each, end_s in zip(points, ends_s, strict=True)
    ]
    # The throughput is averaged, so its sum is scaled to the iterations that were counted.
    share = 0.0
    if sum(made) > 0:
        share = facts.job.iteration / sum(made)
    found = [(points[0].at_s, 0)]
    done = 0.0
    for turns, end_s in zip(made, ends_s, strict=True):
        done += turns * share
        found.append((end_s, round(done)))
    return found


def _goals(facts: JobPageFacts, ends: Sequence[End], *, begin_s: float) -> list[TimelineMark]:
    """The deadline and the budget, if they are inside the picture."""
    last_s = reach_s(begin_s, ends[-1].at_s)
    deadline = deadline_mark(facts)
    budget_s = _budget_reached_s(facts, ends)
    found = [] if deadline is None else [deadline]
    if budget_s is not None:
        budget = usd(facts.job.spec.objective.budget_usd or 0.0)
        text = f"the budget of {budget} is spent, {moment(budget_s, facts.now_s)}"
        found.append(TimelineMark(budget_s, "budget", text, None))
    return sorted(
        (each for each in found if begin_s < each.at_s <= last_s), key=lambda each: each.at_s
    )


def _budget_reached_s(facts: JobPageFacts, ends: Sequence[End]) -> float | None:
    budget_usd = facts.job.spec.objective.budget_usd
    usd_per_s = (ends[-1].usd - facts.spent_usd) / max(ends[-1].at_s - facts.now_s, 1e-9)
    if budget_usd is None or usd_per_s <= 0:
        return None
    return facts.now_s + max(budget_usd - facts.spent_usd, 0.0) / usd_per_s


def _ray(
    instants: Sequence[float], begin: tuple[float, float], end: tuple[float, float]
) -> tuple[float | None, ...]:
    """A straight line between two points, at the instants between them."""
    (from_s, low), (to_s, high) = begin, end
    if to_s <= from_s:
        return (None,) * len(instants)
    return tuple(
        low + (high - low) * (each - from_s) / (to_s - from_s) if from_s <= each <= to_s else None
        for each in instants
    )


def _tone(end: End) -> str:
    return {"at best": "best", "expected": "foreseen", "at worst": "worst"}[end.name]


def _summary(facts: JobPageFacts, ends: Sequence[End], total: int) -> str:
    expected = next(each for each in ends if each.name == "expected")
    left = duration(expected.at_s - facts.now_s)
    text = f"{count(facts.job.iteration)} of {count(total)} done; the rest in {left}"
    if len(ends) == 1:
        return text
    soonest, latest = (duration(max(each.at_s - facts.now_s, 0.0)) for each in (ends[0], ends[-1]))
    return f"{text}, {soonest} at best, {latest} at worst"
