"""Why a job holds no machines for now, or stops.

Its user paused it, its start waits, its time is over, or it is certain to miss its deadline or its
budget. The job's `on_miss` says what happens then; `fastest` is what policies do anyway. A miss is
certain only if even the fast and cheap end of everything known is not enough. While the policy is
still looking, that includes what may be expected. The bar is high because neither stopping nor
slowing down can be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from elastic.figures import duration, instant, price
from elastic.model import Action, JobPhase, OnMiss, Plan, Reason, Snapshot
from elastic.policy.forecast import misses
from elastic.policy.quotes import fresh_quotes, known_burn_usd_per_h
from elastic.policy.words import name

# Codes of reasons.
PAUSED = "paused"
NOT_YET = "not_yet"
MAX_DURATION = "max_duration"


def paused_or_over(snapshot: Snapshot) -> Plan | None:
    """The plan of a job that its user paused, or that has had its time; None of any other."""
    job = snapshot.job
    most_s = job.spec.max_duration_s
    started_at_s = snapshot.started_at_s
    if most_s is not None and started_at_s is not None and snapshot.now_s >= started_at_s + most_s:
        text = (
            f"max_duration is {duration(most_s)}, and its first machine began at "
            f"{instant(started_at_s)}: the job stops and keeps its checkpoints"
        )
        return Plan(Action.STOP, None, Reason(MAX_DURATION, text, {"max_duration_s": most_s}))
    if job.phase is not JobPhase.PAUSED:
        return None
    text = f"its user paused it; `elasticd job resume {job.spec.name}` lets it go on"
    if snapshot.target is None:
        return Plan(Action.HOLD, None, Reason(PAUSED, text))
    return Plan(Action.PAUSE, None, Reason(PAUSED, text))


def heed_start(snapshot: Snapshot, plan: Plan) -> Plan:
    """Gives `plan`, unless it begins with machines before the job's `start` allows it."""
    if snapshot.target is not None or plan.target is None or plan.action is Action.STOP:
        return plan
    why = _why_not_yet(snapshot, plan)
    if why is None:
        return plan
    text = f"waits: {why} (then: {plan.reason.text})"
    return replace(
        plan,
        action=Action.HOLD,
        target=None,
        reason=Reason(NOT_YET, text, plan.reason.numbers),
        limited_by=(*plan.limited_by, "start"),
    )


def _why_not_yet(snapshot: Snapshot, plan: Plan) -> str | None:
    start = snapshot.job.spec.start
    now_s = snapshot.now_s
    if start.not_before_s is not None and now_s < start.not_before_s:
        return (
            f"it starts no earlier than {instant(start.not_before_s)}, "
            f"in {duration(start.not_before_s - now_s)}"
        )
    opens_at_s = snapshot.opens_at_s
    if opens_at_s is not None and now_s < opens_at_s:
        return (
            f"it starts within {start.hours} only: the next are from {instant(opens_at_s)}, "
            f"in {duration(opens_at_s - now_s)}"
        )
    below = start.usd_per_h_below
    if below is None or plan.target is None:
        return None
    burn = known_burn_usd_per_h(plan.target.members, fresh_quotes(snapshot))
    if burn < below:
        return None
    return (
        f"it starts when machines cost less than {price(below)}/h, and {name(plan.target)} costs "
        f"{price(burn)}/h"
    )


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
