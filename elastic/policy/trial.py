"""Trials: which candidate that nobody has measured is worth finding out about, and when a trial has cost enough.

Nothing is known of an untried candidate, so a trial is judged by the best that may be hoped for. Of another size of an
offering already measured: more nodes are at best faster in proportion, fewer are at best no slower. Of another node
type: speed grows with the cores that compute, by a measured law, or in proportion to GPUs of the same model; and
`_SPREAD` times better than that. Between kinds that cannot be compared a step might take no time at all. If even so
the iterations left do not pay for going there and coming back, the trial is not started, unless the operator wants to
know every candidate.

Of a script that begins at 0 each time, what it has trained until a trial is part of that trial's price. Where the job
has no end either, nothing says that a trial would win back what it throws away: after the first loss there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, zip_longest

from elastic.model import Change, Group, Interval, NodeType, Snapshot, Workers
from elastic.policy.availability import UNAVAILABLE
from elastic.policy.horizon import seconds_left
from elastic.policy.mixture import is_mix
from elastic.policy.passage import Passage, Transition, passage, transition_of
from elastic.policy.quotes import known_burn_usd_per_h
from elastic.policy.survey import Outlook, Ranked, Survey, promise_of

_S_PER_H = 3600.0
# Speed is proportional to this power of the cores, and 95 % of node types turn out less than `_SPREAD` times better
# than that promises, for their size or for their generation: benchmarks/core_scaling.py --fit.
_GROWTH = 0.69
_SPREAD = 1.9
# Windows close after half a second, or after one iteration if that takes longer.
_WINDOW_S = 0.5
# A second trial is for the one that a lost node cut short.
_MOST_TRIALS = 2


class Verdict(StrEnum):
    """Whether to try a candidate, and if not, why not."""

    TRY = "worth a trial"
    CANNOT_PAY = "even at its best it would not pay for a trial"
    TOO_DEAR = "a trial would exceed what trials may cost"
    NO_TIME = "a trial would risk the deadline"
    TRIED = "it was tried before"
    RESTARTS = "a trial restarts the script, and the job has no end by which that would pay"

    @property
    def is_worth(self) -> bool:
        return self is Verdict.TRY


@dataclass(frozen=True, slots=True)
class Offer:
    """What a trial of an untried group promises. `hope` is the rest of the job there at the best pace to hope for."""

    group: Group
    verdict: Verdict
    step_s: float
    hope: Passage
    trial_usd: float

    @property
    def order(self) -> tuple[float, float, Group]:
        """Most hopeful first; a written tie-break, as for what is measured."""
        return float(f"{self.hope.cost_usd:.9g}"), self.trial_usd, self.group


def trial_offers(survey: Survey, best: Ranked) -> tuple[Offer, ...]:
    """Judges a trial of every choice that is not settled, most hopeful first. `best` is the best one known."""
    untried = [each for each in survey.choices if not each.is_settled and each.group != survey.snapshot.target]
    return tuple(sorted((_offer(survey, best, each) for each in untried), key=lambda offer: offer.order))


def spent_on_trials_usd(survey: Survey) -> float:
    """Dollars that trials have cost so far, at today's prices: each from its decision until it is over."""
    return sum(
        known_burn_usd_per_h(group.members, survey.quotes) * _tried_s(survey, change, group, ends_s) / _S_PER_H
        for change, group, ends_s, _ in _spells(survey.snapshot)
    )


def thrown_away_usd(survey: Survey) -> float:
    """Dollars for work that trials threw away: of a script that begins at 0, all since the change before.

    A trial that goes on is not judged by it: to end it brings nothing back.
    """
    if not survey.snapshot.job.always_begins_at_zero:
        return 0.0
    return sum(
        known_burn_usd_per_h(group.members, survey.quotes)
        * (ends_s - change.at_s - _tried_s(survey, change, group, ends_s))
        / _S_PER_H
        for change, group, ends_s, following in _spells(survey.snapshot)
        if following == "trial"
    )


def trial_cap_usd(survey: Survey, best: Ranked) -> float:
    """What all trials together may cost: a share of what the job is expected to cost."""
    expected_usd = survey.snapshot.spent_usd + best.passage.usd.value
    return survey.snapshot.limits.trial_usd_share * expected_usd


