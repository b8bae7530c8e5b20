"""A job that will be late on every group that is measured: how many nodes it needs, by how speed usually grows.

Where there is neither time nor money for a trial, a guess is better than a deadline that is missed for certain. The
guess is careful, and the windows of the new size correct it.
"""

from __future__ import annotations

from dataclasses import dataclass

from elastic.model import Action, Group, Plan
from elastic.policy.horizon import seconds_left
from elastic.policy.mixture import is_mix
from elastic.policy.passage import transition_of
from elastic.policy.survey import Outlook, Survey
from elastic.policy.trial import best_to_compare_with, trial_offers
from elastic.policy.words import duration, name, usd

_S_PER_H = 3600.0
# The part of a step that more nodes do not shorten, until two sizes are measured (Amdahl's law).
_SERIAL = 0.1
# How much of the time left a guess may take: it is one.
_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class _Guess:
    group: Group
    lasts_s: float
    usd: float


def hurry(survey: Survey) -> Plan | None:
    """The move to the cheapest size that should be in time; None if a trial should be so too, or a measured one is."""
    best = min(
        (each for each in _guesses(survey) if each.lasts_s <= _SHARE * (seconds_left(survey.snapshot) or 0.0)),
        key=lambda each: (each.usd, each.group),
        default=None,
    )
    if best is None:
        return None
    offers = trial_offers(survey, best_to_compare_with(survey))
    is_found = any(each.verdict.is_worth and not each.late_s for each in offers)
    return None if is_found else _move(survey, best)


def least_late(survey: Survey) -> Plan | None:
    """The move to the size that should be the fastest, where none should be in time; None if a measured one is."""
    best = min(_guesses(survey), key=lambda each: (each.lasts_s, each.group), default=None)
    return None if best is None else _move(survey, best)


def _guesses(survey: Survey) -> list[_Guess]:
    """More nodes of a job that will be late on all that is measured, as far as they should be clearly faster."""
    snapshot, target = survey.snapshot, survey.snapshot.target
    left_s, work = seconds_left(snapshot), survey.focus.iterations_left
    held = survey.of(target)
    if left_s is None or left_s <= 0 or not work or held is None or held.step_s is None or is_mix(held.group):
        return []
    in_time = any(each.passage.worst_s <= left_s for each in survey.settled)
    needs_s = work * held.step_s.value
    if in_time or needs_s <= left_s or snapshot.current != target:
        return []
    found = [_guess(survey, held, each, work) for each in survey.choices if _is_alike(held, each)]
    return [each for each in found if each.lasts_s < (1 - snapshot.limits.margin) * needs_s]


def _move(survey: Survey, best: _Guess) -> Plan:
    snapshot, target = survey.snapshot, survey.snapshot.target
    left_s, work, held = seconds_left(snapshot), survey.focus.iterations_left, survey.of(target)
    assert target and left_s and work and held and held.step_s, "what is guessed of is held, and late"
    needs_s = work * held.step_s.value
    text = (
        f"{name(target)} needs {duration(needs_s)} and the deadline is in {duration(left_s)}: "
        f"{name(best.group)} should need {duration(best.lasts_s)}, for {usd(best.usd)}, "
        "as speed usually grows with nodes"
    )
    numbers = {"left_s": left_s, "lasts_s_from": needs_s, "lasts_s_to": best.lasts_s}
    return survey.plan(Action.MOVE, best.group, "deadline", text, numbers)


def _is_alike(held: Outlook, other: Outlook) -> bool:
    """More nodes of the same offering: zone and capacity stay, and so does what is known of speed."""
    is_same = [each for each, _ in held.group.members] == [each for each, _ in other.group.members]
    return is_same and other.group.node_count > held.group.node_count


def _guess(survey: Survey, held: Outlook, other: Outlook, work: float) -> _Guess:
    assert held.step_s is not None, "only a group that is measured is left behind"
    way = transition_of(survey.snapshot, held.group, other.group)
    done = min(work, way.boot_s / held.step_s.value)
    step_s = held.step_s.value * _share(other.group.node_count) / _share(held.group.node_count)
    if other.step_s is not None:
        step_s = other.step_s.value if other.step_s.high is None else other.step_s.high
    trains_s = (work - done) * step_s
    burn = other.usd_per_h or 0.0
    held_usd = (held.usd_per_h or 0.0) * way.boot_s / _S_PER_H
    total_usd = way.usd(survey.quotes) + held_usd + burn * trains_s / _S_PER_H
    return _Guess(other.group, way.boot_s + way.pause_s + trains_s, total_usd)


def _share(nodes: int) -> float:
    """The time of a step on so many nodes, as a share of one node's.

    >>> round(_share(1), 6), round(_share(4), 6)
    (1.0, 0.325)
    """
    return _SERIAL + (1 - _SERIAL) / nodes
