"""The pages that submit a job: its file, then its plan and price, then the button."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.dashboard.forms import Fields, FormOf, form_token
from api.dashboard.pages import PageRoute, page
from api.dashboard.views import OutsetView, outset_view
from api.deps import Context, ContextOf, require_acting
from api.documents import MAX_BYTES, JsonValue, read_document
from api.plans import outset_of
from api.problems import status_of
from api.specs import settle_command
from api.steering import ON_THE_DASHBOARD, checked, submit
from elastic.errors import Conflict, InvalidInput, NotFound

# A text area sends every line's end as two characters, and a form writes most signs as three.
FORM_BYTES = 4 * MAX_BYTES

router = APIRouter(
    route_class=PageRoute, dependencies=[Depends(require_acting)], include_in_schema=False
)

_Failure = InvalidInput | Conflict | NotFound


@router.get("/submit")
def show_submit(request: Request, context: ContextOf) -> HTMLResponse:
    """The form for a job's file."""
    return _page(request, context, "")


@router.get("/submit/plan")
def show_submit_again() -> Response:
    """The plan's address without its form: what was asked for is not known any more."""
    return RedirectResponse("/submit", HTTPStatus.SEE_OTHER)


@router.post("/submit/plan")
def plan_it(request: Request, context: ContextOf, form: FormOf) -> HTMLResponse:
    """What the job would begin with and cost, and the button that submits it."""
    text = form.get("document", "")
    now_s = context.clock.now_s()
    try:
        # The same checks as at the submission, so that the button leads to no refusal.
        spec, why_precision = checked(_document(form), context, now_s=now_s)
        view = outset_view(spec, outset_of(context, spec, now_s=now_s), why_precision, now_s=now_s)
    except (InvalidInput, Conflict) as error:
        return _page(request, context, text, error=error)
    return _page(request, context, text, view=view)


@router.post("/submit")
def submit_it(request: Request, context: ContextOf, form: FormOf) -> Response:
    """Submits the job; the same form again leads to the same job."""
    key = form.get("key", "")
    try:
        if not key:
            raise InvalidInput("key: wanted the form of a plan; show the plan first")
        job, _ = submit(
            context,
            _document(form),
            # With a prefix of its own, so that no form meets a key that a program chose.
            key=f"form-{key[:64]}",
            by=ON_THE_DASHBOARD,
            now_s=context.clock.now_s(),
        )
    except (InvalidInput, Conflict, NotFound) as error:
        return _page(request, context, form.get("document", ""), error=error)
    return RedirectResponse(f"/jobs/{job.id}", HTTPStatus.SEE_OTHER)


def _document(form: Fields) -> dict[str, JsonValue]:
    """The job's document. Raises InvalidInput."""
    text = form.get("document", "").replace("\r\n", "\n")
    if not text.strip():
        raise InvalidInput("wanted a job's YAML or JSON, got nothing")
    return settle_command(read_document(text.encode("utf-8", "replace")))


def _page(
    request: Request,
    context: Context,
    text: str,
    *,
    view: OutsetView | None = None,
    error: _Failure | None = None,
) -> HTMLResponse:
    faults: tuple[str, ...] = ()
    if isinstance(error, InvalidInput):
        faults = tuple(f"{field}: {message}" for field, message in error.faults)
    shown = page(
        request,
        "submit.html",
        here="Jobs",
        status=HTTPStatus.OK if error is None else status_of(error),
        now_s=context.clock.now_s(),
        text=text,
        view=view,
        problem="" if error is None else str(error),
        faults=faults,
        form_token=form_token(context),
        # New for each plan: what is sent twice from one page makes one job.
        key=secrets.token_hex(16),
    )
    shown.headers["Referrer-Policy"] = "same-origin"
    return shown
