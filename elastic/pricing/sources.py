"""Which price sources there are, by the names that settings use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from elastic.errors import InvalidInput
from elastic.model import Offering
from elastic.pricing.base import PriceSource
from elastic.pricing.followed_trace import FollowedTrace
from elastic.pricing.static import StaticPrices
from elastic.pricing.trace_file import TraceRow


@dataclass(frozen=True, slots=True)
class PriceSetup:
    """All that any source may need; each takes what it knows.

    `usd_per_h` is the table of fixed prices; they hold from `started_at_s` on. `trace` is the file to replay from that
    instant on, `speed` times as fast; until it names an offering, the table's price holds.
    """

    started_at_s: float
    usd_per_h: Mapping[Offering, float] = field(default_factory=dict)
    trace: Path | None = None
    speed: float = 1.0


def _static(setup: PriceSetup) -> PriceSource:
    return StaticPrices(setup.usd_per_h, valid_from_s=setup.started_at_s)


def _trace(setup: PriceSetup) -> PriceSource:
    if setup.trace is None:
        raise InvalidInput("price_trace: wanted the path of a price trace, got nothing; name one", field="price_trace")
    table = [TraceRow(offering, usd_per_h, after_s=0.0) for offering, usd_per_h in setup.usd_per_h.items()]
    return FollowedTrace(setup.trace, table=table, started_at_s=setup.started_at_s, speed=setup.speed)


PRICE_SOURCES: Mapping[str, Callable[[PriceSetup], PriceSource]] = {
    "static": _static,
    "trace": _trace,
}
