"""Prices of before anybody here asked, as rows beside those that the ledger cites."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, func, select

from elastic.model import Capacity, Offering, PastPrice
from elastic.store.engine import Repository
from elastic.store.schema import past_prices, prices

_OFFERING = (prices.c.node_type, prices.c.capacity, prices.c.zone)


class PastPrices(Repository):
    """What offerings cost before their first price on record, and with what is on record: their
    whole history.

    A price that was told late is never put among those on record: what was charged follows from
    them.
    """

    def add(self, found: Iterable[PastPrice]) -> int:
        """Gives offerings their past: what held before their first price on record. Gives how many
        prices that are.

        An offering that has one already keeps it as it is; one without a price on record has none.
        """
        with self._database.write() as connection:
            # Of several prices of one instant the last one counts.
            rows = {(each.offering, each.valid_from_s): each for each in found}
            is_meant = prices.c.node_type.in_({offering.node_type for offering, _ in rows})
            first = select(*_OFFERING, func.min(prices.c.valid_from_s).label("at_s")).where(
                is_meant
            )
            first_s = {
                _offering(row): row.at_s for row in connection.execute(first.group_by(*_OFFERING))
            }
            known = _offerings(connection)
            # Only before the first price on record, and only for offerings without a history.
            fresh = [
                _values(each)
                for (offering, valid_from_s), each in rows.items()
                if offering not in known
                and offering in first_s
                and valid_from_s < first_s[offering]
            ]
            if fresh:
                connection.execute(past_prices.insert(), fresh)
            return len(fresh)

    def offerings(self) -> frozenset[Offering]:
        """The offerings that have a past."""
        with self._database.read() as connection:
            return _offerings(connection)

    def of_type(self, node_type: str) -> tuple[PastPrice, ...]:
        """Every price of a node type's offerings that is known, told early or late, in no order."""
        with self._database.read() as connection:
            rows = [
                row
                for table in (past_prices, prices)
                for row in connection.execute(select(table).where(table.c.node_type == node_type))
            ]
        return tuple(_price(row) for row in rows)


def _offerings(connection: Connection) -> frozenset[Offering]:
    found = connection.execute(
        select(past_prices.c.node_type, past_prices.c.capacity, past_prices.c.zone).distinct()
    )
    return frozenset(_offering(row) for row in found)


def _offering(row: Any) -> Offering:  # the columns' own types differ from query to query
    return Offering(row.node_type, Capacity(row.capacity), row.zone)


def _price(row: Row[tuple[object, ...]]) -> PastPrice:
    return PastPrice(
        offering=_offering(row),
        usd_per_h=row.usd_per_h,
        valid_from_s=row.valid_from_s,
        observed_at_s=row.observed_at_s,
        source=row.source,
        extras_usd_per_h=row.extras_usd_per_h,
    )


def _values(price: PastPrice) -> dict[str, object]:
    return {
        "node_type": price.offering.node_type,
        "capacity": price.offering.capacity,
        "zone": price.offering.zone,
        "valid_from_s": price.valid_from_s,
        "usd_per_h": price.usd_per_h,
        "extras_usd_per_h": price.extras_usd_per_h,
        "observed_at_s": price.observed_at_s,
        "source": price.source,
    }
