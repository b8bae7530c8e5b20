"""Deciding: the job's own policy proposes, the guard limits; nothing is proposed while nobody knows what is sold."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from elastic.errors import InvalidInput
from elastic.model import Action, Plan, Reason, Snapshot
from elastic.policy.best_value import best_value
from elastic.policy.fixed import fixed
from elastic.policy.guard import guard
from elastic.policy.words import name

Policy = Callable[[Snapshot], Plan]

POLICIES: Mapping[str, Policy] = {"best_value": best_value, "fixed": fixed}


def decide(snapshot: Snapshot) -> Plan:
    """Gives the guarded plan of the job's policy; the same snapshot always gives the same plan. Raises InvalidInput."""
    policy = POLICIES.get(snapshot.job.spec.policy)
    if policy is None:
        raise InvalidInput(
            f"policy: wanted one of {', '.join(POLICIES)}, got {snapshot.job.spec.policy!r}", field="policy.name"
        )
    return guard(snapshot, policy(snapshot) if snapshot.is_catalog_known else _hold(snapshot))


def _hold(snapshot: Snapshot) -> Plan:
    kept = "nothing is started" if snapshot.target is None else f"{name(snapshot.target)} is kept"
    text = f"the provider does not tell what it sells: {kept}, and nothing is bought"
    return Plan(Action.HOLD, snapshot.target, Reason("no_catalog", text))
