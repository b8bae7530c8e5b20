"""Reads measured speeds: CSV with node_type, nodes, step_s."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from elastic.errors import InvalidInput, cannot_read
from elastic.simulator.program import Speeds

_FIELDS = ("node_type", "nodes", "step_s")


def read_speeds(path: Path) -> Speeds:
    """The speeds in a CSV file whose header names node_type, nodes and step_s.

    Raises InvalidInput, naming the line.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True)
            header = reader.fieldnames or []
            missing = [name for name in _FIELDS if name not in header]
            if missing:
                raise InvalidInput(
                    f"{path}, line 1: wanted the fields {', '.join(_FIELDS)}; add "
                    f"{', '.join(missing)}"
                )
            known: dict[str, dict[int, float]] = {}
            for row in reader:
                place = f"{path}, line {reader.line_num}"
                name = (row["node_type"] or "").strip()
                if not name:
                    raise InvalidInput(
                        f"{place}: node_type: wanted a name, got nothing", field="node_type"
                    )
                nodes = _positive(place, "nodes", row["nodes"])
                if nodes != int(nodes):
                    raise InvalidInput(
                        f"{place}: nodes: wanted a whole number, got {row['nodes']!r}",
                        field="nodes",
                    )
                known.setdefault(name, {})[int(nodes)] = _positive(place, "step_s", row["step_s"])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise cannot_read(
            path,
            error,
            wanted="speeds as CSV (UTF-8)",
            advice="docs/how-to/backtest.md shows some",
        ) from error
    if not known:
        raise InvalidInput(f"{path}: wanted at least one line of {', '.join(_FIELDS)}, found none")
    return Speeds(known)


def _positive(place: str, name: str, text: str | None) -> float:
    try:
        number = float(text or "")
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise InvalidInput(f"{place}: {name}: wanted a number above 0, got {text!r}", field=name)
    return number
