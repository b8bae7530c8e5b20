"""The safety net: whatever a policy wants, a deadline that on-demand can meet is met.

Spot may be lost, and waiting trains nothing. Both are allowed while on-demand could still finish in
time if the worst happened until the next look: a look without an iteration. A launch of spot is
allowed only if that holds even when it is lost as soon as it could train. After that point the job
goes to the cheapest on-demand group that is in time.

It is the rule of Can't Be Late (Wu et al., NSDI 2024).
"""

from __future__ import annotations

from dataclasses import replace

from elastic.figures import duration, usd
from elastic.model import Action, Candidate, Group, Plan, Reason, Snapshot
from elastic.policy.availability import needs_purchase
from elastic.policy.budget import change_usd, covers
from elastic.policy.horizon import seconds_left, work_left
from elastic.policy.quotes import dearest_quotes
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import name

# The code of a reason: without this change the deadline could be missed.
DEADLINE = "deadline"


def safety_net(snapshot: Snapshot, plan: Plan) -> Plan:
    """Gives `plan`, or a change to on-demand if the plan would leave too little time for one."""
    left_s = seconds_left(snapshot)
    if left_s is None or left_s <= 0 or plan.action is Action.STOP:
        return plan
    work = work_left(snapshot)
    if not work:
        return plan
    # Step in only while on-demand can still finish in time, and would not after another look.
    safe = [each for each in plan.candidates if _is_safe(snapshot, each)]
    in_time = [each for each in safe if _needs_s(snapshot, snapshot.current, each, work) <= left_s]
    if not in_time or not _is_exposed(snapshot, plan, safe, work, left_s):
        return plan
    best = min(in_time, key=lambda each: (_rest_usd(snapshot, each, work), each.group))
    if best.group == plan.target:
        return plan
    needs_s = _needs_s(snapshot, snapshot.current, best, work)
    if plan.target is None:
        why = "and to wait longer would risk the deadline"
    else:
        why = f"and cannot be taken back, as {name(plan.target)} can"
    text = (
        f"the deadline is in {duration(left_s)}: {name(best.group)} needs {duration(needs_s)} at "
        f"most, for {usd(_rest_usd(snapshot, best, work))}, {why}"
    )
    if snapshot.target is None:
        action = Action.START
    else:
        action = Action.MOVE
    numbers = {"left_s": left_s, "needs_s": needs_s, "iterations_left": float(work)}
    limited_by = (*plan.limited_by, DEADLINE)
    reason = Reason(DEADLINE, text, numbers)
    return replace(
        plan, action=action, target=best.group, reason=reason, limited_by=limited_by, may_buy=True
    )


def can_be_met(snapshot: Snapshot, plan: Plan) -> bool:
    """Whether on-demand can still finish in time at its slowest pace; always without a deadline."""
    left_s = seconds_left(snapshot)
    work = work_left(snapshot)
    if left_s is None or not work:
        return True
    return any(
        _is_safe(snapshot, each) and _needs_s(snapshot, snapshot.current, each, work) <= left_s
        for each in plan.candidates
    )


def _is_exposed(
    snapshot: Snapshot, plan: Plan, safe: list[Candidate], work: float, left_s: float
) -> bool:
    """Whether the deadline could be missed if the plan's group were lost, or nothing done, until
    the next look."""
    look_s = snapshot.limits.tick_s
    target = plan.target
    own = plan.candidate(target)
    # The policy itself compares on-demand groups by the deadline.
    if target is not None and target.is_on_demand:
        return False
    # Assume the worst until the next look: the group is lost, or the launch yields nothing.
    trains = target is not None and snapshot.current == target
    # A loss without notice is seen one look later, and the report of it takes the reaction time.
    lost_s = look_s + (snapshot.limits.reaction_s or 0.0)
    done = 0.0
    if trains and own is not None and own.step_s is not None:
        done = look_s / _slow_s(own)
    elif target is not None and plan.may_buy and needs_purchase(snapshot, target):
        way = transition_of(snapshot, snapshot.current, target)
        lost_s += way.pause_s if snapshot.current else way.boot_s + way.pause_s
    rest = max(work - done, 0.0)
    return all(lost_s + _needs_s(snapshot, None, each, rest) > left_s for each in safe)


def _is_safe(snapshot: Snapshot, candidate: Candidate) -> bool:
    """On demand, permitted, with a known pace and price, and bought or for sale.

    A start must fit the budget, too: one that the guard refuses would leave the job with nothing.
    """
    spec = snapshot.job.spec
    burn = candidate.usd_per_h
    if candidate.step_s is None or burn is None or candidate.unavailable is not None:
        return False
    cap = spec.objective.max_usd_per_hour
    if candidate.group.node_count not in spec.sizes or (cap is not None and burn > cap):
        return False
    if snapshot.target is None and not covers(
        snapshot, change_usd(snapshot, dearest_quotes(snapshot), None, candidate.group)
    ):
        return False
    fixed = spec.fixed_node_type
    return candidate.group.is_on_demand and all(
        spec.admits(each) and fixed in (None, each.node_type) for each, _ in candidate.group.members
    )


def _needs_s(snapshot: Snapshot, origin: Group | None, candidate: Candidate, work: float) -> float:
    """Seconds to the end on a candidate at its slowest pace, the way there included."""
    way = transition_of(snapshot, origin, candidate.group)
    redo_s = snapshot.job.redo_iterations * _slow_s(candidate)
    return way.boot_s + way.pause_s + redo_s + work * _slow_s(candidate)


def _slow_s(candidate: Candidate) -> float:
    assert candidate.step_s is not None, "only what is known is asked"
    return candidate.step_s.upper


def _rest_usd(snapshot: Snapshot, candidate: Candidate, work: float) -> float:
    return (
        (candidate.usd_per_h or 0.0)
        * _needs_s(snapshot, snapshot.current, candidate, work)
        / 3600.0
    )
