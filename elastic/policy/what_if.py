"""What would have had to differ for another candidate to be chosen, found by asking `decide`
itself.

One number of the stored snapshot is changed (a price, a pace, the deadline) until the plan changes.
Values are tried as they are shown, to four figures. The last value at which the candidate loses and
the first at which it wins are neighbours, so a person reads exactly where the plan flips.

Lower prices and faster paces are tried at a few shares of the present value. A deadline may be too
late as well as too soon. So it is tried every few per cent, and between every two instants at which
candidates would finish, and both limits are given. Nothing is said about values that were not
tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import pairwise

from elastic.figures import number, price
from elastic.model import Candidate, Group, Plan, Price, Sample, Series, Snapshot
from elastic.policy.decide import decide
from elastic.policy.horizon import focus_of
from elastic.policy.words import name
from elastic.throughput import estimate_step_s

_S_PER_H = 3600.0
# Values are tried at these shares of the present one, the nearest first. Then the flip is searched
# between two of them.
_LESS = (0.7, 0.3, 0.05, 0.001)
# Deadlines are tried from half of what the fastest needs to three times what the slowest needs.
# Each is so many times the one before.
_SOON = 0.5
_LATE = 3.0
_APART = 1.3
# They are also tried between the ends of so many candidates, because one may win only there.
_MOST_ENDS = 12
_FIGURES = 4
_STEPS: int = 9 * 10 ** (_FIGURES - 1)
_LEAST: int = 10 ** (_FIGURES - 1)
_MOST_LOSERS = 6
"""Each takes about 30 decisions; a person reads no more."""

# Which group is chosen if a lever has another value for a group.
_Chosen = Callable[[Group, "Lever", int], Group | None]


class Lever(StrEnum):
    """What is changed, and the unit of its values."""

    PRICE = "usd_per_h"
    SPEED = "step_s"
    DEADLINE = "deadline_h"


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where one lever makes a candidate win.

    Prices are of one node in USD an hour, paces are seconds an iteration, deadlines are hours from
    then on.
    """

    lever: Lever
    # The present value; None if it is not known.
    now: float | None
    # The first value at which it wins.
    wins_at: float
    # The value before that, at which it still loses.
    loses_at: float
    # The last value at which it wins; None if it wins up to the last value tried.
    wins_to: float | None = None
    # The value after that, at which it loses again; None as `wins_to`.
    loses_beyond: float | None = None


@dataclass(frozen=True, slots=True)
class WinsIf:
    """One candidate that was not chosen, and each lever that alone would change that."""

    group: Group
    name: str
    thresholds: tuple[Threshold, ...]
    # The thresholds in words.
    text: str


def what_if(snapshot: Snapshot, plan: Plan, *, most: int = _MOST_LOSERS) -> tuple[WinsIf, ...]:
    """Gives, for candidates that `plan` did not choose, what would have made each win.

    `plan` was made from `snapshot`. Measured candidates come first, then the cheapest of each
    number of each node type, `most` in all.
    """
    chosen = _chosen_from(snapshot)
    return tuple(_wins_if(snapshot, plan, each, chosen) for each in losers(plan, most=most))


def losers(plan: Plan, *, most: int = _MOST_LOSERS) -> Sequence[Candidate]:
    """The candidates not chosen that a person would ask about."""
    found: dict[object, Candidate] = {}
    others = [each for each in plan.candidates if each.group != plan.target]

    def order(each: Candidate) -> tuple[bool, float, Group]:
        dear = each.remaining_usd
        if dear is None:
            dear = each.usd_per_h
        return not each.samples, math.inf if dear is None else dear, each.group

    for each in sorted(others, key=order):
        capacities = tuple(sorted({str(offering.capacity) for offering, _ in each.group.members}))
        found.setdefault((each.group.node_types, capacities), each)
    return list(found.values())[:most]


def altered(snapshot: Snapshot, group: Group, lever: Lever, value: float) -> Snapshot:
    """The snapshot with another price, pace or deadline for `group`; everything else stays."""
    match lever:
        case Lever.PRICE:
            ((offering, _),) = group.members
            old = _price(snapshot, group)
            assert old is not None, f"{offering} has no price to alter"
            new = replace(old, usd_per_h=value)
            return replace(
                snapshot, prices=tuple(new if each is old else each for each in snapshot.prices)
            )
        case Lever.SPEED:
            return replace(snapshot, series=_paced(snapshot, group, value))
        case Lever.DEADLINE:
            spec = snapshot.job.spec
            objective = replace(spec.objective, deadline_s=snapshot.now_s + value * _S_PER_H)
            return replace(
                snapshot, job=replace(snapshot.job, spec=replace(spec, objective=objective))
            )


