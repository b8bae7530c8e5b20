"""Renders views as HTML, as whole pages or as their content alone; errors are pages too."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.dashboard.views import instant
from api.deps import Context, context_of
from api.problems import status_of
from elastic.errors import ElasticError, Unauthorized
from elastic.figures import ago
from elastic.reconciler import Alarm

NAVIGATION = (
    ("Overview", "/"),
    ("Jobs", "/jobs"),
    ("Nodes", "/nodes"),
    ("Decisions", "/decisions"),
    ("Prices", "/prices"),
    ("Costs", "/costs"),
)
# A request with this header asks for a page's content without its frame, to update an open page.
FRAGMENT_HEADER = "X-Fragment"
# Each takes a few lines, on a phone a third of the screen.
_MOST_ALARMS = 4


def page(
    request: Request,
    template: str,
    *,
    here: str = "",
    status: int = 200,
    has_jobs: bool = False,
    of_job: str | None = None,
    now_s: float,
    **values: Any,
) -> HTMLResponse:
    """Renders a page, or only its content if the request asks for that.

    One that `has_jobs` tells itself what is wrong with them; one `of_job` concerns that job alone.
    """
    context = context_of(request)
    is_fragment = FRAGMENT_HEADER in request.headers
    html = (
        _environment()
        .get_template(template)
        .render(
            layout="fragment.html" if is_fragment else "base.html",
            nav=NAVIGATION,
            here=here,
            now=instant(now_s, now_s),
            alarms=alarms(context, has_jobs=has_jobs, of_job=of_job, now_s=now_s),
            may_act=getattr(request.state, "may_act", False),
            **values,
        )
    )
    return HTMLResponse(
        # `Vary`: a page and its fragment have one address, and a browser must not show one for the
        # other.
        html,
        status,
        headers={"Cache-Control": "no-store", "Vary": FRAGMENT_HEADER},
    )


def bare_page(template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Renders a page without frame and navigation."""
    html = _environment().get_template(template).render(**values)
    return HTMLResponse(html, status, headers={"Cache-Control": "no-store"})


def alarms(
    context: Context, *, has_jobs: bool = False, of_job: str | None = None, now_s: float
) -> tuple[str, ...]:
    """What is wrong, the worst first; empty if all is well.

    Where a page `has_jobs`, only what is wrong with the daemon itself, and where it is `of_job`,
    with that job, too.
    """
    current = context.current_alarms()
    if has_jobs or of_job is not None:
        current = tuple(each for each in current if each.job_id in (None, of_job))
    # Alarms are more exact than the tick's own error, which is often their cause.
    if current:
        more = len(current) - _MOST_ALARMS
        said = [_sentence(each, now_s) for each in current[:_MOST_ALARMS]]
        return (*said, *([f"and {more} more: `elasticd status` lists them"] if more > 0 else ()))
    tick = context.last_tick()
    if tick is None:
        return ()
    if tick.error is not None:
        return (f"The daemon's last tick, {ago(tick.at_s, now_s)}, failed: {tick.error}",)
    if context.is_late(tick, now_s=now_s):
        return (
            f"The daemon's last tick was {ago(tick.at_s, now_s)}: this page may be out of date.",
        )
    return ()


def _sentence(alarm: Alarm, now_s: float) -> str:
    return f"{alarm.text[:1].upper()}{alarm.text[1:]} (since {instant(alarm.since_s, now_s).text})"


def prose(text: str) -> Markup:
    """The text as HTML, with what stands between backticks as code.

    >>> prose("see `a < b`")
    Markup('see <code>a &lt; b</code>')
    """
    parts = re.split(r"`([^`]+)`", text)
    # Every second part stood between backticks.
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("api.dashboard"),
        autoescape=True,
        # A misspelt name in a template is an error, and not an empty text.
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["as_dict"] = asdict
    made.filters["prose"] = prose
    return made


class PageRoute(APIRoute):
    """A route that answers errors with pages, and sends users to sign in if they have not."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_as_page(request: Request) -> Response:
            try:
                return await handle(request)
            except Unauthorized as error:
                return _sign_in(request, error)
            except ElasticError as error:
                return _problem(request, str(error), status_of(error))
            except HTTPException as error:
                return _problem(request, str(error.detail), error.status_code)
            except RequestValidationError:
                return _problem(
                    request,
                    f"{request.url.path} is no page of this dashboard",
                    HTTPStatus.NOT_FOUND,
                )

        return handle_as_page


def _sign_in(request: Request, error: Unauthorized) -> Response:
    # A fragment stands in a page that is open: a redirect would put the form of /login into it.
    if FRAGMENT_HEADER in request.headers:
        return HTMLResponse(f'<p role="alert">{error}</p>', HTTPStatus.UNAUTHORIZED)
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/login?next={quote(path, safe='')}", HTTPStatus.SEE_OTHER)


def _problem(request: Request, detail: str, status: int) -> Response:
    title = "elasticd cannot show this now"
    if status == HTTPStatus.NOT_FOUND:
        title = "Not found"
    now_s = context_of(request).clock.now_s()
    return page(request, "problem.html", status=status, title=title, detail=detail, now_s=now_s)
