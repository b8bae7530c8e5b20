"""What is sold in a simulated world: node types, true prices, and the pools of machines."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from elastic.durations import NOTICE_S
from elastic.errors import InvalidInput, cannot_read
from elastic.model import Capacity, NodeType, Offering, Precision
from elastic.pricing import TraceRow
from elastic.simulator.availability_file import Availability, PoolRecord


@dataclass(frozen=True, slots=True)
class SimulatedPool:
    """Where the machines of one offering come from. While it is down nothing is sold."""

    availability: Availability
    # Whether its machines end when it goes down.
    takes_back: bool = True
    # How long before that they get a notice; 0 for none.
    notice_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SimulatedMarket:
    """Everything that is sold. Instants count from the market's beginning."""

    node_types: tuple[NodeType, ...]
    # The true prices of each offering, in the order of time. The first one also holds before it.
    prices: Mapping[Offering, tuple[tuple[float, float], ...]]
    # An offering without a pool is always available.
    pools: Mapping[Offering, SimulatedPool] = field(default_factory=dict)

    @property
    def offerings(self) -> tuple[Offering, ...]:
        return tuple(sorted(self.prices))

    def usd_per_h(self, offering: Offering, at_s: float) -> float:
        """What it costs at an instant."""
        steps = self.prices[offering]
        return steps[max(bisect_right(steps, at_s, key=lambda step: step[0]) - 1, 0)][1]

    def rows(self) -> tuple[TraceRow, ...]:
        """The prices as a trace to replay: each offering has one from the first instant on."""
        return tuple(
            TraceRow(offering, usd_per_h, after_s=at_s if number else 0.0)
            for offering, steps in sorted(self.prices.items())
            for number, (at_s, usd_per_h) in enumerate(steps)
        )

    def from_s(self, at_s: float) -> SimulatedMarket:
        """The same market, beginning later."""
        return replace(
            self,
            prices={each: _later_steps(steps, at_s) for each, steps in self.prices.items()},
            pools={
                each: replace(pool, availability=_later(pool.availability, at_s))
                for each, pool in self.pools.items()
            },
        )


def market_of(
    prices: Iterable[TraceRow],
    records: Sequence[PoolRecord] | None = None,
    *,
    node_types: Mapping[str, NodeType] | None = None,
    notice_s: float = NOTICE_S,
) -> SimulatedMarket:
    """Gives the market of recorded prices and availability.

    With `records` a spot pool is sold only if its availability is known; without them every pool is
    always up. Of several records of one pool the first counts. Raises InvalidInput if nothing is
    left to sell.
    """
    rows = tuple(prices)
    steps: dict[Offering, dict[float, float]] = {}
    for row in rows:
        from_s = row.after_s or 0.0
        if row.at_s is not None:
            from_s = row.at_s
        steps.setdefault(row.offering, {})[from_s] = row.usd_per_h
    if not steps:
        raise InvalidInput("prices: wanted at least one price, got an empty file")
    # Dated prices are moved to the market's beginning; then each spot pool gets its record.
    steps = _from_zero(steps, {row.offering for row in rows if row.at_s is not None})
    pools: dict[Offering, SimulatedPool] = {}
    for record in records or ():
        offering = Offering(record.node_type, Capacity.SPOT, record.zone)
        pools.setdefault(offering, SimulatedPool(record.availability, notice_s=notice_s))
    sold = [
        each
        for each in steps
        if records is None or each.capacity is Capacity.ON_DEMAND or each in pools
    ]
    if not sold:
        raise InvalidInput(
            f"availability: none of its {len(pools)} pools has a price; pools are "
            f"{_listed(pools)}, prices are of {_listed(steps)}"
        )
    known = node_types or {}
    names = sorted({each.node_type for each in sold})
    return SimulatedMarket(
        node_types=tuple(known.get(name) or _undescribed(name) for name in names),
        prices={each: tuple(sorted(steps[each].items())) for each in sorted(sold)},
        pools={each: pool for each, pool in pools.items() if each in sold},
    )


def is_undescribed(node_type: NodeType) -> bool:
    """Whether nothing but the name of a type was known to `market_of`."""
    return node_type == _undescribed(node_type.name)


def _undescribed(name: str) -> NodeType:
    return NodeType(name, 1.0, 1.0)


def _from_zero(
    steps: Mapping[Offering, dict[float, float]], dated: set[Offering]
) -> dict[Offering, dict[float, float]]:
    """Moves prices with dates so that the first of them holds from 0 s on."""
    first_s = min((at_s for each in dated for at_s in steps[each]), default=0.0)
    return {
        each: {at_s - first_s if each in dated else at_s: usd for at_s, usd in found.items()}
        for each, found in steps.items()
    }


def _later_steps(
    steps: tuple[tuple[float, float], ...], at_s: float
) -> tuple[tuple[float, float], ...]:
    place = max(bisect_right(steps, at_s, key=lambda step: step[0]) - 1, 0)
    kept = steps[place:]
    return tuple((max(step_s - at_s, 0.0), usd_per_h) for step_s, usd_per_h in kept)


def _later(record: Availability, at_s: float) -> Availability:
    if not record.turns_s:
        return record
    turns = []
    turn_s = record.next_turn_s(at_s)
    while turn_s < at_s + record.lasts_s and math.isfinite(turn_s):
        turns.append(turn_s - at_s)
        turn_s = record.next_turn_s(turn_s)
    return Availability(record.is_up(at_s), tuple(turns), record.lasts_s)


def _listed(offerings: Iterable[Offering]) -> str:
    names = sorted({f"{each.node_type} {each.zone}" for each in offerings})
    more = ""
    if len(names) > 4:
        more = f" and {len(names) - 4} more"
    return ", ".join(names[:4]) + more


def read_node_types(path: Path) -> Mapping[str, NodeType]:
    """The node types of a JSON list by name. Each has `name`, `cpu` and `memory_gib`; the rest may
    be left out.

    Raises InvalidInput, naming the entry.
    """
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="node types as JSON (UTF-8)",
            advice="docs/how-to/backtest.md shows some",
        ) from error
    if not isinstance(document, list) or not document:
        raise InvalidInput(f"{path}: wanted a JSON list of node types, got {str(document)[:60]}")
    found = [
        _node_type(f"{path}, entry {number}", entry)
        for number, entry in enumerate(document, start=1)
    ]
    return {each.name: each for each in found}


def _node_type(place: str, entry: Any) -> NodeType:
    name = None
    if isinstance(entry, dict):
        name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"{place}: wanted an object with a name, got {str(entry)[:60]}")
    model = entry.get("gpu_model")
    precisions = entry.get("precisions") or (Precision.FP32,)
    cpu = _number(place, entry, "cpu")
    try:
        return NodeType(
            name,
            cpu,
            _number(place, entry, "memory_gib"),
            gpu_count=int(_number(place, entry, "gpu_count", 0.0)),
            gpu_model=None if model is None else str(model),
            physical_cores=_number(place, entry, "cores", cpu),
            precisions=tuple(Precision(each) for each in precisions),
        )
    except (InvalidInput, ValueError, TypeError) as error:
        raise InvalidInput(f"{place}: {error}") from error


def _number(place: str, entry: Mapping[str, Any], key: str, default: float | None = None) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(
            f"{place}: {entry['name']}: {key}: wanted a number, got {value!r}", field=key
        )
    return float(value)
