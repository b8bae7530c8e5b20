"""What becomes of a plan once a job is certain to miss its deadline or its budget, as the job says.

`fastest` is what policies do anyway. A miss is certain where even the fast and cheap end of all
that is known, or may be expected while the policy is still looking, is not enough: neither stopping
nor slowing down can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from elastic.model import Action, JobPhase, OnMiss, Plan, Reason, Snapshot
from elastic.policy.forecast import misses

# The code of a reason: the job stops, since it cannot meet its goals.
GOAL_MISSED = "goal_missed"


def heed_miss(snapshot: Snapshot, plan: Plan, policy: Callable[[Snapshot], Plan]) -> Plan:
    """Gives `plan`, or where a goal is certain to be missed and the job wants that, one that stops
    or saves."""
    job = snapshot.job
    objective = snapshot.job.spec.objective
    if objective.on_miss is OnMiss.FASTEST or job.phase is JobPhase.DRAINING or job.phase.is_final:
        return plan
    certain = [each for each in misses(snapshot, plan) or () if each.is_certain]
    if not certain:
        return plan
    if objective.on_miss is OnMiss.STOP:
        why = "; ".join(f"{each.kind}: {each.why}" for each in certain)
        options = " ".join(each.option for each in certain)
        text = (
            f"{why}; the job stops and keeps its checkpoints (on_miss: stop). "
            f"`elasticd job resume {job.spec.name} {options}` lets it go on"
        )
        reason = Reason(GOAL_MISSED, text)
        return replace(plan, action=Action.STOP, target=None, reason=reason)
    least = replace(objective, deadline_s=None, value_of_time_usd_per_h=None)
    saving = policy(replace(snapshot, job=replace(job, spec=replace(job.spec, objective=least))))
    text = f"{saving.reason.text} (on_miss: cheapest, since {certain[0].kind})"
    return replace(saving, reason=replace(saving.reason, text=text))
