"""What a backtest is measured by: the least that could have been spent, and what simple rules would
have spent.

They play the same market in whole ticks, know every speed beforehand, and are told no more of the
future than we are, but for the clairvoyant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from elastic.durations import TICK_S
from elastic.model import Capacity, Group, JobSpec
from elastic.simulator import light_world
from elastic.simulator.clairvoyant import GroupOption, least_usd
from elastic.simulator.market import SimulatedMarket
from elastic.simulator.program import Program
from elastic.simulator.rivals import RIVALS, Fleet

# Ticks times groups: the clairvoyant takes some 0.1 ms for each.
CLAIRVOYANT = "clairvoyant"
_MOST_STEPS = 8_000
# Units of work that the slowest group does in a tick of a short run: rounding is then 1 in 32 at
# most.
_FINE = 16
_MOST_UNITS = 16_000


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The result of one rule."""

    name: str
    # Dollars; None if it could not be done.
    usd: float | None
    # Seconds after the deadline.
    late_s: float


def yardsticks(
    spec: JobSpec,
    program: Program,
    market: SimulatedMarket,
    *,
    horizon_s: float,
    boot_s: float,
    pause_s: float,
    is_deadline: bool = True,
) -> tuple[Yardstick, ...]:
    """Gives the clairvoyant and the rivals, for all of the program's work by `horizon_s`.

    Times are rounded to whole ticks. If the run allows many, ticks are so short that even a boot
    takes some. The rest of boot and pause beside whole ticks is paid. Nothing is late unless
    `is_deadline`.
    """
    # Ticks as short as the clairvoyant's time allows, but no shorter than the daemon's.
    sold = sum(spec.admits(each) for each in market.offerings) * max(len(spec.sizes), 1)
    tick_s = max(TICK_S, horizon_s * max(sold, 1) / _MOST_STEPS)
    light = _light(market, tick_s, 3 * math.ceil(horizon_s / tick_s))
    task = _task(spec, program, market, tick_s, horizon_s, boot_s, pause_s)
    groups = [
        Group.of(each, count)
        for each in light.offerings
        for count in spec.sizes
        if spec.admits(each)
    ]
    groups = [each for each in groups if task.rate(each) > 0]
    found = [Yardstick(CLAIRVOYANT, _least_usd(light, task, groups), 0.0)]
    for name, make in RIVALS.items():
        if not any(each.members[0][0].capacity is Capacity.ON_DEMAND for each in groups):
            break  # each of them goes to on-demand in the end
        world = light_world.TickWorld(light, task)
        is_done = world.play(make(Fleet(groups)), until=3 * task.deadline)
        late_s = 0.0
        if is_deadline:
            late_s = max(0, world.tick - task.deadline) * tick_s
        found.append(Yardstick(name, world.spent.usd if is_done else None, late_s))
    return tuple(found)


def _light(market: SimulatedMarket, tick_s: float, ticks: int) -> light_world.TickMarket:
    offerings = market.offerings
    usd = np.empty((len(offerings), ticks))
    is_up = np.ones((len(offerings), ticks), dtype=bool)
    for row, offering in enumerate(offerings):
        starts_s = np.arange(ticks) * tick_s
        steps = market.prices[offering]
        # The price in force at the start of each tick; the first one also holds before it.
        places = np.searchsorted([at_s for at_s, _ in steps], starts_s, side="right") - 1
        usd[row] = np.array([usd_per_h for _, usd_per_h in steps])[np.maximum(places, 0)]
        pool = market.pools.get(offering)
        if pool is not None:
            is_up[row] = [pool.availability.is_up(at_s) for at_s in starts_s]
    return light_world.TickMarket(tick_s, offerings, usd, is_up)


def _task(
    spec: JobSpec,
    program: Program,
    market: SimulatedMarket,
    tick_s: float,
    horizon_s: float,
    boot_s: float,
    pause_s: float,
) -> light_world.Task:
    types = [each.name for each in market.node_types if program.speeds.knows(each.name)]
    per_tick = {
        ((name, count),): tick_s / program.speeds.step_s(((name, count),))
        for name in types
        for count in spec.sizes
    }
    slowest = min(per_tick.values())
    # Whole units a tick for the slowest, so that its pace at least is exact.
    unit = slowest / min(max(int(_MOST_UNITS * slowest / program.iterations), 1), _FINE)
    # Boot and pause in whole ticks. What both leave over may add up to one more tick of pause.
    dead_s = boot_s + pause_s
    boot = int(boot_s / tick_s)
    pause = int(pause_s / tick_s)
    pause += int(dead_s / tick_s) - boot - pause
    return light_world.Task(
        work=math.ceil(program.iterations / unit),
        deadline=max(int(horizon_s / tick_s), 1),
        rates={group: max(round(done / unit), 1) for group, done in per_tick.items()},
        boot=boot,
        pause=pause,
        nodes_max=spec.nodes_max,
        rest=dead_s / tick_s - boot - pause,
    )


def _least_usd(
    light: light_world.TickMarket, task: light_world.Task, groups: Sequence[Group]
) -> float | None:
    places: Mapping[object, int] = {each: number for number, each in enumerate(light.offerings)}
    choices = []
    for group in groups:
        ((offering, count),) = group.members
        row = places[offering]
        usd = count * light.usd_per_h[row, : task.deadline] * light.tick_s / 3600
        choices.append(
            GroupOption(usd, light.is_up[row, : task.deadline], task.rate(group), row, count)
        )
    least = least_usd(
        choices,
        work=task.work,
        deadline=task.deadline,
        boot=task.boot,
        pause=task.pause,
        rest=task.rest,
    )
    if math.isfinite(least):
        return least
    return None
