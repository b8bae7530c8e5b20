"""Records what a source of prices reports: new and confirmed prices, and prices that are not
believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog

from elastic.durations import MINUTE_S
from elastic.errors import PriceUnavailable
from elastic.model import DoubtedPrice, Offering, Price
from elastic.pricing import PriceSource, Quarantined, Quote, sift, why_impossible
from elastic.store import PriceReport, Store

log = structlog.get_logger(__name__)

# Until a price is this old, it decides which next price is too far from it (decision 0134). Long
# before that nothing is bought at it any more. But a feed may be wrong for days, and must not be
# believed because of that. In a week a price of EC2 changes by a few percent.
MEASURE_S = 7 * 86_400.0


def offered_or_held(
    offered: Callable[[], tuple[Offering, ...]], store: Store
) -> Callable[[], tuple[Offering, ...]]:
    """What needs a price: what is sold, and what is no longer sold but has a living machine."""
    return lambda: tuple(
        dict.fromkeys((*offered(), *(node.offering for node in store.nodes.listed())))
    )


@dataclass(slots=True)
class PriceRecords:
    """Keeps the store's prices up to date with a source."""

    store: Store
    # The newest of each offering, as the source told them last; a later one is not believed either.
    disbelieved: tuple[Quarantined, ...] = ()
    # The last quote of each offering that was reported as not believed.
    _disbelieved: dict[Offering, Quote] = field(default_factory=dict)
    _doubted: dict[Offering, DoubtedPrice] = field(default_factory=dict)

    @property
    def doubted(self) -> tuple[DoubtedPrice, ...]:
        """Prices that are not believed and higher than the one in force.

        Each lasts until a price of that offering is believed again.
        """
        return tuple(self._doubted.values())

    def refresh(self, source: PriceSource, *, now_s: float) -> tuple[Price, ...]:
        """Asks the source, and returns the prices then in force, each after the one before it.

        If a source does not answer, the known prices grow older.
        """
        try:
            quotes = source.refresh(now_s)
        except PriceUnavailable as error:
            log.warning("no prices this tick; those known grow older", error=str(error))
            return self.store.prices.in_force(now_s, depth=2)
        in_force = self.store.prices.in_force(now_s, depth=2)
        has_recorded = self._take_in(quotes, in_force, now_s=now_s)
        if has_recorded:
            return self.store.prices.in_force(now_s, depth=2)
        return in_force

    def _take_in(
        self, quotes: Sequence[Quote], in_force: tuple[Price, ...], *, now_s: float
    ) -> bool:
        """Records what is new and believed; returns whether anything was."""
        news: list[PriceReport] = []
        # Of each offering the later price.
        known = {price.offering: price for price in in_force}
        measures = {
            each.offering: each.usd_per_h
            for each in known.values()
            if now_s - each.observed_at_s <= MEASURE_S
        }
        # A price of now is compared with the last one that is not too old for that.
        sifted = sift(quotes, measures)
        newest = {quote.offering: quote for quote in sifted.believed}
        for quote in sifted.believed:
            before = known.get(quote.offering)
            if (
                quote is not newest[quote.offering]
                and before
                and quote.valid_from_s <= before.valid_from_s
            ):
                continue  # over, and known already
            # An unchanged price is written again only now and then.
            if _says_something(quote, before, now_s=now_s):
                news.append(_report(quote, now_s=now_s))
        if news:
            # At once: EC2 has thousands of prices, and each transaction waits for the disk.
            self.store.ledger.add_prices(news)
        for offering in newest:
            self._doubted.pop(offering, None)
        standing: dict[Offering, Quarantined] = {}
        for each in sifted.quarantined:
            believed = newest.get(each.quote.offering)
            if believed is None or believed.valid_from_s < each.quote.valid_from_s:
                standing[each.quote.offering] = each
                self._doubt(each.quote, known.get(each.quote.offering))
            # Report each unbelieved quote once.
            if self._disbelieved.get(each.quote.offering) != each.quote:
                self._disbelieved[each.quote.offering] = each.quote
                text = f"{each.quote.offering}: this price is not believed: {each.reason}"
                self.store.events.add("price_quarantined", text, now_s=now_s)
        self.disbelieved = tuple(standing.values())
        return bool(news)

    def _doubt(self, quote: Quote, known: Price | None) -> None:
        """Notes a price that may be true, from the last observation of the price in force on.

        If the quote is about something else, it cannot be true. Of several in a row the latest
        counts, from the first one's instant on.
        """
        if known is None or quote.doubt is not None or why_impossible(quote.usd_per_h) is not None:
            return
        before = self._doubted.pop(quote.offering, None)
        if quote.usd_per_h > known.usd_per_h:
            if before:
                since_s = before.since_s
            else:
                since_s = max(quote.valid_from_s, known.observed_at_s)
            self._doubted[quote.offering] = DoubtedPrice(quote.offering, quote.usd_per_h, since_s)


def _report(quote: Quote, *, now_s: float) -> PriceReport:
    return PriceReport(
        quote.offering,
        quote.usd_per_h,
        quote.valid_from_s,
        _observed_at_s(quote, now_s),
        quote.source,
        quote.extras_usd_per_h,
    )


def _says_something(quote: Quote, known: Price | None, *, now_s: float) -> bool:
    if known is None or (quote.usd_per_h, quote.extras_usd_per_h) != (
        known.usd_per_h,
        known.extras_usd_per_h,
    ):
        return True
    # Prices are good for hours: an unchanged one is written down again once a minute at most.
    return _observed_at_s(quote, now_s) - known.observed_at_s > MINUTE_S


def _observed_at_s(quote: Quote, now_s: float) -> float:
    if quote.observed_at_s is None:
        return now_s
    return min(quote.observed_at_s, now_s)
