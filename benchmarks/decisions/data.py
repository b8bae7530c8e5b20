"""The recorded data that the tracks play: where it lies, and its files by their shape."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

VARIABLE = "ELASTICD_BENCH_DATA"
_BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def folder() -> Path:
    """Where the data lies. Raises FileNotFoundError, with what to do, where it is absent."""
    found = Path(os.environ.get(VARIABLE) or _BESIDE)
    if not found.is_dir():
        raise FileNotFoundError(
            f"{found}: wanted the folder of recorded data, found none; set {VARIABLE} to where it "
            "lies"
        )
    return found


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether one spot instance could be held, every `gap_s` seconds. `recording` names what it was
    recorded with."""

    name: str
    recording: str
    zone: str
    kind: str
    gap_s: float
    is_up: NDArray[np.bool_]

    def every(self, tick_s: float) -> NDArray[np.bool_]:
        """The same, every `tick_s` seconds: each tick has the state that was seen last."""
        ticks = int(len(self.is_up) * self.gap_s // tick_s)
        places = (np.arange(ticks) * tick_s // self.gap_s).astype(np.int64)
        return self.is_up[places]


@cache
def availability(data: Path) -> tuple[Availability, ...]:
    """Gives every recorded series of spot availability, in the order of their names."""
    with gzip.open(data / "spot_availability.json.gz", "rt") as file:
        told: Mapping[str, Mapping[str, object]] = json.load(file)
    return tuple(_availability(name, told[name]) for name in sorted(told))


def _availability(name: str, told: Mapping[str, object]) -> Availability:
    runs = told["runs"]
    assert isinstance(runs, list)
    states = np.array([state for state, _ in runs], dtype=bool)
    is_up = np.repeat(states, [ticks for _, ticks in runs])
    gap_s = float(str(told["gap_s"]))
    kind = f"{told['gpu']} x {told['gpus']}"
    return Availability(name, name.split("/")[0], str(told["zone"]), kind, gap_s, is_up)


def recordings(series: tuple[Availability, ...]) -> dict[str, list[Availability]]:
    """The series by what they were recorded with, at the same instants."""
    found: dict[str, list[Availability]] = {}
    for each in series:
        found.setdefault(each.recording, []).append(each)
    return found
