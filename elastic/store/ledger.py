"""The ledger as rows: a node's life is a chain of stretches, each at the price then in force, none
of them missing.

A chain follows from the node's billing period, the prices of its offering, and what its disk and
address cost at its purchase: settings that give later machines another disk change no earlier one.
Whenever one becomes better known, the chain is written again; its rows keep their numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Row,
    bindparam,
    case,
    cast,
    delete,
    func,
    select,
    update,
)

from elastic.errors import PriceUnavailable
from elastic.figures import instant
from elastic.model import BillingPeriod, Capacity, LedgerRow, Offering, Price, Stretch, stretches
from elastic.store import prices
from elastic.store.engine import Repository, reads, writes
from elastic.store.schema import DONE, jobs, ledger, nodes

_LASTS_S = func.coalesce(ledger.c.to_s, bindparam("now_s")) - ledger.c.from_s
_BILLED_S = case((ledger.c.minimum_s > _LASTS_S, ledger.c.minimum_s), else_=_LASTS_S)
_USD_PER_H = case((ledger.c.is_waived, ledger.c.extras_usd_per_h), else_=ledger.c.usd_per_h)
# `LedgerRow.usd` of all rows.
_ALL = select(func.sum(_USD_PER_H * _BILLED_S / 3600))
# The same of a job: it is asked at every tick, and a long life has thousands of rows.
_SPENT = _ALL.where(ledger.c.job_id == bindparam("job_id"))
# The same for the part of each row after an instant. A least bill counts from its beginning on.
_FROM_S = case(
    (ledger.c.from_s > bindparam("began_s"), ledger.c.from_s), else_=bindparam("began_s")
)
_CHARGED = select(func.sum(_USD_PER_H * (ledger.c.from_s + _BILLED_S - _FROM_S) / 3600)).where(
    ledger.c.from_s + _BILLED_S > bindparam("began_s")
)
_BEFORE = select(jobs.c.unknown_most_usd).where(jobs.c.id == bindparam("job_id"))
_ALL_BEFORE = select(jobs.c.id, jobs.c.unknown_most_usd).where(
    jobs.c.phase.not_in(DONE), jobs.c.unknown_most_usd.is_not(None)
)
_OF_UNFINISHED = ledger.c.job_id.in_(select(jobs.c.id).where(jobs.c.phase.not_in(DONE)))
_BY_JOB = select(ledger.c.job_id, func.sum(_USD_PER_H * _BILLED_S / 3600)).group_by(ledger.c.job_id)
_OF_JOBS = _BY_JOB.where(ledger.c.job_id.in_(bindparam("job_ids", expanding=True)))
_BEFORE_OF = select(jobs.c.id, jobs.c.unknown_most_usd).where(
    jobs.c.id.in_(bindparam("job_ids", expanding=True)), jobs.c.unknown_most_usd.is_not(None)
)
_OVER = (
    _BY_JOB.where(_OF_UNFINISHED, ledger.c.to_s.is_not(None))
    # Rows that are over have their own end: an instant is wanted by the statement, and never used.
    .params(now_s=0.0)
)
_RUNNING = select(ledger.c.job_id, _USD_PER_H, ledger.c.from_s, ledger.c.minimum_s).where(
    _OF_UNFINISHED, ledger.c.to_s.is_(None)
)
_SUMS = (
    func.sum(_USD_PER_H * _BILLED_S / 3600).label("usd"),
    func.sum(case((ledger.c.to_s.is_(None), _USD_PER_H), else_=0.0)).label("burn_usd_per_h"),
)
# What sums may be asked for by.
_KEYS = {
    "job": ledger.c.job_id,
    "node": ledger.c.node_id,
    "type": ledger.c.node_type + " " + ledger.c.capacity,
    "zone": ledger.c.zone,
}
_DAY_S = 86_400


def _day(at_s: ColumnElement[float]) -> ColumnElement[int]:
    """The number of an instant's day of UTC."""
    # The cast cuts off on SQLite, and rounds on PostgreSQL.
    number = cast(at_s / _DAY_S, Integer)
    return case((number > at_s / _DAY_S, number - 1), else_=number)


