"""Signs users in: their token becomes a cookie that scripts cannot read."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.pages import bare_page
from api.deps import Body, ContextOf, cookie_name, may_look

_WRONG = "This is not the daemon's token; `elasticd token show` prints it."

router = APIRouter(include_in_schema=False)


@router.get("/login")
def show_login(
    request: Request,
    context: ContextOf,
    token: Annotated[str | None, Query(max_length=512)] = None,
    next_page: Annotated[str, Query(alias="next", max_length=512)] = "/",
) -> Response:
    """Shows the form, or signs in with the token in the address, as the command line prints it."""
    if token is None:
        return _form(context, next_page)
    return _signed_in(request, context, token, next_page)


@router.post("/login")
def login(request: Request, context: ContextOf, body: Body) -> Response:
    """Signs in with the token in the form."""
    fields = parse_qs(body.decode("utf-8", "replace"))
    return _signed_in(
        request, context, fields.get("token", [""])[0].strip(), fields.get("next", ["/"])[0]
    )


def own_path(address: str) -> str:
    """The address if it is a page of ours, else the overview.

    >>> own_path("/jobs?before=3"), own_path("//evil.example"), own_path("/\\\\evil.example")
    ('/jobs?before=3', '/', '/')
    >>> own_path("https://evil.example")
    '/'
    """
    # A forged link must not lead a user to another site after signing in. Browsers read `//` and
    # `/\\` at the start as another host.
    is_ours = (
        address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    )
    if is_ours:
        return address
    return "/"


def _signed_in(request: Request, context: ContextOf, token: str, next_page: str) -> Response:
    if not may_look(context, token):
        return _form(context, next_page, problem=_WRONG, status=HTTPStatus.UNAUTHORIZED)
    # Away from this address at once: the token in it must not stay in the bar, nor be sent on.
    response = RedirectResponse(own_path(next_page), HTTPStatus.SEE_OTHER)
    response.set_cookie(
        cookie_name(request),
        token,
        max_age=30 * 86_400,
        # Scripts cannot read it, and other sites' pages cannot send it.
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


def _form(context: ContextOf, next_page: str, *, problem: str = "", status: int = 200) -> Response:
    where = str(context.settings.token_file)
    return bare_page(
        "login.html", status=status, problem=problem, next=own_path(next_page), token_file=where
    )
