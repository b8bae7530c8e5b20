"""Reads recorded availability of spot pools: JSON (or `.gz`), as runs of ticks of being up or
down."""

from __future__ import annotations

import gzip
import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from elastic.errors import InvalidInput, cannot_read

# EC2's instance types by their GPUs, for series without `node_type` (EC2's pages of P2 and P3).
EC2_GPU_TYPES: Mapping[tuple[str, int], str] = {
    ("k80", 1): "p2.xlarge",
    ("k80", 8): "p2.8xlarge",
    ("k80", 16): "p2.16xlarge",
    ("v100", 1): "p3.2xlarge",
    ("v100", 4): "p3.8xlarge",
    ("v100", 8): "p3.16xlarge",
}


@dataclass(frozen=True, slots=True)
class Availability:
    """When one pool was available. Instants are seconds from the beginning of the record."""

    # Its state at 0 s.
    first_is_up: bool = True
    # The instants at which its state changes; if there is none, it never does.
    turns_s: tuple[float, ...] = ()
    # The length of the record, after which it repeats.
    lasts_s: float = math.inf

    def is_up(self, at_s: float) -> bool:
        """Whether it was available at an instant.

        >>> record = Availability(True, (600.0, 900.0), lasts_s=1200.0)
        >>> [record.is_up(at_s) for at_s in (0.0, 600.0, 900.0, 1300.0, 1800.0)]
        [True, False, True, True, False]
        """
        turned = bisect_right(self.turns_s, self._within(at_s))
        if turned % 2 == 0:
            return self.first_is_up
        return not self.first_is_up

    def next_turn_s(self, after_s: float) -> float:
        """When its state changes next, after an instant; infinity if it never does.

        >>> record = Availability(True, (600.0, 900.0), lasts_s=1200.0)
        >>> [record.next_turn_s(after_s) for after_s in (0.0, 600.0, 900.0)]
        [600.0, 900.0, 1800.0]
        """
        if not self.turns_s:
            return math.inf
        begun_s = after_s - self._within(after_s)
        turned = bisect_right(self.turns_s, after_s - begun_s)
        if turned < len(self.turns_s):
            return begun_s + self.turns_s[turned]
        # There the record begins again. If it begins in the state in which it ended, it turns
        # later.
        again_s = begun_s + self.lasts_s
        has_turned = self.first_is_up != (
            self.first_is_up if len(self.turns_s) % 2 == 0 else not self.first_is_up
        )
        if has_turned:
            return again_s
        return again_s + self.turns_s[0]

    def _within(self, at_s: float) -> float:
        if math.isfinite(self.lasts_s):
            return at_s % self.lasts_s
        return at_s


@dataclass(frozen=True, slots=True)
class PoolRecord:
    """One series of the file: a pool, and when it was available."""

    name: str
    node_type: str
    zone: str
    availability: Availability = field(repr=False)


def read_availability(path: Path) -> tuple[PoolRecord, ...]:
    """The series of a file, in the file's order.

    The file is one JSON object: series name -> `zone`, `gap_s` (seconds a tick), `runs` ([1 = up or
    0 = down, ticks], ...), and `node_type`, or `gpu` and `gpus` of an EC2 P2 or P3 type. Raises
    InvalidInput, naming file and series.
    """
    try:
        raw = path.read_bytes()
        document = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="availability as JSON (or .json.gz)",
            advice="docs/how-to/backtest.md shows some",
        ) from error
    if not isinstance(document, dict) or not document:
        raise InvalidInput(
            f"{path}: wanted a JSON object of series by name, got {_shown(document)}"
        )
    return tuple(_record(f"{path}: {name}", name, series) for name, series in document.items())


def _record(place: str, name: str, series: object) -> PoolRecord:
    if not isinstance(series, dict):
        raise InvalidInput(
            f"{place}: wanted an object with zone, gap_s and runs, got {_shown(series)}"
        )
    zone = series.get("zone")
    if not isinstance(zone, str) or not zone:
        raise InvalidInput(
            f"{place}: zone: wanted the pool's zone, got {_shown(zone)}", field="zone"
        )
    gap_s = series.get("gap_s")
    if (
        isinstance(gap_s, bool)
        or not isinstance(gap_s, int | float)
        or not (math.isfinite(gap_s) and gap_s > 0)
    ):
        raise InvalidInput(
            f"{place}: gap_s: wanted seconds a tick above 0, got {_shown(gap_s)}", field="gap_s"
        )
    runs = _runs(place, series.get("runs"))
    return PoolRecord(name, _node_type(place, series), zone, _availability(runs, float(gap_s)))


def _node_type(place: str, series: Mapping[str, object]) -> str:
    node_type = series.get("node_type")
    if isinstance(node_type, str) and node_type:
        return node_type
    gpu = series.get("gpu")
    gpus = series.get("gpus")
    known = None
    if isinstance(gpus, int):
        known = EC2_GPU_TYPES.get((str(gpu).lower(), gpus))
    if known is None:
        wanted = ", ".join(f"{count} x {name}" for name, count in EC2_GPU_TYPES)
        raise InvalidInput(
            f"{place}: node_type: wanted a node type's name, or gpu and gpus of one of {wanted}; "
            f"got {_shown(node_type)}, {_shown(gpus)} x {_shown(gpu)}; add a node_type",
            field="node_type",
        )
    return known


def _runs(place: str, runs: object) -> list[tuple[bool, int]]:
    wanted = "wanted a list of [1 = up or 0 = down, ticks]"
    if not isinstance(runs, list) or not runs:
        raise InvalidInput(f"{place}: runs: {wanted}, got {_shown(runs)}", field="runs")
    found = []
    for number, run in enumerate(runs, start=1):
        is_pair = isinstance(run, list) and len(run) == 2 and all(type(each) is int for each in run)
        if not is_pair or run[0] not in (0, 1) or run[1] < 1:
            raise InvalidInput(f"{place}: run {number}: {wanted}, got {_shown(run)}", field="runs")
        found.append((run[0] == 1, run[1]))
    return found


def _availability(runs: list[tuple[bool, int]], gap_s: float) -> Availability:
    ends_s = [ticks * gap_s for ticks in accumulate(ticks for _, ticks in runs)]
    turns_s = [
        end_s
        for end_s, (state, _), (following, _) in zip(ends_s, runs, runs[1:], strict=False)
        if state is not following
    ]
    return Availability(runs[0][0], tuple(turns_s), ends_s[-1])


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value)
    if len(text) <= 60:
        return text
    return f"{text[:57]}..."
