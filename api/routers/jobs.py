"""The routes for jobs: to submit, read, stop, pause, resume, scale and limit them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request, Response
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
from api.job_status import status_of
from api.paging import cut
from api.plans import goals_missed, priced_plan, priced_scaling
from api.steering import (
    BY_REST,
    change,
    checked,
    limited,
    pause,
    resume,
    resumed,
    scaled,
    stop,
    submit,
)
from elastic.model import Job, JobPhase, JobSpec

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

Phases = Annotated[
    tuple[JobPhase, ...], Query(description="Only jobs in this phase; repeat it for several.")
]
NameText = Annotated[
    str, Query(max_length=64, description="Only jobs whose name or id contains this.")
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
    job, is_new = submit(context, document, key=key, by=BY_REST, now_s=now_s)
    response.headers["Location"] = f"/v1/jobs/{job.id}"
    shown = _shown(context, job, response)
    missed: tuple[str, ...] = ()
    if is_new:
        # Only of a new job: one that is sent again may have measured more than an earlier run
        # tells.
        missed = goals_missed(context, job, now_s=now_s)
    return shown.model_copy(update={"warnings": [*shown.warnings, *missed]})


@router.post("/jobs:plan", openapi_extra=_TAKES_A_DOCUMENT)
def plan_job(document: Document, context: ContextOf) -> schemas.PricedPlan:
    """Says what submitting this job would begin with and what that costs; submits nothing."""
    now_s = context.clock.now_s()
    spec, why_precision = checked(document, context, now_s=now_s)
    return priced_plan(context, spec, why_precision, now_s=now_s)


@router.get("/jobs")
def list_jobs(
    context: ContextOf,
    limit: Limit = 50,
    before: Before = None,
    phase: Phases = (),
    text: NameText = "",
) -> schemas.Page[schemas.JobOut]:
    """Lists jobs, newest first."""
    # One more than asked for: it tells whether there is another page, without counting all.
    found = context.store.jobs.listed(limit=limit + 1, before=before, phases=phase, text=text)
    kept, next_before = cut(found, limit, lambda job: context.store.jobs.seq(job.id))
    now_s = context.clock.now_s()
    items = _statuses(context, kept, now_s=now_s)
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
    return _shown(context, stop(context, found, by=BY_REST, now_s=context.clock.now_s()), response)


@router.post("/jobs/{job}:pause", status_code=202)
def pause_job(
    job: JobKey, response: Response, context: ContextOf, if_match: IfMatch = None
) -> schemas.JobOut:
    """Drains the job at its next safe point, ends its nodes, and keeps it until it is resumed.

    A paused job stays paused. Its deadline and its `max_duration` still count.
    """
    found = context.store.jobs.get(job)
    check_version(if_match, found.version)
    now_s = context.clock.now_s()
    return _shown(context, pause(context, found, by=BY_REST, now_s=now_s), response)


@router.post("/jobs/{job}:resume", status_code=202)
def resume_job(
    job: JobKey,
    response: Response,
    context: ContextOf,
    asked: schemas.ResumeIn | None = None,
    if_match: IfMatch = None,
) -> schemas.JobOut:
    """Lets a job that is paused, or ended without success, go on from its newest checkpoint.

    What it has cost counts. A spent budget or a passed deadline is a conflict until it is changed.
    """
    found = context.store.jobs.get(job)
    now_s = context.clock.now_s()
    check_version(if_match, found.version)
    spec = resumed(context, found, asked or schemas.ResumeIn(), now_s=now_s)
    return _shown(context, resume(context, found, spec, by=BY_REST, now_s=now_s), response)


@router.post("/jobs/{job}:plan")
def plan_scaling(job: JobKey, asked: schemas.ChangeIn, context: ContextOf) -> schemas.PricedScaling:
    """Says what `:scale` or `:limit` with the same body would change and cost an hour.

    It changes nothing.
    """
    found = context.store.jobs.get(job)
    now_s = context.clock.now_s()
    return priced_scaling(context, found, _changed(context, found, asked, now_s=now_s), now_s=now_s)


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
    return _change(context, found, scaled(context, found, scale), if_match, response)


@router.post("/jobs/{job}:limit", status_code=202)
def limit_job(
    job: JobKey,
    limit: schemas.LimitIn,
    response: Response,
    context: ContextOf,
    if_match: IfMatch = None,
) -> schemas.JobOut:
    """Sets the budget, deadline or priority of a job that goes on; the next tick follows them.

    A budget that is not above what is spent is a conflict. So is one that would end the job, a
    paused one once it is resumed: `:stop` does that. A deadline must be still to come.
    """
    found = context.store.jobs.get(job)
    check_version(if_match, found.version)
    spec = limited(context, found, limit, now_s=context.clock.now_s())
    return _change(context, found, spec, if_match, response)


def _change(
    context: Context, job: Job, spec: JobSpec, if_match: str | None, response: Response
) -> schemas.JobOut:
    changed = change(
        context,
        job,
        spec,
        by=BY_REST,
        is_exact=if_match is not None and if_match.strip() != "*",
        now_s=context.clock.now_s(),
    )
    return _shown(context, changed, response)


def _changed(context: Context, job: Job, asked: schemas.ChangeIn, *, now_s: float) -> JobSpec:
    """The job's spec after a change. Raises Conflict and InvalidInput."""
    spec = job.spec
    if asked.scales:
        spec = scaled(context, job, asked)
    if asked.limits:
        spec = limited(context, replace(job, spec=spec), asked, now_s=now_s)
    return spec


def _shown(context: Context, job: Job, response: Response) -> schemas.JobOut:
    response.headers["ETag"] = f'"{job.version}"'
    (shown,) = _statuses(context, [job], now_s=context.clock.now_s())
    return shown


def _statuses(context: Context, jobs: Sequence[Job], *, now_s: float) -> list[schemas.JobOut]:
    root = context.settings.job_root
    blocks = context.provider.blocks.listed(now_s=now_s)
    return [
        status_of(each, now_s=now_s, root=root, blocks=blocks)
        for each in context.store.overviews.of(jobs, now_s=now_s)
    ]
