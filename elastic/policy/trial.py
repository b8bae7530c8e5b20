"""Trials: which candidate is worth measuring, and what that may cost.

A trial is worth what its answer saves: the expected improvement (Jones, Schonlau and Welch,
Efficient Global Optimization, 1998). That is the saving on the rest of the job, against finishing
on the best group known, under the belief about the candidate's pace.

Against it stand the dollars of going there. If the candidate is no better, there are also those of
coming back, and of training at the worse pace until then. A trial that turns out worse ends as soon
as that shows. So what it may lose hardly depends on how bad the candidate is.

Everything that a trial spends, useful or not, counts against the share of the job's cost that
trials may take. The share must hold in both cases: if the trial loses, with all that it costs until
that shows; and if it wins, as a share of the smaller cost of the job.

If a script begins at 0 each time, all that it has trained is part of a trial's price. If the job
also has no end, nothing says that a trial would win that back: after the first loss there is none.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from statistics import NormalDist

from elastic.durations import WINDOW_S
from elastic.model import Group, Interval, Snapshot
from elastic.policy.availability import UNAVAILABLE
from elastic.policy.beliefs import Belief, beliefs_of
from elastic.policy.deadline import expected_usd
from elastic.policy.evaluation import Evaluation, Evaluations, Ranked, promise_of
from elastic.policy.horizon import ROOM_FOR_LOSSES, seconds_left
from elastic.policy.mixture import is_mix
from elastic.policy.quotes import known_burn_usd_per_h
from elastic.policy.spells import Spell, begun_s, spells
from elastic.policy.switch_cost import redone_by_a_move, transition_of
from elastic.throughput import NodeTypes

_S_PER_H = 3600.0
# The first iteration after a change is cold, and the next one closes the first window.
_LEAST_ITERATIONS = 2
# A trial ends when it has used this part of the share: the next tick may come late.
_USED_UP = 0.85
# So many candidates are weighed in full: those whose improvement is worth most.
_WEIGHED = 24
_Z_95 = 1.96
_NORMAL = NormalDist()


class TrialVerdict(StrEnum):
    """Whether to try a candidate, and if not, why not."""

    TRY = "worth a trial"
    CANNOT_PAY = "a trial would not pay for itself"
    TOO_DEAR = "a trial would exceed what trials may cost"
    NO_TIME = "a trial would risk the deadline"
    TRIED = "it was tried before"
    RESTARTS = "a trial restarts the script, and the job has no end by which that would pay"

    @property
    def is_worth(self) -> bool:
        return self is TrialVerdict.TRY


@dataclass(frozen=True, slots=True)
class Offer:
    """What a trial of a group promises."""

    group: Group
    verdict: TrialVerdict
    # The expected step time; the one worth trying for if nothing is known.
    step_s: float
    # The share of an iteration's cost that it should save against the best group known, with its
    # 95 % interval; negative if it is dearer.
    cheaper: Interval
    # The expected improvement over the rest of the job, less what the trial is expected to lose.
    worth_usd: float
    # What the trial is expected to spend.
    trial_usd: float
    # Iterations that the trial has done again.
    redone: float
    # The part of `trial_usd` for them.
    redo_usd: float
    # When a mix should finish: it is tried to save time. None for other groups.
    lasts_s: float | None = None
    # By how much the job should miss its deadline there.
    late_s: float = 0.0
    # Whether it should be in time, but without room for losses.
    is_tight: bool = False

    @property
    def order(self) -> tuple[bool, bool, float, float, Group]:
        """First what should be in time with room for losses, then what should be in time, then the
        greatest worth.

        Another node type that is only just in time leaves no time to try a better one. More nodes
        of a known type need no trial, and can be had later.
        """
        worth_usd = float(f"{self.worth_usd:.9g}")
        return self.late_s > 0, self.is_tight, -worth_usd, self.trial_usd, self.group


@lru_cache(maxsize=4)
def trial_offers(evaluations: Evaluations, best: Ranked) -> tuple[Offer, ...]:
    """Judges a trial of each choice that is not settled, the best first. `best` is the best known
    group."""
    beliefs = beliefs_of(evaluations)
    # The same nodes in another zone, or bought another way, are as fast.
    told = {
        best.group.node_types,
        *(group.node_types for group in (evaluations.snapshot.target,) if group is not None),
    }
    untried = [
        each
        for each in evaluations.choices
        if not each.is_settled
        and each.group.node_types not in told
        and not _is_weighed(evaluations, best, each)
    ]
    promising = heapq.nlargest(
        _WEIGHED, untried, key=lambda each: _improvement(evaluations, best, each, beliefs)
    )
    return tuple(
        sorted(
            (_offer(evaluations, best, each, beliefs) for each in promising),
            key=lambda offer: offer.order,
        )
    )


def _is_weighed(evaluations: Evaluations, best: Ranked, outlook: Evaluation) -> bool:
    """Whether the deadline's value function weighs a group by its predicted pace.

    Such a group needs no trial. A trial would only ask what an iteration costs, not what is in
    time.
    """
    if outlook.samples or outlook.step_s is None or is_mix(outlook.group):
        return False
    return not is_late(evaluations, best) and expected_usd(evaluations) is not None


def known(evaluations: Evaluations, *, other_than: Group | None = None) -> list[Ranked]:
    """The choices with at least one window, those with the cheapest rest of the job first."""
    found = [
        evaluations.ranked(each)
        for each in evaluations.choices
        if each.samples and each.group != other_than
    ]
    return sorted((each for each in found if each is not None), key=lambda each: each.order)


def best_to_compare_with(evaluations: Evaluations) -> Ranked:
    """The best known group, which a trial is compared with.

    A group that was tried at other prices counts only if it is settled. If few windows and a new
    price make it the best, that is itself worth another trial.
    """
    ranked = known(evaluations)
    sure = {evaluations.snapshot.target, *(each.group for each in evaluations.settled)}
    return next(
        (
            each
            for each in ranked
            if each.group in sure or not _has_new_prices(evaluations, each.group)
        ),
        ranked[0],
    )


def goal_usd(evaluations: Evaluations, best: Ranked) -> float:
    """The dollars an iteration that a trial has to beat.

    They are those of the best known group, or those of waiting for spot that is gone for now. While
    spot is gone, a trial on demand costs several times what it costs once spot is back.
    """
    plain = best.usd_per_iteration.value
    rest_usd = None
    if best.group.is_on_demand and not is_late(evaluations, best):
        rest_usd = expected_usd(evaluations)
    if rest_usd is None or not evaluations.iterations_left:
        return plain
    return min(plain, rest_usd / (evaluations.iterations_left + evaluations.other_work))


def _has_new_prices(evaluations: Evaluations, group: Group) -> bool:
    """Whether any price has changed since the last change to the group."""
    tried_s = max(
        (each.at_s for each in evaluations.snapshot.changes if each.to_group == group),
        default=math.inf,
    )
    return any(price.valid_from_s > tried_s for price in evaluations.snapshot.prices)


@lru_cache(maxsize=4)
def spent_on_trials_usd(evaluations: Evaluations) -> float:
    """Dollars that trials have cost so far, at today's prices: each from its decision to its
    end."""
    return sum(
        known_burn_usd_per_h(each.group.members, evaluations.quotes)
        * _tried_s(evaluations, each)
        / _S_PER_H
        for each in spells(evaluations.snapshot)
    )


@lru_cache(maxsize=4)
def thrown_away_usd(evaluations: Evaluations) -> float:
    """Dollars for work that trials threw away, for a script that begins at 0 each time.

    That is everything since the change before. A trial that is still running is not judged by it:
    ending it brings nothing back.
    """
    if not evaluations.snapshot.job.always_begins_at_zero:
        return 0.0
    return sum(
        known_burn_usd_per_h(each.group.members, evaluations.quotes)
        * (each.ends_s - each.change.at_s - _tried_s(evaluations, each))
        / _S_PER_H
        for each in spells(evaluations.snapshot)
        if each.next_code == "trial"
    )


def trial_cap_usd(evaluations: Evaluations, best: Ranked) -> float:
    """What all trials together may cost (USD): a share of what the job is expected to cost."""
    expected_usd = evaluations.snapshot.spent_usd + best.switch_cost.usd.value
    return evaluations.snapshot.limits.trial_usd_share * expected_usd


def is_on_trial(snapshot: Snapshot) -> bool:
    """Whether the last change to the held group was made to try it."""
    last = max(snapshot.changes, key=lambda change: change.at_s, default=None)
    return last is not None and last.code == "trial" and last.to_group == snapshot.target


def is_answer(evaluations: Evaluations) -> bool:
    """Whether a trial has only just answered its question.

    What is found out later has to pass the margin.
    """
    snapshot = evaluations.snapshot
    if not is_on_trial(snapshot) or snapshot.target is None:
        return False
    began_s = max(change.at_s for change in snapshot.changes)
    return snapshot.now_s - began_s <= 2 * _longest_s(evaluations, snapshot.target)


def is_used_up(evaluations: Evaluations, best: Ranked) -> bool:
    """Whether trials have cost what they may, except for what may be spent until the next tick.

    If the best known group is late, more is at stake than the trials' share: then never.
    """
    return not is_late(evaluations, best) and spent_on_trials_usd(
        evaluations
    ) >= _USED_UP * trial_cap_usd(evaluations, best)


def no_time_left(evaluations: Evaluations, best: Ranked) -> bool:
    """Whether a trial must be left now, so that the best known group is in time even at its slow
    end."""
    left_s = seconds_left(evaluations.snapshot)
    if left_s is None or best.switch_cost.lasts_s > left_s:
        return False
    return best.switch_cost.worst_s > left_s


def _tried_s(evaluations: Evaluations, spell: Spell) -> float:
    if spell.change.code != "trial":
        return 0.0
    return min(spell.ends_s - spell.change.at_s, _longest_s(evaluations, spell.group))


def _longest_s(evaluations: Evaluations, group: Group) -> float:
    """Seconds after which a trial that was never left is over: the group is measured, and simply
    trains."""
    outlook = evaluations.of(group)
    way = transition_of(evaluations.snapshot, None, group)
    if outlook is None or outlook.step_s is None or not outlook.is_settled:
        return math.inf
    windows_s = evaluations.snapshot.limits.trial_windows * max(WINDOW_S, outlook.step_s.value)
    return way.boot_s + way.pause_s + windows_s


def _improvement(
    evaluations: Evaluations, best: Ranked, outlook: Evaluation, beliefs: Mapping[NodeTypes, Belief]
) -> float:
    """Dollars that an iteration is expected to save there, if any: E[max(0, best - candidate)].

    Step times are lognormal, so that is Black and Scholes's formula (Journal of Political Economy
    81, 1973).
    """
    belief = beliefs.get(outlook.group.node_types)
    usd_per_s = _usd_per_s(evaluations, outlook.usd_per_h)
    goal = goal_usd(evaluations, best)
    if belief is None:
        # Nothing measured compares with it: its iterations might cost nothing.
        return goal
    wins = (math.log(goal / usd_per_s) - belief.log_s) / belief.spread
    mean = usd_per_s * math.exp(belief.log_s + belief.spread**2 / 2)
    return goal * _NORMAL.cdf(wins) - mean * _NORMAL.cdf(wins - belief.spread)


def _usd_per_s(evaluations: Evaluations, usd_per_h: float | None) -> float:
    """What a second costs there, with the owner's value of time."""
    return (
        (usd_per_h or 0.0)
        + (evaluations.snapshot.job.spec.objective.value_of_time_usd_per_h or 0.0)
    ) / _S_PER_H