def is_on_trial(snapshot: Snapshot) -> bool:
    """True if the held group was last changed to in order to try it."""
    last = max(snapshot.changes, key=lambda change: change.at_s, default=None)
    return last is not None and last.code == "trial" and last.to_group == snapshot.target


def hoped_step_s(survey: Survey, group: Group) -> float:
    """The shortest step time that may be hoped for on `group`; 0 if there is nothing to compare it with."""
    outlook = survey.of(group)
    if outlook is not None and outlook.step_s is not None:
        return outlook.step_s.value if outlook.step_s.low is None else outlook.step_s.low
    measured = [each for each in survey.outlooks if each.samples and each.step_s is not None]
    alike = [
        least_s * min(1.0, each.group.node_count / group.node_count)
        for each in measured
        if [name for name, _ in each.group.node_types] == [name for name, _ in group.node_types]
        if (least_s := _least_s(each)) > 0
    ]
    if alike:
        return max(alike)
    return min((_least_s(each) * _ratio(survey, each.group, group) for each in measured), default=0.0)


def _spells(snapshot: Snapshot) -> Iterator[tuple[Change, Group, float, str]]:
    """Each change to a group, with when that was over, and the code of the change that followed, or nothing."""
    changes = sorted(snapshot.changes, key=lambda change: change.at_s)
    for change, following in zip_longest(changes, changes[1:]):
        if change.to_group is not None:
            ends_s, code = (snapshot.now_s, "") if following is None else (following.at_s, following.code)
            yield change, change.to_group, ends_s, code


def _tried_s(survey: Survey, change: Change, group: Group, ends_s: float) -> float:
    return min(ends_s - change.at_s, _longest_s(survey, group)) if change.code == "trial" else 0.0


def _longest_s(survey: Survey, group: Group) -> float:
    """Seconds after which a trial that was never left is over: what was tried is measured, and then simply trains."""
    outlook, way = survey.of(group), transition_of(survey.snapshot, None, group)
    if outlook is None or outlook.step_s is None or not outlook.is_settled:
        return math.inf
    windows_s = survey.snapshot.limits.trial_windows * max(_WINDOW_S, outlook.step_s.value)
    return way.boot_s + way.pause_s + windows_s


def _offer(survey: Survey, best: Ranked, outlook: Outlook) -> Offer:
    snapshot, quotes, group = survey.snapshot, survey.quotes, outlook.group
    step_s = hoped_step_s(survey, group)
    held = survey.of(snapshot.target)
    hope = passage(
        snapshot,
        quotes,
        origin=snapshot.target,
        origin_step_s=held.step_s.value if held and held.step_s else None,
        to=group,
        step_s=Interval(step_s),
        iterations=survey.iterations_left or 0.0,
    )
    there, back = transition_of(snapshot, snapshot.target, group), transition_of(snapshot, group, best.group)
    trial_s = snapshot.limits.trial_windows * max(_WINDOW_S, step_s)
    # What is lost by going there, and again by coming back, is worth what doing it cost on the best one known.
    redo_s = hope.redone * best.step_s.value
    redo_usd = best.usd_per_h * redo_s / _S_PER_H
    trial_usd = there.usd(quotes) + redo_usd + (outlook.usd_per_h or 0.0) * trial_s / _S_PER_H
    verdict = _verdict(survey, best, group, hope, back_usd=back.usd(quotes) + redo_usd, trial_usd=trial_usd)
    if verdict is Verdict.TRY and _risks_deadline(survey, best, trial_s + there.pause_s + 2 * redo_s, back):
        verdict = Verdict.NO_TIME
    return Offer(group, verdict, step_s, hope, trial_usd)


def _verdict(
    survey: Survey, best: Ranked, group: Group, hope: Passage, *, back_usd: float, trial_usd: float
) -> Verdict:
    if is_mix(group) and not _promises_most(survey, hope):
        return Verdict.CANNOT_PAY
    is_demanded = survey.snapshot.limits.trial_of_every and not is_mix(group)
    if not (is_demanded or _pays(survey, best, hope, back_usd)):
        return Verdict.CANNOT_PAY
    if not is_demanded and _is_restarted_without_end(survey):
        return Verdict.RESTARTS
    if _has_been_tried(survey, group):
        return Verdict.TRIED
    if spent_on_trials_usd(survey) + thrown_away_usd(survey) + trial_usd > trial_cap_usd(survey, best):
        return Verdict.TOO_DEAR
    return Verdict.TRY


