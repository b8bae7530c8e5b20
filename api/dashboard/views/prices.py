"""Prices: what each offering costs now, and how that came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from api.dashboard.format import moment, percent
from api.dashboard.views.parts import Badge, Instant, Number, Tone, dollars, instant
from elastic.model import Limits, Price, Unavailable


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One price; `change` compares it with the offering's price before, `hindrances` are why it is not bought now."""

    id: int
    node_type: str
    detail: str
    usd_per_h: Number
    valid_from: Instant
    observed: Instant
    source: str
    change: Badge | None
    hindrances: tuple[Badge, ...] = ()


def price_rows(prices: Sequence[Price], history: Sequence[Price], *, now_s: float) -> tuple[PriceRow, ...]:
    """Gives `prices` as a table shows them, each compared with the one before it in `history` (newest first)."""
    return tuple(_row(price, _before(price, history), now_s) for price in prices)


def offer_rows(
    prices: Sequence[Price],
    history: Sequence[Price],
    *,
    limits: Limits,
    unavailable: Sequence[Unavailable],
    now_s: float,
) -> tuple[PriceRow, ...]:
    """Gives the prices in force like `price_rows`, and why nothing is bought at one now, if it is not."""
    rows = price_rows(prices, history, now_s=now_s)
    return tuple(
        replace(row, hindrances=tuple(_hindrances(price, unavailable, limits, now_s)))
        for row, price in zip(rows, prices, strict=True)
    )


def _hindrances(price: Price, unavailable: Iterable[Unavailable], limits: Limits, now_s: float) -> Iterator[Badge]:
    for block in unavailable:
        if block.offering == price.offering:
            what = f"{block.nodes} or more nodes " if block.nodes > 1 else ""
            text = f"{block.why.replace('_', ' ')}: {what}blocked until {moment(block.until_s, now_s)}"
            yield Badge(text, Tone.WARN)
    if not limits.trust(price, now_s=now_s):
        yield Badge("too old to buy at", Tone.WARN)


def _row(price: Price, before: Price | None, now_s: float) -> PriceRow:
    return PriceRow(
        id=price.id,
        node_type=price.offering.node_type,
        detail=f"{price.offering.capacity} · {price.offering.zone}",
        usd_per_h=dollars(price.usd_per_h),
        valid_from=instant(price.valid_from_s, now_s),
        observed=instant(price.observed_at_s, now_s),
        source=price.source,
        change=None if before is None else _change(before.usd_per_h, price.usd_per_h),
    )


def _before(price: Price, history: Sequence[Price]) -> Price | None:
    same = (each for each in history if each.offering == price.offering and each.id != price.id)
    return next((each for each in same if each.valid_from_s <= price.valid_from_s), None)


def _change(before_usd_per_h: float, after_usd_per_h: float) -> Badge:
    fraction = after_usd_per_h / before_usd_per_h - 1
    if fraction == 0:
        return Badge("unchanged", Tone.MUTED)
    sign, tone = ("+", Tone.WARN) if fraction > 0 else ("", Tone.GOOD)
    return Badge(f"{sign}{percent(fraction)}", tone)
