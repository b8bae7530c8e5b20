"""Checks once whether prices can be read, for `elasticd doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elastic.config import Ec2Settings
from elastic.model import Capacity, Offering
from elastic.pricing.ec2.aws import Feeds
from elastic.pricing.ec2.feeds import OnDemandFeed, SpotFeed


@dataclass(frozen=True, slots=True)
class Priced:
    """What the feeds have answered."""

    # Those with a trusted price.
    offerings: frozenset[Offering]
    # Why feeds failed, if they did.
    failures: tuple[str, ...]


def prove_prices(
    settings: Ec2Settings, feeds: Feeds, offerings: Sequence[Offering], *, now_s: float
) -> Priced:
    """Reads the prices of what is on offer, except those that the settings override."""
    on_demand = OnDemandFeed(feeds, settings.on_demand_refresh_s)
    spot = SpotFeed(feeds, settings.spot_refresh_s)
    wanted = {each.node_type for each in offerings if each.capacity is Capacity.ON_DEMAND}
    on_demand.update(sorted(wanted - set(settings.price_overrides)), now_s=now_s)
    spot.update(offerings, now_s=now_s)
    listed = {name for name, (entry, _) in on_demand.listed.items() if entry.doubt is None}
    known = listed | set(settings.price_overrides)
    priced = [
        each
        for each in offerings
        if (each in spot.in_force if each.capacity is Capacity.SPOT else each.node_type in known)
    ]
    return Priced(
        frozenset(priced),
        tuple(each for each in (on_demand.failure, spot.failure) if each is not None),
    )
