"""The routes for jobs: to submit, read, stop, resume and scale them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response
from starlette.exceptions import HTTPException

from api import schemas
from api.deps import (
    Before,
    Body,
    Context,
    ContextOf,
    IfMatch,
    JobKey,
    Limit,
    check_version,
    require_user,
)
from api.documents import JSON_TYPES, YAML_TYPES, JsonValue, read_document
from api.job_document import AUTO
from api.job_status import status_of
from api.paging import cut
from api.plans import goals_missed, priced_plan, priced_scaling, refuse_contradictions, settled
from api.resuming import refuse_unpayable, spec_of
from api.specs import (
    check_fit,
    check_node_types,
    check_recipients,
    is_precision_open,
    to_spec,
    without_untried,
)
from elastic.errors import Conflict
from elastic.model import Job, JobPhase, JobSpec, how_to_resume

router = APIRouter(prefix="/v1", tags=["jobs"], dependencies=[Depends(require_user)])

_DOCUMENT = {"$ref": "#/components/schemas/JobDocument"}
_TAKES_A_DOCUMENT: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The job, at most 64 KiB.",
        "content": {
            "application/yaml": {"schema": _DOCUMENT},
            "application/json": {"schema": _DOCUMENT},
        },
    }
}

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key with the same body gives the same job, with another body a "
        "conflict.",
    ),
]


def read_job_document(request: Request, body: Body) -> dict[str, JsonValue]:
    """The document in the body. Raises InvalidInput, or 415 for another media type."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower() or None
    if media_type is not None and media_type not in JSON_TYPES | YAML_TYPES:
        wanted = ", ".join(sorted(JSON_TYPES | YAML_TYPES))
        raise HTTPException(415, f"wanted a Content-Type of {wanted}; got {media_type[:80]}")
    return read_document(body, media_type=media_type)


Document = Annotated[dict[str, JsonValue], Depends(read_job_document)]


@router.post("/jobs", status_code=202, openapi_extra=_TAKES_A_DOCUMENT)
def submit_job(
    document: Document, response: Response, context: ContextOf, key: Key = None
) -> schemas.JobOut:
    """Submits a job. It is durably stored when the answer comes; `Location` is its resource."""
    now_s = context.clock.now_s()
    spec, why_precision = _checked(document, context, now_s=now_s)
    job, is_new = context.store.jobs.submit(
        context.sealer.sealed(spec),
        key=key,
        request_hash=hash_of(document),
        now_s=now_s,
        why_precision=why_precision,
    )
    if is_new:
        context.wake()
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    shown = _shown(context, job, response)
    missed: tuple[str, ...] = ()
    if is_new:
        missed = goals_missed(context, job, now_s=now_s)
    return shown.model_copy(update={"warnings": [*shown.warnings, *missed]})


@router.post("/jobs:plan", openapi_extra=_TAKES_A_DOCUMENT)
def plan_job(document: Document, context: ContextOf) -> schemas.PricedPlan:
    """Says what submitting this job would begin with and what that costs; submits nothing."""
    now_s = context.clock.now_s()
    spec, why_precision = _checked(document, context, now_s=now_s)
    return priced_plan(context, spec, why_precision, now_s=now_s)


@router.get("/jobs")
def list_jobs(
    context: ContextOf, limit: Limit = 50, before: Before = None
) -> schemas.Page[schemas.JobOut]:
    """Lists jobs, newest first."""
    found = context.store.jobs.listed(limit=limit + 1, before=before)
    kept, next_before = cut(found, limit, lambda job: context.store.jobs.seq(job.id))
    now_s = context.clock.now_s()
    items = [_status(context, job, now_s=now_s) for job in kept]
    return schemas.Page[schemas.JobOut](items=items, next_before=next_before)


@router.get("/jobs/{job:name}")
def get_job(job: JobKey, response: Response, context: ContextOf) -> schemas.JobOut:
    """Returns one job as it stands. Its `ETag` is its version."""
    return _shown(context, context.store.jobs.get(job), response)


@router.post("/jobs/{job}:stop", status_code=202)
def stop_job(
    job: JobKey, response: Response, context: ContextOf, if_match: IfMatch = None
) -> schemas.JobOut:
    """Drains the job at its next safe point, keeps its checkpoint and ends its nodes."""
    found = context.store.jobs.get(job)
    check_version(if_match, found.version)
    stopped = context.store.jobs.request_stop(
        found.id, JobPhase.CANCELLED, "stopped on request", now_s=context.clock.now_s()
    )
    context.wake()
    return _shown(context, stopped, response)


