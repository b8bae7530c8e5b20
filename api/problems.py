"""Answers every error with application/problem+json (RFC 9457), without internal details."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from elastic.errors import (
    AlreadyRunning,
    Conflict,
    ElasticError,
    InvalidInput,
    NotFound,
    PriceUnavailable,
    ProviderError,
    ProviderUnavailable,
    StorageUnavailable,
    StoreUnavailable,
    Unauthorized,
)
from elastic.faults import in_words

MEDIA_TYPE = "application/problem+json"

_log = structlog.get_logger(__name__)

# The first match counts, so a subclass stands before its parent.
_STATUSES: tuple[tuple[type[ElasticError], HTTPStatus], ...] = (
    (InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (NotFound, HTTPStatus.NOT_FOUND),
    (Unauthorized, HTTPStatus.UNAUTHORIZED),
    (Conflict, HTTPStatus.CONFLICT),
    (PriceUnavailable, HTTPStatus.CONFLICT),
    (StoreUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (StorageUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (AlreadyRunning, HTTPStatus.SERVICE_UNAVAILABLE),
    (ProviderUnavailable, HTTPStatus.SERVICE_UNAVAILABLE),
    (ProviderError, HTTPStatus.BAD_GATEWAY),
)
_HEADERS: Mapping[HTTPStatus, Mapping[str, str]] = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": 'Bearer realm="elasticd"'},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": "5"},
}


def problem(
    status: int,
    detail: str,
    *,
    instance: str | None = None,
    faults: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Makes the answer that says what went wrong.

    Each of `faults` is a field, empty for the request as a whole, and what is wrong with it.
    """
    known = HTTPStatus(status)
    slug = known.phrase.lower().replace(" ", "-").replace("'", "")
    document: dict[str, object] = {
        "type": f"urn:problem-type:elasticd:{slug}",
        "title": known.phrase,
        "status": status,
        "detail": detail,
    }
    if instance is not None:
        document["instance"] = instance
    if faults:
        document["errors"] = [{"field": field, "message": message} for field, message in faults]
    # In ASCII, since what it quotes may not be valid Unicode.
    body = json.dumps(document, ensure_ascii=True).encode("ascii")
    own = {
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        **_HEADERS.get(known, {}),
    }
    return Response(body, status, headers={**own, **(headers or {})}, media_type=MEDIA_TYPE)


def status_of(error: ElasticError) -> HTTPStatus:
    """The status of the answer to an error of ours.

    >>> status_of(NotFound("no job 'x'")).value
    404
    """
    found = (status for kind, status in _STATUSES if isinstance(error, kind))
    return next(found, HTTPStatus.INTERNAL_SERVER_ERROR)


def install_problems(app: FastAPI) -> None:
    """Makes every error of the app answer with a problem document."""
    app.add_exception_handler(ElasticError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, ElasticError)
    faults: Sequence[tuple[str, str]] = ()
    if isinstance(error, InvalidInput):
        faults = error.faults
        if not faults and error.field is not None:
            faults = [(error.field, str(error))]
    return problem(status_of(error), str(error), instance=request.url.path, faults=faults)


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # A body of another type is not read as JSON, and comes as it was sent.
    if isinstance(error.body, bytes):
        media_type = request.headers.get("content-type", "none")
        return problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"wanted a Content-Type of application/json; got {media_type[:80]}",
            instance=request.url.path,
        )
    faults = [(_field(each), _message(each)) for each in error.errors()]
    detail = "; ".join(f"{field}: {message}" for field, message in faults[:3])
    return problem(
        HTTPStatus.UNPROCESSABLE_ENTITY, detail, instance=request.url.path, faults=faults[:100]
    )


def _field(error: ErrorDetails) -> str:
    place, *path = map(str, error["loc"])
    # The path in what is no JSON is where its reader stopped.
    if not path or error["type"] == "json_invalid":
        return place
    return ".".join(path)


def _message(error: ErrorDetails) -> str:
    match error["type"]:
        # A field that is not read is most likely a typing error.
        case "extra_forbidden":
            return "no such field; take it out"
        case "json_invalid":
            return f"not JSON: {error['ctx']['error']} at character {error['loc'][-1]}"
    return in_words(error)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    headers = error.headers
    match error.status_code:
        # Only the framework's own words: a 404 of ours says more than that nothing is there.
        case 404 if error.detail == HTTPStatus.NOT_FOUND.phrase:
            detail = f"nothing is at {path}; /openapi.json lists what there is"
        case 405:
            # The framework names the methods of the first route alone.
            allowed = ", ".join(_methods(request))
            headers = {"Allow": allowed}
            detail = f"{path} takes {allowed}, not {request.method}"
        case _:
            detail = str(error.detail)
    return problem(error.status_code, detail, instance=path, headers=headers)


def _methods(request: Request) -> Iterator[str]:
    """Every method that a route takes at the request's path."""
    for method in ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"):
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes):
            yield method


async def _unexpected(request: Request, error: Exception) -> Response:
    # The traceback is for the log alone: it may quote what a request brought.
    _log.error("a request failed", method=request.method, path=request.url.path, exc_info=error)
    detail = "elasticd failed to answer; its log says why, and nothing half-done is kept"
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, detail, instance=request.url.path)
