"""Writes the tables of docs/reference/protocol.md from the messages: `python -m
tests.docs.protocol`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from elastic.bounds import Bound
from elastic.protocol import (
    MESSAGES,
    Arrival,
    Heartbeat,
    HeartbeatReply,
    LogBatch,
    LogsStored,
    Registered,
    Registration,
    RoundQuestion,
    Sender,
)
from tests.docs.pages import ROOT

PAGE = Path("docs/reference/protocol.md")
FIRST = "## From worker to agent"
SECTIONS: Mapping[str, tuple[type, ...]] = {
    FIRST: tuple(dict.fromkeys((Sender, *MESSAGES.values(), Arrival, RoundQuestion))),
    "## From agent to daemon, and back": (
        Registration,
        Registered,
        Heartbeat,
        HeartbeatReply,
        LogBatch,
        LogsStored,
    ),
}


def tables() -> str:
    """All messages, and the values within them, each as a table of its fields."""
    return "\n".join(_section(title, kinds) for title, kinds in SECTIONS.items())


def _section(title: str, kinds: tuple[type, ...]) -> str:
    shown: dict[type, None] = {}
    for kind in kinds:
        shown |= dict.fromkeys(_with_nested(kind))
    if title != FIRST:
        shown = {each: None for each in shown if each not in SECTIONS[FIRST]}
    return f"{title}\n\n" + "\n".join(_table(each) for each in shown)


def _with_nested(kind: type) -> Iterator[type]:
    yield kind
    for hint in get_type_hints(kind, include_extras=True).values():
        for each in _dataclasses(hint):
            yield from _with_nested(each)


def _dataclasses(hint: Any) -> Iterator[type]:
    if is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for each in get_args(hint):
        yield from _dataclasses(each)


def _table(kind: type) -> str:
    hints = get_type_hints(kind, include_extras=True)
    paragraph = " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split())
    lines = [f"### {kind.__name__}", "", paragraph, ""]
    lines += ["| field | value | if absent |", "| --- | --- | --- |"]
    for each in fields(kind):
        absent = "refused"
        if each.default is not MISSING:
            absent = (
                "empty"
                if each.default in ("", ()) or is_dataclass(each.default)
                else _shown(each.default)
            )
        if each.default_factory is not MISSING:
            absent = "empty"
        lines.append(f"| `{each.name}` | {_described(hints[each.name])} | {absent} |")
    return "\n".join([*lines, ""])


def _shown(value: object) -> str:
    return (
        "null" if value is None else f"`{str(value).lower() if isinstance(value, bool) else value}`"
    )


def _described(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bounds = [each for each in arguments[1:] if isinstance(each, Bound)]
        return _described(arguments[0]) + "".join(map(_limits, bounds))
    if origin in (Union, UnionType):
        return " or ".join("null" if each is NoneType else _described(each) for each in arguments)
    if origin is Literal:
        return " or ".join(_shown(each) for each in arguments)
    if origin is tuple:
        return f"list of {_described(arguments[0])}"
    if origin is Mapping:
        return f"map of {_described(arguments[0])} to {_described(arguments[1])}"
    if issubclass(hint, Enum):
        return " or ".join(_shown(each.value) for each in hint)
    named = {int: "integer", float: "number", str: "text", bool: "true or false"}
    return named.get(hint) or f"[{hint.__name__}](#{hint.__name__.lower()})"


_LIMITS = {
    "ge": "from {}",
    "gt": "above {}",
    "le": "to {}",
    "lt": "below {}",
    "min_length": "at least {} long",
    "max_length": "at most {} long",
    "pattern": "`{}`",
}

_POWERS = {2**53: "2^53", -(2**53): "-2^53", 2**31: "2^31"}


def _limits(bound: Bound) -> str:
    set_ = ((words, getattr(bound, name)) for name, words in _LIMITS.items())
    said = [
        words.format(_POWERS.get(limit, limit)).replace("|", "\\|")
        for words, limit in set_
        if limit is not None
    ]
    return f" ({', '.join(said)})" if said else ""


def page() -> str:
    """The page as it has to stand: its prose is its own, its tables follow from the messages."""
    return (ROOT / PAGE).read_text().partition(FIRST)[0] + tables()


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page())