def _offer(
    evaluations: Evaluations, best: Ranked, outlook: Evaluation, beliefs: Mapping[NodeTypes, Belief]
) -> Offer:
    snapshot = evaluations.snapshot
    quotes = evaluations.quotes
    group = outlook.group
    belief = beliefs.get(group.node_types)
    goal = goal_usd(evaluations, best)
    usd_per_s = _usd_per_s(evaluations, outlook.usd_per_h)
    # Without a belief, assume the pace at which an iteration would just be worth the trial.
    if belief is None:
        step_s = goal / usd_per_s
    else:
        step_s = belief.step_s
    if is_mix(group) and outlook.step_s is not None:
        step_s = outlook.step_s.value
    there = transition_of(snapshot, snapshot.target, group)
    back = transition_of(snapshot, group, best.group)
    # Iterations are done again after going there, and again after coming back. They cost what they
    # cost on the best known group.
    redone = redone_by_a_move(snapshot, _meanwhile(evaluations, there.boot_s))
    redo_s = redone * best.step_s.value
    redo_usd = best.usd_per_h * redo_s / _S_PER_H
    trial_s = _trial_s(snapshot, step_s)
    trial_usd = there.usd(quotes) + redo_usd + (outlook.usd_per_h or 0.0) * trial_s / _S_PER_H
    # The chance that its iterations are cheaper than the goal.
    if belief is None:
        chance = 0.5
    else:
        chance = _NORMAL.cdf((math.log(goal / usd_per_s) - belief.log_s) / belief.spread)
    idle_s = there.pause_s + back.pause_s
    lost_usd = there.usd(quotes) + redo_usd + _usd_per_s(evaluations, None) * there.pause_s
    # It trains at the worse pace until the best known group has booted again.
    back_usd = (
        back.usd(quotes) + redo_usd + _usd_per_s(evaluations, outlook.usd_per_h) * back.boot_s
    )
    # Seeing that it is worse takes about two iterations of the best known group, or the windows
    # that close sooner.
    seen_usd = _LEAST_ITERATIONS * goal + usd_per_s * min(
        snapshot.limits.trial_windows * WINDOW_S, trial_s
    )
    rest = max((evaluations.iterations_left or 0.0) - _LEAST_ITERATIONS, 0.0)
    improvement = _improvement(evaluations, best, outlook, beliefs)
    worth_usd = rest * improvement - lost_usd - (1 - chance) * (back_usd + seen_usd)
    if belief is None:
        slow_s = trial_s
    else:
        slow_s = _trial_s(snapshot, belief.quantile_s(_Z_95))
    # If it loses, that shows after at most the time that an iteration may take to pay, and a tick.
    # If it wins, the job costs less.
    lost_s = min(slow_s, _trial_s(snapshot, goal / usd_per_s)) + snapshot.limits.tick_s
    won_s = max(goal - improvement / max(chance, 1e-9), 0.0) / usd_per_s
    burn = outlook.usd_per_h or 0.0
    way_usd = there.usd(quotes) + redo_usd
    lost = (way_usd + burn * lost_s / _S_PER_H, best.switch_cost.usd.value)
    won = (way_usd + burn * _trial_s(snapshot, won_s) / _S_PER_H, burn * rest * won_s / _S_PER_H)
    # If the best known group is late, the search is for speed, and more is at stake than the share.
    is_within = is_late(evaluations, best) or all(
        _is_within_share(evaluations, *each) for each in (lost, won)
    )
    verdict = _verdict(evaluations, best, outlook, belief, worth_usd=worth_usd, is_within=is_within)
    away_s = there.pause_s + slow_s + back.boot_s + idle_s - there.pause_s + 2 * redo_s
    if verdict is TrialVerdict.TRY and _risks_deadline(evaluations, best, away_s):
        verdict = TrialVerdict.NO_TIME
    lasts_s = None
    if is_mix(group) and outlook.switch_cost is not None:
        lasts_s = outlook.switch_cost.lasts_s
    return Offer(
        group,
        verdict,
        step_s,
        _cheaper(goal, usd_per_s, belief),
        worth_usd,
        trial_usd,
        redone,
        redo_usd,
        lasts_s,
        late_s=_late_s(evaluations, step_s),
        is_tight=_is_new_type(evaluations, group) and _is_tight(evaluations, step_s),
    )


