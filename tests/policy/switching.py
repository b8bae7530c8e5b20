"""Moves of a job that trains on one node of half a core, at 2 s an iteration."""

from __future__ import annotations

from elastic.model import Group, Interval, Snapshot
from elastic.policy.quotes import fresh_quotes
from elastic.policy.switch_cost import SwitchCost, switch_cost
from tests.builders import group

HALF, FULL = group("local.half"), group("local.full")
_SECOND = Interval(1.0)


def from_half(
    world: Snapshot,
    *,
    to: Group = FULL,
    origin_step_s: float | None = 2.0,
    step_s: Interval = _SECOND,
    iterations: int = 100,
) -> SwitchCost:
    """What it costs to go there and make the rest of the iterations."""
    return switch_cost(
        world,
        fresh_quotes(world),
        origin=HALF,
        origin_step_s=origin_step_s,
        to=to,
        step_s=step_s,
        iterations=iterations,
    )
