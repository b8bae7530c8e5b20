"""The live prices of whole EC2 nodes: machine, disk and address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

import structlog

from elastic.config import Ec2Settings
from elastic.errors import ElasticError, PriceUnavailable
from elastic.model import Capacity, Offering
from elastic.pricing.base import Quote
from elastic.pricing.ec2.aws import Feeds
from elastic.pricing.ec2.bounds import PriceBounds
from elastic.pricing.ec2.feeds import OnDemandFeed, SpotFeed
from elastic.pricing.ec2.spot import SpotChange
from elastic.pricing.plausible import why_impossible

HOURS_A_MONTH = 730.0  # AWS's own: 365 x 24 / 12 (EBS pricing page).


@dataclass(frozen=True, slots=True)
class Extras:
    """The sizes and prices of disks and addresses."""

    # By node type.
    disk_gib: Mapping[str, float]
    volume_usd_per_gib_month: float
    public_ipv4_usd_per_h: float
    # The zones whose nodes get an address.
    public_zones: Set[str] = frozenset()

    def usd_per_h(self, offering: Offering) -> float:
        """Dollars an hour that a node costs beside its machine.

        >>> Extras({"c5.large": 73}, 0.1, 0.005, {"a"}).usd_per_h(Offering("c5.large", zone="a"))
        0.015
        """
        disk_usd_per_h = (
            self.disk_gib[offering.node_type] * self.volume_usd_per_gib_month / HOURS_A_MONTH
        )
        return disk_usd_per_h + (
            self.public_ipv4_usd_per_h if offering.zone in self.public_zones else 0.0
        )


log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PricedOffers:
    """What prices are wanted for, asked again at each refresh."""

    offerings: Callable[[], tuple[Offering, ...]]
    # The zones whose nodes get an address.
    public_zones: Callable[[], Set[str]]
    # The size of a node type's disk; raises ElasticError while it is not known.
    disk_gib: Callable[[str], float]


class Ec2Prices:
    """Quotes every offering of `market` with machine, disk and address.

    While a feed does not answer, it is not quoted, so that its stored prices grow older. A price
    that does not fit the others that EC2 gives now is quoted with its doubt.
    """

    name = "ec2"

    def __init__(
        self,
        settings: Ec2Settings,
        *,
        feeds: Feeds,
        market: PricedOffers,
        observed_to_s: float | None = None,
    ) -> None:
        self._settings = settings
        self._feeds = feeds
        self._market = market
        self._overrides: dict[Offering, Quote] = {}
        self._on_demand = OnDemandFeed(feeds, settings.on_demand_refresh_s)
        self._spot = SpotFeed(feeds, settings.spot_refresh_s, observed_to_s=observed_to_s)
        self._doubts = _Doubts()
        # When the feeds had been read that prices are compared with.
        self._compared_at_s: tuple[float | None, float | None] = (None, None)
        self._disk_gib: dict[str, float] = {}
        self._told: str | None = None

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        offerings, extras, unknown = self._look()
        # Of types that are offered on spot alone, too: what they cost on demand tells which spot
        # price is none.
        listed = sorted(
            {each.node_type for each in offerings} - set(self._settings.price_overrides)
        )
        self._on_demand.update(listed, now_s=now_s)
        passed = self._spot.update(offerings, now_s=now_s)
        read_at_s = self._on_demand.read_at_s, self._spot.observed_at_s
        if read_at_s != self._compared_at_s:
            self._compared_at_s = read_at_s
            self._doubts.compare(self._machines(now_s))
        quotes = [
            *self._overridden(offerings, extras, now_s),
            *self._listed(offerings, extras, now_s),
            *self._spot_quotes(passed, extras),
        ]
        is_listed = any(each.capacity is Capacity.ON_DEMAND for each in offerings)
        failures = unknown, self._on_demand.failure if is_listed else None, self._spot.failure
        self._complain(failures, has_quotes=bool(quotes))
        return tuple(sorted(quotes, key=lambda quote: (quote.valid_from_s, quote.offering)))

    def _look(self) -> tuple[tuple[Offering, ...], Extras, str | None]:
        """The offerings that can be priced, their extras, and why others cannot."""
        try:
            offerings = self._market.offerings()
            public_zones = self._market.public_zones()
        except ElasticError as error:
            raise PriceUnavailable(f"wanted the list of offerings to price: {error}") from error
        unknown = None
        for node_type in sorted({each.node_type for each in offerings}):
            try:
                self._disk_gib[node_type] = self._market.disk_gib(node_type)
            except ElasticError as error:
                unknown = f"the disk of {node_type} is not known: {error}"
        extras = Extras(
            disk_gib=self._disk_gib,
            volume_usd_per_gib_month=self._settings.volume_usd_per_gib_month,
            public_ipv4_usd_per_h=self._settings.public_ipv4_usd_per_h,
            public_zones=public_zones,
        )
        return (
            tuple(each for each in offerings if each.node_type in self._disk_gib),
            extras,
            unknown,
        )

    def _machines(self, now_s: float) -> Mapping[Offering, float]:
        """What EC2 says now that machines cost, in USD per hour, as far as it is sound."""
        on_demand = {
            Offering(node_type, Capacity.ON_DEMAND): entry.usd_per_h
            for node_type, (entry, _) in self._on_demand.listed.items()
            if entry.doubt is None and entry.effective_at_s <= now_s
        }
        spot = {offering: each.usd_per_h for offering, each in self._spot.in_force.items()}
        return on_demand | spot

    def _overridden(
        self, offerings: Iterable[Offering], extras: Extras, now_s: float
    ) -> Iterator[Quote]:
        """Prices in the settings, such as those of a savings plan, in place of on-demand prices.

        They hold from when they are first read; what was charged before stays charged.
        """
        for each in offerings:
            usd_per_h = self._settings.price_overrides.get(each.node_type)
            if usd_per_h is None or each.capacity is not Capacity.ON_DEMAND:
                continue
            extras_usd_per_h = extras.usd_per_h(each)
            said = self._overrides.get(each)
            if said is None or said.extras_usd_per_h != extras_usd_per_h:
                whole = usd_per_h + extras_usd_per_h
                said = Quote(
                    each,
                    whole,
                    now_s,
                    self.name,
                    extras_usd_per_h=extras_usd_per_h,
                    is_configured=True,
                )
                self._overrides[each] = said
            yield said

    def _listed(
        self, offerings: Iterable[Offering], extras: Extras, now_s: float
    ) -> Iterator[Quote]:
        if self._on_demand.failure is not None:
            return
        for each in offerings:
            if (
                each.capacity is not Capacity.ON_DEMAND
                or each.node_type in self._settings.price_overrides
            ):
                continue
            found = self._on_demand.listed.get(each.node_type)
            if found is None or found[0].effective_at_s > now_s:
                continue
            entry, observed_at_s = found
            yield Quote(
                each,
                _sum(entry.usd_per_h, extras.usd_per_h(each)),
                entry.effective_at_s,
                self.name,
                doubt=entry.doubt or self._doubts.of(each, entry.usd_per_h),
                observed_at_s=observed_at_s,
                extras_usd_per_h=extras.usd_per_h(each),
            )

    def _spot_quotes(self, passed: Iterable[SpotChange], extras: Extras) -> Iterator[Quote]:
        observed_at_s = self._spot.observed_at_s
        if self._spot.failure is not None or observed_at_s is None:
            return
        for change in (*passed, *self._spot.doubted, *self._spot.in_force.values()):
            yield self._spot_quote(change, extras, observed_at_s=observed_at_s)

    def _spot_quote(self, change: SpotChange, extras: Extras, *, observed_at_s: float) -> Quote:
        return Quote(
            change.offering,
            _sum(change.usd_per_h, extras.usd_per_h(change.offering)),
            change.at_s,
            self.name,
            doubt=change.doubt or self._doubts.of(change.offering, change.usd_per_h),
            observed_at_s=observed_at_s,
            extras_usd_per_h=extras.usd_per_h(change.offering),
        )

    def _complain(self, failures: Iterable[str | None], *, has_quotes: bool) -> None:
        told = "; ".join(each for each in failures if each is not None) or None
        if told is not None and not has_quotes:
            raise PriceUnavailable(f"EC2 gives no prices: {told}")
        if told is not None and told != self._told:
            log.warning("some prices grow older", error=told)
        self._told = told


class _Doubts:
    """Remembers what was found of a price, until the feeds are read again."""

    def __init__(self) -> None:
        self._bounds = PriceBounds.of({})
        self._found: dict[tuple[Offering, float], str | None] = {}

    def compare(self, machines: Mapping[Offering, float]) -> None:
        """From now on prices are compared with these."""
        self._bounds = PriceBounds.of(machines)
        self._found.clear()

    def of(self, offering: Offering, usd_per_h: float) -> str | None:
        """Why it cannot cost that, by the other prices; None if it can or is no price at all."""
        if why_impossible(usd_per_h) is not None:
            return None
        asked = offering, usd_per_h
        if asked not in self._found:
            self._found[asked] = self._bounds.why_outside(offering, usd_per_h)
        return self._found[asked]


def _sum(machine_usd_per_h: float, extras_usd_per_h: float) -> float:
    """The price of the whole node.

    A machine's price of 0 or less is an error of the feed, which the extras must not hide.
    """
    if machine_usd_per_h > 0:
        return machine_usd_per_h + extras_usd_per_h
    return machine_usd_per_h
