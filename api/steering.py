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
from api.job_document import AUTO
from api.plans import refuse_contradictions, settled
from api.resuming import limits_in, refuse_unpayable, spec_of
from api.specs import (
    check_fit,
    check_node_types,
    check_recipients,
    is_precision_open,
    to_spec,
    without_untried,
)
from elastic.errors import Conflict
from elastic.figures import usd
from elastic.model import Job, JobPhase, JobSpec, how_to_resume

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
    # It would end the job at the next tick, which `stop` says better.
    if asked.budget_usd is not None and asked.budget_usd <= spent_usd:
        raise Conflict(
            f"job {job.spec.name} has spent {usd(spent_usd)}: wanted a budget above that, got "
            f"{usd(asked.budget_usd)}"
        )
    priority = job.spec.priority if asked.priority is None else asked.priority
    return replace(job.spec, objective=objective, priority=priority)


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
