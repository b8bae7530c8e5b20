"""What users do to jobs: submit, stop, pause, resume, scale, and change their limits.

The REST routes and the dashboard's forms both act through here, so each check stands once. `by`
says which of the two asked, in the event.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace

from api import schemas
from api.deps import Context
from api.documents import JsonValue
from api.job_document import AUTO, instant_s
from api.plans import if_changed, if_resumed, refuse_contradictions, settled
from api.specs import (
    check_fit,
    check_node_types,
    check_recipients,
    check_workers,
    is_precision_open,
    to_spec,
    without_untried,
)
from elastic.errors import Conflict, InvalidInput
from elastic.figures import usd
from elastic.model import Job, JobPhase, JobSpec, Objective, Plan, Snapshot, how_to_resume
from elastic.policy import dearest_quotes, decide, known_burn_usd_per_h, wind_down_s

BY_REST = "by REST"
ON_THE_DASHBOARD = "on the dashboard"

# What only a job that goes on can be.
SCALED = "scaled"
LIMITED = "given other limits"


def checked(
    document: Mapping[str, JsonValue], context: Context, *, now_s: float
) -> tuple[JobSpec, str]:
    """The spec that a document describes, and why its precision was chosen.

    Raises InvalidInput.
    """
    # The setting of today, kept with the job: a daemon with new settings changes no running job.
    spec = replace(to_spec(document, now_s=now_s), drain_grace_s=context.settings.drain_grace_s)
    check_node_types(spec, _type_names(context))
    check_recipients(spec, context.settings.notify.to)
    check_fit(spec, context.provider.node_types())
    # An option that only sessions have asks for a session, too.
    is_named = document.get("mode", AUTO) != AUTO or bool(spec.most_samples)
    spec = spec if is_named else without_untried(spec, context.provider.node_types())
    refuse_contradictions(context, spec, now_s=now_s)
    return settled(context, spec, now_s=now_s)


def submit(
    context: Context,
    document: Mapping[str, JsonValue],
    *,
    key: str | None,
    by: str,
    now_s: float,
) -> tuple[Job, bool]:
    """Submits a job; gives it and True, or the one that `key` submitted before and False.

    Raises InvalidInput and Conflict.
    """
    spec, why_precision = checked(document, context, now_s=now_s)
    job, is_new = context.store.jobs.submit(
        # Sealed before it reaches the database: no row ever has a secret in clear text.
        context.sealer.sealed(spec),
        key=key,
        # Of the document and not of the spec: defaults that change with a version make no other
        # request.
        request_hash=hash_of(document),
        now_s=now_s,
        why_precision=why_precision,
        by=by,
    )
    if is_new:
        context.wake()
    return job, is_new


def stop(context: Context, job: Job, *, by: str, now_s: float) -> Job:
    """Starts the job's orderly end. Raises Conflict if it has ended."""
    stopped = context.store.jobs.request_stop(
        job.id, JobPhase.CANCELLED, f"stopped on request, {by}", now_s=now_s
    )
    context.wake()
    return stopped


def pause(context: Context, job: Job, *, by: str, now_s: float) -> Job:
    """Has the job save and give its machines back, and keeps it. Raises Conflict if it has
    ended."""
    paused = context.store.jobs.pause(job.id, f"paused on request, {by}", now_s=now_s)
    context.wake()
    return paused


def resumed(context: Context, job: Job, asked: schemas.ResumeIn, *, now_s: float) -> JobSpec:
    """The spec with which the job would be resumed. Raises Conflict and InvalidInput."""
    spec = spec_of(job, asked, now_s=now_s)
    refuse_unpayable(context, job, spec, now_s=now_s)
    context.sealer.opened(spec)  # reports it now, instead of to each of its nodes
    return spec


def resume(context: Context, job: Job, spec: JobSpec, *, by: str, now_s: float) -> Job:
    """Lets a job that is over, or paused, go on as `spec`. Raises Conflict if it cannot."""
    why_precision = ""
    if is_precision_open(spec) and job.phase.may_resume:
        # It began before jobs had one precision; now one is chosen.
        spec, why_precision = settled(context, spec, now_s=now_s)
    found = context.store.resumes.resume(
        job.id, spec, now_s=now_s, why_precision=why_precision, by=by
    )
    context.wake()
    return found


