"""The sources of prices, by the names that settings use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from elastic.config import Ec2Settings
from elastic.errors import InvalidInput, PriceUnavailable
from elastic.model import Capacity, Offering
from elastic.pricing.base import PriceArchive, PriceSource
from elastic.pricing.owned import OwnedPrices, static_prices
from elastic.pricing.trace import FollowedTrace
from elastic.pricing.trace_file import TraceRow


def _never(_source: str, _capacity: Capacity | None) -> float | None:
    return None


def _unknown_disk(node_type: str) -> float:
    raise PriceUnavailable(f"{node_type}: wanted the size of its disk, and there is nothing to ask")


@dataclass(frozen=True, slots=True)
class PriceSetup:
    """What sources may need; each takes what it knows."""

    # Fixed prices hold, and traces replay, from here on.
    started_at_s: float
    # The table of fixed prices. With a trace they hold until the trace names an offering.
    usd_per_h: Mapping[Offering, float] = field(default_factory=dict)
    # The prices of machines of one's own, once it is known what they are.
    owned: Callable[[], Mapping[Offering, float]] = dict
    # The file to replay, and how many times as fast.
    trace: Path | None = None
    speed: float = 1.0
    ec2: Ec2Settings = field(default_factory=Ec2Settings)
    # What the provider sells.
    offerings: Callable[[], tuple[Offering, ...]] = tuple
    # The zones whose nodes get a public address, which costs.
    public_zones: Callable[[], Set[str]] = frozenset
    # The size of a node type's disk, which costs too.
    disk_gib: Callable[[str], float] = _unknown_disk
    # Up to when an earlier daemon read a source, for one capacity or all; None: never.
    observed_to_s: Callable[[str, Capacity | None], float | None] = _never


def _static(setup: PriceSetup) -> PriceSource:
    return static_prices(setup.usd_per_h, valid_from_s=setup.started_at_s)


def _owned(setup: PriceSetup, *, name: str) -> PriceSource:
    return OwnedPrices(setup.owned, name=name, valid_from_s=setup.started_at_s)


def _trace(setup: PriceSetup) -> PriceSource:
    if setup.trace is None:
        raise InvalidInput(
            "price_trace: wanted the path of a price trace, got nothing; name one",
            field="price_trace",
        )
    ever = [
        TraceRow(offering, usd_per_h, at_s=0.0) for offering, usd_per_h in setup.usd_per_h.items()
    ]
    return FollowedTrace(
        setup.trace,
        table=ever,
        started_at_s=setup.started_at_s,
        speed=setup.speed,
        observed_to_s=setup.observed_to_s("trace", None),
    )


def _ec2(setup: PriceSetup) -> PriceSource:
    # Imported here, since boto3 is slow to import and other sources do not need it.
    from elastic.pricing.ec2 import Ec2Prices, PricedOffers, connect_feeds

    return Ec2Prices(
        setup.ec2,
        feeds=connect_feeds(setup.ec2.region),
        market=PricedOffers(setup.offerings, setup.public_zones, setup.disk_gib),
        # Of spot alone: the price list may have answered later.
        observed_to_s=setup.observed_to_s("ec2", Capacity.SPOT),
    )


PRICE_SOURCES: Mapping[str, Callable[[PriceSetup], PriceSource]] = {
    "ec2": _ec2,
    "slurm": partial(_owned, name="slurm"),
    "ssh": partial(_owned, name="ssh"),
    "static": _static,
    "trace": _trace,
}


def _ec2_archive(setup: PriceSetup) -> PriceArchive:
    from elastic.pricing.ec2 import Ec2History, connect_feeds

    # One attempt: the history is not urgent, and is asked again later.
    return Ec2History(connect_feeds(setup.ec2.region, attempts=1))


# The archives of past prices, by the name of the source of present ones; others have none.
PRICE_ARCHIVES: Mapping[str, Callable[[PriceSetup], PriceArchive]] = {"ec2": _ec2_archive}
