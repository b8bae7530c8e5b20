"""Deciding: the job's own policy proposes a plan, and the guard limits it.

Nothing is proposed while the provider's catalogue is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from elastic.errors import InvalidInput
from elastic.model import Action, JobPhase, Plan, Reason, Snapshot
from elastic.policy.best_value import best_value
from elastic.policy.fixed import fixed
from elastic.policy.guard import guard
from elastic.policy.holding import heed_miss, heed_start, paused_or_over
from elastic.policy.purse import heed_purse, within_share
from elastic.policy.shortlist import shortlist
from elastic.policy.switch_cost import transition_of
from elastic.policy.words import kept, offering_name, shortened

Policy = Callable[[Snapshot], Plan]

# Raise a policy's version when the same snapshot may give another plan. Then `decision replay` does
# not compare what an earlier version decided.
_REGISTERED: Mapping[str, tuple[Policy, int]] = {
    "best_value": (best_value, 13),
    "fixed": (fixed, 8),
}

POLICIES: Mapping[str, Policy] = {name: policy for name, (policy, _) in _REGISTERED.items()}
VERSIONS: Mapping[str, int] = {name: version for name, (_, version) in _REGISTERED.items()}


def decide(snapshot: Snapshot) -> Plan:
    """Gives the guarded plan of the job's policy; the same snapshot always gives the same plan.

    Raises InvalidInput.
    """
    policy = POLICIES.get(snapshot.job.spec.policy)
    if policy is None:
        raise InvalidInput(
            f"policy: wanted one of {', '.join(POLICIES)}, got {snapshot.job.spec.policy!r}",
            field="policy.name",
        )
    job = snapshot.job
    if job.phase is JobPhase.PAUSED or job.spec.max_duration_s is not None:
        held = paused_or_over(snapshot)
        if held is not None:
            return held
    if snapshot.share is not None:
        snapshot = within_share(snapshot)
    snapshot = shortlist(snapshot)
    if not snapshot.is_catalog_known:
        return guard(snapshot, _hold(snapshot))
    plan = guard(snapshot, heed_miss(snapshot, policy(snapshot), policy))
    if snapshot.target is None:
        plan = heed_start(snapshot, plan)
    if snapshot.share is not None:
        plan = heed_purse(snapshot, plan)
    return replace(_with_refusals(snapshot, _with_boot(snapshot, plan)), pruned=snapshot.pruned)


def _with_refusals(snapshot: Snapshot, plan: Plan) -> Plan:
    """Adds what this decision has asked for before without success."""
    if not snapshot.refused:
        return plan
    names = shortened([offering_name(each) for each in dict.fromkeys(snapshot.refused)])
    text = f"{plan.reason.text} (refused just now: {', '.join(names)})"
    numbers = {**plan.reason.numbers, "refused": float(len(snapshot.refused))}
    return replace(plan, reason=replace(plan.reason, text=text, numbers=numbers))


def _with_boot(snapshot: Snapshot, plan: Plan) -> Plan:
    """Adds, to a plan that buys, how long its new nodes take to boot and what their downloads
    cost."""
    if plan.target is None or plan.target == snapshot.target or not snapshot.boots:
        return plan
    way = transition_of(snapshot, snapshot.target, plan.target)
    if not way.added:
        return plan
    numbers = {**plan.reason.numbers, "boot_s": way.boot_s, "fetch_usd": way.fetch_usd}
    return replace(plan, reason=replace(plan.reason, numbers=numbers))


def _hold(snapshot: Snapshot) -> Plan:
    text = (
        f"the provider does not list what it sells: {kept(snapshot.target)}, and nothing is bought"
    )
    return Plan(Action.HOLD, snapshot.target, Reason("no_catalog", text))