@router.post("/jobs/{job}:resume", status_code=202)
def resume_job(
    job: JobKey,
    response: Response,
    context: ContextOf,
    resume: schemas.ResumeIn | None = None,
    if_match: IfMatch = None,
) -> schemas.JobOut:
    """Lets a job that ended without success go on from its newest checkpoint.

    What it has cost counts. A spent budget or a passed deadline is a conflict until it is changed.
    """
    found = context.store.jobs.get(job)
    now_s = context.clock.now_s()
    check_version(if_match, found.version)
    spec = spec_of(found, resume or schemas.ResumeIn(), now_s=now_s)
    refuse_unpayable(context, found, spec, now_s=now_s)
    context.sealer.opened(spec)  # reports it now, instead of to each of its nodes
    why_precision = ""
    if is_precision_open(spec) and found.phase.may_resume:
        # It began before jobs had one precision; now one is chosen.
        spec, why_precision = settled(context, spec, now_s=now_s)
    resumed = context.store.resumes.resume(found.id, spec, now_s=now_s, why_precision=why_precision)
    context.wake()
    return _shown(context, resumed, response)


@router.post("/jobs/{job}:plan")
def plan_scaling(job: JobKey, scale: schemas.ScaleIn, context: ContextOf) -> schemas.PricedScaling:
    """Says what `:scale` with the same body would change and cost an hour; changes nothing."""
    found = context.store.jobs.get(job)
    return priced_scaling(
        context, found, _scaled(context, found, scale), now_s=context.clock.now_s()
    )


@router.post("/jobs/{job}:scale", status_code=202)
def scale_job(
    job: JobKey,
    scale: schemas.ScaleIn,
    response: Response,
    context: ContextOf,
    if_match: IfMatch = None,
) -> schemas.JobOut:
    """Sets the job's number of nodes, its node type, or both; the next tick moves it.

    A number outside nodes_min to nodes_max is refused. `"auto"` leaves it to the policy.
    """
    found = context.store.jobs.get(job)
    check_version(if_match, found.version)
    changed = context.store.jobs.set_spec(found.id, _scaled(context, found, scale))
    context.wake()
    return _shown(context, changed, response)


def hash_of(document: Mapping[str, JsonValue]) -> str:
    """A hash that two requests for the same job share, in whatever order their fields stand.

    >>> hash_of({"name": "a", "nodes": {"min": 1}}) == hash_of({"nodes": {"min": 1}, "name": "a"})
    True
    """
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _checked(
    document: Mapping[str, JsonValue], context: Context, *, now_s: float
) -> tuple[JobSpec, str]:
    """The spec that a document describes, and why its precision was chosen.

    Raises InvalidInput.
    """
    spec = replace(to_spec(document, now_s=now_s), drain_grace_s=context.settings.drain_grace_s)
    check_node_types(spec, _type_names(context))
    check_recipients(spec, context.settings.notify.to)
    check_fit(spec, context.provider.node_types())
    # An option that only sessions have asks for a session, too.
    is_named = document.get("mode", AUTO) != AUTO or bool(spec.most_samples)
    spec = spec if is_named else without_untried(spec, context.provider.node_types())
    refuse_contradictions(context, spec, now_s=now_s)
    return settled(context, spec, now_s=now_s)


def _type_names(context: Context) -> list[str]:
    return [each.name for each in context.provider.node_types()]


def _scaled(context: Context, job: Job, scale: schemas.ScaleIn) -> JobSpec:
    """The job's spec after scaling. Raises Conflict and InvalidInput."""
    spec = job.spec
    if job.phase.is_final or job.phase is JobPhase.DRAINING:
        hint = how_to_resume(spec.name, job.phase)
        raise Conflict(
            f"job {spec.name} {job.phase.predicate}, and only a job that goes on can be scaled"
            + (f"; {hint}" if hint else "")
        )
    if scale.nodes is not None:
        spec = replace(spec, nodes_wanted=scale.nodes if isinstance(scale.nodes, int) else None)
    if scale.node_type is not None:
        spec = replace(spec, policy="fixed", fixed_node_type=scale.node_type)
    check_node_types(spec, _type_names(context))
    check_fit(spec, context.provider.node_types())
    return spec


def _shown(context: Context, job: Job, response: Response) -> schemas.JobOut:
    response.headers["ETag"] = f'"{job.version}"'
    return _status(context, job, now_s=context.clock.now_s())


def _status(context: Context, job: Job, *, now_s: float) -> schemas.JobOut:
    root = context.settings.job_root
    blocks = context.provider.blocks.listed(now_s=now_s)
    return status_of(context.store, job, now_s=now_s, root=root, blocks=blocks)
