"""The choice among measured groups: move if the rest of the job costs clearly less, else stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from elastic.figures import duration, number, percent, price, usd
from elastic.model import Action, Interval, Plan
from elastic.policy.beliefs import beliefs_of
from elastic.policy.evaluation import Evaluations, Ranked
from elastic.policy.horizon import seconds_left
from elastic.policy.mixture import is_mix
from elastic.policy.quotes import PriceInForce
from elastic.policy.switch_cost import switch_cost
from elastic.policy.trial import TrialVerdict, best_to_compare_with, trial_offers
from elastic.policy.words import name, rate

_S_PER_H = 3600.0
_Z_95 = 1.96


@dataclass(frozen=True, slots=True)
class Comparison:
    """The group that trains and the best other one, both priced to the end of the job."""

    held: Ranked
    other: Ranked
    iterations_left: float

    @property
    def saved_usd(self) -> float:
        return self.held.switch_cost.cost_usd - self.other.switch_cost.cost_usd

    @property
    def gain(self) -> float:
        """The share of the rest's cost that moving saves, after paying for the move.

        0 if the rest costs nothing.
        """
        if self.held.switch_cost.cost_usd > 0:
            return self.saved_usd / self.held.switch_cost.cost_usd
        return 0.0

    @property
    def steady_gain(self) -> float:
        """The share that moving saves on one iteration, without the cost of the move."""
        return 1 - self.other.usd_per_iteration.value / self.held.usd_per_iteration.value

    @property
    def is_ranked(self) -> bool:
        """Whether the intervals are apart.

        Groups of the same node types have the same speed, so they need no intervals.
        """
        if self.held.group.node_types == self.other.group.node_types:
            return True
        return not self.other.usd_per_iteration.overlaps(self.held.usd_per_iteration)

    @property
    def payback_iterations(self) -> float | None:
        """Iterations that win back what the move costs; None if none ever do."""
        won_usd = self._with_losses_usd(self.held) - self._with_losses_usd(self.other)
        if won_usd > 0:
            return self.other.switch_cost.switch_usd / won_usd
        return None

    def _with_losses_usd(self, ranked: Ranked) -> float:
        """Dollars of an iteration, with its part of what losses cost."""
        losses_usd = ranked.switch_cost.losses.usd * ranked.step_s.value
        return ranked.usd_per_iteration.value + losses_usd

    def numbers(self) -> dict[str, float]:
        held = self.held
        other = self.other
        way = other.switch_cost
        only_if_any = {"redone_iterations": way.redone, "losses_usd": way.losses_usd}
        found = {
            "iterations_left": self.iterations_left,
            "gain_ratio": self.gain,
            "saved_usd": self.saved_usd,
            "switch_usd": way.switch_usd,
            "switch_s": way.switch_s,
            **{name: value for name, value in only_if_any.items() if value},
            "remaining_usd_from": held.switch_cost.usd.value,
            "remaining_usd_to": way.usd.value,
            "usd_per_h_from": held.usd_per_h,
            "usd_per_h_to": other.usd_per_h,
            **_numbers_of("iterations_per_usd_from", held.iterations_per_usd),
            **_numbers_of("iterations_per_usd_to", other.iterations_per_usd),
        }
        if self.payback_iterations is not None:
            found["payback_iterations"] = self.payback_iterations
        return found


def believed(evaluations: Evaluations) -> tuple[Ranked, ...]:
    """The measured groups, best first.

    A group with few windows gets the interval of its belief, because a move needs one. A trial with
    few windows may be all that its share of the money allowed.
    """
    beliefs = beliefs_of(evaluations)
    found = []
    for each in evaluations.measured:
        belief = beliefs.get(each.group.node_types)
        step_s = each.step_s
        if not each.is_settled and belief is not None:
            step_s = Interval(belief.step_s, belief.quantile_s(-_Z_95), belief.quantile_s(_Z_95))
        if (
            each.is_choice
            and (ranked := evaluations.ranked(replace(each, step_s=step_s))) is not None
        ):
            found.append(ranked)
    return tuple(sorted(found, key=lambda each: each.order))


def move_or_stay(evaluations: Evaluations) -> Plan:
    """Decides between the measured group that is held and the best other one.

    It is the last rule of `best_value`.
    """
    held = next(
        (
            ranked
            for each in evaluations.choices
            if each.group == evaluations.snapshot.target
            if (ranked := evaluations.ranked(each))
        ),
        None,
    )
    assert held is not None, (
        "the rules before this one hold while the group that trains is unmeasured or unpriced"
    )
    others = tuple(each for each in believed(evaluations) if each.group != held.group)
    plan = _among(evaluations, held, others)
    unmixed = tuple(each for each in others if not is_mix(each.group))
    if plan.action is Action.HOLD and len(unmixed) < len(others):
        # The best other one may be a mix that is not clearly better. It must not hide an unmixed
        # group that is.
        without = _among(evaluations, held, unmixed)
        if without.action is Action.HOLD:
            return plan
        return without
    return plan


def _among(evaluations: Evaluations, held: Ranked, others: Sequence[Ranked]) -> Plan:
    left_s = seconds_left(evaluations.snapshot)
    if left_s is None:
        return _by_cost(evaluations, held, others)
    return _by_deadline(evaluations, held, others, left_s)


def _by_deadline(
    evaluations: Evaluations, held: Ranked, others: Sequence[Ranked], left_s: float
) -> Plan:
    """Only groups that are in time compete on cost.

    The held group must be so by its mean pace, the others by their slowest.
    """
    # What is in time at its slow end competes on cost.
    in_time = tuple(each for each in others if each.switch_cost.worst_s <= left_s)
    if held.switch_cost.lasts_s <= left_s:
        return _by_cost(evaluations, held, in_time, too_slow=len(others) - len(in_time))
    if in_time:
        pair = _comparison(evaluations, held, in_time[0])
        text = (
            f"{name(held.group)} needs {duration(held.switch_cost.lasts_s)} and the deadline is in "
            f"{duration(left_s)}: {name(pair.other.group)} makes it in "
            f"{duration(pair.other.switch_cost.worst_s)} at most, for "
            f"{usd(pair.other.switch_cost.usd.value)} against {usd(held.switch_cost.usd.value)}"
        )
        return evaluations.plan(
            Action.MOVE, pair.other.group, "deadline", text, _with_times(pair, left_s)
        )
    return _fastest(evaluations, held, others, left_s)


def _fastest(
    evaluations: Evaluations, held: Ranked, others: Sequence[Ranked], left_s: float
) -> Plan:
    late = f"no measured candidate meets the deadline in {duration(max(left_s, 0.0))}"
    quickest = min(
        others,
        key=lambda each: (float(f"{each.switch_cost.lasts_s:.9g}"), each.order),
        default=None,
    )
    # A faster group must be faster by the margin, and beyond the intervals.
    keep = 1 - evaluations.snapshot.limits.margin
    if (
        quickest is None
        or quickest.switch_cost.lasts_s >= keep * held.switch_cost.lasts_s
        or quickest.step_s.overlaps(held.step_s)
    ):
        text = (
            f"{late}; {name(held.group)} is the fastest known by a margin and needs "
            f"{duration(held.switch_cost.lasts_s)}"
        )
        return evaluations.hold(
            "deadline_missed", text, {"left_s": left_s, "lasts_s": held.switch_cost.lasts_s}
        )
    pair = _comparison(evaluations, held, quickest)
    text = (
        f"{late}; {name(quickest.group)} is the fastest: {duration(quickest.switch_cost.lasts_s)} "
        f"against {duration(held.switch_cost.lasts_s)} on {name(held.group)}"
    )
    return evaluations.plan(Action.MOVE, quickest.group, "fastest", text, _with_times(pair, left_s))


def _by_cost(
    evaluations: Evaluations, held: Ranked, others: Sequence[Ranked], *, too_slow: int = 0
) -> Plan:
    if not others:
        why = "no other candidate to rank"
        if too_slow:
            if too_slow == 1:
                known = "the other measured group"
            else:
                known = f"each of the {too_slow} other measured groups"
            why = f"{known} would be late"
        text = (
            f"{name(held.group)}: {rate(held.iterations_per_usd)}, and {why}{_untried(evaluations)}"
        )
        return evaluations.hold("best", text)
    pair = _comparison(evaluations, held, others[0])
    margin = evaluations.snapshot.limits.margin
    # First the price of an iteration, then the cost of the move, then whether the intervals are
    # apart.
    if pair.steady_gain <= 0:
        text = (
            f"{name(held.group)} stays: {rate(held.iterations_per_usd)}, the best of "
            f"{len(others) + 1} measured; "
            f"next is {name(pair.other.group)} with "
            f"{rate(pair.other.iterations_per_usd, with_unit=False)}"
            f"{_untried(evaluations)}"
        )
        return evaluations.hold("best", text, pair.numbers())
    if pair.steady_gain <= margin:
        text = (
            f"{_against(pair)}: {percent(pair.steady_gain)} better, within the margin of "
            f"{percent(margin)}"
        )
        return evaluations.hold("below_margin", text, pair.numbers())
    if pair.gain <= margin:
        text = (
            f"{_against(pair)}, but {_lost(pair)}the move costs {_price(pair)} and the "
            f"{_left(evaluations, pair)} do not win it back with the margin of {percent(margin)}"
        )
        return evaluations.hold("cannot_pay", text, pair.numbers())
    if not pair.is_ranked:
        text = (
            f"{_against(pair)}: the intervals overlap, so neither is known to be better; "
            f"{name(held.group)} stays"
        )
        return evaluations.hold("overlap", text, pair.numbers())
    return _move(evaluations, pair)


def _move(evaluations: Evaluations, pair: Comparison) -> Plan:
    numbers = pair.numbers()
    turned = _turned_by_price(evaluations, pair)
    text = (
        f"{_against(pair)}: gain {percent(pair.gain)} over the {_left(evaluations, pair)}, "
        f"{_lost(pair)}the move costs {_price(pair)}"
    )
    payback = pair.payback_iterations
    assert payback is not None, "a group whose iterations cost less wins back what the move costs"
    text += f" and pays back in {number(payback)} iterations"
    if not turned:
        return evaluations.plan(Action.MOVE, pair.other.group, "better_value", text, numbers)
    parts = [_turn_of(quote) for quote in turned]
    numbers |= _burns_before(evaluations, pair, turned)
    return evaluations.plan(
        Action.MOVE, pair.other.group, "price", f"{'; '.join(parts)}. {text}", numbers
    )


def _comparison(evaluations: Evaluations, held: Ranked, other: Ranked) -> Comparison:
    return Comparison(held, other, evaluations.iterations_left or 0.0)


def _against(pair: Comparison) -> str:
    return (
        f"{name(pair.other.group)}: {rate(pair.other.iterations_per_usd)} against "
        f"{name(pair.held.group)} {rate(pair.held.iterations_per_usd, with_unit=False)}"
    )


def _left(evaluations: Evaluations, pair: Comparison) -> str:
    """How many iterations a move has to pay for itself in, and whether that is only assumed."""
    assumed = " that are assumed to be"
    if evaluations.focus.iterations_left is not None:
        assumed = ""
    return f"{number(pair.iterations_left)} iterations{assumed} left"


def _price(pair: Comparison) -> str:
    """What the move costs, and whether iterations have to be done again."""
    way = pair.other.switch_cost
    redone = ""
    if way.redone:
        redone = f" ({number(way.redone)} iterations are done again)"
    return f"{usd(way.switch_usd)}{redone}"


def _lost(pair: Comparison) -> str:
    """A clause that says what losses cost there; empty if its pools are not known for any."""
    way = pair.other.switch_cost
    if not way.losses_usd:
        return ""
    return f"losses about every {duration(way.losses.life_s)} cost {usd(way.losses_usd)}, "


def _with_times(pair: Comparison, left_s: float) -> dict[str, float]:
    times = {
        "left_s": left_s,
        "lasts_s_from": pair.held.switch_cost.lasts_s,
        "lasts_s_to": pair.other.switch_cost.lasts_s,
    }
    return pair.numbers() | times


def _untried(evaluations: Evaluations) -> str:
    """A clause that says why candidates were not measured; empty if all were."""
    offers = [
        offer
        for offer in trial_offers(evaluations, best_to_compare_with(evaluations))
        if offer.verdict is not TrialVerdict.TRY
    ]
    if not offers:
        return ""
    more = ""
    if len(offers) > 1:
        more = f" (and {len(offers) - 1} more)"
    return f"; no trial of {name(offers[0].group)}{more}: {offers[0].verdict}"


def _turned_by_price(evaluations: Evaluations, pair: Comparison) -> list[PriceInForce]:
    """The price changes since the last change of group without which the job would stay.

    Each is new since that change. If the old prices are known, the job must have preferred to stay
    at them. What the move costs counts at the old prices, too: a type may have been worth more
    before, but not the move to it.
    """
    snapshot = evaluations.snapshot
    since_s = max((change.at_s for change in snapshot.changes), default=snapshot.job.submitted_at_s)
    offerings = sorted(
        {offering for ranked in (pair.held, pair.other) for offering, _ in ranked.group.members}
    )
    fresh = [
        evaluations.quotes[offering]
        for offering in offerings
        if evaluations.quotes[offering].since_s > since_s
    ]
    if not fresh or any(quote.before_usd_per_h is None for quote in fresh):
        return fresh
    before = {
        quote.offering: replace(quote, usd_per_h=quote.before_usd_per_h or quote.usd_per_h)
        for quote in fresh
    }
    # The same comparison at the old prices.
    held_usd, other_usd = (
        switch_cost(
            snapshot,
            {**evaluations.quotes, **before},
            origin=snapshot.target,
            origin_step_s=pair.held.step_s.value,
            to=ranked.group,
            step_s=ranked.step_s,
            iterations=pair.iterations_left,
            losses=ranked.switch_cost.losses,
        ).cost_usd
        for ranked in (pair.held, pair.other)
    )
    if other_usd >= (1 - snapshot.limits.margin) * held_usd:
        return fresh
    return []


def _burn_before(
    evaluations: Evaluations, ranked: Ranked, changed: Sequence[PriceInForce]
) -> float:
    old = {
        quote.offering: quote.before_usd_per_h
        for quote in changed
        if quote.before_usd_per_h is not None
    }
    return sum(
        count * old.get(each, evaluations.quotes[each].usd_per_h)
        for each, count in ranked.group.members
    )


def _burns_before(
    evaluations: Evaluations, pair: Comparison, changed: Sequence[PriceInForce]
) -> dict[str, float]:
    """What both groups burned at the old prices, if any is known."""
    if all(quote.before_usd_per_h is None for quote in changed):
        return {}
    return {
        "usd_per_h_from_before": _burn_before(evaluations, pair.held, changed),
        "usd_per_h_to_before": _burn_before(evaluations, pair.other, changed),
    }


def _turn_of(quote: PriceInForce) -> str:
    if quote.before_usd_per_h is None:
        return f"{quote.offering.node_type} has a new price, {price(quote.usd_per_h)}/h"
    verb = "rose"
    if quote.usd_per_h < quote.before_usd_per_h:
        verb = "fell"
    return (
        f"{quote.offering.node_type} {verb} from {price(quote.before_usd_per_h)}/h to "
        f"{price(quote.usd_per_h)}/h"
    )


def _numbers_of(key: str, interval: Interval) -> dict[str, float]:
    found = {key: interval.value, f"{key}_low": interval.low, f"{key}_high": interval.high}
    return {name: value for name, value in found.items() if value is not None}
