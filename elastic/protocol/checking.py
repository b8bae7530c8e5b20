"""The one check that a message passes at both ends: as it is sent, and as it is received."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from elastic.errors import InvalidInput
from elastic.protocol.messages import EventMessage
from elastic.worker.messages import MESSAGES, SignMessage, WindowMessage

Value = TypeVar("Value")

# What workers say that goes on to the daemon.
Outgoing: TypeAlias = WindowMessage | EventMessage


def from_json(kind: type[Value], content: object) -> Value:
    """Gives the message that this JSON holds. Raises InvalidInput, naming the field, where it is
    none of its kind.

    >>> from elastic.protocol.messages import LogsStored
    >>> from_json(LogsStored, {"acked_seq": 7, "of a newer minor": True})
    LogsStored(acked_seq=7)
    """
    try:
        value: Value = _adapter(kind).validate_python(content)
    except ValidationError as error:
        field, why = _first_fault(error)
        raise InvalidInput(f"wanted {kind.__name__}, found {field}: {why}", field=field) from error
    return value


def to_json(message: object) -> dict[str, Any]:
    """Gives the JSON of a message. Raises InvalidInput where the other end would refuse it."""
    content: dict[str, Any] = _adapter(type(message)).dump_python(
        message, mode="json", warnings=False
    )
    from_json(type(message), content)
    return content


def outgoing(row: Mapping[str, Any]) -> Outgoing:
    """Gives a message of a worker as the daemon takes it. Raises InvalidInput where it would
    not."""
    kind = MESSAGES.get(str(row.get("kind")), SignMessage)
    if kind is SignMessage:
        raise InvalidInput(
            f"wanted a message for the daemon, found kind: {row.get('kind')!r:.60}", field="kind"
        )
    message: Outgoing = from_json(kind, row)
    return message


# Building one costs milliseconds; there are as many as there are messages.
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def _first_fault(error: ValidationError) -> tuple[str, str]:
    """The field, and why; what stands in it only as far as it fits in a line."""
    fault = error.errors(include_url=False)[0]
    why = f"{fault['msg'].replace('Input should be', 'wanted')}, got {fault['input']!r:.60}"
    # The input of a missing field is all that stands around it, which may hold a token.
    return ".".join(map(str, fault["loc"])) or "message", "nothing" if fault[
        "type"
    ] == "missing" else why
