"""The pages that act on a job: each shows what would happen and its price, then does it once."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api import schemas
from api.dashboard.facts import brief_facts
from api.dashboard.forms import (
    Fields,
    FormOf,
    asked_of,
    dollars_in,
    form_token,
    node_count,
    priority_in,
    refuse_changed,
)
from api.dashboard.pages import PageRoute, page
from api.dashboard.views import (
    ChangeView,
    Choice,
    change_view,
    job_head,
    node_counts,
    pause_view,
    stop_view,
    whole,
)
from api.deps import Context, ContextOf, require_acting
from api.plans import move_if_resumed, move_of
from api.problems import status_of
from api.steering import (
    LIMITED,
    ON_THE_DASHBOARD,
    SCALED,
    change,
    limited,
    limits_in,
    pause,
    refuse_ended,
    resume,
    resumed,
    scaled,
    spec_of,
    stop,
)
from elastic.errors import Conflict, InvalidInput
from elastic.figures import instant
from elastic.model import Job, JobPhase, JobSpec

Field = Annotated[str, Query(max_length=64)]

router = APIRouter(
    route_class=PageRoute, dependencies=[Depends(require_acting)], include_in_schema=False
)


@router.get("/jobs/{job}/stop")
def show_stop(request: Request, context: ContextOf, job: str) -> HTMLResponse:
    """What stopping the job means, and the button that does it."""
    return _stop_page(request, context, context.store.jobs.get(job))


@router.post("/jobs/{job}/stop")
def stop_it(request: Request, context: ContextOf, job: str, form: FormOf) -> Response:
    """Stops the job, unless it is ending already."""
    found = context.store.jobs.get(job)

    def act() -> None:
        # Pressed twice, or on two screens: what was wanted is done, and that is no error.
        if found.phase.is_final or found.phase is JobPhase.DRAINING:
            return
        refuse_changed(found, form)
        stop(context, found, by=ON_THE_DASHBOARD, now_s=context.clock.now_s())

    return _performed(found, act, lambda error: _stop_page(request, context, found, error))


@router.get("/jobs/{job}/pause")
def show_pause(request: Request, context: ContextOf, job: str) -> HTMLResponse:
    """What pausing the job means, and the button that does it."""
    return _pause_page(request, context, context.store.jobs.get(job))


@router.post("/jobs/{job}/pause")
def pause_it(request: Request, context: ContextOf, job: str, form: FormOf) -> Response:
    """Pauses the job, unless it is paused already."""
    found = context.store.jobs.get(job)

    def act() -> None:
        if found.phase is JobPhase.PAUSED:
            return
        refuse_changed(found, form)
        pause(context, found, by=ON_THE_DASHBOARD, now_s=context.clock.now_s())

    return _performed(found, act, lambda error: _pause_page(request, context, found, error))


@router.get("/jobs/{job}/scale")
def show_scale(
    request: Request, context: ContextOf, job: str, nodes: Field = "", node_type: Field = ""
) -> HTMLResponse:
    """What another number of nodes or node type would cost, once one is chosen."""
    fields = {"nodes": nodes, "node_type": node_type}
    return _scale_page(request, context, context.store.jobs.get(job), fields)


@router.post("/jobs/{job}/scale")
def scale_it(request: Request, context: ContextOf, job: str, form: FormOf) -> Response:
    """Scales the job, unless it is scaled like that already."""
    found = context.store.jobs.get(job)

    def act() -> None:
        _change_once(context, found, scaled(context, found, _scale_in(form)), form)

    return _performed(found, act, lambda error: _scale_page(request, context, found, form, error))


@router.get("/jobs/{job}/limits")
def show_limits(
    request: Request,
    context: ContextOf,
    job: str,
    budget_usd: Field = "",
    deadline: Field = "",
    priority: Field = "",
) -> HTMLResponse:
    """What another budget, deadline or priority would change, once one is given."""
    fields = {"budget_usd": budget_usd, "deadline": deadline, "priority": priority}
    return _limits_page(request, context, context.store.jobs.get(job), fields)


@router.post("/jobs/{job}/limits")
def limit_it(request: Request, context: ContextOf, job: str, form: FormOf) -> Response:
    """Gives the job other limits, unless it has them already."""
    found = context.store.jobs.get(job)
    now_s = context.clock.now_s()

    def act() -> None:
        asked = _limit_in(form)
        _change_once(context, found, limited(context, found, asked, now_s=now_s), form)

    return _performed(found, act, lambda error: _limits_page(request, context, found, form, error))


@router.get("/jobs/{job}/resume")
def show_resume(
    request: Request, context: ContextOf, job: str, budget_usd: Field = "", deadline: Field = ""
) -> HTMLResponse:
    """What resuming the job would begin with, and the button that does it."""
    fields = {"budget_usd": budget_usd, "deadline": deadline}
    return _resume_page(request, context, context.store.jobs.get(job), fields)


@router.post("/jobs/{job}/resume")
def resume_it(request: Request, context: ContextOf, job: str, form: FormOf) -> Response:
    """Resumes the job, unless it goes on like that already."""
    found = context.store.jobs.get(job)
    now_s = context.clock.now_s()

    def act() -> None:
        asked = asked_of(schemas.ResumeIn, _limits_of(form))
        is_on = not (found.phase.is_final or found.phase in (JobPhase.DRAINING, JobPhase.PAUSED))
        if is_on and spec_of(found, asked, now_s=now_s) == found.spec:
            return
        refuse_changed(found, form)
        spec = resumed(context, found, asked, now_s=now_s)
        resume(context, found, spec, by=ON_THE_DASHBOARD, now_s=now_s)

    return _performed(found, act, lambda error: _resume_page(request, context, found, form, error))


_Failure = InvalidInput | Conflict


def _performed(
    job: Job, act: Callable[[], None], again: Callable[[_Failure], HTMLResponse]
) -> Response:
    """Acts and leads to the job's page; where that is refused, shows the form again, and why."""
    try:
        act()
    except (InvalidInput, Conflict) as error:
        return again(error)
    # A reload of the page that this leads to sends nothing again.
    return RedirectResponse(f"/jobs/{job.id}", HTTPStatus.SEE_OTHER)


