"""Draws charts over time: iterations per dollar, throughput with decisions, and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from api import schemas
from api.accounts import cost_between, until_s
from api.dashboard.charts import Plot, plot
from api.dashboard.facts import JobPageFacts
from api.dashboard.views.decisions import decision_item
from api.dashboard.views.parts import group_name
from elastic.figures import moment, number, short, usd
from elastic.model import Action
from elastic.policy import Finish, FixedChoice

# A budget above this many times the cost would press the line flat; it is only named in words.
_BUDGET_SHOWN_UP_TO = 2.5
# A deadline beyond this part of the whole job would press the curves together.
_DEADLINE_SHOWN_UP_TO = 1.6


@dataclass(frozen=True, slots=True)
class TimelineMark:
    """A mark on a time axis."""

    at_s: float
    label: str
    text: str
    # The decision's page; None for a deadline or a budget.
    href: str | None


@dataclass(frozen=True, slots=True)
class NamedSeries:
    """Values over a timeline's instants."""

    name: str
    # The name of its colour.
    tone: str
    values: tuple[float | None, ...]
    is_dashed: bool = False
    # Whether the legend leaves it out.
    is_side: bool = False
    # What follows the name in the legend.
    note: str = ""


@dataclass(frozen=True, slots=True)
class TimelineView:
    """A chart over time."""

    id: str
    title: str
    unit: str
    # What the picture shows, in words.
    summary: str
    # What the page's script draws; nothing while `series` is empty.
    at_s: tuple[float, ...]
    series: tuple[NamedSeries, ...]
    marks: tuple[TimelineMark, ...]
    # What the server has drawn, for pages without scripts.
    plot: Plot
    ticks: tuple[str, ...]
    instants: tuple[str, ...]
    # Whether its instants count from a beginning of their own.
    is_elapsed: bool = False


@dataclass(frozen=True, slots=True)
class ValueStep:
    """What a dollar bought between two instants."""

    begin_s: float
    end_s: float
    iterations_per_usd: float
    training_phase: str


@dataclass(frozen=True, slots=True)
class End:
    """One predicted end of the job."""

    name: str
    at_s: float
    # What the job has cost by then.
    usd: float


def throughput_timeline(facts: JobPageFacts) -> TimelineView:
    """Draws iterations per second over time, with each decision that changed something."""
    points = facts.throughput
    # A mark to the right of the last point would stretch the axis, and leave nothing to see there.
    marks = tuple(mark for mark in _marks(facts) if points and mark.at_s <= points[-1].at_s)
    rates = [(each.at_s, each.iterations_per_s, each.training_phase) for each in points]
    at_s, series = _by_phase(rates, unit="it/s", begin_s=marks[0].at_s if marks else None)
    summary = ""
    if points:
        summary = f"{number(points[-1].iterations_per_s)} iterations per second lately"
    return timeline("throughput", "Throughput", "it/s", summary, at_s, series, marks, facts.now_s)


def value_timeline(facts: JobPageFacts) -> TimelineView:
    """Draws what a dollar bought over time: each step's iterations by its dollars in the ledger.

    All dollars count, including boots and trials. A minimum bill is spread over the time that it
    pays for. A step that cost nothing has no point.
    """
    values = [
        (each.begin_s, each.iterations_per_usd, each.training_phase) for each in value_steps(facts)
    ]
    at_s, series = _by_phase(values, unit="it/$", begin_s=None)
    summary = ""
    if values:
        summary = f"{number(values[-1][1])} iterations per dollar lately"
    return timeline(
        "value", "Iterations per dollar over time", "it/$", summary, at_s, series, (), facts.now_s
    )


