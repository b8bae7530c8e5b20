"""Track T2: which GPU type, zone and market, at recorded prices and availability, the program's
speeds unknown.

Speeds are recorded training throughputs, prices are recorded spot prices of one region's zones, and
each pool comes and goes as a recorded one did. What the policy knows of pools comes from the
other recordings.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.decisions.clairvoyant import Least
from benchmarks.decisions.data import availability, recordings
from benchmarks.decisions.ours import Shown
from benchmarks.decisions.playing import against, least, played
from benchmarks.decisions.pools import recorded_elsewhere
from benchmarks.decisions.rivals import RIVALS
from benchmarks.decisions.score import cost_rows
from benchmarks.decisions.track import OURS, Outcome, Row, halved
from benchmarks.decisions.world import Task, TickMarket
from elastic.model import Capacity, Group, NodeType, Offering

TICK_S = 720.0
WORK_H = 48
DEADLINES_H = (24, 60, 120)
PAUSE_TICKS = 1
_GOALS = {"24 h": 1.20, "60 h": 1.18, "120 h": 1.08}
_ZONES = 3
_STARTS = 4
_SEED = 118
_UNITS = 20  # of work, done by the reference in a tick
_REFERENCE = "v100"
_SPARE = 1.2
_ON_DEMAND_OVER_SPOT = 10 / 3  # where no on-demand price is recorded

# What EC2 says of these types: GPU, how many, virtual CPUs, GiB.
_TYPES: Mapping[str, tuple[str, int, int, float]] = {
    "p2.xlarge": ("k80", 1, 4, 61.0),
    "p2.8xlarge": ("k80", 8, 32, 488.0),
    "p2.16xlarge": ("k80", 16, 64, 732.0),
    "p3.2xlarge": ("v100", 1, 8, 61.0),
    "p3.8xlarge": ("v100", 4, 32, 244.0),
    "p3.16xlarge": ("v100", 8, 64, 488.0),
}

Speeds = Mapping[str, float]
"""Steps a second of one program, by node type."""


@dataclass(frozen=True, slots=True)
class Bought:
    """A program to train somewhere, from some day on, in so many hours."""

    data: Path
    program: str
    deadline_h: int
    start: int

    @property
    def cell(self) -> str:
        return f"{self.deadline_h} h"

    @property
    def name(self) -> str:
        return f"{self.cell} {self.program} #{self.start}"


@cache
def _programs(data: Path) -> Mapping[str, Speeds]:
    """The programs that were recorded on a single reference GPU, and on other types."""
    told: Mapping[str, Mapping[str, float]] = json.loads(
        (data / "gpu_throughputs.json").read_text()
    )
    found: dict[str, Speeds] = {}
    for key in told[_REFERENCE]:
        match = re.fullmatch(r"\('(.+)', 1\)", key)
        if match is None:
            continue
        speeds = {
            name: told[gpu].get(f"('{match[1]}', {count})", 0.0)
            for name, (gpu, count, _, _) in _TYPES.items()
        }
        found[match[1]] = {name: speed for name, speed in speeds.items() if speed > 0}
    return found


Feed = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Instants at which a price changed, and the prices from then on."""


@cache
def _feeds(data: Path) -> Mapping[tuple[str, str], Feed]:
    """The recorded spot prices of each zone and known type."""
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    (path,) = sorted(data.glob("spot_price_events_*.csv.gz"))[:1]
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            if row["instance_type"] in _TYPES:
                at_s = datetime.fromisoformat(row["timestamp"]).timestamp()
                key = (row["az"], row["instance_type"])
                points.setdefault(key, []).append((at_s, float(row["price_usd_h"])))
    found = {}
    for key, own in points.items():
        ordered = np.array(sorted(own))
        found[key] = (ordered[:, 0], ordered[:, 1])
    return found


@cache
def _on_demand(data: Path) -> Mapping[str, float]:
    """Recorded on-demand prices of the known types, else what their spot prices suggest."""
    found = {
        name: _ON_DEMAND_OVER_SPOT * median(float(np.median(usd)) for usd in prices)
        for name in _TYPES
        if (prices := [usd for (_, each), (_, usd) in _feeds(data).items() if each == name])
    }
    for path in sorted(data.glob("ec2_ondemand_*.csv.gz")):
        with gzip.open(path, "rt") as file:
            for row in csv.DictReader(file):
                if row["instance_type"] in found:
                    found[row["instance_type"]] = float(row["usd_h"])
    return found


def _draw(case: Bought) -> np.random.Generator:
    """The same draws for the same program and start, whatever the deadline."""
    return np.random.default_rng([_SEED, case.start, *case.program.encode()])


