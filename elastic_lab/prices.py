"""The prices of the lab's instances at any instant: on-demand by a table, spot by the scenario."""

from __future__ import annotations

import bisect
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from elastic.model import Capacity, Offering
from elastic_lab.scenario import Scenario, ScriptedPrices

DAY_S = 86_400.0
_FAR_S = float("inf")


@dataclass(frozen=True, slots=True, order=True)
class SpotPrice:
    """A price from `at_s` on, until the next one of the same node type and zone."""

    at_s: float
    usd_per_h: float


class PriceBook:
    """All past and future prices of a lab; the scenario begins at `started_at_s`."""

    def __init__(self, scenario: Scenario, *, started_at_s: float) -> None:
        self._on_demand = {
            name: each.on_demand_usd_per_h for name, each in scenario.node_types.items()
        }
        self._spot = _timelines(scenario, started_at_s)
        self._lock = threading.Lock()

    def spot_pools(self) -> tuple[tuple[str, str], ...]:
        """Every (node type, zone) in which there is spot capacity."""
        return tuple(self._spot)

    def usd_per_h(self, offering: Offering, *, at_s: float) -> float | None:
        """The price in force; None for what is not on sale."""
        if offering.capacity is Capacity.ON_DEMAND:
            return self._on_demand.get(offering.node_type)
        past = [
            price
            for price in self._timeline(offering.node_type, offering.zone)
            if price.at_s <= at_s
        ]
        if past:
            return past[-1].usd_per_h
        return None

    def spot_changes(
        self, node_type: str, zone: str, *, from_s: float, to_s: float
    ) -> tuple[SpotPrice, ...]:
        """The price at a window's beginning, and each change in it, oldest first."""
        timeline = self._timeline(node_type, zone)
        first = max(bisect.bisect_right(timeline, from_s, key=lambda price: price.at_s) - 1, 0)
        return tuple(price for price in timeline[first:] if price.at_s <= to_s)

    def set_spot(
        self, node_type: str, usd_per_h: float, *, zone: str | None = None, at_s: float
    ) -> None:
        """Changes the price from `at_s` on, and drops its later planned changes."""
        with self._lock:
            for pool, timeline in self._spot.items():
                if pool[0] == node_type and zone in (None, pool[1]):
                    kept = tuple(price for price in timeline if price.at_s < at_s)
                    self._spot[pool] = (*kept, SpotPrice(at_s, usd_per_h))

    def cost_usd(self, offering: Offering, *, from_s: float, to_s: float) -> float:
        """The cost of an instance for a time, each second at its price then."""
        if offering.capacity is Capacity.ON_DEMAND:
            return self._on_demand[offering.node_type] * (to_s - from_s) / 3600
        changes = self.spot_changes(offering.node_type, offering.zone, from_s=from_s, to_s=to_s)
        stretches = pairwise((*changes, SpotPrice(_FAR_S, 0.0)))
        return sum(
            price.usd_per_h * max(0.0, min(following.at_s, to_s) - max(price.at_s, from_s)) / 3600
            for price, following in stretches
        )

    def _timeline(self, node_type: str, zone: str) -> tuple[SpotPrice, ...]:
        return self._spot.get((node_type, zone), ())


def _timelines(
    scenario: Scenario, started_at_s: float
) -> dict[tuple[str, str], tuple[SpotPrice, ...]]:
    timelines = {}
    for name, node_type in scenario.node_types.items():
        first = node_type.spot_usd_per_h
        for zone in scenario.zones:
            if isinstance(first, Mapping):
                base = first.get(zone)
            else:
                base = first
            if base is not None:
                past = _past(
                    base, scenario.history, f"{scenario.history.seed} {name} {zone}", started_at_s
                )
                timelines[name, zone] = (*past, *_planned(scenario, name, zone, started_at_s))
    return timelines


def _past(
    base: float, history: ScriptedPrices, seed: str, started_at_s: float
) -> tuple[SpotPrice, ...]:
    chance = random.Random(seed)
    interval_s = DAY_S / history.changes_per_day
    count = round(history.days * history.changes_per_day)
    steps = [
        SpotPrice(
            round(started_at_s - (index + chance.uniform(0.1, 0.9)) * interval_s),
            round(base * (1 + chance.uniform(-history.volatility, history.volatility)), 6),
        )
        for index in range(count, 0, -1)
    ]
    # The price at the start is a little older, so that there is one from the beginning.
    return (*steps, SpotPrice(round(started_at_s - 0.05 * interval_s), base))


def _planned(scenario: Scenario, name: str, zone: str, started_at_s: float) -> list[SpotPrice]:
    return sorted(
        SpotPrice(started_at_s + change.after_s / scenario.speed, change.spot_usd_per_h)
        for change in scenario.prices
        if change.node_type == name and change.zone in (None, zone)
    )
