"""What a source of prices says, put on record: what is new or due to be confirmed, and what is not
believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import structlog

from elastic.errors import PriceUnavailable
from elastic.model import DoubtedPrice, Offering, Price
from elastic.pricing import PriceSource, Quote, sift, why_impossible
from elastic.store import Store

log = structlog.get_logger(__name__)

# An unchanged price is written down again at most this often; prices are good for hours.
_CONFIRM_S = 60.0
# For so long after it was heard last, a price tells which next one is too far from it. Nothing is
# bought at so old a price long before; but a feed may be wrong for days, and must not be believed
# because of that. In a week a price of EC2 changes by a few percent.
MEASURE_S = 7 * 86_400.0


def offered_or_held(
    offered: Callable[[], tuple[Offering, ...]], store: Store
) -> Callable[[], tuple[Offering, ...]]:
    """What there is to be priced: what is sold, and what is sold no longer while a machine of it
    lives."""
    return lambda: tuple(
        dict.fromkeys((*offered(), *(node.offering for node in store.nodes.listed())))
    )


@dataclass(slots=True)
class PriceRecords:
    """Keeps the store's prices up with a source."""

    store: Store
    _disbelieved: dict[Offering, Quote] = field(default_factory=dict)
    _doubted: dict[Offering, DoubtedPrice] = field(default_factory=dict)

    @property
    def doubted(self) -> tuple[DoubtedPrice, ...]:
        """What is not believed and higher than the price in force, until a price of that offering
        is believed again."""
        return tuple(self._doubted.values())

    def refresh(self, source: PriceSource, *, now_s: float) -> tuple[Price, ...]:
        """Asks the source, and gives the prices in force then, each after the one before it.

        A source that does not answer leaves what is known to grow older.
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
        """Records what is new and believed; tells whether anything was."""
        has_recorded = False
        known = {price.offering: price for price in in_force}  # the later one of each
        measures = {
            each.offering: each.usd_per_h
            for each in known.values()
            if now_s - each.observed_at_s <= MEASURE_S
        }
        sifted = sift(quotes, measures)
        newest = {quote.offering: quote for quote in sifted.believed}
        for quote in sifted.believed:
            before = known.get(quote.offering)
            if (
                quote is not newest[quote.offering]
                and before
                and quote.valid_from_s <= before.valid_from_s
            ):
                continue  # past, and known already
            if _says_something(quote, before, now_s=now_s):
                self._record(quote, now_s=now_s)
                has_recorded = True
        for offering in newest:
            self._doubted.pop(offering, None)
        for each in sifted.quarantined:
            believed = newest.get(each.quote.offering)
            if believed is None or believed.valid_from_s < each.quote.valid_from_s:
                self._doubt(each.quote, known.get(each.quote.offering))
            if self._disbelieved.get(each.quote.offering) != each.quote:
                self._disbelieved[each.quote.offering] = each.quote
                text = f"{each.quote.offering}: this price is not believed: {each.reason}"
                self.store.events.add("price_quarantined", text, now_s=now_s)
        return has_recorded

    def _doubt(self, quote: Quote, known: Price | None) -> None:
        """Takes note of what may be true, since the price in force was heard last; another thing's
        price may not.

        Of several in a row the latest counts, from the first one's instant on.
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

    def _record(self, quote: Quote, *, now_s: float) -> None:
        self.store.ledger.add_price(
            quote.offering,
            quote.usd_per_h,
            valid_from_s=quote.valid_from_s,
            observed_at_s=_observed_at_s(quote, now_s),
            source=quote.source,
            extras_usd_per_h=quote.extras_usd_per_h,
        )


def _says_something(quote: Quote, known: Price | None, *, now_s: float) -> bool:
    if known is None or (quote.usd_per_h, quote.extras_usd_per_h) != (
        known.usd_per_h,
        known.extras_usd_per_h,
    ):
        return True
    return _observed_at_s(quote, now_s) - known.observed_at_s > _CONFIRM_S


def _observed_at_s(quote: Quote, now_s: float) -> float:
    if quote.observed_at_s is None:
        return now_s
    return min(quote.observed_at_s, now_s)