def _change_once(context: Context, job: Job, spec: JobSpec, form: Fields) -> None:
    if spec == job.spec:
        return
    refuse_changed(job, form)
    change(
        context,
        job,
        spec,
        by=ON_THE_DASHBOARD,
        is_exact=True,
        now_s=context.clock.now_s(),
    )


def _stop_page(
    request: Request, context: Context, job: Job, error: _Failure | None = None
) -> HTMLResponse:
    now_s = context.clock.now_s()
    view = None
    try:
        if job.phase.is_final:
            # Raised here too, and not only on the press: a page must not offer what will be
            # refused.
            raise Conflict(f"job {job.spec.name} {job.phase.predicate}; there is nothing to stop")
        move = move_of(context, job, job.spec, now_s=now_s)
        view = stop_view(job, move, spent_usd=context.store.ledger.spent(job.id, now_s))
    except (InvalidInput, Conflict) as found:
        error = error or found
    return _page(request, context, job, "stop.html", view=view, error=error)


def _pause_page(
    request: Request, context: Context, job: Job, error: _Failure | None = None
) -> HTMLResponse:
    now_s = context.clock.now_s()
    view = None
    try:
        if not job.phase.may_pause:
            raise Conflict(f"job {job.spec.name} {job.phase.predicate}; there is nothing to pause")
        move = move_of(context, job, job.spec, now_s=now_s)
        spent_usd = context.store.ledger.spent(job.id, now_s)
        view = pause_view(job, move, spent_usd=spent_usd, now_s=now_s)
    except (InvalidInput, Conflict) as found:
        error = error or found
    return _page(request, context, job, "pause.html", view=view, error=error)


def _scale_page(
    request: Request, context: Context, job: Job, fields: Fields, error: _Failure | None = None
) -> HTMLResponse:
    view = None
    try:
        if _is_given(fields, "nodes", "node_type"):
            view = _change(context, job, scaled(context, job, _scale_in(fields)))
        else:
            refuse_ended(job, SCALED)
    except (InvalidInput, Conflict) as found:
        error = error or found
    names = job.spec.node_types or [each.name for each in context.provider.node_types()]
    return _page(
        request,
        context,
        job,
        "scale.html",
        view=view,
        error=error,
        fields=fields,
        counts=node_counts(job.spec),
        types=tuple(Choice(each, each) for each in names),
    )


