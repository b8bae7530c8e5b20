"""What happens to a plan once the job is certain to miss its deadline or its budget.

The job's `on_miss` says what; `fastest` is what policies do anyway. A miss is certain only if even
the fast and cheap end of everything known is not enough. While the policy is still looking, that
includes what may be expected. The bar is high because neither stopping nor slowing down can be
undone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from elastic.model import Action, JobPhase, OnMiss, Plan, Reason, Snapshot
from elastic.policy.forecast import misses

# The code of a reason: the job stops because it cannot meet its goals.
GOAL_MISSED = "goal_missed"


def heed_miss(snapshot: Snapshot, plan: Plan, policy: Callable[[Snapshot], Plan]) -> Plan:
    """Gives `plan`, or a plan that stops or saves if a goal is certain to be missed and the job
    wants that."""
    job = snapshot.job
    objective = snapshot.job.spec.objective
    if objective.on_miss is OnMiss.FASTEST or job.phase is JobPhase.DRAINING or job.phase.is_final:
        return plan
    # A miss that is only likely changes nothing.
    certain = [each for each in misses(snapshot, plan) or () if each.is_certain]
    if not certain:
        return plan
    if objective.on_miss is OnMiss.STOP:
        why = "; ".join(f"{each.kind}: {each.why}" for each in certain)
        options = " ".join(each.option for each in certain)
        text = (
            f"{why}; the job stops and keeps its checkpoints (on_miss: stop). "
            f"`elasticd job resume {job.spec.name} {options}` continues it"
        )
        reason = Reason(GOAL_MISSED, text)
        return replace(plan, action=Action.STOP, target=None, reason=reason)
    # To go on as cheaply as possible, decide again as if there were no deadline.
    least = replace(objective, deadline_s=None, value_of_time_usd_per_h=None)
    saving = policy(replace(snapshot, job=replace(job, spec=replace(job.spec, objective=least))))
    text = f"{saving.reason.text} (on_miss: cheapest, since {certain[0].kind})"
    return replace(saving, reason=replace(saving.reason, text=text))
