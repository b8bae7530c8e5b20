"""The routes for jobs' code, which users store and nodes fetch, and for the wheel they install."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Response

from api.deps import Body, ContextOf, node_speaking, require_user
from elastic.archive import MOST_BYTES, SUM_PATTERN, check, sum_of
from elastic.errors import InvalidInput, NotFound
from elastic.figures import size

router = APIRouter(prefix="/v1", tags=["jobs"])
agent_router = APIRouter(prefix="/v1/agent", tags=["agent"])

_ZIP = "application/zip"
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_TAKES_A_ZIP: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": f"A zip of the folder, at most {size(MOST_BYTES)}.",
        "content": {_ZIP: _BYTES},
    }
}

Sum = Annotated[str, Path(pattern=SUM_PATTERN, description="The SHA-256 of the zip, hexadecimal.")]


@router.put(
    "/code/{sha256}",
    status_code=204,
    dependencies=[Depends(require_user)],
    openapi_extra=_TAKES_A_ZIP,
)
def put_code(sha256: Sum, body: Body, context: ContextOf) -> None:
    """Stores the folder that a job's command runs in; the job names it by this sum.

    The same code again changes nothing. It is kept for a day, and while a job that has not ended
    names it.
    """
    # The name is the sum: a body that was cut off on its way would be found by jobs under it.
    if (found := sum_of(body)) != sha256:
        raise InvalidInput(
            f"code: wanted a body whose SHA-256 is {sha256}, got {len(body)} bytes of {found}",
            field="code",
        )
    # Looked through before it is stored: it must never unpack outside its folder.
    check(body)
    context.store.code.put(sha256, body, now_s=context.clock.now_s())


@agent_router.get(
    "/code",
    responses={200: {"content": {_ZIP: _BYTES}}},
    response_class=Response,
)
def get_code(
    context: ContextOf,
    node_id: Annotated[str, Query(max_length=64)],
    instance_id: Annotated[str, Query(min_length=1, max_length=128)],
    authorization: Annotated[str, Header()] = "",
) -> Response:
    """Returns the code of the node's job."""
    node = node_speaking(context, authorization, node_id=node_id, instance_id=instance_id)
    spec = context.store.jobs.get(node.job_id).spec
    if spec.code is None:
        raise NotFound(f"job {spec.name} runs no code of its own")
    return Response(context.store.code.get(spec.code), media_type=_ZIP)


wheels_router = APIRouter(prefix="/v1/wheels", tags=["agent"])

# The sum in the path names the content, so it never changes.
_FOR_EVER = "public, max-age=31536000, immutable"


@wheels_router.get(
    "/{sha256}/{name}",
    response_class=Response,
    responses={
        200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
def get_wheel(
    context: ContextOf,
    sha256: Annotated[
        str, Path(max_length=64, description="The SHA-256 of the file, in hexadecimal.")
    ],
    name: Annotated[str, Path(max_length=255, description="The file's name.")],
) -> Response:
    """Returns the wheel of elasticd that nodes install; needs no token, since it has no secret."""
    wheel = context.wheel
    if wheel is None or (wheel.sha256, wheel.name) != (sha256, name):
        raise NotFound(f"{name} with the sum {sha256}: not what this daemon's nodes install")
    return Response(
        wheel.content, media_type="application/zip", headers={"Cache-Control": _FOR_EVER}
    )