def _limits_page(
    request: Request, context: Context, job: Job, fields: Fields, error: _Failure | None = None
) -> HTMLResponse:
    now_s = context.clock.now_s()
    view = None
    try:
        if _is_given(fields, "budget_usd", "deadline", "priority"):
            asked = _limit_in(fields)
            view = _change(context, job, limited(context, job, asked, now_s=now_s))
            fields = _settled(fields, job, asked, now_s)
        else:
            refuse_ended(job, LIMITED)
    except (InvalidInput, Conflict) as found:
        error = error or found
    return _page(
        request,
        context,
        job,
        "limits.html",
        view=view,
        error=error,
        fields=fields,
        priority=job.spec.priority,
    )


def _resume_page(
    request: Request, context: Context, job: Job, fields: Fields, error: _Failure | None = None
) -> HTMLResponse:
    now_s = context.clock.now_s()
    view = None
    try:
        if not _may_resume(job):
            raise Conflict(f"job {job.spec.name} {job.phase.predicate}; it cannot be resumed")
        asked = asked_of(schemas.ResumeIn, _limits_of(fields))
        spec = resumed(context, job, asked, now_s=now_s)
        move = move_if_resumed(context, job, spec, now_s=now_s)
        spent_usd = context.store.ledger.spent(job.id, now_s)
        view = change_view(job.spec, spec, move, spent_usd=spent_usd, now_s=now_s)
        fields = _settled(fields, job, asked, now_s)
    except (InvalidInput, Conflict) as found:
        error = error or found
    return _page(
        request,
        context,
        job,
        "resume.html",
        view=view,
        error=error,
        fields=fields,
        may_resume=_may_resume(job),
        retained=whole(context.store.resumes.retained(job.id)),
    )


def _may_resume(job: Job) -> bool:
    return job.phase.may_resume or job.phase is JobPhase.PAUSED


def _change(context: Context, job: Job, spec: JobSpec) -> ChangeView | None:
    """What another spec would change; None if it is the same."""
    if spec == job.spec:
        return None
    now_s = context.clock.now_s()
    move = move_of(context, job, spec, now_s=now_s)
    spent_usd = context.store.ledger.spent(job.id, now_s)
    return change_view(job.spec, spec, move, spent_usd=spent_usd, now_s=now_s)


def _page(
    request: Request,
    context: Context,
    job: Job,
    template: str,
    *,
    view: ChangeView | None,
    error: _Failure | None,
    **values: Any,
) -> HTMLResponse:
    now_s = context.clock.now_s()
    status = HTTPStatus.OK if error is None else status_of(error)
    (seen,) = context.store.overviews.of([job], now_s=now_s)
    shown = page(
        request,
        template,
        here="Jobs",
        of_job=job.id,
        status=status,
        now_s=now_s,
        head=job_head(brief_facts(seen, now_s=now_s)),
        objective=job.spec.objective,
        change=view,
        problem="" if error is None else str(error),
        form_token=form_token(context),
        version=job.version,
        **values,
    )
    # Else the browser would hide from us that the form came from our own page.
    shown.headers["Referrer-Policy"] = "same-origin"
    return shown


def _is_given(fields: Fields, *names: str) -> bool:
    return any(fields.get(name, "").strip() for name in names)


def _scale_in(fields: Fields) -> schemas.ScaleIn:
    values = {
        "nodes": node_count(fields.get("nodes", "")),
        "node_type": fields.get("node_type", "").strip() or None,
    }
    return asked_of(schemas.ScaleIn, values)


def _limit_in(fields: Fields) -> schemas.LimitIn:
    values = {**_limits_of(fields), "priority": priority_in(fields.get("priority", ""))}
    return asked_of(schemas.LimitIn, values)


def _limits_of(fields: Fields) -> dict[str, object]:
    return {
        "budget_usd": dollars_in(fields.get("budget_usd", "")),
        "deadline": fields.get("deadline", "").strip() or None,
    }


def _settled(
    fields: Fields, job: Job, asked: schemas.LimitIn | schemas.ResumeIn, now_s: float
) -> Fields:
    """The fields with the deadline as an instant: what is confirmed is what was shown."""
    if asked.deadline is None:
        return fields
    deadline_s = limits_in(job.spec.objective, asked, now_s=now_s).deadline_s
    assert deadline_s is not None
    return {**fields, "deadline": instant(deadline_s)}
