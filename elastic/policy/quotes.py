"""What the candidate offerings cost now, and what they cost before their latest price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elastic.model import Group, Offering, Price, Snapshot


@dataclass(frozen=True, slots=True)
class PriceInForce:
    """The price of one offering that is in force."""

    offering: Offering
    usd_per_h: float
    # When it came into force.
    since_s: float
    # The price that it replaced; None if that is not known.
    before_usd_per_h: float | None


Quotes = Mapping[Offering, PriceInForce]


def fresh_quotes(snapshot: Snapshot) -> Quotes:
    """The quotes that a launch may rely on: a price observed too long ago is not used."""
    return {
        offering: _quote(history)
        for offering, history in _in_force(snapshot.prices, snapshot.now_s).items()
        if snapshot.limits.trust(history[-1], now_s=snapshot.now_s)
    }


def latest_quotes(snapshot: Snapshot) -> Quotes:
    """The newest quote of every offering, however old, whether still sold or not.

    Nodes that already run are taken to cost that.
    """
    known = (*snapshot.prices, *snapshot.withdrawn)
    return {
        offering: _quote(history) for offering, history in _in_force(known, snapshot.now_s).items()
    }


def dearest_quotes(snapshot: Snapshot) -> Quotes:
    """The newest quotes, or the doubted price where that is higher: the most that nodes may
    cost."""
    quotes = dict(latest_quotes(snapshot))
    for doubt in snapshot.doubted:
        known = quotes.get(doubt.offering)
        if known is not None and doubt.usd_per_h > known.usd_per_h:
            quotes[doubt.offering] = PriceInForce(
                doubt.offering, doubt.usd_per_h, doubt.since_s, known.usd_per_h
            )
    return quotes


def burn_usd_per_h(group: Group, quotes: Quotes) -> float | None:
    """What the group costs an hour; None if one of its offerings has no quote."""
    if any(offering not in quotes for offering, _ in group.members):
        return None
    return known_burn_usd_per_h(group.members, quotes)


def known_burn_usd_per_h(members: Iterable[tuple[Offering, int]], quotes: Quotes) -> float:
    """What the nodes with a known price cost an hour."""
    return sum(
        count * quotes[offering].usd_per_h for offering, count in members if offering in quotes
    )


def _in_force(prices: Iterable[Price], now_s: float) -> dict[Offering, list[Price]]:
    """The prices of each offering that have come into force, oldest first."""
    begun = (price for price in prices if price.valid_from_s <= now_s)
    histories: dict[Offering, list[Price]] = {}
    for price in sorted(begun, key=lambda each: (each.offering, each.valid_from_s, each.id)):
        histories.setdefault(price.offering, []).append(price)
    return histories


def _quote(history: list[Price]) -> PriceInForce:
    now = history[-1]
    before = next(
        (price.usd_per_h for price in reversed(history[:-1]) if price.usd_per_h != now.usd_per_h),
        None,
    )
    return PriceInForce(now.offering, now.usd_per_h, now.valid_from_s, before)