_END_S = func.coalesce(ledger.c.to_s, bindparam("now_s"))
_FIRST_DAY = _day(ledger.c.from_s)
_LAST_DAY = case((ledger.c.from_s < _END_S, _day(_END_S)), else_=_FIRST_DAY)
_WITHIN_A_DAY = (
    select(_FIRST_DAY.label("day"), *_SUMS).where(_FIRST_DAY == _LAST_DAY).group_by("day")
)
_ACROSS_DAYS = select(ledger).where(_FIRST_DAY != _LAST_DAY).order_by(ledger.c.id)
_OF_JOB = select(ledger).where(ledger.c.job_id == bindparam("job_id")).order_by(ledger.c.id)


def add_prices(connection: Connection, said: Iterable[prices.PriceReport]) -> None:
    """Records prices, in this order; the running rows of their nodes go on at them."""
    for price in prices.add(connection, tuple(said)):
        _reprice(connection, price)


def rewrite(connection: Connection, node_ids: Iterable[str]) -> None:
    """Writes the chains of launched nodes as what is known of them now demands. Raises
    PriceUnavailable."""
    for node_id in node_ids:
        # Read again, since the caller has just changed what the chain follows from.
        node = connection.execute(select(nodes).where(nodes.c.id == node_id)).one()
        _write(connection, node, chain(connection, node))


def chain(connection: Connection, node: Row[tuple[object, ...]]) -> tuple[Stretch, ...]:
    """What the rows of a launched node must be. Raises PriceUnavailable."""
    known = [_as_bought(price, node.extras_usd_per_h) for price in _prices(connection, node)]
    return stretches(_billing_period(node), known)


def listed(
    connection: Connection, job_id: str | None = None, *, limit: int = 50, before: int | None = None
) -> tuple[LedgerRow, ...]:
    """Ledger rows, newest first."""
    query = select(ledger).order_by(ledger.c.id.desc()).limit(limit)
    if job_id is not None:
        query = query.where(ledger.c.job_id == job_id)
    if before is not None:
        query = query.where(ledger.c.id < before)
    return tuple(to_row(each) for each in connection.execute(query))


def since(connection: Connection, from_s: float) -> tuple[LedgerRow, ...]:
    """The rows that charge anything after an instant, oldest first."""
    is_charged = (ledger.c.to_s.is_(None)) | (
        (ledger.c.to_s > from_s) | (ledger.c.from_s + ledger.c.minimum_s > from_s)
    )
    query = select(ledger).where(is_charged).order_by(ledger.c.id)
    return tuple(to_row(each) for each in connection.execute(query))


def running(connection: Connection) -> tuple[LedgerRow, ...]:
    """The rows that go on, oldest first."""
    query = select(ledger).where(ledger.c.to_s.is_(None)).order_by(ledger.c.id)
    return tuple(to_row(each) for each in connection.execute(query))


def of_job(connection: Connection, job_id: str) -> tuple[LedgerRow, ...]:
    """All of a job's rows, oldest first."""
    return tuple(to_row(each) for each in connection.execute(_OF_JOB, {"job_id": job_id}))


def total(connection: Connection, job_id: str | None, now_s: float) -> float:
    """Dollars of all rows by `now_s`, or of one job's."""
    if job_id is None:
        found = connection.execute(_ALL, {"now_s": now_s})
    else:
        found = connection.execute(_SPENT, {"job_id": job_id, "now_s": now_s})
    return float(found.scalar_one() or 0.0)


@dataclass(frozen=True, slots=True)
class LedgerSum:
    """What the rows of one job, node, node type, zone or day have cost, and what those that go on
    cost an hour."""

    key: str
    usd: float
    burn_usd_per_h: float


