"""Draws a job's frontier: the cost of the rest against its finish time, for each group."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from string import ascii_uppercase

from api.dashboard.charts import AxisScale, scale_to
from api.dashboard.facts import JobPageFacts
from api.dashboard.views.parts import Instant, Number, dollars, group_detail, group_name, instant
from api.outlook import JobForecast
from elastic.figures import chance, duration, span, usd
from elastic.model import Group, Interval
from elastic.policy import Finish

# More points would overlap.
_SHOWN = 6
# A goal beyond this many times the last point is not drawn: it would press the points together, and
# all of them meet it.
_GOAL_SHOWN_UP_TO = 2.0
# Intervals are cut at this many times the last point.
_END_SHOWN_UP_TO = 2.0
# A group off the frontier is shown if it is within this factor of those on it.
_NEAR = 3.0


@dataclass(frozen=True, slots=True)
class Span:
    """A line between two points, in percent of the chart's width and height."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """A group's point in the chart, and its line in the list."""

    letter: str
    # In percent from the left and from the top.
    x: float
    y: float
    # From the fast and cheap end to the slow and expensive one.
    whisker: Span | None
    name: str
    detail: str
    finishes: Instant
    lasts: str
    usd: Number
    interval: str
    chance_late: str
    is_late: bool
    is_current: bool
    is_measured: bool


@dataclass(frozen=True, slots=True)
class FrontierChart:
    """Cost against finish time."""

    points: tuple[FrontierPoint, ...]
    usd_ticks: tuple[str, ...]
    grid: tuple[float, ...]
    time_ticks: tuple[str, ...]
    # The positions of the goals; None if they are outside the picture.
    deadline: float | None
    budget: float | None
    has_chances: bool
    summary: str

    @property
    def is_deadline_left(self) -> bool:
        """Whether the deadline is so near that its word has no room left of it."""
        return self.deadline is not None and self.deadline < 25


def frontier_chart(facts: JobPageFacts) -> FrontierChart | None:
    """Draws the frontier and the group that trains now; None if fewer than two are known."""
    if facts.outlook is None:
        return None
    return frontier_of(facts.outlook, current=facts.current, now_s=facts.now_s)


def frontier_of(
    outlook: JobForecast, *, current: Group | None = None, now_s: float
) -> FrontierChart | None:
    """Draws a forecast's frontier and the current group; None if fewer than two are known."""
    finishes = _shown(outlook, current)
    if len(finishes) < 2:
        return None
    left_s = outlook.forecast.left_s
    budget_usd = outlook.forecast.budget_usd
    # The axes reach a little beyond the points, and to a goal that is near.
    across_s = _reach([each.lasts_s for each in finishes], left_s)
    upward = scale_to(_reach([each.usd for each in finishes], budget_usd))
    points = tuple(
        _point(letter, each, outlook, current, now_s, across_s, upward)
        for letter, each in zip(ascii_uppercase, finishes, strict=False)
    )
    cheapest = finishes[0]
    age_s = now_s - outlook.at_s
    soonest = min(finishes, key=lambda each: each.lasts_s.value)
    return FrontierChart(
        points=points,
        usd_ticks=tuple(usd(tick) for tick in upward.ticks),
        grid=tuple(100 - upward.percent(tick) for tick in upward.ticks),
        time_ticks=("now", f"in {duration(across_s / 2)}", f"in {duration(across_s)}"),
        deadline=None if left_s is None or not 0 <= left_s <= across_s else 100 * left_s / across_s,
        budget=None
        if budget_usd is None or budget_usd > upward.maximum
        else 100 - upward.percent(budget_usd),
        has_chances=any(each.chance_late for each in points),
        summary=f"from {usd(cheapest.usd.value)} in {_left(cheapest, age_s)} "
        f"to {usd(soonest.usd.value)} in {_left(soonest, age_s)}",
    )


