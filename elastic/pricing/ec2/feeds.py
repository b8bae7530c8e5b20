"""The two feeds of EC2's prices, each asked at its own pace and remembered in between."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from botocore.exceptions import BotoCoreError, ClientError

from elastic.errors import PriceUnavailable
from elastic.model import Capacity, Offering
from elastic.pricing.ec2.aws import Feeds
from elastic.pricing.ec2.price_list import Listed, read_price_list
from elastic.pricing.ec2.spot import SpotChange, read_spot
from elastic.renewal import Renewal

_RETRY_S = 30.0
_BUDGET_S = 5.0
_TYPES_A_CALL = 20
_HISTORY_S = 90 * 86_400.0
# How late EC2 may publish a change of the spot price and still be heard: what is asked for overlaps
# that much.
_OVERLAP_S = 300.0


@dataclass(slots=True)
class OnDemandFeed:
    """The price list, some types a call, never longer at a time than it takes to answer two calls
    or so."""

    feeds: Feeds
    refresh_s: float
    listed: dict[str, tuple[Listed, float]] = field(default_factory=dict)
    failure: str | None = None
    _pending: list[str] = field(default_factory=list)
    _rounds: Renewal = field(default_factory=Renewal)
    _calls: Renewal = field(default_factory=Renewal)

    def update(self, node_types: Sequence[str], *, now_s: float) -> None:
        """Asks for what is due; `listed` then holds each type's entry and when it was read."""
        if self._rounds.is_due(now_s=now_s):
            self._rounds.pause(self.refresh_s, now_s=now_s)
            self._pending = list(node_types)
        self._pending += [
            each for each in node_types if each not in self.listed and each not in self._pending
        ]
        if not self._calls.is_due(now_s=now_s):
            return
        began = time.monotonic()
        while self._pending and time.monotonic() - began < _BUDGET_S:
            if not self._read(self._pending[:_TYPES_A_CALL], now_s=now_s):
                return
            del self._pending[:_TYPES_A_CALL]

    def _read(self, node_types: list[str], *, now_s: float) -> bool:
        try:
            found = read_price_list(self.feeds, node_types)
        except (ClientError, BotoCoreError, PriceUnavailable) as error:
            self.failure = f"the price list: {error}"
            self._calls.pause(_RETRY_S, now_s=now_s)
            return False
        self.failure = None
        for each in node_types:
            self.listed.pop(each, None)
        for entry in found:
            # Of two entries the one without a doubt counts; one with a doubt is told where there is
            # no other.
            if entry.doubt is None or entry.node_type not in self.listed:
                self.listed[entry.node_type] = (entry, now_s)
        missing = set(node_types) - {entry.node_type for entry in found}
        self._calls.pause(_RETRY_S if missing else 0.0, now_s=now_s)
        return True


@dataclass(slots=True)
class SpotFeed:
    """Spot prices, read every `refresh_s`. `in_force` has the newest of each offering, `doubted`
    what is odd.

    `heard_to_s` is up to when an earlier daemon heard them (None: never): what came since is told
    as well.
    """

    feeds: Feeds
    refresh_s: float
    heard_to_s: float | None = None
    in_force: dict[Offering, SpotChange] = field(default_factory=dict)
    doubted: tuple[SpotChange, ...] = ()
    failure: str | None = None
    observed_at_s: float | None = None
    _calls: Renewal = field(default_factory=Renewal)

    def update(self, offerings: Sequence[Offering], *, now_s: float) -> tuple[SpotChange, ...]:
        """Asks if it is due, and returns what came and went since the last time, oldest first."""
        if not self._calls.is_due(now_s=now_s) or not any(
            each.capacity is Capacity.SPOT for each in offerings
        ):
            return ()
        if self.observed_at_s is None:
            heard_to_s = self.heard_to_s
        else:
            heard_to_s = self.observed_at_s
        if heard_to_s is None:
            from_s = now_s
        else:
            from_s = max(min(heard_to_s, now_s) - _OVERLAP_S, now_s - _HISTORY_S)
        try:
            changes = read_spot(self.feeds, offerings, from_s=from_s, to_s=now_s)
        except (ClientError, BotoCoreError) as error:
            self.failure = f"the spot prices: {error}"
            self._calls.pause(min(_RETRY_S, self.refresh_s), now_s=now_s)
            return ()
        self.failure = None
        self.observed_at_s = now_s
        self._calls.pause(self.refresh_s, now_s=now_s)
        self.doubted = tuple(each for each in changes if each.doubt is not None)
        asked = set(offerings)
        # What nobody asked for was not heard again: it is told no longer, and grows older where it
        # is kept.
        self.in_force = {
            offering: change for offering, change in self.in_force.items() if offering in asked
        }
        return self._replaced([each for each in changes if each.doubt is None])

    def _replaced(self, changes: Sequence[SpotChange]) -> tuple[SpotChange, ...]:
        """Puts the newest in force; returns those before it that were not known."""
        passed: list[SpotChange] = []
        known_before: Mapping[Offering, SpotChange] = dict(self.in_force)
        for change in changes:
            last = self.in_force.get(change.offering)
            if last is not None and change.at_s <= last.at_s:
                continue
            if last is not None and last != known_before.get(last.offering):
                passed.append(last)
            self.in_force[change.offering] = change
        return tuple(passed)