def sums(
    connection: Connection, by: str, job_id: str | None = None, *, now_s: float
) -> tuple[LedgerSum, ...]:
    """All rows, or those of one job, added up by `job`, `node`, `type` or `zone`; in order."""
    query = select(_KEYS[by].label("key"), *_SUMS).group_by("key")
    if job_id is not None:
        query = query.where(ledger.c.job_id == job_id)
    found = connection.execute(query, {"now_s": now_s})
    each_sum = [LedgerSum(row.key, float(row.usd), float(row.burn_usd_per_h)) for row in found]
    return tuple(sorted(each_sum, key=lambda each: each.key))


def by_day(
    connection: Connection, job_id: str | None = None, *, now_s: float
) -> tuple[tuple[LedgerSum, ...], tuple[LedgerRow, ...]]:
    """All rows, or those of one job: those that lie within a day of UTC added up by it, and the
    others, oldest first."""
    within, across = _WITHIN_A_DAY, _ACROSS_DAYS
    if job_id is not None:
        within = within.where(ledger.c.job_id == job_id)
        across = across.where(ledger.c.job_id == job_id)
    values = {"now_s": now_s}
    found = tuple(
        LedgerSum(
            instant(row.day * _DAY_S).partition("T")[0], float(row.usd), float(row.burn_usd_per_h)
        )
        for row in connection.execute(within, values)
    )
    return found, tuple(to_row(each) for each in connection.execute(across, values))


def spent(connection: Connection, job_id: str, now_s: float) -> float:
    """Dollars that a job has cost by `now_s`.

    Of an adopted job this includes the most that it can have cost before, for its budget's sake.
    """
    before = connection.execute(_BEFORE, {"job_id": job_id}).scalar() or 0.0
    return total(connection, job_id, now_s) + float(before)


def spent_by_job(
    connection: Connection, job_ids: Collection[str], now_s: float
) -> dict[str, float]:
    """What `spent` gives of each of these jobs."""
    usd = dict.fromkeys(job_ids, 0.0)
    values = {"job_ids": list(job_ids), "now_s": now_s}
    usd |= {job_id: float(found) for job_id, found in connection.execute(_OF_JOBS, values)}
    for job_id, most_usd in connection.execute(_BEFORE_OF, {"job_ids": list(job_ids)}):
        usd[job_id] += float(most_usd)
    return usd


def charged_since(connection: Connection, began_s: float, now_s: float) -> float:
    """Dollars that all jobs together have cost from an instant until `now_s`."""
    values = {"began_s": began_s, "now_s": now_s}
    return float(connection.execute(_CHARGED, values).scalar_one() or 0.0)


@dataclass(frozen=True, slots=True)
class Charges:
    """What jobs have cost, by job: what is over, in dollars, and what still runs.

    A row that runs is its dollars an hour, its beginning, and the least seconds charged.
    """

    over_usd: Mapping[str, float]
    running: Mapping[str, Sequence[tuple[float, float, float]]]

    def spent_usd(self, job_id: str, now_s: float) -> float:
        """Dollars that a job has cost at an instant, as `spent` gives them."""
        return self.over_usd.get(job_id, 0.0) + sum(
            usd_per_h * max(now_s - from_s, minimum_s) / 3600
            for usd_per_h, from_s, minimum_s in self.running.get(job_id, ())
        )


def charges(connection: Connection) -> Charges:
    """What the jobs have cost that are not over."""
    over_usd = {row.id: float(row.unknown_most_usd) for row in connection.execute(_ALL_BEFORE)}
    for job_id, usd in connection.execute(_OVER):
        over_usd[job_id] = over_usd.get(job_id, 0.0) + float(usd)
    running: dict[str, list[tuple[float, float, float]]] = {}
    for job_id, usd_per_h, from_s, minimum_s in connection.execute(_RUNNING):
        running.setdefault(job_id, []).append((usd_per_h, from_s, minimum_s))
    return Charges(over_usd, running)


def spent_on(connection: Connection, node_ids: Collection[str], now_s: float) -> float:
    """Dollars that these nodes have cost by `now_s`."""
    query = _ALL.where(ledger.c.node_id.in_(node_ids))
    return float(connection.execute(query, {"now_s": now_s}).scalar_one() or 0.0)


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
        extras_usd_per_h=row.extras_usd_per_h,
        is_waived=row.is_waived,
    )


