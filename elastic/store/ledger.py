"""The ledger as rows: a node's life is a chain of stretches, each at the price then in force, none of them missing."""

from __future__ import annotations

from sqlalchemy import Connection, Row, select, update

from elastic.errors import PriceUnavailable
from elastic.model import Capacity, LedgerRow, Node, Offering, Price, spent_usd
from elastic.store import prices
from elastic.store.schema import ledger


def open_node(connection: Connection, node: Node, *, from_s: float, minimum_s: float) -> None:
    """Starts a node's chain. Raises PriceUnavailable if its offering has no price then."""
    # It had one when it was intended; the provider's clock may lag behind ours.
    price = prices.in_force(connection, node.offering, at_s=max(from_s, node.intended_at_s))
    if price is None:
        raise PriceUnavailable(f"{node.offering}: no price at its launch; refresh the prices")
    _append(connection, node.job_id, node.id, price, from_s=from_s, to_s=None, minimum_s=minimum_s)


def reprice(connection: Connection, price: Price) -> None:
    """Continues every stretch of the price's offering that runs or ended later at the new price, from when it holds."""
    affected = connection.execute(
        select(ledger).where(
            ledger.c.node_type == price.offering.node_type,
            ledger.c.capacity == price.offering.capacity,
            ledger.c.zone == price.offering.zone,
            ledger.c.to_s.is_(None) | (ledger.c.to_s > price.valid_from_s),
        )
    )
    for row in affected.all():
        at_s = max(price.valid_from_s, row.from_s)
        connection.execute(update(ledger).where(ledger.c.id == row.id).values(to_s=at_s, minimum_s=0.0))
        left_s = max(row.minimum_s - (at_s - row.from_s), 0.0)
        _append(connection, row.job_id, row.node_id, price, from_s=at_s, to_s=row.to_s, minimum_s=left_s)


def close_node(connection: Connection, node_id: str, *, to_s: float) -> None:
    """Ends a node's chain; a stretch never ends before it began."""
    running = connection.execute(select(ledger).where(ledger.c.node_id == node_id, ledger.c.to_s.is_(None)))
    for row in running.all():
        connection.execute(update(ledger).where(ledger.c.id == row.id).values(to_s=max(to_s, row.from_s)))


def listed(
    connection: Connection, job_id: str | None = None, *, limit: int, before: int | None = None
) -> tuple[LedgerRow, ...]:
    """Ledger rows, newest first."""
    query = select(ledger).order_by(ledger.c.id.desc()).limit(limit)
    if job_id is not None:
        query = query.where(ledger.c.job_id == job_id)
    if before is not None:
        query = query.where(ledger.c.id < before)
    return tuple(to_row(each) for each in connection.execute(query))


def of_job(connection: Connection, job_id: str) -> tuple[LedgerRow, ...]:
    """All of a job's rows, oldest first."""
    rows = connection.execute(select(ledger).where(ledger.c.job_id == job_id).order_by(ledger.c.id))
    return tuple(to_row(each) for each in rows)


def spent(connection: Connection, job_id: str, *, now_s: float) -> float:
    """Dollars that a job has cost by `now_s`."""
    return spent_usd(of_job(connection, job_id), now_s)


def to_row(row: Row[tuple[object, ...]]) -> LedgerRow:
    """One row as a value."""
    return LedgerRow(
        id=row.id,
        job_id=row.job_id,
        node_id=row.node_id,
        offering=Offering(row.node_type, Capacity(row.capacity), row.zone),
        price_id=row.price_id,
        usd_per_h=row.usd_per_h,
        from_s=row.from_s,
        to_s=row.to_s,
        minimum_s=row.minimum_s,
    )


def _append(
    connection: Connection,
    job_id: str,
    node_id: str,
    price: Price,
    *,
    from_s: float,
    to_s: float | None,
    minimum_s: float,
) -> None:
    connection.execute(
        ledger.insert().values(
            job_id=job_id,
            node_id=node_id,
            node_type=price.offering.node_type,
            capacity=price.offering.capacity,
            zone=price.offering.zone,
            price_id=price.id,
            usd_per_h=price.usd_per_h,
            from_s=from_s,
            to_s=to_s,
            minimum_s=minimum_s,
        )
    )
