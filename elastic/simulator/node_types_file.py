"""Reads what hardware node types have: JSON, as `elasticd type ls --output json` prints it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elastic.errors import InvalidInput, cannot_read
from elastic.model import NodeType, Precision


def read_node_types(path: Path) -> Mapping[str, NodeType]:
    """The node types of a JSON list by name. Each has `name`, `cpu` and `memory_gib`; the rest may
    be left out.

    Raises InvalidInput, naming the entry.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="node types as JSON (UTF-8)",
            advice="docs/how-to/backtest.md shows some",
        ) from error
    if not isinstance(document, list) or not document:
        raise InvalidInput(f"{path}: wanted a JSON list of node types, got {str(document)[:60]}")
    found = [
        _node_type(f"{path}, entry {number}", entry)
        for number, entry in enumerate(document, start=1)
    ]
    return {each.name: each for each in found}


def _node_type(place: str, entry: Any) -> NodeType:
    name = None
    if isinstance(entry, dict):
        name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"{place}: wanted an object with a name, got {str(entry)[:60]}")
    model = entry.get("gpu_model")
    precisions = entry.get("precisions") or (Precision.FP32,)
    cpu = _number(place, entry, "cpu")
    try:
        return NodeType(
            name,
            cpu,
            _number(place, entry, "memory_gib"),
            gpu_count=int(_number(place, entry, "gpu_count", 0.0)),
            gpu_model=None if model is None else str(model),
            physical_cores=_number(place, entry, "cores", cpu),
            precisions=tuple(Precision(each) for each in precisions),
        )
    except (InvalidInput, ValueError, TypeError) as error:
        raise InvalidInput(f"{place}: {error}") from error


def _number(place: str, entry: Mapping[str, Any], key: str, default: float | None = None) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(
            f"{place}: {entry['name']}: {key}: wanted a number, got {value!r}", field=key
        )
    return float(value)
