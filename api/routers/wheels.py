"""The route for the wheel of elasticd that this daemon's nodes install."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from api.deps import ContextOf
from elastic.errors import NotFound

router = APIRouter(prefix="/v1/wheels", tags=["agent"])

# The sum in the path names the content, so it never changes.
_FOR_EVER = "public, max-age=31536000, immutable"


@router.get(
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