def _chosen_from(snapshot: Snapshot) -> _Chosen:
    """Decides each changed snapshot once.

    All candidates share a deadline, and those of one node type share a pace.
    """
    known: dict[tuple[object, ...], Group | None] = {}

    def chosen(group: Group, lever: Lever, value: int) -> Group | None:
        of = {
            Lever.PRICE: group.members[0][0],
            Lever.SPEED: group.node_types,
            Lever.DEADLINE: None,
        }[lever]
        key = (lever, of, value)
        if key not in known:
            known[key] = decide(altered(snapshot, group, lever, _value(value))).target
        return known[key]

    return chosen


def _wins_if(snapshot: Snapshot, plan: Plan, loser: Candidate, chosen: _Chosen) -> WinsIf:
    found: list[Threshold] = []
    never: list[str] = []
    for lever in Lever:
        tried = _tried(snapshot, plan, loser, lever)
        if tried is None:
            continue
        # A lever at whose present value it wins already is not listed. One that never helps is
        # named.
        now, *ways = tried
        threshold = _search(chosen, loser.group, lever, now, ways)
        if threshold is not None:
            found.append(threshold)
        elif chosen(loser.group, lever, ways[0][0]) != loser.group:
            never.append(_never(lever, ways))
    wins = [_in_words(each, loser.group) for each in found]
    said = []
    if wins:
        said = [f"Wins {', or '.join(wins)}"]
    said += [f"Does not win {', '.join(never)}"] if never else []
    return WinsIf(loser.group, name(loser.group), tuple(found), ". ".join(said))


# The values to try in turn, from the present one on: one way, or one way down and one up.
_Ways = Sequence[Sequence[int]]


def _tried(
    snapshot: Snapshot, plan: Plan, loser: Candidate, lever: Lever
) -> tuple[float | None, *tuple[Sequence[int], ...]] | None:
    """The present value of a lever, and the ways to go from it; None if there is nothing to
    change."""
    match lever:
        case Lever.PRICE:
            price = _price(snapshot, loser.group)
            if price is None:
                return None
            return price.usd_per_h, _lessened(price.usd_per_h)
        case Lever.SPEED:
            return _paces(plan, loser)
        case Lever.DEADLINE:
            return _deadlines(snapshot, plan)


def _lessened(now: float) -> Sequence[int]:
    return [_ceil(now), *(_ceil(now * share) for share in _LESS)]


def _paces(plan: Plan, loser: Candidate) -> tuple[float | None, Sequence[int]] | None:
    if loser.samples and loser.step_s is not None:
        return loser.step_s.value, _lessened(loser.step_s.value)
    known = [
        each.step_s.value for each in plan.candidates if each.samples and each.step_s is not None
    ]
    if not known:
        # Nothing is measured: any pace would be more than is known of all others.
        return None
    return None, _lessened(10 * max(known))


def _deadlines(snapshot: Snapshot, plan: Plan) -> tuple[float | None, *tuple[Sequence[int], ...]]:
    deadline_s = snapshot.job.spec.objective.deadline_s
    # The instants at which candidates would finish, seen from now.
    ends_h = sorted({each.remaining_s / _S_PER_H for each in plan.candidates if each.remaining_s})
    is_ahead = deadline_s is not None and deadline_s > snapshot.now_s
    now = None
    if deadline_s is not None and is_ahead:
        now = (deadline_s - snapshot.now_s) / _S_PER_H
    # Deadlines at even ratios, and one between every two candidates' ends.
    known_h = ends_h or [now or 24.0]
    least_h = _SOON * min(known_h[0], now or known_h[0])
    most_h = _LATE * max(known_h[-1], now or known_h[-1])
    steps = math.ceil(math.log(most_h / least_h) / math.log(_APART))
    grid = [least_h * (most_h / least_h) ** (step / steps) for step in range(steps + 1)]
    between = [math.sqrt(sooner * later) for sooner, later in pairwise(ends_h[: _MOST_ENDS + 1])]
    values = sorted({_ceil(each) for each in (*grid, *between)})
    if now is None:
        return None, values[::-1]
    # From the present deadline the search goes both ways: sooner, and later.
    start = _ceil(now)
    sooner = [start, *(each for each in reversed(values) if each < start)]
    return now, sooner, [start, *(each for each in values if each > start)]


def _search(
    chosen: _Chosen, group: Group, lever: Lever, now: float | None, ways: _Ways
) -> Threshold | None:
    """The nearest value at which the plan flips to `group`.

    None if it never does, or if it has from the first value on.
    """

    def wins(value: int) -> bool:
        return chosen(group, lever, value) == group

    if wins(ways[0][0]):
        return None
    found = [each for way in ways if (each := _first_win(way, wins)) is not None]
    if not found:
        return None
    # Both ways begin at the same value: the nearer of two flips is given.
    at, loses, end = min(found, key=lambda each: abs(each[0] - ways[0][0]))
    to, beyond = (None, None) if end is None else (_value(end[0]), _value(end[1]))
    return Threshold(lever, now, _value(at), _value(loses), to, beyond)


