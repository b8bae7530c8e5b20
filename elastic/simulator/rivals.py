"""The policies that ours are compared with, as their authors describe them. They know every speed.

- `on-demand`: the cheapest group of on-demand nodes that does it in time, from the first tick to
  the last.
- `greedy`: any spot that is up, the cheapest for its work. Without spot it is idle, until the
  safety net asks for on-demand.
- `uniform`: Uniform Progress (Wu et al., Can't Be Late, NSDI 2024). It is on-demand while idle and
  behind the line of even progress, and back to spot once ahead of it by two changeovers.

Each has the safety net of that paper: from where two changeovers more than the rest of the work are
left, what does not hold a spot node goes to on-demand and stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from elastic.model import Capacity, Group
from elastic.simulator.light_world import Policy, TickWorld, WantedGroup


@dataclass(frozen=True, slots=True)
class Fleet:
    """The groups that a rival chooses among."""

    groups: Sequence[Group]

    def sold(self, capacity: Capacity) -> list[Group]:
        return [each for each in self.groups if each.members[0][0].capacity is capacity]

    def spot(self, world: TickWorld) -> Group | None:
        """The cheapest for its work of what is up and would be in time; of equals what trains
        already."""
        up = [each for each in self.sold(Capacity.SPOT) if world.can_have(each)]
        dead = 2 * world.task.dead
        in_time = [each for each in up if _ticks(world, each) + dead <= world.ticks_left]
        if in_time:
            return min(in_time, key=lambda each: (_usd(world, each), each != world.current, each))
        return min(up, key=lambda each: (_ticks(world, each), _usd(world, each)), default=None)

    def on_demand(self, world: TickWorld) -> Group:
        """The cheapest that does the rest in time with a changeover to spare, else the fastest."""
        sold = self.sold(Capacity.ON_DEMAND)
        dead = 2 * world.task.dead
        in_time = [each for each in sold if _ticks(world, each) + dead <= world.ticks_left]
        if in_time:
            return min(in_time, key=lambda each: (_usd(world, each), each))
        return min(sold, key=lambda each: (_ticks(world, each), _usd(world, each), each))


def _usd(world: TickWorld, group: Group) -> float:
    return world.usd_per_h(group) / world.task.rate(group)


def _ticks(world: TickWorld, group: Group) -> float:
    return world.left / world.task.rate(group)


@dataclass(slots=True)
class OnDemand:
    fleet: Fleet
    _held: Group | None = None

    def __call__(self, world: TickWorld) -> WantedGroup:
        if self._held is None:
            self._held = self.fleet.on_demand(world)
        return WantedGroup(self._held)


def _is_spot(group: Group | None) -> bool:
    return group is not None and group.members[0][0].capacity is Capacity.SPOT


@dataclass(slots=True)
class Net:
    """On-demand for good, once waiting longer could be late."""

    fleet: Fleet
    reserve: Group | None = field(default=None)

    def caught(self, world: TickWorld) -> Group | None:
        if self.reserve is None:
            fastest = min(
                self.fleet.sold(Capacity.ON_DEMAND),
                key=lambda each: (_ticks(world, each), _usd(world, each), each),
            )
            dead = 2 * world.task.dead
            best = self.fleet.on_demand(world)
            # As late as the cheapest that is in time, or the fastest if none is.
            late = min(_ticks(world, each) for each in (best, fastest))
            # The next look is a tick later, and what is begun then takes whole ticks.
            later = math.ceil(late + world.task.dead - 1e-9) + 1
            if world.ticks_left > late + dead and world.ticks_left >= later:
                return None
            self.reserve = best
        # Spot that would finish in time by itself may still go on.
        held = world.target
        if held is not None and _is_spot(held) and world.machines:
            if _ticks(world, held) <= world.ticks_left:
                return held
            return self.reserve
        return self.reserve


@dataclass(slots=True)
class Greedy:
    fleet: Fleet
    net: Net

    def __call__(self, world: TickWorld) -> WantedGroup:
        caught = self.net.caught(world)
        if caught is not None:
            return WantedGroup(caught)
        if _is_spot(world.target) and world.machines:
            return WantedGroup(world.target)
        return WantedGroup(self.fleet.spot(world))


@dataclass(slots=True)
class Uniform:
    fleet: Fleet
    net: Net

    def __call__(self, world: TickWorld) -> WantedGroup:
        caught = self.net.caught(world)
        if caught is not None:
            return WantedGroup(caught)
        if _is_spot(world.target) and world.machines:
            return WantedGroup(world.target)
        spot = self.fleet.spot(world)
        task = world.task
        ahead = 0.0
        if world.machines:
            ahead = 2 * task.dead
        # Even progress: on-demand must be two changeovers ahead of it before it goes back to spot.
        expected = task.work * (world.tick + ahead) / task.deadline
        if world.machines:
            return WantedGroup(
                spot if spot is not None and world.done >= expected else world.target
            )
        if spot is not None:
            return WantedGroup(spot)
        return WantedGroup(self.fleet.on_demand(world) if world.done < expected else None)


RIVALS: Mapping[str, Callable[[Fleet], Policy]] = {
    "on-demand": OnDemand,
    "greedy": lambda fleet: Greedy(fleet, Net(fleet)),
    "uniform": lambda fleet: Uniform(fleet, Net(fleet)),
}
