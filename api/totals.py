"""Adds up the ledger by job, node, node type, capacity and zone, or by day and month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import floor

from api import schemas
from api.accounts import spent_by, until_s
from api.schemas import LedgerBy
from elastic.model import LedgerRow

_DAY_S = 86_400


def ledger_totals(
    rows: Iterable[LedgerRow], by: LedgerBy, *, now_s: float
) -> list[schemas.LedgerTotal]:
    """For each key, in order: what its rows have cost, and what the running ones cost an hour."""
    spent: defaultdict[str, float] = defaultdict(float)
    burn: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        parts = _parts(row, by, now_s)
        for key, usd in parts:
            spent[key] += usd
        # What it costs an hour is that of its last day or month.
        burn[parts[-1][0]] += burn_usd_per_h(row)
    return [
        schemas.LedgerTotal(key=key, usd=spent[key], burn_usd_per_h=burn[key])
        for key in sorted(spent)
    ]


def _parts(row: LedgerRow, by: LedgerBy, now_s: float) -> Sequence[tuple[str, float]]:
    """What a row has cost, by the keys that its dollars belong to."""
    match by:
        case LedgerBy.JOB:
            key = row.job_id
        case LedgerBy.NODE:
            key = row.node_id
        case LedgerBy.TYPE:
            key = type_of(row)
        case LedgerBy.ZONE:
            key = row.offering.zone
        case LedgerBy.DAY:
            return list(_by_day(row, now_s))
        case LedgerBy.MONTH:
            return [(day[: len("2026-11")], usd) for day, usd in _by_day(row, now_s)]
    return [(key, row.usd(now_s))]


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
