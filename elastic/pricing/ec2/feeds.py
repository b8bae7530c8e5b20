"""The two feeds of EC2's prices, each read at its own interval and cached in between."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from botocore.exceptions import BotoCoreError, ClientError

from elastic.aws import without_code
from elastic.config import Ec2Settings
from elastic.durations import HISTORY_S, HOUR_S, LONGEST_RETRY_S, TICK_S
from elastic.errors import PriceUnavailable
from elastic.model import Capacity, Offering
from elastic.pricing.ec2.aws import Feeds
from elastic.pricing.ec2.price_list import Listed, read_price_list
from elastic.pricing.ec2.spot import SpotChange, read_spot
from elastic.renewal import Renewal

_TYPES_A_CALL = 20


@dataclass(slots=True)
class OnDemandFeed:
    """On-demand prices, read from the price list some types at a time."""

    feeds: Feeds
    refresh_s: float
    # Each type's entry, and when it was read.
    listed: dict[str, tuple[Listed, float]] = field(default_factory=dict)
    failure: str | None = None
    # When any of it was read last.
    read_at_s: float | None = None
    _pending: list[str] = field(default_factory=list)
    _rounds: Renewal = field(default_factory=Renewal)
    _calls: Renewal = field(default_factory=Renewal)

    def update(self, node_types: Sequence[str], *, now_s: float) -> None:
        """Reads what is due into `listed`."""
        if self._rounds.is_due(now_s=now_s):
            self._rounds.pause(self.refresh_s, now_s=now_s)
            self._pending = list(node_types)
        self._pending += [
            each for each in node_types if each not in self.listed and each not in self._pending
        ]
        if not self._calls.is_due(now_s=now_s):
            return
        began = time.monotonic()
        # The rest is read at the next ticks.
        while self._pending and time.monotonic() - began < TICK_S:
            if not self._read(self._pending[:_TYPES_A_CALL], now_s=now_s):
                return
            del self._pending[:_TYPES_A_CALL]

    def _read(self, node_types: list[str], *, now_s: float) -> bool:
        try:
            found = read_price_list(self.feeds, node_types)
        except (ClientError, BotoCoreError, PriceUnavailable) as error:
            self.failure = f"the price list: {error}"
            self._calls.pause(LONGEST_RETRY_S, now_s=now_s)
            return False
        self.failure = None
        self.read_at_s = now_s
        for each in node_types:
            self.listed.pop(each, None)
        for entry in found:
            # A doubted entry counts only if there is no other.
            if entry.doubt is None or entry.node_type not in self.listed:
                self.listed[entry.node_type] = (entry, now_s)
        missing = set(node_types) - {entry.node_type for entry in found}
        self._calls.pause(LONGEST_RETRY_S if missing else 0.0, now_s=now_s)
        return True


@dataclass(slots=True)
class SpotFeed:
    """Spot prices, read every `refresh_s`."""

    feeds: Feeds
    refresh_s: float
    # Up to when an earlier daemon read them; None: never. What came since is reported too.
    observed_to_s: float | None = None
    # The newest price of each offering.
    in_force: dict[Offering, SpotChange] = field(default_factory=dict)
    # Prices that are not trusted.
    doubted: tuple[SpotChange, ...] = ()
    failure: str | None = None
    observed_at_s: float | None = None
    _calls: Renewal = field(default_factory=Renewal)

    def update(self, offerings: Sequence[Offering], *, now_s: float) -> tuple[SpotChange, ...]:
        """Reads the prices if that is due; returns what came and went since, oldest first."""
        if not self._calls.is_due(now_s=now_s) or not any(
            each.capacity is Capacity.SPOT for each in offerings
        ):
            return ()
        observed_to_s = self.observed_to_s if self.observed_at_s is None else self.observed_at_s
        if observed_to_s is None:
            from_s = now_s
        else:
            # EC2 may publish a change late. One that is an hour late is still seen.
            from_s = max(min(observed_to_s, now_s) - HOUR_S, now_s - HISTORY_S)
        try:
            changes = read_spot(self.feeds, offerings, from_s=from_s, to_s=now_s)
        except (ClientError, BotoCoreError) as error:
            self.failure = f"the spot prices: {without_code(str(error))}"
            self._calls.pause(min(LONGEST_RETRY_S, self.refresh_s), now_s=now_s)
            return ()
        self.failure = None
        self.observed_at_s = now_s
        self._calls.pause(self.refresh_s, now_s=now_s)
        self.doubted = tuple(each for each in changes if each.doubt is not None)
        asked = set(offerings)
        # An offering that is no longer asked for was not confirmed, so it is dropped here. Its
        # stored price grows older.
        self.in_force = {
            offering: change for offering, change in self.in_force.items() if offering in asked
        }
        return self._replaced([each for each in changes if each.doubt is None])

    def _replaced(self, changes: Sequence[SpotChange]) -> tuple[SpotChange, ...]:
        """Puts the newest of this answer in force; returns those before it that were not known.

        It replaces what an earlier answer said, also where its instant is earlier: the feed may
        have taken back a wrong price.
        """
        known: Mapping[Offering, SpotChange] = dict(self.in_force)
        answered: dict[Offering, SpotChange] = {}
        passed: list[SpotChange] = []
        for change in changes:
            last = answered.get(change.offering)
            before = known.get(change.offering)
            if last is not None and (before is None or last.at_s > before.at_s):
                passed.append(last)
            answered[change.offering] = change
        self.in_force |= answered
        return tuple(passed)


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