def scaled(context: Context, job: Job, asked: schemas.ScaleIn) -> JobSpec:
    """The job's spec after scaling. Raises Conflict and InvalidInput."""
    spec = job.spec
    refuse_ended(job, SCALED)
    if asked.nodes is not None:
        spec = replace(spec, nodes_wanted=asked.nodes if isinstance(asked.nodes, int) else None)
    if asked.node_type is not None:
        # Another policy would move it away again.
        spec = replace(spec, policy="fixed", fixed_node_type=asked.node_type)
    check_node_types(spec, _type_names(context))
    check_fit(spec, context.provider.node_types())
    return spec


def limited(context: Context, job: Job, asked: schemas.LimitIn, *, now_s: float) -> JobSpec:
    """The job's spec with another budget or deadline. Raises Conflict and InvalidInput."""
    refuse_ended(job, LIMITED)
    objective = limits_in(job.spec.objective, asked, now_s=now_s)
    spent_usd = context.store.ledger.spent(job.id, now_s)
    if asked.budget_usd is not None and asked.budget_usd <= spent_usd:
        raise Conflict(
            f"job {job.spec.name} has spent {usd(spent_usd)}: wanted a budget above that, got "
            f"{usd(asked.budget_usd)}"
        )
    priority = job.spec.priority if asked.priority is None else asked.priority
    spec = replace(job.spec, objective=objective, priority=priority)
    if asked.budget_usd is not None and job.phase is JobPhase.PAUSED:
        # It shows what a budget does once it is resumed, and then it is too late.
        refuse_unpayable(context, job, spec, how="give it", now_s=now_s)
    elif asked.budget_usd is not None:
        _refuse_end(context, job, spec, now_s=now_s)
    return spec


def change(
    context: Context, job: Job, spec: JobSpec, *, by: str, is_exact: bool, now_s: float
) -> Job:
    """Gives the job another spec. If `is_exact`, raises Conflict if it has changed meanwhile."""
    version = job.version if is_exact else None
    changed = context.store.jobs.set_spec(job.id, spec, by=by, version=version, now_s=now_s)
    context.wake()
    return changed


def refuse_ended(job: Job, what: str) -> None:
    """Raises Conflict for a job that is over or ending, which cannot be `what` any more."""
    if not (job.phase.is_final or job.phase is JobPhase.DRAINING):
        return
    hint = how_to_resume(job.spec.name, job.phase)
    raise Conflict(
        f"job {job.spec.name} {job.phase.predicate}, and only a job that goes on can be {what}"
        + (f"; {hint}" if hint else "")
    )


def hash_of(document: Mapping[str, JsonValue]) -> str:
    """A hash that two requests for the same job share, in whatever order their fields stand.

    >>> hash_of({"name": "a", "nodes": {"min": 1}}) == hash_of({"nodes": {"min": 1}, "name": "a"})
    True
    """
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _type_names(context: Context) -> list[str]:
    return [each.name for each in context.provider.node_types()]


_S_PER_H = 3600.0
# Above what is foreseen: speeds and prices change while it trains.
_ALLOWANCE = 1.1


def spec_of(job: Job, asked: schemas.ResumeIn, *, now_s: float) -> JobSpec:
    """The job's spec with what is asked for in it. Raises InvalidInput."""
    spec = job.spec
    objective = limits_in(job.spec.objective, asked, now_s=now_s)
    if asked.on_miss is not None:
        objective = replace(objective, on_miss=asked.on_miss)
    spec = replace(spec, objective=objective)
    if asked.code is not None:
        # The command of such a job has an absolute path, so it would not run the code that is sent.
        if spec.code is None:
            script = spec.command[0]
            raise InvalidInput(
                f"code: wanted a job that was submitted with code; {spec.name} runs {script} as it "
                "is on its nodes, so resume it without --code",
                field="code",
            )
        spec = replace(spec, code=asked.code)
    if asked.image is not None:
        spec = replace(spec, image=asked.image)
    if asked.requirements is not None:
        spec = replace(spec, requirements=tuple(asked.requirements))
    if asked.outputs is not None:
        spec = replace(spec, outputs=tuple(asked.outputs))
    if asked.setup is not None:
        spec = replace(spec, setup=tuple(asked.setup))
    # A bound that is not given stays as it was.
    if asked.nodes_min is not None or asked.nodes_max is not None:
        least = spec.nodes_min if asked.nodes_min is None else asked.nodes_min
        most = spec.nodes_max if asked.nodes_max is None else asked.nodes_max
        # A number that it was scaled to belongs to the old bounds.
        spec = replace(spec, nodes_min=least, nodes_max=most, nodes_wanted=None)
        check_workers(spec)
    return spec


