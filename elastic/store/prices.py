"""Prices as rows, dated from when they hold; a price is never changed, only confirmed or followed
by another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Connection, Row, Select, and_, bindparam, func, select, union_all, update

from elastic import figures
from elastic.model import Capacity, Offering, Price
from elastic.store.engine import Repository, insert, reads
from elastic.store.events import add_event
from elastic.store.schema import prices

_OFFERING = (prices.c.node_type, prices.c.capacity, prices.c.zone)
_IS_MEANT = and_(*(column == bindparam(column.name) for column in _OFFERING))
_NEWEST_FIRST = (prices.c.valid_from_s.desc(), prices.c.id.desc())
_IN_FORCE = (
    select(prices)
    .where(_IS_MEANT, prices.c.valid_from_s <= bindparam("at_s"))
    .order_by(*_NEWEST_FIRST)
    .limit(1)
)
_CONFIRM = (
    update(prices)
    .where(prices.c.id == bindparam("price_id"))
    .values(observed_at_s=bindparam("said_at_s"))
)


@dataclass(frozen=True, slots=True)
class PriceReport:
    """What a source said of one offering's price; as in `Price`, which it becomes."""

    offering: Offering
    usd_per_h: float
    valid_from_s: float
    observed_at_s: float
    source: str
    extras_usd_per_h: float = 0.0

    @property
    def latest_s(self) -> float:
        """A price may be told late, and another may be in force by now."""
        return max(self.valid_from_s, self.observed_at_s)

    def confirms(self, price: Price) -> bool:
        return (self.usd_per_h, self.extras_usd_per_h) == (price.usd_per_h, price.extras_usd_per_h)


def add(connection: Connection, said: Sequence[PriceReport]) -> tuple[Price, ...]:
    """Records prices, in this order, and gives those that are new. One that says nothing new
    confirms the old one.

    Most of what a source says, it has said before: EC2 has thousands of prices, and few change in a
    minute. So what is in force is read once, and what confirms it is written at once.
    """
    latest_s = max((each.latest_s for each in said), default=0.0)
    known = {each.offering: each for each in all_in_force(connection, latest_s)}
    confirmed: list[dict[str, float]] = []
    new: list[Price] = []
    for each in said:
        current = latest = known.get(each.offering)
        if latest is not None and latest.valid_from_s > each.latest_s:
            current = in_force(connection, each.offering, at_s=each.latest_s)
        if current is not None and each.confirms(current):
            confirmed.append({"price_id": current.id, "said_at_s": each.observed_at_s})
            continue
        price = _add_new(connection, each, current)
        new.append(price)
        if latest is None or price.valid_from_s >= latest.valid_from_s:
            known[each.offering] = price
    if confirmed:
        connection.execute(_CONFIRM, confirmed)
    return tuple(new)


def _add_new(connection: Connection, said: PriceReport, current: Price | None) -> Price:
    """Records a price that differs from the one that is in force at its instant.

    What was charged stays charged: a price of no later date than the one in force holds from when
    it was observed.
    """
    offering, usd_per_h = said.offering, said.usd_per_h
    valid_from_s = said.valid_from_s
    if current is not None and current.valid_from_s >= valid_from_s:
        valid_from_s = said.observed_at_s
    row_id = insert(
        connection,
        prices,
        **_columns(offering),
        usd_per_h=usd_per_h,
        extras_usd_per_h=said.extras_usd_per_h,
        valid_from_s=valid_from_s,
        observed_at_s=said.observed_at_s,
        source=said.source,
    )
    if current is not None:
        text = (
            f"{offering}: {figures.price(current.usd_per_h)}/h is now {figures.price(usd_per_h)}/h"
        )
        numbers = {"before_usd_per_h": current.usd_per_h, "usd_per_h": usd_per_h}
        add_event(connection, "price", text, numbers=numbers, now_s=valid_from_s)
    return Price(
        row_id,
        offering,
        usd_per_h,
        valid_from_s,
        said.observed_at_s,
        said.source,
        said.extras_usd_per_h,
    )


def in_force(connection: Connection, offering: Offering, *, at_s: float) -> Price | None:
    """The price of one offering at an instant."""
    found = connection.execute(_IN_FORCE, {"at_s": at_s, **_columns(offering)}).one_or_none()
    if found is None:
        return None
    return to_price(found)


