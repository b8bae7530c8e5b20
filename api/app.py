"""The application: its routes, the guards in front of them, and one form for all errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.responses import JSONResponse

from api import dashboard
from api.deps import Context, require_user
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
    wheels,
)
from api.schemas import ProblemOut
from elastic import __version__
from elastic.archive import MOST_BYTES

# After an hour without the daemon, a heartbeat brings all that was measured meanwhile, up to 5,000
# windows.
_BODY_LIMITS = {"/v1/agent/": 4 * 1024 * 1024, "/v1/code/": MOST_BYTES}

_DESCRIPTION = """Runs PyTorch training where a dollar buys the most iterations.

Instants are Unix seconds, money is USD, units are in the names. Unknown is null.
Every error is a problem document.
"""
_PROBLEM: dict[str, Any] = {
    "description": "What went wrong.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}},
}


def create_app(context: Context) -> FastAPI:
    """Makes an app that answers from `context`."""
    app = routes(names=(context.settings.host, *context.settings.allowed_hosts))
    give_context(app, context)
    return app


def give_context(app: FastAPI, context: Context) -> None:
    """Makes the app answer from `context`."""
    app.state.context = context
    app.state.feed = Feed(context.store.events.newest_id)
    app.state.log_feed = Feed(lambda: context.logs.changes)


def routes(*, names: tuple[str, ...] = ()) -> FastAPI:
    """Makes the app without a context, which can only describe itself.

    `names` are the host names that it answers to.
    """
    app = FastAPI(
        title="elasticd",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        separate_input_output_schemas=False,
    )
    for each in (
        jobs,
        code,
        job_accounts,
        job_files,
        nodes,
        held,
        market,
        measurements,
        decisions,
        events,
        notifications,
        health,
        agent,
        wheels,
    ):
        app.include_router(each.router, responses={"4XX": _PROBLEM, "5XX": _PROBLEM})
    for router in (logs.router, logs.agent_router):
        app.include_router(router, responses={"4XX": _PROBLEM, "5XX": _PROBLEM})
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
    install_problems(app)
    # The last one added sees a request first.
    app.add_middleware(BodyLimit, default=MAX_BYTES, limits=_BODY_LIMITS)
    app.add_middleware(HostCheck, names=names)
    app.add_middleware(SecurityHeaders)
    return app


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