def limits_in(
    objective: Objective, asked: schemas.ResumeIn | schemas.LimitIn, *, now_s: float
) -> Objective:
    """The objective with the budget and the deadline that are asked for. Raises InvalidInput."""
    if asked.budget_usd is not None:
        objective = replace(objective, budget_usd=asked.budget_usd)
    if asked.deadline is not None:
        objective = replace(objective, deadline_s=_deadline_s(asked.deadline, now_s))
    return objective


def refuse_unpayable(
    context: Context, job: Job, spec: JobSpec, *, how: str = "resume it with", now_s: float
) -> None:
    """Raises Conflict if the next tick after resuming the job would stop it at its budget.

    `how` says what to do with a higher one.
    """
    is_resumable = job.phase.may_resume or job.phase is JobPhase.PAUSED
    if spec.objective.budget_usd is None or not is_resumable:
        return
    snapshot = if_resumed(context, job, spec, now_s=now_s)
    plan = decide(snapshot)
    # Decided as the next tick will: a rule of its own here might say something else.
    if "budget" not in plan.limited_by:
        return
    raise Conflict(_cannot_go_on(snapshot, plan, how))


def _refuse_end(context: Context, job: Job, spec: JobSpec, *, now_s: float) -> None:
    """Raises Conflict if the next tick would stop a job that goes on at its budget: who wants its
    end says so by `stop`."""
    snapshot = if_changed(context, job, spec, now_s=now_s)
    plan = decide(snapshot)
    if plan.reason.code != "budget":
        return
    reserve_usd = plan.reason.numbers["reserve_usd"]
    least_usd = snapshot.spent_usd + snapshot.doubted_usd + _ALLOWANCE * reserve_usd
    raise Conflict(
        f"{_cannot_go_on(snapshot, plan, 'give it')}; it goes on with {usd(least_usd)}, and "
        f"`elasticd job stop {job.spec.name}` ends it"
    )


def _cannot_go_on(snapshot: Snapshot, stopped: Plan, how: str) -> str:
    """Why its budget stops a job, and what to do; `how` says it of a higher one."""
    return (
        f"job {snapshot.job.spec.name} cannot go on: {stopped.reason.text}; {how} a higher budget "
        f"(--budget){_enough(snapshot, stopped)}"
    )


def _enough(snapshot: Snapshot, stopped: Plan) -> str:
    """A budget that should be enough, as far as it is known."""
    spec = snapshot.job.spec
    # Without its budget the policy says what the job would be worth going on with.
    unlimited = replace(spec, objective=replace(spec.objective, budget_usd=None))
    plan = decide(replace(snapshot, job=replace(snapshot.job, spec=unlimited)))
    chosen = plan.candidate(plan.target)
    if chosen is None or not chosen.usd_per_h:
        return ""
    burn_usd_per_h = known_burn_usd_per_h(chosen.group.members, dearest_quotes(snapshot))
    kept_back_usd = burn_usd_per_h * wind_down_s(snapshot) / _S_PER_H
    spent_usd = snapshot.spent_usd + snapshot.doubted_usd
    if chosen.remaining_usd is None:
        # Less may be kept back on a cheaper group than on that one.
        kept_back_usd = stopped.reason.numbers.get("reserve_usd", kept_back_usd)
        return f": {usd(spent_usd + _ALLOWANCE * kept_back_usd)}, and what it may cost from now on"
    more_usd = chosen.remaining_usd * burn_usd_per_h / chosen.usd_per_h + kept_back_usd
    return f": {usd(spent_usd + _ALLOWANCE * more_usd)} should see it to its end"


def _deadline_s(deadline: str, now_s: float) -> float:
    try:
        at_s = instant_s(deadline, now_s=now_s)
    except ValueError as error:
        raise InvalidInput(f"deadline: {error}", field="deadline") from error
    if at_s <= now_s:
        raise InvalidInput(
            f"deadline: wanted one that is still to come, got {deadline!r}", field="deadline"
        )
    return at_s