def between(
    connection: Connection, offering: Offering, *, after_s: float, before_s: float | None
) -> tuple[Price, ...]:
    """The prices that came to hold after an instant and before another (None: ever), in that
    order."""
    query = select(prices).where(_IS_MEANT, prices.c.valid_from_s > after_s)
    if before_s is not None:
        query = query.where(prices.c.valid_from_s < before_s)
    found = connection.execute(
        query.order_by(prices.c.valid_from_s, prices.c.id), _columns(offering)
    )
    return tuple(to_price(each) for each in found)


def held(
    connection: Connection, offerings: Iterable[Offering], *, from_s: float, to_s: float
) -> tuple[Price, ...]:
    """The prices that some offerings had from one instant to another; of one that had none yet at
    the first instant, also its first one."""
    found: list[Price] = []
    for offering in offerings:
        before = in_force(connection, offering, at_s=from_s)
        if before is None:
            # A machine that is older than the first price on record is charged at that one.
            first = select(prices).where(_IS_MEANT).order_by(prices.c.valid_from_s, prices.c.id)
            row = connection.execute(first.limit(1), _columns(offering)).one_or_none()
            if row is None:
                before = None
            else:
                before = to_price(row)
        if before is not None:
            after_s = max(before.valid_from_s, from_s)
            found += [
                before,
                *between(connection, offering, after_s=after_s, before_s=to_s),
            ]
    return tuple(found)


def observed_to_s(
    connection: Connection, source: str, capacity: Capacity | None = None
) -> float | None:
    """When a source last said anything, of a capacity or of all, that was written down; None if it
    never did."""
    query = select(func.max(prices.c.observed_at_s)).where(prices.c.source == source)
    if capacity is not None:
        query = query.where(prices.c.capacity == capacity)
    found: float | None = connection.execute(query).scalar_one()
    return found


def all_in_force(connection: Connection, at_s: float, *, depth: int = 1) -> tuple[Price, ...]:
    """The price of every offering at an instant, in the order of the offerings; `depth` 2 gives
    those before too."""
    rows = connection.execute(_all_in_force(depth), {"at_s": at_s})
    return tuple(
        sorted(
            (to_price(each) for each in rows),
            key=lambda price: (price.offering, price.valid_from_s, price.id),
        )
    )


def of_ids(connection: Connection, ids: Iterable[int]) -> tuple[Price, ...]:
    """The prices that others cite, in the order of their ids."""
    found = connection.execute(
        select(prices).where(prices.c.id.in_(set(ids))).order_by(prices.c.id)
    )
    return tuple(to_price(each) for each in found)


def listed(
    connection: Connection,
    *,
    limit: int = 50,
    before: int | None = None,
    offering: Offering | None = None,
) -> tuple[Price, ...]:
    """Prices, newest first."""
    query = select(prices).order_by(prices.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(prices.c.id < before)
    if offering is not None:
        query = query.where(_IS_MEANT)
    return tuple(
        to_price(each) for each in connection.execute(query, _columns(offering) if offering else {})
    )


def to_price(row: Row[tuple[object, ...]]) -> Price:
    """One row as a value."""
    return Price(
        id=row.id,
        offering=Offering(row.node_type, Capacity(row.capacity), row.zone),
        usd_per_h=row.usd_per_h,
        valid_from_s=row.valid_from_s,
        observed_at_s=row.observed_at_s,
        source=row.source,
        extras_usd_per_h=row.extras_usd_per_h,
    )


def _columns(offering: Offering) -> dict[str, str]:
    return {"node_type": offering.node_type, "capacity": offering.capacity, "zone": offering.zone}


@cache
def _all_in_force(depth: int) -> Select[tuple[object, ...]]:
    """The newest of each offering, found by the index: to rank all would read every price there
    ever was."""
    offerings = select(*_OFFERING).distinct().subquery()
    is_of = and_(*(column == offerings.c[column.name] for column in _OFFERING))
    ids = (
        select(prices.c.id)
        .where(is_of, prices.c.valid_from_s <= bindparam("at_s"))
        .order_by(*_NEWEST_FIRST)
    )
    newest = (
        ids.limit(1).offset(number).correlate(offerings).scalar_subquery()
        for number in range(depth)
    )
    return select(prices).where(
        prices.c.id.in_(union_all(*(select(each).select_from(offerings) for each in newest)))
    )


class Prices(Repository):
    """Prices, read; `Ledger.add_prices` writes them."""

    in_force = reads(all_in_force)
    held = reads(held)
    listed = reads(listed)
    of_ids = reads(of_ids)
    observed_to_s = reads(observed_to_s)
