"""Routes whose every answer is a page, errors included."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.dashboard.pages import FRAGMENT_HEADER, page
from api.deps import context_of
from api.problems import status_of
from elastic.errors import ElasticError, Unauthorized


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
