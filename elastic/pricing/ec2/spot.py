"""Reads EC2's spot prices in each zone, now and for the last 90 days."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from elastic.aws import without_code
from elastic.durations import HISTORY_DAYS
from elastic.errors import PriceUnavailable
from elastic.figures import count
from elastic.model import Capacity, Offering
from elastic.pricing.base import Quote
from elastic.pricing.ec2.aws import Feeds

# Both names mean the same machine; accounts older than VPCs have the second.
_SYSTEMS = ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
_TYPES_A_CALL = 50


@dataclass(frozen=True, slots=True)
class SpotChange:
    """A spot price from an instant on."""

    offering: Offering
    usd_per_h: float
    at_s: float
    # Why it is not trusted; None if it is.
    doubt: str | None = None


def read_spot(
    feeds: Feeds, offerings: Iterable[Offering], *, from_s: float, to_s: float
) -> tuple[SpotChange, ...]:
    """The prices in force at `from_s` and every change up to `to_s`, oldest first.

    Raises botocore's errors.
    """
    wanted = {each for each in offerings if each.capacity is Capacity.SPOT}
    names = sorted({each.node_type for each in wanted})
    changes: dict[SpotChange, None] = {}
    for start in range(0, len(names), _TYPES_A_CALL):
        for page in spot_pages(
            feeds, names[start : start + _TYPES_A_CALL], from_s=from_s, to_s=to_s
        ):
            for change in page:
                if change.offering in wanted and change.at_s <= to_s:
                    changes[change] = None
    return tuple(sorted(changes, key=lambda change: (change.at_s, change.offering)))


def spot_pages(
    feeds: Feeds, node_types: list[str], *, from_s: float, to_s: float
) -> Iterator[tuple[SpotChange, ...]]:
    """The same for all zones, newest first, with one request a page. Raises botocore's errors."""
    pages = feeds.ec2.get_paginator("describe_spot_price_history").paginate(
        InstanceTypes=node_types,
        ProductDescriptions=list(_SYSTEMS),
        StartTime=datetime.fromtimestamp(from_s, UTC),
        EndTime=datetime.fromtimestamp(to_s, UTC),
    )
    for page in pages:
        yield tuple(_change(raw) for raw in page["SpotPriceHistory"])


def _change(raw: Mapping[str, Any]) -> SpotChange:
    system = raw.get("ProductDescription")
    text = str(raw.get("SpotPrice"))
    doubt = None
    if system not in _SYSTEMS:
        doubt = f"wanted the price of {_SYSTEMS[0]}, got that of {system}"
    try:
        usd_per_h = float(text)
    except ValueError:
        usd_per_h = math.nan
        doubt = doubt or f"wanted a number of USD per hour, got {text!r}"
    offering = Offering(raw["InstanceType"], Capacity.SPOT, raw["AvailabilityZone"])
    return SpotChange(offering, usd_per_h, raw["Timestamp"].timestamp(), doubt)


class Ec2History:
    """Past spot prices of machines, without extras."""

    name = "ec2"
    days = HISTORY_DAYS

    def __init__(self, feeds: Feeds) -> None:
        self._feeds = feeds

    def pages(self, node_type: str, *, from_s: float, to_s: float) -> Iterator[tuple[Quote, ...]]:
        try:
            for page in spot_pages(self._feeds, [node_type], from_s=from_s, to_s=to_s):
                yield tuple(
                    Quote(each.offering, each.usd_per_h, each.at_s, self.name, doubt=each.doubt)
                    for each in page
                )
        except (ClientError, BotoCoreError) as error:
            raise PriceUnavailable(
                f"the spot prices of {count(self.days)} days: {without_code(str(error))}"
            ) from error
