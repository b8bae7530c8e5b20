"""The guard: limits any plan to what the job and the operator allow, and says so.

Reaching the budget stops the job. What is taken back from a job that is nearly done is not
replaced. Every other limit applies to changes only: the guard never ends what is held, because
missing data must not scale anything. Limits are asked in order; each sees the plan as the ones
before it left it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from elastic.figures import counted, duration, price, usd
from elastic.model import Action, Change, Group, JobPhase, Plan, Reason, Snapshot
from elastic.policy.availability import UNAVAILABLE, lack_of, needs_purchase
from elastic.policy.budget import change_usd, covers, start_reserve_usd, wind_down_s
from elastic.policy.deadline import LEAST_COST
from elastic.policy.finishing import unreplaced
from elastic.policy.horizon import has_trained
from elastic.policy.quotes import burn_usd_per_h, dearest_quotes, fresh_quotes, known_burn_usd_per_h
from elastic.policy.safety_net import DEADLINE, safety_net
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import SEE_PRICES, kept, name

_S_PER_H = 3600.0
# A later change is never the opposite of one of these: a trial is meant to be left.
_EXPERIMENTS = frozenset({"trial"})
# Changes that do not wait for a cooldown. The job's spec or its cap forbids what is held, or its
# user has chosen something else. Or what is held cannot be bought: then nothing runs that a change
# could undo.
_COMPELLED = frozenset(
    {"not_permitted", "scaled", "fixed", "fastest", DEADLINE, LEAST_COST, UNAVAILABLE}
)

_FAILING = "failing"

# A cloud takes a second or two to refuse a purchase, and other jobs wait meanwhile: so many at one
# look.
_MOST_REFUSALS = 8


def guard(snapshot: Snapshot, plan: Plan) -> Plan:
    """Gives `plan`, or as much of it as the limits allow.

    `limited_by` and the reason name each limit that changed it.
    """
    if snapshot.job.phase is JobPhase.DRAINING or snapshot.job.phase.is_final:
        return plan
    stop = _budget_reached(snapshot, plan)
    if stop is not None:
        return stop
    repeat = _repeats_on_what_it_has(snapshot, plan)
    if repeat is not None:
        return repeat
    plan = unreplaced(snapshot, safety_net(snapshot, plan))
    for limit in _LIMITS:
        if plan.action in (Action.HOLD, Action.STOP):
            break
        plan = limit(snapshot, plan)
    return plan


def _budget_reached(snapshot: Snapshot, plan: Plan) -> Plan | None:
    """Stops the job while the budget still covers ending in good order."""
    budget_usd = snapshot.job.spec.objective.budget_usd
    if budget_usd is None:
        return None
    quotes = dearest_quotes(snapshot)
    # What burns: the machines that are paid, or the target if that is more.
    paid = [(node.offering, 1) for node in snapshot.nodes if not node.phase.is_gone]
    burn = known_burn_usd_per_h(paid, quotes)
    starting = 0.0
    if snapshot.target is not None:
        burn = max(burn, known_burn_usd_per_h(snapshot.target.members, quotes))
    elif plan.target is not None:
        starting = known_burn_usd_per_h(plan.target.members, quotes)
    lasts_s = wind_down_s(snapshot)
    reserve_usd = burn * lasts_s / _S_PER_H
    # A first start also pays its least bill.
    if starting > burn:
        burn = starting
        reserve_usd, lasts_s = start_reserve_usd(snapshot, burn)
    if covers(snapshot, reserve_usd):
        return None
    text = (
        f"{_spent(snapshot)} and {usd(reserve_usd)} kept back to end in good order "
        f"({duration(lasts_s)} of {price(burn)}/h) reach the budget of {usd(budget_usd)}: "
        "the job stops"
    )
    numbers = {
        "spent_usd": snapshot.spent_usd,
        "reserve_usd": reserve_usd,
        "budget_usd": budget_usd,
        "usd_per_h": burn,
    }
    if snapshot.doubted:
        numbers["doubted_usd"] = snapshot.doubted_usd
    limited_by = tuple(dict.fromkeys((*plan.limited_by, "budget")))
    return replace(
        plan,
        action=Action.STOP,
        target=None,
        reason=Reason("budget", _with_doubts(snapshot, text), numbers),
        limited_by=limited_by,
    )


def _spent(snapshot: Snapshot) -> str:
    """What the job has cost, and how much more it may have cost."""
    more = ""
    if snapshot.doubted_usd:
        more = f" (perhaps {usd(snapshot.doubted_usd)} more)"
    return f"{usd(snapshot.spent_usd)} spent{more}"


def _with_doubts(snapshot: Snapshot, text: str) -> str:
    if snapshot.doubted:
        return f"{text}; prices that are not believed yet count where they are higher"
    return text


def _node_count(snapshot: Snapshot, plan: Plan) -> Plan:
    spec = snapshot.job.spec
    target = plan.target
    if target is None or target.node_count in spec.sizes:
        return plan
    is_over = target.node_count > spec.sizes[-1]
    limit, count = ("nodes_max", spec.sizes[-1]) if is_over else ("nodes_min", spec.sizes[0])
    if spec.nodes_wanted is not None:
        limit = "nodes_wanted"
    return _resized(
        snapshot,
        plan,
        _resize(target, count),
        limit,
        f"{counted(target.node_count, 'node')} wanted, {limit} is {count}",
    )


def _repeats_on_what_it_has(snapshot: Snapshot, plan: Plan) -> Plan | None:
    """Gives up a change during which the job failed, if the group before it is still complete."""
    job = snapshot.job
    target = snapshot.target
    last = max(snapshot.changes, key=lambda change: change.at_s, default=None)
    if (
        job.error is None
        or target in (None, snapshot.current)
        or last is None
        or last.to_group != target
    ):
        return None
    if last.from_group is None or not {last.code, plan.reason.code}.isdisjoint(
        _COMPELLED | {_FAILING}
    ):
        return None
    # Without quotes nothing can be bought: every node of the group must be there.
    if lack_of(snapshot, last.from_group, {}) is not None or has_trained(snapshot, last.to_group):
        return None
    text = (
        f"back to {name(last.from_group)}, which is there: the job failed before it had changed: "
        f"{job.error}"
    )
    return replace(plan, action=Action.MOVE, target=last.from_group, reason=Reason(_FAILING, text))


def _not_while_failing(snapshot: Snapshot, plan: Plan) -> Plan:
    """After a failure nothing is tried or bought until the job has passed the iteration where it
    failed."""
    error = snapshot.job.error
    if error is None or snapshot.target is None or plan.reason.code in _COMPELLED:
        return plan
    why = (
        f"the job failed at iteration {error.iteration or 0:,} and has not passed it since: {error}"
    )
    return _refused(snapshot, plan, "failure", _FAILING, why)


def _price_known(snapshot: Snapshot, plan: Plan) -> Plan:
    if plan.target is None:
        return plan
    quotes = fresh_quotes(snapshot)
    missing = [
        each
        for each, _ in transition_of(snapshot, snapshot.target, plan.target).added
        if each not in quotes
    ]
    if not missing:
        return plan
    return _refused(
        snapshot,
        plan,
        "price",
        "no_price",
        f"{missing[0]} has no fresh price {SEE_PRICES}, and nothing is bought unpriced",
    )


def _burn_cap(snapshot: Snapshot, plan: Plan) -> Plan:
    cap = snapshot.job.spec.objective.max_usd_per_hour
    target = plan.target
    if cap is None or target is None:
        return plan
    quotes = fresh_quotes(snapshot)
    burn = burn_usd_per_h(target, quotes)
    if burn is None or burn <= cap:
        return plan
    why = f"{name(target)} burns {price(burn)}/h, the cap is {price(cap)}/h"
    # Fewer nodes of the same group may be within the cap.
    for count in range(target.node_count - 1, snapshot.job.spec.sizes[0] - 1, -1):
        fewer = _resize(target, count)
        if (burn_usd_per_h(fewer, quotes) or 0.0) <= cap:
            return _resized(snapshot, plan, fewer, "max_usd_per_hour", why)
    return _refused(snapshot, plan, "max_usd_per_hour", "max_usd_per_hour", why)


def _available(snapshot: Snapshot, plan: Plan) -> Plan:
    if plan.target is None:
        return plan
    lack = lack_of(snapshot, plan.target, fresh_quotes(snapshot))
    if lack is None:
        return plan
    return _refused(snapshot, plan, UNAVAILABLE, UNAVAILABLE, lack.text)


def _most_refusals(snapshot: Snapshot, plan: Plan) -> Plan:
    """After too many refusals at one look, the rest is asked for at the next one."""
    if (
        len(snapshot.refused) < _MOST_REFUSALS
        or plan.target is None
        or not needs_purchase(snapshot, plan.target)
    ):
        return plan
    why = (
        f"{len(snapshot.refused)} purchases were refused at this look; the next one asks for others"
    )
    return _refused(snapshot, plan, "refusals", UNAVAILABLE, why)


def _budget_for_change(snapshot: Snapshot, plan: Plan) -> Plan:
    """Allows a change only if the budget still covers the end after both groups have burned through
    it."""
    budget_usd = snapshot.job.spec.objective.budget_usd
    if budget_usd is None or plan.target is None:
        return plan
    # A target that could not be bought, or of which nothing is there, costs nothing to leave.
    if plan.reason.code == UNAVAILABLE or not snapshot.nodes:
        origin = snapshot.current
    else:
        origin = snapshot.target
    needed_usd = change_usd(snapshot, dearest_quotes(snapshot), origin, plan.target)
    if covers(snapshot, needed_usd):
        return plan
    why = (
        f"{_spent(snapshot)} and {usd(needed_usd)} for the change exceed the budget of "
        f"{usd(budget_usd)}"
    )
    return _refused(snapshot, plan, "budget", "budget_short", _with_doubts(snapshot, why))


def _cooldown(snapshot: Snapshot, plan: Plan) -> Plan:
    if plan.reason.code in _COMPELLED or plan.target is None or snapshot.target is None:
        return plan
    opposite = [
        change
        for change in snapshot.changes
        if _is_opposite(snapshot.target, plan.target, change)
        and not _was_too_much(snapshot, plan.target, change)
    ]
    until_s = (
        max((change.at_s for change in opposite), default=float("-inf"))
        + snapshot.limits.cooldown_s
    )
    if snapshot.now_s >= until_s:
        return plan
    left_s = until_s - snapshot.now_s
    why = (
        f"it would undo a change made less than {duration(snapshot.limits.cooldown_s)} ago; "
        f"{duration(left_s)} to wait"
    )
    return _refused(snapshot, plan, "cooldown", "cooldown", why)


_LIMITS: tuple[Callable[[Snapshot, Plan], Plan], ...] = (
    _not_while_failing,
    _node_count,
    _price_known,
    _burn_cap,
    _available,
    _most_refusals,
    _budget_for_change,
    _cooldown,
)


def _is_opposite(held: Group, wanted: Group, change: Change) -> bool:
    """Whether going from `held` to `wanted` undoes `change`.

    It does if it returns to what `change` left, or resizes the same offerings the other way.
    """
    if change.code in _EXPERIMENTS or change.from_group is None or change.to_group is None:
        return False
    if change.from_group == wanted:
        return True
    then = change.to_group.node_count - change.from_group.node_count
    now = wanted.node_count - held.node_count
    return then * now < 0 and _offerings(wanted) == _offerings(change.from_group) == _offerings(
        change.to_group
    )


def _was_too_much(snapshot: Snapshot, wanted: Group, change: Change) -> bool:
    """Whether what `change` gave up is blocked only because of its size.

    A smaller group of it does not undo the change.
    """
    if (
        change.code != UNAVAILABLE
        or change.from_group is None
        or change.from_group.node_count <= wanted.node_count
    ):
        return False
    closed = [
        each for each in snapshot.unavailable if each.until_s > snapshot.now_s and each.nodes > 1
    ]
    return any(each.offering in _offerings(wanted) for each in closed)


def _offerings(group: Group) -> frozenset[object]:
    return frozenset(offering for offering, _ in group.members)


def _resize(group: Group, count: int) -> Group:
    """The group with `count` nodes: its last offerings lose nodes first, its first one gains
    them."""
    members = list(group.members)
    surplus = group.node_count - count
    while surplus > 0:
        offering, have = members.pop()
        taken = min(have, surplus)
        surplus -= taken
        if have > taken:
            members.append((offering, have - taken))
    if surplus < 0:
        offering, have = members[0]
        members[0] = (offering, have - surplus)
    return Group(tuple(members))


def _resized(snapshot: Snapshot, plan: Plan, target: Group, limit: str, why: str) -> Plan:
    if target == snapshot.target:
        action = Action.HOLD
    else:
        action = plan.action
    reason = replace(plan.reason, text=f"{plan.reason.text} (limited to {name(target)}: {why})")
    return replace(
        plan, action=action, target=target, reason=reason, limited_by=(*plan.limited_by, limit)
    )


def _refused(snapshot: Snapshot, plan: Plan, limit: str, code: str, why: str) -> Plan:
    text = f"{kept(snapshot.target)}: {why} (wanted: {plan.reason.text})"
    reason = Reason(code, text, plan.reason.numbers)
    return replace(
        plan,
        action=Action.HOLD,
        target=snapshot.target,
        reason=reason,
        limited_by=(*plan.limited_by, limit),
    )


def contradictions(snapshot: Snapshot) -> tuple[tuple[str, str], ...]:
    """Gives the field and a sentence for each limit of a new job that all of its candidates exceed.

    Nothing is said while no price is known, because that passes.
    """
    return tuple(_found(snapshot))


def _found(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    spec = snapshot.job.spec
    quotes = fresh_quotes(snapshot)
    # The smallest groups that the job admits, at today's prices.
    unfit = {each.name for each in snapshot.node_types if spec.unfit(each) is not None}
    groups = [
        Group.of(offering, spec.sizes[0])
        for offering in quotes
        if spec.admits(offering)
        and offering.node_type not in unfit
        and spec.fixed_node_type in (None, offering.node_type)
    ]
    if not groups:
        return
    burn, least = min((burn_usd_per_h(each, quotes) or 0.0, each) for each in groups)
    cap = spec.objective.max_usd_per_hour
    if cap is not None and cap < burn:
        yield (
            "objective.max_usd_per_hour",
            f"wanted at least {price(burn)}, which {name(least)}, the cheapest candidate, costs an "
            f"hour now; got {price(cap)}",
        )
    budget_usd = spec.objective.budget_usd
    # What a start is held to: with less, the job would wait for ever.
    dearest = dearest_quotes(snapshot)
    needed_usd, least = min((change_usd(snapshot, dearest, None, each), each) for each in groups)
    if budget_usd is not None and budget_usd <= needed_usd:
        yield (
            "objective.budget_usd",
            f"wanted more than {usd(needed_usd)}: the boot of {name(least)}, the cheapest "
            "candidate, and its least bill, or what is kept back to end in good order "
            f"(policy.wind_down_s), take that; got {usd(budget_usd)}",
        )