def _meanwhile(evaluations: Evaluations, boot_s: float) -> float:
    """Iterations that the held group does while the nodes of the trial boot."""
    if evaluations.snapshot.target is None:
        held = None
    else:
        held = evaluations.of(evaluations.snapshot.target)
    if held is None or held.step_s is None:
        return 0.0
    return min(boot_s / held.step_s.value, evaluations.iterations_left or math.inf)


def _late_s(evaluations: Evaluations, step_s: float) -> float:
    """Seconds by which the rest of the job would miss the deadline at this pace."""
    left_s = seconds_left(evaluations.snapshot)
    if left_s is None:
        return 0.0
    work = (evaluations.iterations_left or 0.0) + evaluations.other_work
    return max(step_s * work - left_s, 0.0)


def _is_tight(evaluations: Evaluations, step_s: float) -> bool:
    """Whether losses or another trial would make the job late at this pace."""
    return _late_s(evaluations, ROOM_FOR_LOSSES * step_s) > 0


def _is_tight_for_spot(evaluations: Evaluations, group: Group, step_s: float) -> bool:
    return not group.is_on_demand and _is_tight(evaluations, step_s)


def _is_new_type(evaluations: Evaluations, group: Group) -> bool:
    """Whether one of its node types was never measured, at any size."""
    told = {name for each in evaluations.measured for name, _ in each.group.node_types}
    return any(name not in told for name, _ in group.node_types)


