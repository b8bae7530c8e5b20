"""The policy `best_value`: the group on which a dollar buys the most of the iterations left.

Its rules are asked in order; the first that applies decides. Profiling is training: the job starts
on the cheapest candidate, tries others while that can pay, and moves to where the rest of the job
costs least. A job without a known end is assumed to go on for as long again as it has trained, and
for an hour at least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from elastic.figures import duration, price, usd
from elastic.model import Action, Group, JobPhase, Mode, Plan, Snapshot
from elastic.policy.availability import UNAVAILABLE, lack_of, until
from elastic.policy.beliefs import beliefs_of
from elastic.policy.deadline import is_free, least_cost
from elastic.policy.evaluation import (
    Evaluation,
    Evaluations,
    evaluate_candidates,
    most_promising,
    nothing_to_be_had,
)
from elastic.policy.horizon import has_trained, seconds_left
from elastic.policy.hurry import hurry, least_late
from elastic.policy.mixture import is_in_one_zone, is_mix
from elastic.policy.ranking import move_or_stay
from elastic.policy.searching import most_promising_by_earlier_runs, still_measuring, try_another
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import SEE_PRICES, kept, name, rate, shortened

# A deadline is near if two starts take more than this share of the time left: the start on the
# first group, and the start on the next one.
_HASTE = 0.2


def best_value(snapshot: Snapshot) -> Plan:
    """Gives the plan of the first rule that applies."""
    evaluations = evaluate_candidates(snapshot)
    for rule in _RULES:
        plan = rule(evaluations)
        if plan is not None:
            return plan
    return move_or_stay(evaluations)


def _nothing_left(evaluations: Evaluations) -> Plan | None:
    job = evaluations.snapshot.job
    if job.phase is JobPhase.DRAINING or job.phase.is_final:
        return evaluations.hold(
            "ending", f"the job {job.phase.predicate}: nothing is changed any more"
        )
    total = job.spec.iterations
    if total is not None and job.iteration >= total:
        return evaluations.hold(
            "ending", f"all {total:,} iterations are done", {"iterations_left": 0.0}
        )
    return None


def _nothing_to_buy(evaluations: Evaluations) -> Plan | None:
    if evaluations.choices:
        return None
    told = {each.objection for each in evaluations.outlooks if each.objection is not None} | set(
        evaluations.left_out.values()
    )
    objections = sorted(told)
    what = kept(evaluations.snapshot.target)
    # If the job admits something with a price, it waits for capacity.
    admitted = [
        each
        for each in evaluations.outlooks
        if each.objection is None and each.usd_per_h is not None
    ]
    if admitted:
        return nothing_to_be_had(evaluations, admitted)
    if (too_dear := _too_dear(evaluations, what)) is not None:
        return too_dear
    why = "; ".join(shortened(objections)) or (
        f"no node type that the job admits has a fresh price {SEE_PRICES}"
    )
    return evaluations.hold("no_price" if not objections else "not_permitted", f"{why}: {what}")


def _too_dear(evaluations: Evaluations, what: str) -> Plan | None:
    """Holds where only the cap excludes every candidate, and says how far the cheapest exceeds
    it."""
    cap = evaluations.snapshot.job.spec.objective.max_usd_per_hour
    priced = [
        (each.usd_per_h, each.group) for each in evaluations.outlooks if each.usd_per_h is not None
    ]
    if cap is None or not priced or min(priced)[0] <= cap:
        return None
    least, group = min(priced)
    why = (
        f"every candidate costs more than the cap of {price(cap)}/h; the cheapest, {name(group)}, "
        f"costs {price(least)}/h"
    )
    waits = ", and the job waits for a lower price or a higher max_usd_per_hour"
    if evaluations.snapshot.target:
        waits = ""
    return evaluations.hold(
        "not_permitted", f"{why}: {what}{waits}", {"usd_per_h": least, "max_usd_per_hour": cap}
    )


def _begin_or_wait(evaluations: Evaluations) -> Plan | None:
    """A job that holds nothing may wait for spot as long as its deadline allows."""
    if not is_free(evaluations.snapshot):
        return None
    hurried = None
    # A group that trains is weighed by the later rules.
    if evaluations.snapshot.current is None:
        hurried = hurry(evaluations)
    return hurried or least_cost(evaluations)


def _go_on_or_move(evaluations: Evaluations) -> Plan | None:
    snapshot = evaluations.snapshot
    if snapshot.current == snapshot.target:
        return least_cost(evaluations)
    return None


def _unavailable(evaluations: Evaluations) -> Plan | None:
    """Replaces a target that cannot be bought now.

    The job goes back to what trains, if that stays. Otherwise it starts on the best group that can
    be bought. No trial and no margin is needed, because there is nothing to compare with. Machines
    that are being taken back are nothing to go back to.
    """
    snapshot = evaluations.snapshot
    held = evaluations.of(evaluations.snapshot.target)
    if held is None or held.lack is None:
        return None
    why = held.lack.text
    numbers = until(held.lack.until_s)
    if snapshot.current is not None and _may_go_back_to(evaluations, snapshot.current):
        text = f"{why}: back to {name(snapshot.current)}, which trains"
        return evaluations.plan(Action.MOVE, snapshot.current, UNAVAILABLE, text, numbers)
    # Nothing to go back to: decide as if the job held nothing.
    again = evaluate_candidates(replace(snapshot, target=None))
    if not again.choices:
        # What can be bought is beyond the budget.
        return nothing_to_be_had(evaluations, [held])
    fresh = _start(again)
    assert fresh is not None and fresh.target is not None, (
        "a job without a target starts where there is a choice"
    )
    filled = _filled_up(evaluations, fresh.target)
    if filled is not None:
        assert filled.switch_cost is not None, "what promises something has a switch cost"
        end = (
            f"should finish in {duration(filled.switch_cost.lasts_s)} for "
            f"{usd(filled.switch_cost.usd.value)}"
        )
        text = f"{why}: {name(filled.group)} keeps what is there and {end}"
        return evaluations.plan(Action.MOVE, filled.group, UNAVAILABLE, text, numbers)
    text = f"{why}: {fresh.reason.text}"
    return evaluations.plan(
        Action.MOVE, fresh.target, UNAVAILABLE, text, {**fresh.reason.numbers, **numbers}
    )


def _may_go_back_to(evaluations: Evaluations, group: Group) -> bool:
    """Whether the job may stay on a group.

    In a session the old and new nodes of a swap train together, and so does the rest of a group
    that lost nodes. Such a group may be no candidate of its own.
    """
    outlook = evaluations.of(group)
    is_barred = not is_in_one_zone(group) or outlook is None or outlook.objection is not None
    if is_barred and evaluations.snapshot.job.spec.mode is Mode.LIVE:
        return False
    return lack_of(evaluations.snapshot, group, evaluations.quotes) is None


def _filled_up(evaluations: Evaluations, elsewhere: Group) -> Evaluation | None:
    """The mix that keeps the nodes there are, if it promises more than a start elsewhere."""
    rivals = [each for each in evaluations.choices if is_mix(each.group) or each.group == elsewhere]
    best = most_promising(evaluations.snapshot, rivals)
    if best is not None and is_mix(best.group):
        return best
    return None


def _start(evaluations: Evaluations) -> Plan | None:
    if evaluations.snapshot.target is not None:
        return None
    plain = evaluations.unmixed
    if plain.settled:
        best = plain.settled[0]
        text = (
            f"start on {name(best.group)}, measured before: "
            f"{rate(best.iterations_per_usd)}{_left_out(evaluations)}"
        )
        return evaluations.plan(
            Action.START, best.group, "start", text, {"usd_per_h": best.usd_per_h}
        )
    # Without windows, earlier runs of the program decide, then the deadline, then the price.
    first = most_promising_by_earlier_runs(plain)
    if first is not None:
        goal = "the best for the deadline"
        if seconds_left(evaluations.snapshot) is None:
            goal = "the cheapest"
        text = (
            f"start on {name(first.group)}: earlier runs of this program found it "
            f"{goal}{_left_out(evaluations)}"
        )
        return evaluations.plan(
            Action.START, first.group, "start", text, {"usd_per_h": first.usd_per_h or 0.0}
        )
    hasty = _hasty_start(plain)
    if hasty is not None:
        return hasty
    first = _cheapest(plain)
    which = "the only candidate"
    if len(plain.choices) > 1:
        which = f"cheapest of {len(plain.choices)} candidates"
    text = (
        f"start on {name(first.group)}: {which} ({price(first.usd_per_h or 0.0)}/h), speed not "
        f"measured yet{_left_out(evaluations)}"
    )
    return evaluations.plan(
        Action.START, first.group, "start", text, {"usd_per_h": first.usd_per_h or 0.0}
    )


def _hasty_start(evaluations: Evaluations) -> Plan | None:
    """The fastest by its hardware, if the deadline leaves no time to start on less and move
    later."""
    snapshot = evaluations.snapshot
    left_s = seconds_left(evaluations.snapshot)
    if left_s is None or left_s <= 0:
        return None
    beliefs = beliefs_of(evaluations)
    fewest = min(each.group.node_count for each in evaluations.choices)
    # Of the smallest groups, those with a belief.
    few = [
        each
        for each in evaluations.choices
        if each.group.node_count == fewest and each.group.node_types in beliefs
    ]
    if not few:
        return None
    first = min(
        few,
        key=lambda each: (beliefs[each.group.node_types].step_s, each.usd_per_h or 0.0, each.group),
    )
    # Only if two starts would take too much of the time left.
    way = transition_of(snapshot, None, first.group)
    if 2 * (way.boot_s + way.pause_s) <= _HASTE * left_s:
        return None
    text = (
        f"start on {name(first.group)}, the fastest by its hardware, for "
        f"{price(first.usd_per_h or 0.0)}/h: "
        f"the deadline is in {duration(left_s)}, too soon to start on less and move "
        f"later{_left_out(evaluations)}"
    )
    return evaluations.plan(
        Action.START, first.group, "start", text, {"usd_per_h": first.usd_per_h or 0.0}
    )


def _left_out(evaluations: Evaluations) -> str:
    """Why some node types and groups are no candidates, as the end of a reason."""
    told = [*evaluations.left_out.values(), *evaluations.beyond_budget.values()]
    if told:
        return f"; left out: {'; '.join(shortened(told))}"
    return ""


def _not_permitted(evaluations: Evaluations) -> Plan | None:
    held = evaluations.of(evaluations.snapshot.target)
    if held is None or held.objection is None:
        return None
    plain = evaluations.unmixed
    to = plain.settled[0].group if plain.settled else _cheapest(plain).group
    filled = _filled_up(evaluations, to)
    if filled is not None:
        to = filled.group
    is_scaled = (
        evaluations.snapshot.job.spec.nodes_wanted is not None
        and held.group.node_count not in evaluations.snapshot.job.spec.sizes
    )
    return evaluations.plan(
        Action.MOVE,
        to,
        "scaled" if is_scaled else "not_permitted",
        f"{held.objection}: move to {name(to)}",
    )


def _change_in_progress(evaluations: Evaluations) -> Plan | None:
    target = evaluations.snapshot.target
    current = evaluations.snapshot.current
    if target is None or target == current:
        return None
    if current is not None:
        return evaluations.hold(
            "changing", f"{name(current)} trains until {name(target)} is ready to take over"
        )
    if has_trained(evaluations.snapshot, target):
        return evaluations.hold(
            "lost",
            f"{name(target)} does not train on all its nodes now: it is kept, and what is missing "
            "is restored",
        )
    return evaluations.hold("changing", f"waiting for {name(target)} to boot, join and train")


def _held_without_price(evaluations: Evaluations) -> Plan | None:
    target = evaluations.snapshot.target
    held = evaluations.of(target)
    if target is None or held is None or held.usd_per_h is not None:
        return None
    return evaluations.hold(
        "no_price",
        f"{name(target)} has no fresh price {SEE_PRICES}, so nothing can be compared with it: it "
        "is kept",
    )


def _other_phase(evaluations: Evaluations) -> Plan | None:
    focus = evaluations.focus
    if focus.is_now:
        return None
    if focus.current_left is None:
        left = "some"
    else:
        left = f"{focus.current_left:,}"
    if focus.iterations_left is None:
        rest = "an open end"
    else:
        rest = f"{focus.iterations_left:,} iterations"
    text = (
        f"still in {focus.current_phase} for {left} iterations, and its speed does not predict "
        f"{focus.training_phase}, which is most of the rest ({rest}): trials and moves wait for "
        f"{focus.training_phase}"
    )
    return evaluations.hold("phase", text)


def _cheapest(evaluations: Evaluations) -> Evaluation:
    """The choice with the lowest burn; of equals the one with more cores, then by name."""
    cores = {node_type.name: node_type.cores for node_type in evaluations.snapshot.node_types}

    def order(outlook: Evaluation) -> tuple[float, float, Group]:
        cpu = sum(
            count * cores.get(offering.node_type, 0.0) for offering, count in outlook.group.members
        )
        return float(f"{outlook.usd_per_h or 0.0:.9g}"), -cpu, outlook.group

    return min(evaluations.choices, key=order)


_RULES: tuple[Callable[[Evaluations], Plan | None], ...] = (
    _nothing_left,
    _nothing_to_buy,
    _begin_or_wait,
    _unavailable,
    _start,
    _not_permitted,
    _change_in_progress,
    _held_without_price,
    _other_phase,
    still_measuring,
    hurry,
    try_another,
    least_late,
    _go_on_or_move,
)
