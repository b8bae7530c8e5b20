"""Reads a small YAML or JSON document from a sender that is not trusted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeAlias

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from elastic.errors import InvalidInput

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

MAX_BYTES = 64 * 1024
MAX_DEPTH = 16

JSON_TYPES = frozenset({"application/json"})
YAML_TYPES = frozenset({"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"})

# NUL cannot be passed to a process, and halves of surrogate pairs cannot be written as UTF-8.
_UNFIT = re.compile("[\\0\\ud800-\\udfff]")
_TAG = "tag:yaml.org,2002:"


def read_document(body: bytes, *, media_type: str | None = None) -> dict[str, JsonValue]:
    """Returns the mapping in `body`; without a `media_type`, a brace at its start means JSON.

    Raises InvalidInput for aliases, anchors, tags, duplicate keys, more than `MAX_BYTES` and more
    than `MAX_DEPTH` levels.

    >>> read_document(b"name: a\\nrate: 2e-4\\nreply: no")
    {'name': 'a', 'rate': 0.0002, 'reply': 'no'}
    """
    # Before anything is parsed: a parser's memory is many times the text.
    if len(body) > MAX_BYTES:
        raise InvalidInput(
            f"wanted a document of at most {MAX_BYTES} bytes, got {len(body)}: leave data out of it"
        )
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"wanted UTF-8 text, got byte {body[error.start]:#04x} at offset {error.start}"
        ) from error
    is_json = media_type in JSON_TYPES or (
        media_type not in YAML_TYPES and text.lstrip().startswith("{")
    )
    found = _read_json(text) if is_json else _read_yaml(text)
    if not isinstance(found, dict):
        raise InvalidInput(f"wanted a mapping of fields, got {_kind(found)}")
    _check(found)
    return found


def _read_json(text: str) -> JsonValue:
    try:
        found: JsonValue = json.loads(text, object_pairs_hook=_unique)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:  # JSONDecodeError, and integers of more digits than Python converts
        raise InvalidInput(f"not JSON: {error}") from error
    return found


def _unique(pairs: Iterable[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for key, value in pairs:
        # A parser would silently keep one of the two.
        if key in found:
            raise InvalidInput(f"{key}: wanted once, found twice", field=key)
        found[key] = value
    return found


def _check(value: JsonValue, depth: int = 0) -> None:
    """Raises InvalidInput for deep nesting, and for characters that processes cannot take."""
    if depth > MAX_DEPTH:
        raise _too_deep()
    match value:
        case str():
            if _UNFIT.search(value):
                raise InvalidInput(
                    f"wanted text without NUL or half of a surrogate pair, got {value[:40]!a}"
                )
        case dict():
            for key, each in value.items():
                _check(key, depth)
                _check(each, depth + 1)
        case list():
            for each in value:
                _check(each, depth + 1)


class _Loader(yaml.SafeLoader):
    """Composes nodes by the core schema of YAML 1.2, in which `no` is a text, `2e-4` a number."""

    # The order matters: a whole number would also match a float. It is a class variable in the
    # parent, too.
    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {  # type: ignore[misc]
        None: [
            (f"{_TAG}null", re.compile(r"(?:~|null|Null|NULL)\Z")),
            (f"{_TAG}bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")),
            (f"{_TAG}int", re.compile(r"[-+]?[0-9]+\Z")),
            (
                f"{_TAG}float",
                re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z"),
            ),
            (f"{_TAG}float", re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")),
        ],
        "": [(f"{_TAG}null", re.compile(r"\Z"))],
    }

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        # An alias can stand for a large value many times: a small document would become huge.
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            line = event.start_mark.line + 1
            raise InvalidInput(
                f"line {line}: anchors and aliases are not taken; write the value out"
            )
        self._depth += 1
        if self._depth > MAX_DEPTH + 1:  # a scalar is a node too
            raise _too_deep()
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def _read_yaml(text: str) -> JsonValue:
    try:
        loader = _Loader(text)
        # Nodes and not values: PyYAML would keep the last of two equal keys without a word.
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = ""
        if mark is not None:
            where = f"line {mark.line + 1}, column {mark.column + 1}: "
        raise InvalidInput(f"not YAML: {where}{error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise InvalidInput(f"not YAML: {str(error).splitlines()[0]}") from error
    if node is None:
        return None
    return _value_of(node)


def _value_of(node: Node) -> JsonValue:
    match node:
        case ScalarNode():
            return _scalar(node)
        case SequenceNode(tag="tag:yaml.org,2002:seq"):
            return [_value_of(each) for each in node.value]
        case MappingNode(tag="tag:yaml.org,2002:map"):
            return _unique((_key(key), _value_of(value)) for key, value in node.value)
        case _:
            raise _foreign_tag(node)


def _key(node: Node) -> str:
    if isinstance(node, ScalarNode) and node.tag == f"{_TAG}str":
        return str(node.value)
    raise InvalidInput(
        f"line {node.start_mark.line + 1}: wanted a field's name, got {_kind(node.value)}; quote it"
    )


def _scalar(node: ScalarNode) -> JsonValue:
    text: str = node.value
    try:
        match node.tag.removeprefix(_TAG):
            case "str":
                return text
            case "null":
                return None
            case "bool":
                return _BOOLEANS[text.lower()]
            case "int":
                return int(text)
            case "float":
                return _float(text.lower())
    except (KeyError, ValueError) as error:
        kind = node.tag.removeprefix(_TAG)
        raise InvalidInput(
            f"line {node.start_mark.line + 1}: wanted {kind}, got {text[:40]!r}"
        ) from error
    raise _foreign_tag(node)


_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False}


def _float(text: str) -> float:
    if text.endswith((".inf", ".nan")):
        if text == ".nan":
            return math.nan
        return math.copysign(math.inf, -1 if text.startswith("-") else 1)
    return float(text)


def _foreign_tag(node: Node) -> InvalidInput:
    return InvalidInput(
        f"line {node.start_mark.line + 1}: wanted a plain value, got the tag {node.tag[:60]!r}"
    )


def _too_deep() -> InvalidInput:
    return InvalidInput(f"wanted at most {MAX_DEPTH} levels of nesting, got more")


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case list():
            return "a list"
        case dict():
            return "a mapping"
        case _:
            return f"{str(value)[:40]!r}"