@cache
def _place(case: Bought) -> tuple[TickMarket, tuple[NodeType, ...], str]:
    """The market of a case, its node types, and the recording that its pools come and go by."""
    draw, speeds = _draw(case), _programs(case.data)[case.program]
    feeds = _feeds(case.data)
    regions: dict[str, set[str]] = {}
    for zone, name in feeds:
        if name in speeds:
            regions.setdefault(zone[:-1], set()).add(zone)
    wide = sorted(region for region, zones in regions.items() if len(zones) > 1)
    region = str(draw.choice(wide))
    zones = sorted(regions[region])[:_ZONES]
    told = recordings(availability(case.data))
    recording = str(draw.choice(sorted(told)))
    names = [name for name in speeds if any((zone, name) in feeds for zone in zones)]
    spot = [(zone, name) for name in names for zone in zones if (zone, name) in feeds]
    ticks = 3 * round(case.deadline_h * 3600 / TICK_S)
    usd, up, offerings = [], [], []
    for name in names:
        for zone in zones:
            offerings.append(Offering(name, Capacity.ON_DEMAND, zone))
            usd.append(np.full(ticks, _on_demand(case.data)[name]))
            up.append(np.ones(ticks, dtype=bool))
    begins_s = max(at_s[0] for at_s, _ in feeds.values())
    ends_s = min(at_s[-1] for at_s, _ in feeds.values() if at_s[-1] > begins_s)
    at_s = begins_s + float(draw.random()) * max(0.0, ends_s - begins_s - max(DEADLINES_H) * 3600)
    for zone, name in spot:
        offerings.append(Offering(name, Capacity.SPOT, zone))
        usd.append(_prices(feeds[zone, name], at_s + TICK_S * np.arange(ticks)))
        up.append(_states(case.data, recording, name, ticks, draw))
    market = TickMarket(TICK_S, tuple(offerings), np.array(usd), np.array(up))
    return market, tuple(_node_type(name) for name in names), recording


def _prices(feed: Feed, at_s: NDArray[np.float64]) -> NDArray[np.float64]:
    changes_s, usd = feed
    return usd[np.clip(np.searchsorted(changes_s, at_s, side="right") - 1, 0, None)]


def _states(
    data: Path, recording: str, name: str, ticks: int, draw: np.random.Generator
) -> NDArray[np.bool_]:
    """A stretch of one recorded pool: of the same GPU and number where there is one, else of the
    same GPU, else any."""
    gpu, count, _, _ = _TYPES[name]
    series = recordings(availability(data))[recording]
    several = [
        each
        for each in series
        if each.kind.startswith(gpu) and (count > 1) == (each.kind != f"{gpu} x 1")
    ]
    alike = several or [each for each in series if each.kind.startswith(gpu)] or series
    states = alike[int(draw.integers(len(alike)))].every(TICK_S)
    begin = int(draw.integers(len(states)))
    return states[(begin + np.arange(ticks)) % len(states)]


def _node_type(name: str) -> NodeType:
    gpu, count, cpu, memory_gib = _TYPES[name]
    return NodeType(name, cpu, memory_gib, gpu_count=count, gpu_model=gpu, physical_cores=cpu / 2)


def _task(case: Bought) -> Task:
    speeds = _programs(case.data)[case.program]
    names = [each.name for each in _place(case)[1]]
    reference = next(
        name for name, (gpu, count, _, _) in _TYPES.items() if (gpu, count) == (_REFERENCE, 1)
    )
    return Task(
        work=round(WORK_H * 3600 / TICK_S) * _UNITS,
        deadline=round(case.deadline_h * 3600 / TICK_S),
        rates={
            ((name, 1),): max(1, round(_UNITS * speeds[name] / speeds[reference])) for name in names
        },
        pause=PAUSE_TICKS,
    )


def _groups(case: Bought) -> list[Group]:
    """Every spot pool, and each type on-demand in the first zone: it costs the same in all."""
    offerings = _place(case)[0].offerings
    first = min(each.zone for each in offerings)
    return [
        Group.of(each) for each in offerings if each.capacity is Capacity.SPOT or each.zone == first
    ]


@cache
def _least(case: Bought) -> Least:
    return least(_place(case)[0], _task(case), _groups(case))


def _fastest(task: Task) -> float:
    return task.pause + task.work / max(task.rates.values())


class _Types:
    NAME = "T2"
    TITLE = "GPU types, zones and markets, speeds unknown"
    POLICIES = (OURS, *RIVALS)

    def cases(self, data: Path, *, whole: bool) -> list[Bought]:
        found = [
            Bought(data, program, deadline_h, start)
            for deadline_h in DEADLINES_H
            for program in _programs(data)
            for start in range(_STARTS if whole else 2)
        ]
        # What on-demand could not do is no case.
        can = [
            each for each in found if _task(each).deadline >= _fastest(_task(each)) + PAUSE_TICKS
        ]
        return can if whole else halved(can)

    def play(self, case: Bought, policy: str) -> Mapping[str, float]:
        market, node_types, recording = _place(case)
        task = _task(case)
        others = [each for each in availability(case.data) if each.recording != recording]
        shown = Shown(
            node_types,
            per_unit=8,
            noise=0.02,
            elsewhere=recorded_elsewhere((each.is_up, each.gap_s) for each in others),
        )
        found = played(market, task, shown, _groups(case), policy)
        return against(found, _least(case)) | {
            "may_be_late": float(task.deadline < _SPARE * _fastest(task)),
        }

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        return cost_rows(outcomes, goals=_GOALS)


TYPES = _Types()
