"""Adds up the ledger: over time, by node, or by what else people ask for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from math import floor

from api import schemas
from api.schemas import LedgerBy
from elastic.model import LedgerRow, spent_usd
from elastic.store import LedgerSum


def cost_over_time(
    rows: Sequence[LedgerRow], *, points: int, now_s: float
) -> list[schemas.CostPoint]:
    """What the rows had cost at up to `points` instants, of which the last gives their total."""
    if not rows:
        return []
    first_s = min(row.from_s for row in rows)
    last_s = max(until_s(row, now_s) for row in rows)
    steps = max(points - 1, 1)
    instants = [first_s + (last_s - first_s) * step / steps for step in range(steps)]
    # The last point is calculated apart, so that rounding of its instant changes no total.
    early = [schemas.CostPoint(at_s=at_s, usd=spent_by(rows, at_s)) for at_s in instants]
    return [*early, schemas.CostPoint(at_s=last_s, usd=spent_usd(tuple(rows), now_s))]


def spent_by(rows: Sequence[LedgerRow], at_s: float) -> float:
    """Dollars that had been spent by an instant, which is now or before.

    >>> from elastic.model import Offering
    >>> hour = LedgerRow(1, "j", "n", Offering("c5.xlarge"), 1, 0.36, from_s=0.0, to_s=3600.0)
    >>> spent_by([hour], 1800.0)
    0.18
    """
    # As the ledger stood then: later rows had not begun, and rows that ended later still ran.
    begun = (row for row in rows if row.from_s <= at_s)
    as_it_stood = (
        replace(row, to_s=None) if row.to_s is not None and row.to_s > at_s else row
        for row in begun
    )
    return spent_usd(tuple(as_it_stood), at_s)


def cost_between(rows: Sequence[LedgerRow], begin_s: float, end_s: float, *, now_s: float) -> float:
    """Dollars that fall on a stretch of time.

    A minimum bill is spread evenly over the time that it pays for.

    >>> from elastic.model import Offering
    >>> row = LedgerRow(1, "j", "n", Offering("c5.xlarge"), 1, 0.36, from_s=0.0, to_s=20.0)
    >>> row = replace(row, minimum_s=60.0)
    >>> round(cost_between([row], 10.0, 40.0, now_s=100.0), 6)
    0.003
    """
    return sum(_overlap(row, begin_s, end_s, now_s) for row in rows)


def month_begins_s(now_s: float) -> float:
    """When the present month began, by UTC.

    >>> month_begins_s(1_700_000_000.0)
    1698796800.0
    """
    now = datetime.fromtimestamp(now_s, UTC)
    return datetime(now.year, now.month, 1, tzinfo=UTC).timestamp()


def until_s(row: LedgerRow, now_s: float) -> float:
    """The end of a row; now while its node runs."""
    if row.to_s is None:
        return now_s
    return row.to_s


def _overlap(row: LedgerRow, begin_s: float, end_s: float, now_s: float) -> float:
    # The minimum bill pays for a time that may end after the node has.
    paid_to_s = max(until_s(row, now_s), row.from_s + row.minimum_s)
    span_s = paid_to_s - row.from_s
    shared_s = min(end_s, paid_to_s) - max(begin_s, row.from_s)
    if span_s > 0 and shared_s > 0:
        return row.usd(now_s) * shared_s / span_s
    return 0.0


def cost_by_node(rows: Sequence[LedgerRow], *, now_s: float) -> list[schemas.NodeCost]:
    """What each node cost, in the order of their first dollars."""
    # Sorted first, since groupby only joins neighbours.
    ordered = sorted(rows, key=lambda row: (row.node_id, row.id))
    chains = [tuple(chain) for _, chain in groupby(ordered, key=lambda row: row.node_id)]
    return [_node_cost(chain, now_s) for chain in sorted(chains, key=lambda chain: chain[0].id)]


def _node_cost(chain: tuple[LedgerRow, ...], now_s: float) -> schemas.NodeCost:
    return schemas.NodeCost(
        node_id=chain[0].node_id,
        offering=schemas.OfferingOut.of(chain[0].offering),
        seconds=sum(until_s(row, now_s) - row.from_s for row in chain),
        usd=spent_usd(chain, now_s),
    )


_DAY_S = 86_400


def totals_by_day(
    summed: Iterable[LedgerSum], rows: Iterable[LedgerRow], by: LedgerBy, *, now_s: float
) -> list[schemas.LedgerTotal]:
    """For each day or month, in order: what rows have cost, and what the running ones cost an hour.

    `summed` are days of rows that lie within one, `rows` the others.
    """
    length = len("2026-11-01" if by is LedgerBy.DAY else "2026-11")
    spent: defaultdict[str, float] = defaultdict(float)
    burn: defaultdict[str, float] = defaultdict(float)
    for each in summed:
        spent[each.key[:length]] += each.usd
        burn[each.key[:length]] += each.burn_usd_per_h
    for row in rows:
        key = ""
        for day, usd in _by_day(row, now_s):
            key = day[:length]
            spent[key] += usd
        # What it costs an hour is that of its last day or month.
        burn[key] += burn_usd_per_h(row)
    return [
        schemas.LedgerTotal(key=key, usd=spent[key], burn_usd_per_h=burn[key])
        for key in sorted(spent)
    ]


def type_of(row: LedgerRow) -> str:
    """A row's node type, with how it was bought."""
    return f"{row.offering.node_type} {row.offering.capacity}"


def _by_day(row: LedgerRow, now_s: float) -> Iterator[tuple[str, float]]:
    """A row's dollars by day of UTC: what was spent by its end, less what was by its beginning."""
    end_s = until_s(row, now_s)
    days = range(floor(row.from_s / _DAY_S), floor(max(end_s, row.from_s) / _DAY_S) + 1)
    spent_before = 0.0
    for day in days:
        is_last = day == days[-1]
        if is_last:
            spent = row.usd(now_s)
        else:
            spent = spent_by([row], (day + 1) * _DAY_S)
        # Differences of one running sum: the days add up to the row's dollars, whatever is rounded.
        yield datetime.fromtimestamp(day * _DAY_S, UTC).date().isoformat(), spent - spent_before
        spent_before = spent


def burn_usd_per_h(row: LedgerRow) -> float:
    """What a row costs an hour now; nothing once it is over."""
    if row.to_s is not None:
        return 0.0
    if row.is_waived:
        return row.extras_usd_per_h
    return row.usd_per_h
