"""What the job would have cost on one fixed choice: what the closing report compares with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from types import MappingProxyType

from elastic.model import Group, LedgerRow, Offering, Price, Trained

_S_PER_H = 3600.0
_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FixedChoice:
    """One group from start to end, and what the job would have cost on it."""

    group: Group
    usd: float
    # Seconds from the start of training to its end.
    lasts_s: float
    # Training phases in which the group was not measured: their pace is scaled by the ratio that
    # other groups showed.
    estimated_phases: tuple[str, ...] = ()
    # When its price changed, in seconds after the start, and the dollars spent by then.
    bends: tuple[tuple[float, float], ...] = ()

    def usd_after(self, share: float) -> float:
        """Dollars spent when a share of the whole duration is over (0 to 1).

        >>> choice = FixedChoice(Group.of(Offering("small")), 3.0, 10.0, bends=((5.0, 1.0),))
        >>> [choice.usd_after(share) for share in (0.0, 0.25, 0.75, 1.0)]
        [0.0, 0.5, 2.0, 3.0]
        """
        at_s = share * self.lasts_s
        for (from_s, before), (to_s, after) in pairwise(
            ((0.0, 0.0), *self.bends, (self.lasts_s, self.usd))
        ):
            if at_s < to_s:
                return before + (after - before) * (at_s - from_s) / (to_s - from_s)
        return self.usd


def fixed_choices(
    trained: Sequence[Trained],
    prices: Sequence[Price],
    *,
    iterations: Mapping[str, int],
    started_at_s: float,
    start_up_s: float = 0.0,
    begun: Mapping[str, int] = _NOTHING,
    wind_up_s: float = 0.0,
    minimum_billed_s: float = 0.0,
) -> tuple[FixedChoice, ...]:
    """What the iterations done would have cost on each measured group alone, cheapest first.

    Each price counts for as long as it was in force. Before its first price an offering is assumed
    to have cost that first price.

    Args:
        trained: all that each group ever did, in every training phase.
        prices: the whole history, in any order.
        iterations: done in each training phase, as `iterations_by_phase` divides them.
        started_at_s: when training began.
        start_up_s: paid before the first iteration, and what was done with it.
        begun: iterations of each phase that the start-up did already.
        wind_up_s: paid after the last iteration.
        minimum_billed_s: the least that the provider bills for a launch.

    At 3.6 USD an hour, 100 iterations of 2 s cost 0.2 USD; had the price doubled after 100 s, 0.3
    USD:

    >>> small = Offering("small")
    >>> measured = [Trained(Group.of(small), "main", 50, 100.0)]
    >>> before, after = Price(1, small, 3.6, 0.0, 0.0, "test"), Price(2, small, 7.2, 100.0, 100.0,
    ...     "test")
    >>> for prices in ([before], [after, before]):
    ...     (choice,) = fixed_choices(measured, prices, iterations={"main": 100}, started_at_s=0.0)
    ...     print(round(choice.usd, 3), choice.lasts_s)
    0.2 200.0
    0.3 200.0
    """
    steps_s = _steps_by_group(trained)
    histories = _histories(prices)
    found = []
    for group, own in sorted(steps_s.items()):
        # A group without a price, or without an estimate for some phase, is no choice.
        paces_s, estimated = _paces(own, steps_s, iterations)
        if paces_s is None or any(offering not in histories for offering, _ in group.members):
            continue
        rest = {phase: max(count - begun.get(phase, 0), 0) for phase, count in iterations.items()}
        lasts_s = (
            start_up_s + sum(count * paces_s[phase] for phase, count in rest.items()) + wind_up_s
        )
        # The last point of the course is the end: its dollars are the whole price.
        bills = [(count, histories[offering]) for offering, count in group.members]
        *bends, (_, usd) = _course(bills, started_at_s, lasts_s)
        usd += (
            max(minimum_billed_s - lasts_s, 0.0)
            * _burn_usd_per_h(bills, started_at_s + lasts_s)
            / _S_PER_H
        )
        found.append(FixedChoice(group, usd, lasts_s, estimated, tuple(bends)))
    return tuple(sorted(found, key=lambda choice: (float(f"{choice.usd:.9g}"), choice.group)))


def as_it_was(group: Group, rows: Sequence[LedgerRow], *, now_s: float) -> FixedChoice:
    """The fixed choice of a job that only ever trained on one group: what it really cost.

    Nodes that were bought but never trained are not in it.
    """
    offerings = dict(group.members)
    own = [row for row in rows if row.offering in offerings]
    begin_s = min((row.from_s for row in own), default=now_s)
    ends_s = {now_s if row.to_s is None else row.to_s for row in own}
    edges_s = sorted({*(row.from_s for row in own), *ends_s})
    lasts_s = max(ends_s, default=now_s) - begin_s
    bends = tuple(
        (at_s - begin_s, sum(_usd_by(row, at_s) for row in own)) for at_s in edges_s[1:-1]
    )
    return FixedChoice(group, sum(row.usd(now_s) for row in own), lasts_s, (), bends)


def _usd_by(row: LedgerRow, at_s: float) -> float:
    """What a row had cost by an instant.

    The unused rest of its least bill counts only after the row's end.
    """
    if row.to_s is None:
        until_s = at_s
    else:
        until_s = min(at_s, row.to_s)
    if until_s > row.from_s:
        return replace(row, to_s=until_s, minimum_s=0.0).usd(at_s)
    return 0.0


def _burn_usd_per_h(bills: Sequence[tuple[int, Sequence[Price]]], at_s: float) -> float:
    """What the nodes cost an hour at an instant.

    Before its first price an offering is assumed to have cost that first price.
    """
    found = 0.0
    for count, history in bills:
        begun = [price for price in history if price.valid_from_s <= at_s]
        found += count * (begun[-1] if begun else history[0]).usd_per_h
    return found


def _steps_by_group(trained: Sequence[Trained]) -> dict[Group, dict[str, float]]:
    found: dict[Group, dict[str, float]] = {}
    for each in trained:
        if each.iterations > 0:
            found.setdefault(each.group, {})[each.training_phase] = each.elapsed_s / each.iterations
    return found


def _paces(
    own: Mapping[str, float],
    all_groups: Mapping[Group, Mapping[str, float]],
    iterations: Mapping[str, int],
) -> tuple[dict[str, float] | None, tuple[str, ...]]:
    """Seconds an iteration takes in each phase, and the phases in which that is estimated.

    The seconds are None if some phase cannot be estimated.
    """
    paces_s = {phase: own[phase] for phase in iterations if phase in own}
    missing = tuple(phase for phase in iterations if phase not in own)
    for phase in missing:
        # How much slower or faster the phase was than a known one, on every group that ran both.
        ratios = [
            theirs[phase] / theirs[known] * own[known]
            for theirs in all_groups.values()
            if phase in theirs
            for known in own
            if known in theirs
        ]
        if not ratios:
            return None, missing
        paces_s[phase] = median(ratios)
    return paces_s, missing


def _histories(prices: Sequence[Price]) -> dict[Offering, list[Price]]:
    found: dict[Offering, list[Price]] = {}
    for price in sorted(prices, key=lambda each: (each.valid_from_s, each.id)):
        found.setdefault(price.offering, []).append(price)
    return found


def _course(
    bills: Sequence[tuple[int, Sequence[Price]]], started_at_s: float, lasts_s: float
) -> list[tuple[float, float]]:
    """Seconds after the start and dollars spent by then, at each change of price and at the end."""
    changes_usd_per_h: dict[float, float] = {0.0: 0.0}
    for count, history in bills:
        # The first price counts from the start, each later one from the instant it came into force.
        begins_s = [0.0, *(max(price.valid_from_s - started_at_s, 0.0) for price in history[1:])]
        for after_s, before, price in zip(begins_s, [None, *history], history, strict=False):
            change = price.usd_per_h - (before.usd_per_h if before else 0.0)
            changes_usd_per_h[after_s] = changes_usd_per_h.get(after_s, 0.0) + count * change
    rate_usd_per_h = 0.0
    usd = 0.0
    course = []
    for from_s, to_s in pairwise(
        [*sorted(each for each in changes_usd_per_h if each < lasts_s), lasts_s]
    ):
        rate_usd_per_h += changes_usd_per_h[from_s]
        usd += rate_usd_per_h * (to_s - from_s) / _S_PER_H
        course.append((to_s, usd))
    return course or [(lasts_s, 0.0)]
