"""The dashboard's forms: what they carry, and the proof that one of our pages made them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, TypeAlias, TypeVar
from urllib.parse import parse_qsl

from fastapi import Depends
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from api.deps import Body, Context, ContextOf, tokens_match
from elastic.errors import Conflict, InvalidInput
from elastic.faults import in_words
from elastic.model import Job

# The names of the hidden fields.
TOKEN_FIELD = "form_token"
VERSION_FIELD = "version"
_MOST_FIELDS = 16
_PURPOSE = b"a form of elasticd's dashboard"

_Asked = TypeVar("_Asked", bound=BaseModel)

Fields: TypeAlias = Mapping[str, str]


def form_token(context: Context) -> str:
    """What every form carries: another site cannot know it, and scripts there cannot read it.

    It is bound to the token that the cookie holds, so another token makes old forms worthless.
    """
    return hmac.new(context.user_token.encode(), _PURPOSE, hashlib.sha256).hexdigest()


def read_form(context: ContextOf, body: Body) -> Fields:
    """The fields of a posted form. Raises 400, and 403 for a form that no page of ours made."""
    try:
        pairs = parse_qsl(
            # No form of ours has so many: to take a million apart takes over a second.
            body.decode("utf-8", "replace"),
            keep_blank_values=True,
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise HTTPException(
            HTTPStatus.BAD_REQUEST, f"no form of this dashboard: {error}"
        ) from error
    fields = dict(pairs)
    # Beside the check of the page's origin, which old browsers do not send.
    if not tokens_match(fields.get(TOKEN_FIELD, ""), form_token(context)):
        raise HTTPException(
            HTTPStatus.FORBIDDEN,
            "wanted a form that a page of this dashboard made for you: open the page again, and "
            "send its form from there. Nothing has been changed.",
        )
    return fields


def refuse_changed(job: Job, fields: Fields) -> None:
    """Raises Conflict unless the job is as it was when the form was made."""
    if fields.get(VERSION_FIELD) != str(job.version):
        raise Conflict(
            f"job {job.spec.name} has changed since this page was made, and nothing was done: "
            "look at what it would mean now, and confirm again if you still want it"
        )


def asked_of(model: type[_Asked], values: Mapping[str, object]) -> _Asked:
    """What a form asks for. Raises InvalidInput."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"][:1]))
        raise InvalidInput(f"{field}: {in_words(first)}".removeprefix(": "), field=field) from error


def node_count(text: str) -> int | str | None:
    """The number of nodes in a field, or auto; None if it is empty. Raises InvalidInput.

    >>> node_count(" 3 "), node_count("auto"), node_count("")
    (3, 'auto', None)
    """
    text = text.strip()
    if text in ("", "auto"):
        return text or None
    # Short ones only: Python refuses numbers of thousands of digits with an error of its own.
    if text.isdecimal() and len(text) < 6:
        return int(text)
    raise InvalidInput(f"nodes: wanted a number or auto, got {text[:40]!r}", field="nodes")


def priority_in(text: str) -> int | None:
    """The priority in a field; None if it is empty. Raises InvalidInput.

    >>> priority_in(" -2 "), priority_in("")
    (-2, None)
    """
    plain = text.strip()
    if not plain:
        return None
    try:
        return int(plain)
    except ValueError as error:
        raise InvalidInput(
            f"priority: wanted a whole number such as 10, got {text[:40]!r}", field="priority"
        ) from error


def dollars_in(text: str) -> float | None:
    """The dollars in a field; None if it is empty. Raises InvalidInput.

    >>> dollars_in(" $1,250.50 "), dollars_in("")
    (1250.5, None)
    """
    plain = text.strip().removeprefix("$").replace(",", "")
    if not plain:
        return None
    try:
        return float(plain)
    except ValueError as error:
        raise InvalidInput(
            f"budget: wanted dollars such as 12.50, got {text[:40]!r}", field="budget_usd"
        ) from error


FormOf = Annotated[Fields, Depends(read_form)]
