"""What a machine of EC2 can cost, judged by the prices of others.

Spot is judged by on-demand, and a size by the other sizes of its family.

The bounds lie well outside what EC2 has: `python -m benchmarks.price_bounds` counts it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low

from elastic.figures import price
from elastic.model import Capacity, Offering

# Of 25,323 spot offers in the spot advisor of 2025-07, the cheapest cost 0.10 times and the dearest
# 1.62 times their on-demand price.
LEAST_OF_ON_DEMAND = 0.05
MOST_OF_ON_DEMAND = 2.5
# Among 1,202 types of 2026-07, a size costs for each xlarge at most 3.0 times as much as the median
# of its family's other sizes, or as little. Zones differ by 2 to 3 times.
WITHIN_A_FAMILY = 5.0
# An xlarge of these types, or of one that is its family alone, costs 0.10 to 2.97 USD per hour on
# demand, and spot at least a tenth of it.
LEAST_USD_PER_XLARGE_H = 0.002
MOST_USD_PER_XLARGE_H = 15.0
# As many others of the family have to be known before they count: of two, one may be wrong.
_ENOUGH = 2
# What a size is in xlarge.
_SIZES = {"nano": 1 / 32, "micro": 1 / 16, "small": 1 / 8, "medium": 1 / 4, "large": 1 / 2}
_XLARGE = re.compile(r"(\d*)xlarge")


@dataclass(frozen=True, slots=True)
class PriceBounds:
    """What others cost now, in USD per hour, without disk and address."""

    # Of each type.
    on_demand: Mapping[str, float]
    # Of each type, by zone.
    spot: Mapping[str, Mapping[str, float]]
    # Of each family, by type, for each xlarge.
    families: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, usd_per_h: Mapping[Offering, float]) -> PriceBounds:
        """From what machines cost. An on-demand price is the same in every zone."""
        on_demand: dict[str, float] = {}
        spot: dict[str, dict[str, float]] = {}
        families: dict[str, dict[str, float]] = {}
        for offering, machine_usd_per_h in usd_per_h.items():
            if not machine_usd_per_h > 0:
                continue
            if offering.capacity is Capacity.SPOT:
                spot.setdefault(offering.node_type, {})[offering.zone] = machine_usd_per_h
                continue
            on_demand[offering.node_type] = machine_usd_per_h
            size = size_in_xlarge(offering.node_type)
            if size is not None:
                family = families.setdefault(_family(offering.node_type), {})
                family[offering.node_type] = machine_usd_per_h / size
        return cls(on_demand, spot, families)

    def why_outside(self, offering: Offering, usd_per_h: float) -> str | None:
        """Why the machine cannot cost that; None if it can, or if no other price is known.

        >>> large = Offering("c5.large", Capacity.SPOT, "a")
        >>> on_demand = Offering("c5.large", Capacity.ON_DEMAND, "a")
        >>> PriceBounds.of({on_demand: 0.1}).why_outside(large, 0.001)
        'wanted a spot price of 0.05 to 2.5 times the on-demand price of $0.10/h, got $0.001/h'
        """
        size = size_in_xlarge(offering.node_type)
        if size is not None and not (
            LEAST_USD_PER_XLARGE_H <= usd_per_h / size <= MOST_USD_PER_XLARGE_H
        ):
            return (
                f"wanted {price(LEAST_USD_PER_XLARGE_H * size)}/h to "
                f"{price(MOST_USD_PER_XLARGE_H * size)}/h for its size, got {price(usd_per_h)}/h"
            )
        if offering.capacity is Capacity.SPOT:
            return self._spot_is_outside(offering, usd_per_h)
        return self._on_demand_is_outside(offering.node_type, usd_per_h)

    def _spot_is_outside(self, offering: Offering, usd_per_h: float) -> str | None:
        on_demand = self.on_demand.get(offering.node_type)
        if on_demand is not None and not self._contradicts_its_family(
            offering.node_type, on_demand
        ):
            if LEAST_OF_ON_DEMAND <= usd_per_h / on_demand <= MOST_OF_ON_DEMAND:
                return None
            return (
                f"wanted a spot price of {LEAST_OF_ON_DEMAND:g} to {MOST_OF_ON_DEMAND:g} times the "
                f"on-demand price of {price(on_demand)}/h, got {price(usd_per_h)}/h"
            )
        zones = self.spot.get(offering.node_type, {})
        others = [each for zone, each in zones.items() if zone != offering.zone]
        if len(others) < _ENOUGH or _is_near_half(usd_per_h, others):
            return None
        return (
            f"wanted at most {WITHIN_A_FAMILY:g} times more or less than in other zones, "
            f"{price(median_low(others))}/h, got {price(usd_per_h)}/h"
        )

    def _on_demand_is_outside(self, node_type: str, usd_per_h: float) -> str | None:
        others = self._others(node_type)
        size = size_in_xlarge(node_type)
        if size is not None and len(others) >= _ENOUGH:
            if not self._contradicts_its_family(node_type, usd_per_h):
                return None
            usual = median_low(others) * size
            return (
                f"wanted at most {WITHIN_A_FAMILY:g} times more or less than other sizes of "
                f"{_family(node_type)}, {price(usual)}/h, got {price(usd_per_h)}/h"
            )
        spot = self.spot.get(node_type)
        if not spot:
            return None
        usual = median_low(spot.values())
        if LEAST_OF_ON_DEMAND <= usual / usd_per_h <= MOST_OF_ON_DEMAND:
            return None
        return (
            f"wanted an on-demand price to which the spot price of {price(usual)}/h fits, "
            f"got {price(usd_per_h)}/h"
        )

    def _contradicts_its_family(self, node_type: str, usd_per_h: float) -> bool:
        others = self._others(node_type)
        size = size_in_xlarge(node_type)
        if size is None or len(others) < _ENOUGH:
            return False
        return not _is_near_half(usd_per_h / size, others)

    def _others(self, node_type: str) -> list[float]:
        family = self.families.get(_family(node_type), {})
        return [each for name, each in family.items() if name != node_type]


def size_in_xlarge(node_type: str) -> float | None:
    """How many xlarge a type is; None where its name does not say.

    >>> size_in_xlarge("c5.large"), size_in_xlarge("c5.12xlarge"), size_in_xlarge("c5.metal")
    (0.5, 12.0, None)
    """
    size = node_type.partition(".")[2]
    found = _XLARGE.fullmatch(size)
    if found is None:
        return _SIZES.get(size)
    return float(found[1] or 1)


def _family(node_type: str) -> str:
    return node_type.partition(".")[0]


def _is_near_half(usd_per_h: float, others: list[float]) -> bool:
    """Of at least half of the others; a few of them may be wrong."""
    near = [each for each in others if max(each / usd_per_h, usd_per_h / each) <= WITHIN_A_FAMILY]
    return 2 * len(near) >= len(others)