def value_steps(facts: JobPageFacts) -> tuple[ValueStep, ...]:
    """What a dollar bought over time, oldest first; a step that cost nothing is left out."""
    points = facts.throughput
    rows = facts.ledger
    if not points or not rows:
        return ()
    last_s = max(until_s(row, facts.now_s) for row in rows)
    # The last point has no next one: it lasts as long as a machine was paid.
    ends_s = [each.at_s for each in points[1:]] + [max(last_s, points[-1].at_s)]
    found = []
    for point, end_s in zip(points, ends_s, strict=True):
        dollars = cost_between(rows, point.at_s, end_s, now_s=facts.now_s)
        # Where nothing was paid, as on local machines, a dollar bought nothing that could be drawn.
        if dollars > 0:
            done = point.iterations_per_s * (end_s - point.at_s)
            found.append(ValueStep(point.at_s, end_s, done / dollars, point.training_phase))
    return tuple(found)


def cost_timeline(facts: JobPageFacts) -> TimelineView:
    """Draws dollars over time, against the budget and the cost of the group that trained first.

    While the pace is known, the line continues to the most expensive predicted end. Dollars grow
    with time, so all ends lie on it. The deadline is a mark if it is inside the picture.
    """
    points = facts.cost
    if not points:
        return timeline("cost", "Cost", "$", "", (), (), (), facts.now_s)
    at_s = [each.at_s for each in points]
    ends = ends_of(facts)
    # An end that was foreseen and has passed would draw the line backwards.
    ahead_s = sorted({each.at_s for each in ends if each.at_s > at_s[-1]})
    deadline = deadline_mark(facts)
    if (
        deadline is not None
        and ahead_s
        and ahead_s[-1] < deadline.at_s <= reach_s(at_s[0], ahead_s[-1])
    ):
        ahead_s.append(deadline.at_s)
    series = [
        NamedSeries("spent", "money", tuple(each.usd for each in points) + (None,) * len(ahead_s))
    ]
    if ends:
        series.append(_foreseen(ends, points, ahead_s))
    if facts.began is not None:
        series.append(_baseline(points, facts.began, ahead=len(ahead_s)))
    budget_usd = facts.job.spec.objective.budget_usd
    # A budget far above all that is drawn would flatten the lines.
    highest_usd = max((each.usd for each in ends), default=points[-1].usd)
    if budget_usd is not None and budget_usd <= _BUDGET_SHOWN_UP_TO * highest_usd:
        series.append(
            NamedSeries(
                "budget", "limit", (budget_usd,) * (len(points) + len(ahead_s)), is_dashed=True
            )
        )
    instants = [*at_s, *ahead_s]
    marks: tuple[TimelineMark, ...] = ()
    if deadline is not None and instants[0] <= deadline.at_s <= instants[-1]:
        marks = (deadline,)
    return timeline(
        "cost", "Cost", "$", _cost_summary(facts), instants, tuple(series), marks, facts.now_s
    )


def forecast_here(facts: JobPageFacts) -> Finish | None:
    """The forecast for the group that trains now; None if none trains or nothing is known."""
    if facts.outlook is None:
        return None
    finishes = facts.outlook.forecast.finishes
    return next((each for each in finishes if each.group == facts.current), None)


def ends_of(facts: JobPageFacts) -> tuple[End, ...]:
    """The predicted ends, the soonest first: one, or three if the pace has an interval."""
    finish = forecast_here(facts)
    if finish is None or facts.outlook is None:
        return ()
    begin_s = facts.outlook.at_s
    lasts_s = finish.lasts_s
    cost = finish.usd
    expected = End("expected", begin_s + lasts_s.value, cost.value)
    if lasts_s.low is None or cost.low is None or lasts_s.high is None or cost.high is None:
        return (expected,)
    best = End("at best", begin_s + lasts_s.low, cost.low)
    return best, expected, End("at worst", begin_s + lasts_s.high, cost.high)


def reach_s(begin_s: float, end_s: float) -> float:
    """The latest deadline up to which the picture is drawn."""
    return begin_s + _DEADLINE_SHOWN_UP_TO * (end_s - begin_s)