def _is_within_share(evaluations: Evaluations, trial_usd: float, rest_usd: float) -> bool:
    """Whether all trials, with this one, keep within their share of a job whose rest costs
    `rest_usd`."""
    snapshot = evaluations.snapshot
    tried_usd = spent_on_trials_usd(evaluations) + thrown_away_usd(evaluations) + trial_usd
    job_usd = snapshot.spent_usd + trial_usd + rest_usd
    return tried_usd <= _USED_UP * snapshot.limits.trial_usd_share * job_usd


def is_late(evaluations: Evaluations, best: Ranked) -> bool:
    """Whether even the best known group will miss the deadline."""
    left_s = seconds_left(evaluations.snapshot)
    return left_s is not None and best.switch_cost.lasts_s > left_s


def _trial_s(snapshot: Snapshot, step_s: float) -> float:
    """Seconds until enough windows close: all that are wanted, or few if iterations are long."""
    return max(snapshot.limits.trial_windows * WINDOW_S, _LEAST_ITERATIONS * step_s)


def _cheaper(goal: float, usd_per_s: float, belief: Belief | None) -> Interval:
    """How much less an iteration should cost, as a share of the goal."""
    if belief is None:
        return Interval(0.0, None, 1.0)
    shares = [
        1 - usd_per_s * belief.quantile_s(deviations) / goal for deviations in (0.0, _Z_95, -_Z_95)
    ]
    return Interval(*shares)


