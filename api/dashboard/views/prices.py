"""Shows what each offering costs now, and what it has cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from api.dashboard.charts import plot
from api.dashboard.views.parts import Badge, Instant, Number, Tone, dollars_an_hour, instant
from elastic.figures import moment, percent
from elastic.model import Limits, Offering, Price, PriceHistory, Unavailable
from elastic.pricing import Quarantined

# The number of steps in the picture of a history: nine hours each for 90 days.
_STEPS = 240


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One price."""

    id: int
    node_type: str
    detail: str
    usd_per_h: Number
    valid_from: Instant
    observed: Instant
    source: str
    # Against the offering's price before; None for its first one.
    change: Badge | None
    # Why it is not bought now.
    hindrances: tuple[Badge, ...] = ()


@dataclass(frozen=True, slots=True)
class DisbelievedRow:
    """What a source says now, and is not believed."""

    node_type: str
    detail: str
    usd_per_h: Number
    valid_from: Instant
    source: str
    why: str


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What one offering has cost."""

    detail: str
    # Its line in a box of 1000 x 1000, from 0 to the type's highest price.
    path: str
    summary: str
    lowest_usd_per_h: Number
    mean_usd_per_h: Number
    highest_usd_per_h: Number
    last_usd_per_h: Number
    source: str


@dataclass(frozen=True, slots=True)
class HistoryView:
    """What a node type's offerings have cost, from one instant on."""

    node_type: str
    since: Instant
    highest_usd_per_h: Number
    rows: tuple[HistoryRow, ...]


def history_view(node_type: str, histories: Sequence[PriceHistory], *, now_s: float) -> HistoryView:
    """The price histories of a node type's offerings, one line each, on one scale."""
    from_s = min(max(each.from_s, each.points[0].valid_from_s) for each in histories)
    at_s = [from_s + (now_s - from_s) * step / _STEPS for step in range(_STEPS + 1)]
    drawn = plot(at_s, [("rate", [each.at(instant_s) for instant_s in at_s]) for each in histories])
    return HistoryView(
        node_type=node_type,
        since=instant(from_s, now_s),
        highest_usd_per_h=dollars_an_hour(drawn.scale.maximum),
        rows=tuple(
            _history_row(each, line.path) for each, line in zip(histories, drawn.lines, strict=True)
        ),
    )


def _history_row(history: PriceHistory, path: str) -> HistoryRow:
    last = history.points[-1]
    lowest = dollars_an_hour(history.lowest_usd_per_h)
    highest = dollars_an_hour(history.highest_usd_per_h)
    return HistoryRow(
        detail=_detail(history.offering),
        path=path,
        summary=f"{history.offering}: {lowest.text} to {highest.text} an hour by "
        f"{len(history.points)} prices",
        lowest_usd_per_h=lowest,
        mean_usd_per_h=dollars_an_hour(history.mean_usd_per_h),
        highest_usd_per_h=highest,
        last_usd_per_h=dollars_an_hour(last.usd_per_h),
        source=last.source,
    )


def price_rows(
    prices: Sequence[Price], history: Sequence[Price], *, now_s: float
) -> tuple[PriceRow, ...]:
    """`prices` as a table shows them, each compared with the one before it.

    `history` has the earlier ones, newest first.
    """
    return tuple(_row(price, _before(price, history), now_s) for price in prices)


def offer_rows(
    prices: Sequence[Price],
    history: Sequence[Price],
    *,
    limits: Limits,
    unavailable: Sequence[Unavailable],
    now_s: float,
) -> tuple[PriceRow, ...]:
    """The prices in force, like `price_rows`, and why some are not bought at now."""
    rows = price_rows(prices, history, now_s=now_s)
    return tuple(
        replace(row, hindrances=tuple(_hindrances(price, unavailable, limits, now_s)))
        for row, price in zip(rows, prices, strict=True)
    )


def disbelieved_rows(told: Sequence[Quarantined], *, now_s: float) -> tuple[DisbelievedRow, ...]:
    """What is not believed, by offering."""
    return tuple(
        DisbelievedRow(
            node_type=each.quote.offering.node_type,
            detail=_detail(each.quote.offering),
            usd_per_h=dollars_an_hour(each.usd_per_h),
            valid_from=instant(each.quote.valid_from_s, now_s),
            source=each.quote.source,
            why=each.reason,
        )
        for each in sorted(told, key=lambda each: each.quote.offering)
    )


def _hindrances(
    price: Price, unavailable: Iterable[Unavailable], limits: Limits, now_s: float
) -> Iterator[Badge]:
    for block in unavailable:
        if block.offering == price.offering:
            what = ""
            if block.nodes > 1:
                what = f"{block.nodes} or more nodes "
            text = (
                f"{block.why.replace('_', ' ')}: {what}blocked until {moment(block.until_s, now_s)}"
            )
            yield Badge(text, Tone.WARN)
    if not limits.trust(price, now_s=now_s):
        yield Badge("too old to buy at", Tone.WARN)


def _row(price: Price, before: Price | None, now_s: float) -> PriceRow:
    return PriceRow(
        id=price.id,
        node_type=price.offering.node_type,
        detail=_detail(price.offering),
        usd_per_h=dollars_an_hour(price.usd_per_h),
        valid_from=instant(price.valid_from_s, now_s),
        observed=instant(price.observed_at_s, now_s),
        source=price.source,
        change=None if before is None else _change(before.usd_per_h, price.usd_per_h),
    )


def _detail(offering: Offering) -> str:
    return f"{offering.capacity} · {offering.zone}"


def _before(price: Price, history: Sequence[Price]) -> Price | None:
    same = (each for each in history if each.offering == price.offering and each.id != price.id)
    return next((each for each in same if each.valid_from_s <= price.valid_from_s), None)


def _change(before_usd_per_h: float, after_usd_per_h: float) -> Badge:
    fraction = after_usd_per_h / before_usd_per_h - 1
    if fraction == 0:
        return Badge("unchanged", Tone.MUTED)
    if fraction > 0:
        return Badge(f"+{percent(fraction)}", Tone.WARN)
    return Badge(percent(fraction), Tone.GOOD)
