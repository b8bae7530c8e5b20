"""The history of prices, fetched bit by bit in the background, after everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import structlog

from elastic.durations import DAY_S, HOUR_S, LONGEST_RETRY_S, LOOK_S, SELDOM_S
from elastic.errors import PriceUnavailable
from elastic.model import Capacity, Offering, PastPrice
from elastic.pricing import PriceArchive, Quote, why_impossible
from elastic.renewal import Renewal
from elastic.store import Store

log = structlog.get_logger(__name__)

_MOST_PAGES = 20
"""A page has up to 1,000 prices: more than two changes an hour in each of four zones for 90 days
are cut off."""


@dataclass(slots=True)
class PricePast:
    """Gives every spot market with a price but no history the one that `archive` has, once each.

    It asks one question at a time, seconds apart. After a refusal it pauses for a minute, then for
    longer.
    """

    store: Store
    archive: Callable[[], PriceArchive]
    # Opened at the first look: many daemons have no archive.
    _source: PriceArchive | None = None
    # Node types whose history is known or was asked for.
    _asked: set[str] = field(default_factory=set)
    # The history that is being read, page by page.
    _reading: _Reading | None = None
    _renewal: Renewal | None = None

    def look(self, *, now_s: float) -> float | None:
        """Asks at most one question; returns in how many seconds to look again, None if there is no
        hurry."""
        if self._renewal is None:
            # A background task must not use up the limits of requests: a page a second. While it
            # fails it asks again within an hour.
            self._renewal = Renewal(LOOK_S, retry_s=LONGEST_RETRY_S, longest_retry_s=HOUR_S)
            # The daemon's first looks at the world ask the same services.
            self._renewal.pause(SELDOM_S, now_s=now_s)
        if not self._renewal.is_due(now_s=now_s):
            return self._renewal.wait_s(now_s=now_s)
        self._source = self._source or self.archive()
        self._reading = self._reading or self._next(self._source, now_s=now_s)
        if self._reading is None:
            return None
        self._go_on(self._reading, self._renewal, now_s=now_s)
        return self._renewal.wait_s(now_s=now_s)

    def _go_on(self, reading: _Reading, renewal: Renewal, *, now_s: float) -> None:
        try:
            is_over = reading.go_on()
        except PriceUnavailable as error:
            self._reading = None
            renewal.note_failure(now_s=now_s)
            log.info(
                "past prices have to wait", error=str(error), again_in_s=renewal.wait_s(now_s=now_s)
            )
            return
        renewal.note_success(now_s=now_s)
        if is_over:
            self._keep(reading, now_s=now_s)
            self._reading = None

    def _next(self, source: PriceArchive, *, now_s: float) -> _Reading | None:
        """The first node type that was not asked for, with a market that has no history yet."""
        known = self.store.past_prices.offerings()
        extras_usd_per_h: dict[str, dict[Offering, float]] = {}
        for price in self.store.prices.in_force(now_s):
            if (
                price.offering.capacity is Capacity.SPOT
                and price.source == source.name
                and price.offering not in known
            ):
                extras_usd_per_h.setdefault(price.offering.node_type, {})[price.offering] = (
                    price.extras_usd_per_h
                )
        node_type = min(extras_usd_per_h.keys() - self._asked, default=None)
        if node_type is None:
            return None
        pages = source.pages(node_type, from_s=now_s - source.days * DAY_S, to_s=now_s)
        return _Reading(node_type, extras_usd_per_h[node_type], pages)

    def _keep(self, reading: _Reading, *, now_s: float) -> None:
        added = self.store.past_prices.add(
            PastPrice(
                offering=quote.offering,
                usd_per_h=quote.usd_per_h + extras_usd_per_h,
                valid_from_s=quote.valid_from_s,
                observed_at_s=now_s,
                source=quote.source,
                extras_usd_per_h=extras_usd_per_h,
            )
            for quote in reading.quotes
            if quote.doubt is None and why_impossible(quote.usd_per_h) is None
            if (extras_usd_per_h := reading.extras_usd_per_h.get(quote.offering)) is not None
        )
        self._asked.add(reading.node_type)
        log.info("past prices are known", node_type=reading.node_type, prices=added)


@dataclass(slots=True)
class _Reading:
    """One node type's history as far as it is read."""

    node_type: str
    # The present extras of the markets that need the history.
    extras_usd_per_h: dict[Offering, float]
    pages: Iterator[tuple[Quote, ...]]
    quotes: list[Quote] = field(default_factory=list)
    # Pages so far.
    read: int = 0

    def go_on(self) -> bool:
        """Asks for the next page; returns whether that was the last. Raises PriceUnavailable."""
        page = next(self.pages, None)
        self.quotes += page or ()
        self.read += 1
        return page is None or self.read >= _MOST_PAGES
