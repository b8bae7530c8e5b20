"""What a simulated script really does: its speed, and when it is done. No policy sees this."""

from __future__ import annotations

import csv
import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from elastic.errors import InvalidInput, cannot_read

# Of a file of speeds.
_FIELDS = ("node_type", "nodes", "step_s")


@dataclass(frozen=True, slots=True)
class Speeds:
    """Seconds an iteration by node type and number of nodes.

    Between two known sizes the step time is interpolated in logarithms. Beyond the largest known
    one, more nodes bring nothing.
    """

    known: Mapping[str, Mapping[int, float]]
    # For one node of any other type: then n nodes are n times as fast as one.
    default_s: float | None = None

    def step_s(self, node_types: tuple[tuple[str, int], ...]) -> float:
        """Seconds an iteration on a group. In a mix each node does as much as in a group of its own
        type.

        >>> speeds = Speeds({"small": {1: 1.0, 4: 0.25}})
        >>> [speeds.step_s((("small", count),)) for count in (1, 2, 4, 8)]
        [1.0, 0.5, 0.25, 0.25]
        """
        total = sum(count for _, count in node_types)
        per_s = sum(count / total / self._of(name, total) for name, count in node_types)
        return 1.0 / per_s

    def knows(self, node_type: str) -> bool:
        """Whether its speed is known."""
        return node_type in self.known or self.default_s is not None

    def _of(self, node_type: str, count: int) -> float:
        sizes = self.known.get(node_type)
        if not sizes:
            if self.default_s is None:
                raise InvalidInput(
                    f"speeds: {node_type}: wanted seconds an iteration on it, found none; add a "
                    "line"
                )
            return self.default_s / count
        counts = sorted(sizes)
        if count in sizes:
            return sizes[count]
        place = bisect_left(counts, count)
        if place == 0:
            return sizes[counts[0]]
        if place == len(counts):
            return sizes[counts[-1]]
        low = counts[place - 1]
        high = counts[place]
        share = math.log(count / low) / math.log(high / low)
        return math.exp((1 - share) * math.log(sizes[low]) + share * math.log(sizes[high]))


@dataclass(frozen=True, slots=True)
class Program:
    """The script of one job."""

    speeds: Speeds
    # It is done after so many, whatever the job's file says.
    iterations: int
    # The relative spread of a window's pace.
    noise: float = 0.02
    # The next ones: from a reply to the first step, to stop and save when asked, and between two
    # saves; a loss throws away what was done since the last one. Torch loads in 2 to 4 s, a large
    # script and its data in some more. Stops and saves take seconds
    # (benchmarks/checkpoint_pause.py), and a user's script saves every ten minutes or so.
    start_s: float = 20.0
    save_s: float = 2.0
    checkpoint_s: float = 600.0


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