def _shown(outlook: JobForecast, current: Group | None) -> list[Finish]:
    """A readable part of the frontier, the current group, and near groups; cheapest first."""
    known = outlook.forecast.frontier
    choices = outlook.forecast.choices
    # The frontier is thinned evenly; its last point always stays.
    every = max(-(-len(known) // _SHOWN), 1)
    kept = [each for place, each in enumerate(known) if place % every == 0 or each is known[-1]]
    here = [
        each for each in outlook.forecast.finishes if each.group == current and each not in kept
    ]
    drawn = [*kept, *here]
    if drawn:
        longest_s = max(each.lasts_s.value for each in drawn)
        dearest_usd = max(each.usd.value for each in drawn)
        # Fill up with groups that are not much worse.
        near = (
            each
            for each in choices
            if each not in drawn
            and each.lasts_s.value <= _NEAR * longest_s
            and each.usd.value <= _NEAR * dearest_usd
        )
        drawn += islice(near, max(_SHOWN - len(drawn), 0))
    return sorted(drawn, key=lambda each: (each.usd.value, each.lasts_s.value))


def _reach(values: list[Interval], goal: float | None) -> float:
    """The end of an axis: a little beyond the intervals, and beyond the goal if it is near.

    Very long intervals are cut.
    """
    middle = max(each.value for each in values)
    last = max(middle, *(min(each.high or 0.0, _END_SHOWN_UP_TO * middle) for each in values))
    if goal is not None and goal <= _GOAL_SHOWN_UP_TO * middle:
        last = max(last, goal)
    if last > 0:
        return 1.08 * last
    return 1.0


def _point(
    letter: str,
    finish: Finish,
    outlook: JobForecast,
    current: Group | None,
    now_s: float,
    across_s: float,
    upward: AxisScale,
) -> FrontierPoint:
    def place(lasts_s: float, dollars_in_all: float) -> tuple[float, float]:
        return round(min(100 * lasts_s / across_s, 100.0), 2), round(
            100 - upward.percent(dollars_in_all), 2
        )

    lasts_s = finish.lasts_s
    cost = finish.usd
    whisker = None
    if (
        lasts_s.low is not None
        and lasts_s.high is not None
        and cost.low is not None
        and cost.high is not None
    ):
        shown = _part_within(
            (lasts_s.low, cost.low), (lasts_s.high, cost.high), (across_s, upward.maximum)
        )
        whisker = Span(*place(lasts_s.low, cost.low), *place(*shown))
    x, y = place(lasts_s.value, cost.value)
    left_s = outlook.forecast.left_s
    late = finish.chance_late
    return FrontierPoint(
        letter=letter,
        x=x,
        y=y,
        whisker=whisker,
        name=group_name(finish.group),
        detail=group_detail(finish.group),
        finishes=instant(outlook.at_s + lasts_s.value, now_s),
        lasts=_left(finish, now_s - outlook.at_s),
        usd=dollars(cost.value),
        interval="" if cost.low is None or cost.high is None else span(cost.low, cost.high, usd),
        chance_late="" if late is None else chance(late),
        is_late=left_s is not None and lasts_s.value > left_s,
        is_current=finish.group == current,
        is_measured=finish.is_measured,
    )


def _left(finish: Finish, age_s: float) -> str:
    """The time from now to the end, of a forecast of this age."""
    return duration(max(finish.lasts_s.value - age_s, 0.0))


def _part_within(
    begin: tuple[float, float], end: tuple[float, float], most: tuple[float, float]
) -> tuple[float, float]:
    """Where a rising line from `begin` to `end` leaves a picture of size `most`; else its `end`.

    >>> _part_within((1.0, 1.0), (5.0, 3.0), (3.0, 4.0))
    (3.0, 2.0)
    """
    spans = [high - low for low, high in zip(begin, end, strict=True)]
    parts = [
        (limit - low) / span
        for low, span, limit in zip(begin, spans, most, strict=True)
        if span > 0
    ]
    part = max(min([1.0, *parts]), 0.0)
    return begin[0] + part * spans[0], begin[1] + part * spans[1]