def _first_win(
    way: Sequence[int], wins: Callable[[int], bool]
) -> tuple[int, int, tuple[int, int] | None] | None:
    """The first value on the way that wins, the last before it that loses, and where winning ends,
    if it does."""
    for place, (before, value) in enumerate(pairwise(way)):
        if not wins(value):
            continue
        at, beyond = _between(before, value, wins)
        loses = at + (1 if value < before else -1)
        if not wins(beyond):
            return at, loses, (at, beyond)
        for last, later in pairwise(way[place + 1 :]):
            if not wins(later):
                # Winning ends between these two values: find where.
                first_lost, _ = _between(last, later, lambda each: not wins(each))
                return at, loses, (first_lost + (1 if later < last else -1), first_lost)
        return at, loses, None
    return None


def _between(loses: int, wins_at: int, wins: Callable[[int], bool]) -> tuple[int, int]:
    """The first value that wins next to one that loses, and the value after it."""
    while abs(wins_at - loses) > 1:
        middle = (wins_at + loses) // 2
        if wins(middle):
            wins_at = middle
        else:
            loses = middle
    return wins_at, wins_at + (wins_at - loses)


def _price(snapshot: Snapshot, group: Group) -> Price | None:
    """The price in force of a group of one offering; None without a price, or with several
    offerings."""
    if len(group.members) > 1:
        return None
    ((offering, _),) = group.members
    begun = [
        each
        for each in snapshot.prices
        if each.offering == offering and each.valid_from_s <= snapshot.now_s
    ]
    return max(begun, key=lambda each: (each.valid_from_s, each.id), default=None)


def _paced(snapshot: Snapshot, group: Group, step_s: float) -> tuple[Series, ...]:
    """The measurements, with this pace for the group's node types: all its windows scaled by one
    factor.

    If nothing is measured, as many windows as end a trial, each of that pace.
    """
    phase = focus_of(snapshot.job).training_phase

    def is_of_it(series: Series) -> bool:
        return series.training_phase == phase and series.group.node_types == group.node_types

    # The whole series is scaled, so that its noise stays.
    known = estimate_step_s(
        [sample for each in snapshot.series if is_of_it(each) for sample in each.samples]
    )
    if known is None:
        windows = max(snapshot.limits.trial_windows, 1)
        return (
            *snapshot.series,
            Series(group, phase, (Sample(1, step_s, snapshot.now_s),) * windows),
        )
    factor = step_s / known.value
    return tuple(
        replace(
            each,
            samples=tuple(
                replace(sample, elapsed_s=sample.elapsed_s * factor) for sample in each.samples
            ),
        )
        if is_of_it(each)
        else each
        for each in snapshot.series
    )


def _ceil(value: float) -> int:
    """The number of the least value of four figures that is not less.

    >>> _value(_ceil(0.041234)), _value(_ceil(0.041234) - 1), _value(_ceil(0.5))
    (0.04124, 0.04123, 0.5)
    """
    exponent: int = math.floor(math.log10(value))
    mantissa = math.ceil(float(f"{value * float(f'1e{_FIGURES - 1 - exponent}'):.9f}"))
    return exponent * _STEPS + mantissa - _LEAST


def _value(number: int) -> float:
    exponent, above = divmod(number, _STEPS)
    return float(f"{_LEAST + above}e{exponent - _FIGURES + 1}")


def _in_words(threshold: Threshold, group: Group) -> str:
    write = _written(threshold.lever)
    value = write(threshold.wins_at)
    to = threshold.wins_to
    was = threshold.now
    if was is None:
        now = ""
    else:
        now = f"now {write(was)}"
    is_less = threshold.wins_at < threshold.loses_at
    match threshold.lever:
        case Lever.PRICE:
            a_node = ""
            if group.node_count > 1:
                a_node = " a node"
            if to is None:
                span = f"{value}/h{a_node} or less"
            else:
                span = f"{write(to)} to {value}/h{a_node}"
            return f"at {span}" + (f" ({now})" if now else "")
        case Lever.SPEED:
            if to is None:
                span = f"{value} s an iteration or faster"
            else:
                span = f"{write(to)} to {value} s an iteration"
            return f"at {span} ({now or 'not measured'})"
        case Lever.DEADLINE:
            span = f"{value} h or {'less' if is_less else 'more'}"
            if to is not None:
                soonest, latest = sorted((threshold.wins_at, to))
                span = f"between {write(soonest)} and {write(latest)} h"
            return f"with {span} to the deadline ({now or 'none now'})"


def _never(lever: Lever, ways: _Ways) -> str:
    """Says that no value that was tried would be enough."""
    tried = [_value(each) for way in ways for each in way]
    write = _written(lever)
    match lever:
        case Lever.PRICE:
            return f"at any price down to {write(min(tried))}/h"
        case Lever.SPEED:
            return f"at any speed up to {write(min(tried))} s an iteration"
        case Lever.DEADLINE:
            return f"with any deadline from {write(min(tried))} to {write(max(tried))} h away"


def _written(lever: Lever) -> Callable[[float], str]:
    """How values of a lever are shown: with as many figures as are tried, because a rounded one
    might not win."""
    if lever is Lever.PRICE:
        return price
    return partial(number, figures=_FIGURES)
