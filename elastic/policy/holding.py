"""Why a job holds no machines for now, or stops: its user paused it, its start waits, or its time
is over."""

from __future__ import annotations

from dataclasses import replace

from elastic.figures import duration, instant, price
from elastic.model import Action, JobPhase, Plan, Reason, Snapshot
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