def _reprice(connection: Connection, price: Price) -> None:
    """Takes a new price into every chain of its offering that was still running when it came to
    hold."""
    affected = connection.execute(
        select(nodes.c.id).where(
            nodes.c.node_type == price.offering.node_type,
            nodes.c.capacity == price.offering.capacity,
            nodes.c.zone == price.offering.zone,
            nodes.c.launched_at_s.is_not(None),
            # Prices may arrive after a machine has ended. It is charged for what it ran at them.
            nodes.c.terminated_at_s.is_(None) | (nodes.c.terminated_at_s > price.valid_from_s),
        )
    )
    rewrite(connection, affected.scalars().all())


def _billing_period(node: Row[tuple[object, ...]]) -> BillingPeriod:
    return BillingPeriod(
        from_s=node.launched_at_s,
        to_s=node.terminated_at_s,
        minimum_s=node.minimum_billed_s,
        billed_from_s=node.billed_from_s,
        is_waived=node.is_waived,
    )


def _prices(connection: Connection, node: Row[tuple[object, ...]]) -> tuple[Price, ...]:
    offering = Offering(node.node_type, Capacity(node.capacity), node.zone)
    # It had one when it was intended; the provider's clock may lag behind ours.
    from_s = max(node.launched_at_s, node.intended_at_s)
    # The price at the launch covers its first stretch; those that followed cut it.
    first = prices.in_force(connection, offering, at_s=from_s)
    if first is None:
        raise PriceUnavailable(f"{offering}: no price at its launch; refresh the prices")
    return first, *prices.between(
        connection, offering, after_s=from_s, before_s=node.terminated_at_s
    )


def _as_bought(price: Price, extras_usd_per_h: float | None) -> Price:
    """The price of a machine that has the disk and the address with which it was bought (None: not
    known)."""
    if extras_usd_per_h is None or extras_usd_per_h == price.extras_usd_per_h:
        return price
    machine_usd_per_h = price.usd_per_h - price.extras_usd_per_h
    return replace(
        price, usd_per_h=machine_usd_per_h + extras_usd_per_h, extras_usd_per_h=extras_usd_per_h
    )


def _write(
    connection: Connection, node: Row[tuple[object, ...]], chain: tuple[Stretch, ...]
) -> None:
    """Brings a node's rows to its chain: what is right is not touched, what differs changes in its
    place."""
    old = connection.execute(
        select(ledger).where(ledger.c.node_id == node.id).order_by(ledger.c.id)
    ).all()
    # Rows change in their place and keep their numbers, by which lists are paged.
    for row, stretch in zip(old, chain, strict=False):
        values = _values(stretch)
        if any(getattr(row, name) != value for name, value in values.items()):
            connection.execute(update(ledger).where(ledger.c.id == row.id).values(**values))
    identity = {name: getattr(node, name) for name in ("job_id", "node_type", "capacity", "zone")}
    for stretch in chain[len(old) :]:
        connection.execute(ledger.insert().values(node_id=node.id, **identity, **_values(stretch)))
    surplus = [row.id for row in old[len(chain) :]]
    if surplus:
        connection.execute(delete(ledger).where(ledger.c.id.in_(surplus)))


def _values(stretch: Stretch) -> dict[str, object]:
    return {
        "price_id": stretch.price.id,
        "usd_per_h": stretch.price.usd_per_h,
        "extras_usd_per_h": stretch.price.extras_usd_per_h,
        "from_s": stretch.from_s,
        "to_s": stretch.to_s,
        "minimum_s": stretch.minimum_s,
        "is_waived": stretch.is_waived,
    }


class Ledger(Repository):
    """What machines have cost, by what prices."""

    add_prices = writes(add_prices)
    listed = reads(listed)
    of_job = reads(of_job)
    running = reads(running)
    since = reads(since)
    charged_since = reads(charged_since)
    charges = reads(charges)
    spent = reads(spent)
    sums = reads(sums)
    by_day = reads(by_day)
    spent_by_job = reads(spent_by_job)
    total = reads(total)
