"""What else should be fast enough, for a job that will be late on every measured group.

If there is neither time nor money for a trial, a guess is better than a deadline that is missed for
certain. The guess is careful, and the windows of the new group correct it.
"""

from __future__ import annotations

from dataclasses import dataclass

from elastic.figures import duration, usd
from elastic.model import Group, Plan
from elastic.policy.beliefs import beliefs_of
from elastic.policy.deadline import is_free, lasts_s
from elastic.policy.evaluation import Evaluation, Evaluations
from elastic.policy.horizon import seconds_left, work_left
from elastic.policy.mixture import is_mix
from elastic.policy.switch_cost import transition_of
from elastic.policy.trial import best_to_compare_with, trial_offers
from elastic.policy.words import name

_S_PER_H = 3600.0
# The part of a step that more nodes do not shorten, until two sizes are measured (Amdahl's law).
_SERIAL = 0.1
# The share of the time left that a guess may take.
_SHARE = 0.95
# Other node types are taken to be slower than expected: so many standard deviations, which three in
# four are not slower than.
_CAREFUL = 0.67


@dataclass(frozen=True, slots=True)
class _Guess:
    group: Group
    lasts_s: float
    usd: float
    why: str


def hurry(evaluations: Evaluations) -> Plan | None:
    """The move to the cheapest group that should be in time.

    None if a worthwhile trial should be in time too, or if a measured group is.
    """
    left_s = seconds_left(evaluations.snapshot) or 0.0
    fitting = {
        each.group: each for each in _guesses(evaluations) if each.lasts_s <= _SHARE * left_s
    }
    if not fitting:
        return None
    if evaluations.snapshot.current is not None:
        offers = trial_offers(evaluations, best_to_compare_with(evaluations))
        # If a trial should be in time as well, it shows more than a guess.
        tried = next((each for each in offers if each.verdict.is_worth), None)
        if tried is not None and tried.group in fitting:
            return None
    return _move(evaluations, min(fitting.values(), key=lambda each: (each.usd, each.group)))


def least_late(evaluations: Evaluations) -> Plan | None:
    """The move to the group that should be the fastest, if none should be in time.

    None if a measured group is the fastest.
    """
    best = min(_guesses(evaluations), key=lambda each: (each.lasts_s, each.group), default=None)
    if best is None:
        return None
    return _move(evaluations, best)


def _guesses(evaluations: Evaluations) -> list[_Guess]:
    """For a job that will be late on all that is measured: the groups that should be clearly
    faster.

    How much faster follows from how speed usually grows with nodes and hardware.
    """
    snapshot = evaluations.snapshot
    work = work_left(snapshot)
    left_s = seconds_left(snapshot)
    if left_s is None or left_s <= 0 or not work or not evaluations.focus.is_now:
        return []
    # What is held must train whole and measured, or nothing may be there at all.
    held = evaluations.of(snapshot.target)
    if snapshot.current is None:
        if not is_free(snapshot):
            return []
        held = None
    elif (
        snapshot.current != snapshot.target
        or held is None
        or held.step_s is None
        or is_mix(held.group)
    ):
        return []
    quickest = _quickest(evaluations, work)
    # A measured group that is in time needs no guess.
    if quickest is None or quickest[0] <= left_s:
        return []
    beliefs = beliefs_of(evaluations)
    # More nodes of what is held go by Amdahl's law, other hardware by its belief.
    found = []
    for each in evaluations.choices:
        if is_mix(each.group) or (held is not None and each.group == held.group):
            continue
        belief = beliefs.get(each.group.node_types)
        if held is not None and _is_alike(held, each):
            found.append(_more_nodes(evaluations, held, each, work))
        elif not each.samples and belief is not None:
            why = "as programs usually run on such hardware"
            found.append(_guess(evaluations, held, each, work, belief.quantile_s(_CAREFUL), why))
    budget_usd = snapshot.job.spec.objective.budget_usd
    # A guess must be faster by the margin, and within the budget.
    rest_usd = None if budget_usd is None else budget_usd - snapshot.spent_usd
    return [
        each
        for each in found
        if each.lasts_s < (1 - snapshot.limits.margin) * quickest[0]
        and (rest_usd is None or each.usd <= rest_usd)
    ]


def _quickest(evaluations: Evaluations, work: float) -> tuple[float, Group] | None:
    """The measured group that should finish first, and after how many seconds."""
    known = [each for each in evaluations.measured if each.is_choice]
    return min(
        ((lasts_s(evaluations.snapshot, each, work), each.group) for each in known), default=None
    )


def _move(evaluations: Evaluations, best: _Guess) -> Plan:
    snapshot = evaluations.snapshot
    work = work_left(snapshot)
    left_s = seconds_left(snapshot)
    assert left_s is not None and work, "what is guessed of has work and a deadline"
    quickest = _quickest(evaluations, work)
    assert quickest is not None, "a guess is compared with what is measured"
    needs_s, group = quickest
    text = (
        f"{name(group)} needs {duration(needs_s)} and the deadline is in {duration(left_s)}: "
        f"{name(best.group)} should need {duration(best.lasts_s)}, for {usd(best.usd)}, {best.why}"
    )
    numbers = {"left_s": left_s, "lasts_s_from": needs_s, "lasts_s_to": best.lasts_s}
    return evaluations.change(best.group, "deadline", text, numbers)


def _is_alike(held: Evaluation, other: Evaluation) -> bool:
    """Whether `other` is only more nodes of the same offering: then what is known of its speed
    applies."""
    is_same = [each for each, _ in held.group.members] == [each for each, _ in other.group.members]
    return is_same and other.group.node_count > held.group.node_count


def _more_nodes(
    evaluations: Evaluations, held: Evaluation, other: Evaluation, work: float
) -> _Guess:
    assert held.step_s is not None, "only a group that is measured is left behind"
    step_s = held.step_s.value * _share(other.group.node_count) / _share(held.group.node_count)
    if other.step_s is not None:
        step_s = other.step_s.upper
    return _guess(evaluations, held, other, work, step_s, "as speed usually grows with nodes")


def _guess(
    evaluations: Evaluations,
    held: Evaluation | None,
    other: Evaluation,
    work: float,
    step_s: float,
    why: str,
) -> _Guess:
    way = transition_of(evaluations.snapshot, None if held is None else held.group, other.group)
    done = 0.0
    held_usd = 0.0
    if held is not None and held.step_s is not None:
        # What is held trains on while the other boots.
        done = min(work, way.boot_s / held.step_s.value)
        held_usd = (held.usd_per_h or 0.0) * way.boot_s / _S_PER_H
    trains_s = (work - done) * step_s
    total_usd = (
        way.usd(evaluations.quotes) + held_usd + (other.usd_per_h or 0.0) * trains_s / _S_PER_H
    )
    return _Guess(other.group, way.boot_s + way.pause_s + trains_s, total_usd, why)


def _share(nodes: int) -> float:
    """The time of a step on `nodes` nodes, as a share of one node's.

    >>> round(_share(1), 6), round(_share(4), 6)
    (1.0, 0.325)
    """
    return _SERIAL + (1 - _SERIAL) / nodes
