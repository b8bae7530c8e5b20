"""The application: its routes, the guards in front of them, and one form for all errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.responses import JSONResponse

from api import dashboard
from api.deps import Context, refuse_unknown_parameters, require_user
from api.documents import MAX_BYTES
from api.feed import Feed
from api.job_document import JobDocument
from api.middleware import BodyLimit, HostCheck, SecurityHeaders
from api.problems import MEDIA_TYPE, install_problems
from api.routers import (
    agent,
    code,
    decisions,
    events,
    health,
    held,
    job_accounts,
    job_files,
    jobs,
    logs,
    market,
    measurements,
    nodes,
    notifications,
)
from api.schemas import ProblemOut
from elastic import __version__
from elastic.archive import MOST_BYTES

# After an hour without the daemon, a heartbeat brings all that was measured meanwhile, up to 5,000
# windows.
_BODY_LIMITS = {
    "/v1/agent/": 4 * 1024 * 1024,
    "/v1/code/": MOST_BYTES,
    "/submit": dashboard.FORM_BYTES,
}

_OF_USERS = (
    jobs.router,
    code.router,
    job_accounts.router,
    job_files.router,
    nodes.router,
    held.router,
    market.router,
    measurements.router,
    decisions.router,
    events.router,
    notifications.router,
    health.router,
    logs.router,
)
_OF_NODES = (agent.router, code.agent_router, code.wheels_router, logs.agent_router)
# Probes and scrapers may add parameters of their own, and nodes those of a later version.
_LENIENT = (health.router, *_OF_NODES)

_DESCRIPTION = """Runs PyTorch training where a dollar buys the most iterations.

Instants are Unix seconds, money is USD, units are in the names. Unknown is null.
Every error is a problem document.
"""
_PROBLEM: dict[str, Any] = {
    "description": "What went wrong.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}},
}


class ListenerSide(StrEnum):
    """Whom a listener answers. Each has routes of its own, and the other's do not exist there."""

    USERS = "users"
    NODES = "nodes"


def create_app(context: Context, side: ListenerSide | None = None) -> FastAPI:
    """Makes an app that answers from `context`: one side, or both."""
    settings = context.settings
    names = (settings.host, settings.address_of_nodes, *settings.allowed_hosts)
    app = routes(side, names=names)
    give_context(app, context)
    return app


def give_context(app: FastAPI, context: Context) -> None:
    """Makes the app answer from `context`."""
    app.state.context = context
    app.state.feed = Feed(context.store.events.newest_id)
    app.state.log_feed = Feed(lambda: context.logs.changes)


def routes(side: ListenerSide | None = None, *, names: tuple[str, ...] = ()) -> FastAPI:
    """Makes the app of one side without a context, or one of both sides, which describes itself.

    `names` are the host names that it answers to.
    """
    app = FastAPI(
        title="elasticd",
        version=__version__,
        description=_DESCRIPTION,
        # FastAPI's own pages of the API load scripts from another host, and need no token.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        # Nodes have no streams, so nothing there waits on the feeds.
        lifespan=None if side is ListenerSide.NODES else _lifespan,
        # One address for each thing: a redirect would answer for a path that does not exist, before
        # any token is looked at.
        redirect_slashes=False,
        # Clients made from the description name their functions by it: the default adds path and
        # method.
        generate_unique_id_function=lambda route: route.name,
        separate_input_output_schemas=False,
    )
    if side is not ListenerSide.NODES:
        _add(app, _OF_USERS)
        app.include_router(dashboard.login_router)
        app.include_router(dashboard.router)
        dashboard.mount_static(app)
        # FastAPI's documented way to extend the description.
        app.openapi = _described(app.openapi)  # type: ignore[method-assign]
        app.add_api_route(
            "/openapi.json",
            _openapi_of(app),
            dependencies=[Depends(require_user)],
            include_in_schema=False,
        )
    if side is not ListenerSide.USERS:
        _add(app, _OF_NODES)
    install_problems(app)
    # The last one added sees a request first.
    app.add_middleware(BodyLimit, default=MAX_BYTES, limits=_BODY_LIMITS)
    app.add_middleware(HostCheck, names=names)
    app.add_middleware(SecurityHeaders)
    return app


def _add(app: FastAPI, routers: tuple[APIRouter, ...]) -> None:
    for each in routers:
        checks = [] if each in _LENIENT else [Depends(refuse_unknown_parameters)]
        app.include_router(each, dependencies=checks, responses={"4XX": _PROBLEM, "5XX": _PROBLEM})


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    feed: Feed = app.state.feed
    log_feed: Feed = app.state.log_feed
    async with feed.running(), log_feed.running():
        yield


def _openapi_of(app: FastAPI) -> Callable[[], JSONResponse]:
    def get_openapi() -> JSONResponse:
        """Returns this description."""
        return JSONResponse(app.openapi())

    return get_openapi


def _described(generate: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Adds what routes cannot describe: the job's document, and the form of every error."""

    def described() -> dict[str, Any]:
        document = generate()
        schemas = document["components"]["schemas"]
        reference = "#/components/schemas/{model}"
        for model in (JobDocument, ProblemOut):
            own = model.model_json_schema(ref_template=reference)
            schemas.update(own.pop("$defs", {}))
            schemas[model.__name__] = own
        for path in document["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)  # a problem document, like every error
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        return document

    return described
