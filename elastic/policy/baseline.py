"""What the job would have cost on one fixed choice throughout: the closing report's yardstick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from elastic.model import Group, Offering, Price, Sample, Series
from elastic.throughput import estimate_step_s

_S_PER_H = 3600.0


@dataclass(frozen=True, slots=True)
class FixedChoice:
    """One group from start to end. `estimated_phases` are those it was not measured in, scaled from others' ratio."""

    group: Group
    usd: float
    lasts_s: float
    estimated_phases: tuple[str, ...] = ()


def fixed_choices(
    series: Sequence[Series],
    prices: Sequence[Price],
    *,
    iterations: Mapping[str, int],
    started_at_s: float,
    start_up_s: float = 0.0,
) -> tuple[FixedChoice, ...]:
    """What the iterations done would have cost on each measured group alone, cheapest first.

    Each price counts for as long as it held; before its first price an offering is taken to have cost that.

    Args:
        series: what was measured, in every training phase.
        prices: the whole history, in any order.
        iterations: done in each training phase, as `iterations_by_phase` divides them.
        started_at_s: when training began.
        start_up_s: paid before the first iteration.

    At 3.6 USD an hour, 100 iterations of 2 s cost 0.2 USD; had the price doubled after 100 s, 0.3 USD:

    >>> small = Offering("small")
    >>> measured = [Series(Group.of(small), "main", (Sample(1, 2.0, 0.0),))]
    >>> before, after = Price(1, small, 3.6, 0.0, 0.0, "test"), Price(2, small, 7.2, 100.0, 100.0, "test")
    >>> for prices in ([before], [after, before]):
    ...     (choice,) = fixed_choices(measured, prices, iterations={"main": 100}, started_at_s=0.0)
    ...     print(round(choice.usd, 3), choice.lasts_s)
    0.2 200.0
    0.3 200.0
    """
    steps_s = _steps_by_group(series)
    histories = _histories(prices)
    found = []
    for group, own in sorted(steps_s.items()):
        paces_s, estimated = _paces(own, steps_s, iterations)
        if paces_s is None or any(offering not in histories for offering, _ in group.members):
            continue
        lasts_s = start_up_s + sum(count * paces_s[phase] for phase, count in iterations.items())
        usd = sum(
            count * _cost_usd(histories[offering], started_at_s, started_at_s + lasts_s)
            for offering, count in group.members
        )
        found.append(FixedChoice(group, usd, lasts_s, estimated))
    return tuple(sorted(found, key=lambda choice: (float(f"{choice.usd:.9g}"), choice.group)))


def _steps_by_group(series: Sequence[Series]) -> dict[Group, dict[str, float]]:
    samples: dict[tuple[Group, str], list[Sample]] = {}
    for each in series:
        samples.setdefault((each.group, each.training_phase), []).extend(each.samples)
    found: dict[Group, dict[str, float]] = {}
    for (group, phase), own in samples.items():
        step_s = estimate_step_s(own)
        if step_s is not None:
            found.setdefault(group, {})[phase] = step_s.value
    return found


def _paces(
    own: Mapping[str, float], all_groups: Mapping[Group, Mapping[str, float]], iterations: Mapping[str, int]
) -> tuple[dict[str, float] | None, tuple[str, ...]]:
    """Seconds an iteration takes in each phase, None if that cannot be told; and the phases where it is estimated."""
    paces_s = {phase: own[phase] for phase in iterations if phase in own}
    missing = tuple(phase for phase in iterations if phase not in own)
    for phase in missing:
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


def _cost_usd(history: Sequence[Price], from_s: float, to_s: float) -> float:
    begins_s = [from_s, *(price.valid_from_s for price in history[1:])]
    ends_s = [*begins_s[1:], to_s]
    return sum(
        price.usd_per_h * max(0.0, min(end_s, to_s) - max(begin_s, from_s)) / _S_PER_H
        for price, begin_s, end_s in zip(history, begins_s, ends_s, strict=True)
    )