def _foreseen(
    ends: Sequence[End], points: Sequence[schemas.CostPoint], ahead_s: Sequence[float]
) -> NamedSeries:
    """A line from what is spent now through every predicted end."""
    last = points[-1]
    by = {last.at_s: last.usd} | {each.at_s: each.usd for each in ends if each.at_s > last.at_s}
    # Nothing before now: what is foreseen begins where what is spent ends, in one corner.
    past: tuple[float | None, ...] = (None,) * (len(points) - 1)
    return NamedSeries(
        "foreseen", "foreseen", (*past, last.usd, *map(by.get, ahead_s)), is_dashed=True
    )


def deadline_mark(facts: JobPageFacts) -> TimelineMark | None:
    at_s = facts.job.spec.objective.deadline_s
    if at_s is None:
        return None
    return TimelineMark(at_s, "deadline", f"the deadline, {moment(at_s, facts.now_s)}", None)


def timeline(
    key: str,
    title: str,
    unit: str,
    summary: str,
    at_s: Sequence[float],
    series: tuple[NamedSeries, ...],
    marks: tuple[TimelineMark, ...],
    now_s: float,
) -> TimelineView:
    """Draws `series` over their instants, with their marks, as seen at `now_s`."""
    drawn = plot(
        at_s,
        [(each.tone, each.values) for each in series],
        marks_at_s=[each.at_s for each in marks],
    )
    ends: tuple[float, ...] = ()
    if at_s:
        ends = (at_s[0], (at_s[0] + at_s[-1]) / 2, at_s[-1])
    return TimelineView(
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


def _by_phase(
    points: Sequence[tuple[float, float, str]], *, unit: str, begin_s: float | None
) -> tuple[list[float], tuple[NamedSeries, ...]]:
    """One line for each training phase, of which the last has the main colour.

    A point is an instant, a value and a training phase. Rates of different phases do not compare.
    """
    phases = list(dict.fromkeys(phase for _, _, phase in points))
    at_s = [each for each, _, _ in points]
    # A decision before the first iteration is shown too.
    if begin_s is not None and at_s and begin_s < at_s[0]:
        at_s.insert(0, begin_s)
    lines = {
        phase: {each: value for each, value, its in points if its == phase} for phase in phases
    }
    series = tuple(
        NamedSeries(
            f"{unit} in {phase}" if len(phases) > 1 else unit,
            "rate" if phase == phases[-1] else "earlier",
            tuple(lines[phase].get(instant) for instant in at_s),
        )
        for phase in phases
    )
    return at_s, series


def _marks(facts: JobPageFacts) -> list[TimelineMark]:
    made = [each for each in reversed(facts.decisions) if each.plan.action is not Action.HOLD]
    items = [decision_item(each, now_s=facts.now_s) for each in made]
    return [
        TimelineMark(
            each.at.at_s, str(each.id), f"{each.headline}: {each.reason}", f"/decisions/{each.id}"
        )
        for each in items
    ]


def _baseline(
    points: Sequence[schemas.CostPoint], choice: FixedChoice, *, ahead: int
) -> NamedSeries:
    """Draws the cost of a fixed choice over the time that the job has taken.

    The fixed choice's own time may differ. It has no values for the `ahead` instants to come.
    """
    begin_s = points[0].at_s
    span_s = points[-1].at_s - points[0].at_s
    usd_by = tuple(
        choice.usd_after((each.at_s - begin_s) / span_s if span_s > 0 else 1.0) for each in points
    )
    values = (*usd_by, *(None,) * ahead)
    return NamedSeries(f"{group_name(choice.group)} throughout", "fixed", values, is_dashed=True)


def _cost_summary(facts: JobPageFacts) -> str:
    budget_usd = facts.job.spec.objective.budget_usd
    spent = f"{usd(facts.spent_usd)} spent"
    if budget_usd is not None:
        spent += f" of a budget of {usd(budget_usd)}"
    expected = [each for each in ends_of(facts) if each.name == "expected"]
    if not expected:
        return spent
    end = expected[0]
    return f"{spent}, {usd(end.usd)} foreseen by {moment(end.at_s, facts.now_s)}"


def _tick(value: float, unit: str) -> str:
    if unit == "$":
        return usd(value)
    if unit == "it":
        return short(value)
    return number(value)