def _promises_most(survey: Survey, hope: Passage) -> bool:
    """Whether nothing measured would be as soon in time for as little: what runs is mixed only where that is needed."""
    promise = promise_of(survey.snapshot, hope)
    return all(promise < promise_of(survey.snapshot, each.passage) for each in survey.settled)


def _pays(survey: Survey, best: Ranked, hope: Passage, back_usd: float) -> bool:
    keep = 1 - survey.snapshot.limits.margin
    left_s = seconds_left(survey.snapshot)
    if left_s is not None:
        if best.passage.lasts_s > left_s:
            return hope.lasts_s < keep * best.passage.lasts_s
        if hope.lasts_s > left_s:
            return False
    return hope.cost_usd + back_usd < keep * best.passage.cost_usd


def _is_restarted_without_end(survey: Survey) -> bool:
    """Whether a restart has lost all that was done, and would again; a job without an end is weighed by a guess."""
    job = survey.snapshot.job
    return job.restarts_at_zero and job.always_begins_at_zero and survey.focus.iterations_left is None


def _risks_deadline(survey: Survey, best: Ranked, trial_s: float, back: Transition) -> bool:
    left_s = seconds_left(survey.snapshot)
    if left_s is None or best.passage.lasts_s > left_s:
        return False
    return best.passage.lasts_s + trial_s + back.pause_s + back.boot_s > left_s


def _has_been_tried(survey: Survey, group: Group) -> bool:
    """True if trials of it in this phase are used up, or one has just been.

    A trial from before the first window of the phase was about another phase; one that could not be bought was none,
    but is not begun again at once.
    """
    snapshot = survey.snapshot
    ends_s = [
        sample.ended_at_s
        for series in snapshot.series
        if series.training_phase == survey.focus.training_phase
        for sample in series.samples
    ]
    began_s = min(ends_s, default=snapshot.now_s)
    tried_s = [each.at_s for each in snapshot.changes if each.code == "trial" and each.to_group == group]
    tried_s = [at_s for at_s in tried_s if at_s >= began_s]
    is_recent = any(snapshot.now_s - at_s < snapshot.limits.cooldown_s for at_s in tried_s)
    changes = sorted(snapshot.changes, key=lambda change: change.at_s)
    refused_s = {before.at_s for before, after in pairwise(changes) if after.code == UNAVAILABLE}
    return is_recent or len([at_s for at_s in tried_s if at_s not in refused_s]) >= _MOST_TRIALS


def _least_s(outlook: Outlook) -> float:
    assert outlook.step_s is not None
    return outlook.step_s.value if outlook.step_s.low is None else outlook.step_s.low


def _ratio(survey: Survey, known: Group, group: Group) -> float:
    """The least that a step on `group` may take, of what one on `known` takes."""
    power, other = _power(survey, known), _power(survey, group)
    if power is None or other is None or power[0] != other[0]:
        return 0.0
    return power[1] / other[1] / _SPREAD


def _power(survey: Survey, group: Group) -> tuple[str | None, float] | None:
    """What the group computes with (a model of GPU, or None for cores), and how fast that is; None for a mixture."""
    types = {node_type.name: node_type for node_type in survey.snapshot.node_types}
    total, kinds = 0.0, set()
    for offering, count in group.members:
        node_type = types.get(offering.node_type)
        if node_type is None:
            return None
        kinds.add(node_type.gpu_model if node_type.gpu_count else None)
        total += count * _computing(node_type, survey.workers[offering.node_type])
    if len(kinds) != 1:
        return None
    kind = kinds.pop()
    # A share of one core is that share of its time, whatever is computed.
    is_many_cores = kind is None and total > 1
    return kind, total**_GROWTH if is_many_cores else total


def _computing(node_type: NodeType, workers: Workers) -> float:
    """How many of its GPUs, or of its cores, the workers of one node compute with."""
    if node_type.gpu_count:
        return min(node_type.gpu_count, workers.processes)
    return min(node_type.cores, workers.processes * workers.threads)
