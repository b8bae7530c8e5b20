"""The one check of a message at both ends: when it is sent, and when it is received."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from elastic.errors import InvalidInput
from elastic.faults import in_words
from elastic.protocol.messages import EventMessage
from elastic.worker.messages import MESSAGES, SignMessage, WindowMessage

Value = TypeVar("Value")

# The workers' messages that go on to the daemon.
Outgoing: TypeAlias = WindowMessage | EventMessage


def from_json(kind: type[Value], content: object) -> Value:
    """Returns the message in this JSON; raises InvalidInput, naming the field, if it does not fit.

    >>> from elastic.protocol.messages import LogsStored
    >>> from_json(LogsStored, {"acked_seq": 7, "of a newer minor": True})
    LogsStored(acked_seq=7)
    """
    try:
        value: Value = _adapter(kind).validate_python(content)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        field = ".".join(map(str, fault["loc"])) or "message"
        raise InvalidInput(
            f"wanted {kind.__name__}, found {field}: {in_words(fault)}", field=field
        ) from error
    return value


def to_json(message: object) -> dict[str, Any]:
    """Returns the JSON of a message; raises InvalidInput if the other end would refuse it."""
    content: dict[str, Any] = _adapter(type(message)).dump_python(
        message, mode="json", warnings=False
    )
    from_json(type(message), content)
    return content


def outgoing(row: Mapping[str, Any]) -> Outgoing:
    """Returns a worker's message as the daemon takes it; raises InvalidInput if it would not."""
    kind = MESSAGES.get(str(row.get("kind")), SignMessage)
    if kind is SignMessage:
        raise InvalidInput(
            f"wanted a message for the daemon, found kind: {row.get('kind')!r:.60}", field="kind"
        )
    message: Outgoing = from_json(kind, row)
    return message


# Building an adapter costs milliseconds; there are as many as there are messages.
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)
