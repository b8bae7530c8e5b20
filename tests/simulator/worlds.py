"""Small simulated worlds for tests: one node type, on demand and from two spot pools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elastic.model import Capacity, JobSpec, NodeType, Offering
from elastic.policy import decide
from elastic.simulator import (
    Availability,
    Program,
    SimulatedMarket,
    SimulatedPool,
    SimulationSettings,
    Speeds,
    simulated,
)

ON_DEMAND = Offering("small", Capacity.ON_DEMAND, "a")
SPOT_A, SPOT_B = (Offering("small", Capacity.SPOT, zone) for zone in "ab")
H = 3600.0


def market(
    pools: Mapping[Offering, SimulatedPool] | None = None,
    prices: Mapping[Offering, Any] | None = None,
) -> SimulatedMarket:
    steps = {ON_DEMAND: ((0.0, 1.0),), SPOT_A: ((0.0, 0.3),), SPOT_B: ((0.0, 0.35),)}
    return SimulatedMarket((NodeType("small", 1.0, 1.0),), {**steps, **(prices or {})}, pools or {})


def down(*turns_s: float, notice_s: float = 0.0) -> SimulatedPool:
    """A pool that is up at first, and turns at these instants."""
    return SimulatedPool(Availability(True, turns_s), notice_s=notice_s)


def job(hours: float = 1.0, **rest: Any) -> JobSpec:
    return JobSpec(
        **{"name": "job", "command": ("train.py",), "iterations": int(hours * H), **rest}
    )


def program(hours: float = 1.0, **rest: Any) -> Program:
    return Program(Speeds({"small": {1: 1.0, 2: 0.6}}), int(hours * H), **rest)


__all__ = [
    "ON_DEMAND",
    "SPOT_A",
    "SPOT_B",
    "H",
    "SimulationSettings",
    "decide",
    "down",
    "job",
    "market",
    "program",
    "simulated",
]