def _verdict(
    evaluations: Evaluations,
    best: Ranked,
    outlook: Evaluation,
    belief: Belief | None,
    *,
    worth_usd: float,
    is_within: bool,
) -> TrialVerdict:
    group = outlook.group
    if is_mix(group) and not _promises_most(evaluations, outlook):
        return TrialVerdict.CANNOT_PAY
    # A trial whose nodes could not be bought has not been had.
    tries = _tries(evaluations, group)
    had = [each for each in tries if each.next_code != UNAVAILABLE]
    # The operator may want every candidate tried once.
    is_demanded = (
        evaluations.snapshot.limits.trial_of_every
        and not is_mix(group)
        and not outlook.samples
        and not had
    )
    if not (is_demanded or _pays(evaluations, best, outlook, belief, worth_usd)):
        return TrialVerdict.CANNOT_PAY
    if not is_demanded and _is_restarted_without_end(evaluations):
        return TrialVerdict.RESTARTS
    if any(
        evaluations.snapshot.now_s - each.change.at_s < evaluations.snapshot.limits.cooldown_s
        for each in tries
    ):
        return TrialVerdict.TRIED
    if not is_within:
        return TrialVerdict.TOO_DEAR
    return TrialVerdict.TRY


def _promises_most(evaluations: Evaluations, outlook: Evaluation) -> bool:
    """Whether it promises more than every measured group: a mix is made only if it is needed."""
    if outlook.switch_cost is None:
        return False
    promise = promise_of(evaluations.snapshot, outlook.switch_cost)
    return all(
        promise < promise_of(evaluations.snapshot, each.switch_cost) for each in evaluations.settled
    )


def _pays(
    evaluations: Evaluations,
    best: Ranked,
    outlook: Evaluation,
    belief: Belief | None,
    worth_usd: float,
) -> bool:
    """Whether a trial is worth its money.

    If the best known group is late: whether the candidate may be clearly faster.
    """
    left_s = seconds_left(evaluations.snapshot)
    keep = 1 - evaluations.snapshot.limits.margin
    if is_mix(outlook.group) and outlook.switch_cost is not None:
        way = outlook.switch_cost
        if is_late(evaluations, best):
            return way.lasts_s < keep * best.switch_cost.lasts_s
        return way.cost_usd < keep * best.switch_cost.cost_usd and (
            left_s is None or way.lasts_s <= left_s
        )
    if is_late(evaluations, best):
        return belief is None or belief.quantile_s(-_Z_95 / 2) < keep * best.step_s.value
    if belief is not None and _late_s(evaluations, belief.step_s) > 0:
        return False
    if belief is not None and _is_tight_for_spot(evaluations, outlook.group, belief.step_s):
        # Cheaper iterations are worth nothing if on-demand has to make up for each loss.
        return worth_usd > 0 and _is_tight_for_spot(evaluations, best.group, best.step_s.value)
    return worth_usd > 0


def _is_restarted_without_end(evaluations: Evaluations) -> bool:
    """Whether restarts lose everything that was done, in a job whose end is only assumed."""
    job = evaluations.snapshot.job
    return (
        job.restarts_at_zero
        and job.always_begins_at_zero
        and evaluations.focus.iterations_left is None
    )


def _risks_deadline(evaluations: Evaluations, best: Ranked, away_s: float) -> bool:
    """Whether the best known group would be late, at its slow end, after losing so many seconds."""
    left_s = seconds_left(evaluations.snapshot)
    if left_s is None or best.switch_cost.lasts_s > left_s:
        return False
    return best.switch_cost.worst_s + away_s > left_s


def _tries(evaluations: Evaluations, group: Group) -> list[Spell]:
    """The trials of a group in this training phase."""
    began_s = begun_s(evaluations)
    own = [
        each
        for each in spells(evaluations.snapshot)
        if each.group == group and each.change.code == "trial"
    ]
    return [each for each in own if each.change.at_s >= began_s]
