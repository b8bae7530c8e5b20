"""Shows what all jobs have cost this month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from api import schemas
from api.accounts import burn_usd_per_h, cost_between, month_begins_s, type_of
from api.dashboard.views.parts import Card, Number, dollars, dollars_an_hour
from elastic import figures
from elastic.model import LedgerRow

_DAY_S = 86_400.0
# What lies behind costs less, and is told as one sum.
_MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class CostRow:
    """What one day, job, node type or zone has cost, and its share of the greatest in percent."""

    name: str
    href: str | None
    usd: Number
    share: float


@dataclass(frozen=True, slots=True)
class CostTable:
    """Costs by one thing, the greatest first; of days the newest."""

    title: str
    column: str
    rows: tuple[CostRow, ...]


@dataclass(frozen=True, slots=True)
class CapRow:
    """One cap over all jobs: how much of it is spent, committed and left, and its filled share."""

    name: str
    usd: Number
    spent: Number
    committed: Number
    left: Number
    until: str
    share: float


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """One job that the purse leaves less than it wants, or that waits."""

    name: str
    href: str
    priority: int
    why: str


@dataclass(frozen=True, slots=True)
class PurseView:
    """The purse of all jobs."""

    caps: tuple[CapRow, ...]
    waiting: tuple[WaitingRow, ...]
    # What all machines cost an hour, and what they may cost by the hour's cap.
    burn: str


@dataclass(frozen=True, slots=True)
class CostView:
    """The costs of a month until now."""

    month: str
    cards: tuple[Card, ...]
    tables: tuple[CostTable, ...]
    # None where the settings name no cap.
    purse: PurseView | None


def cost_view(
    rows: Sequence[LedgerRow],
    names: Mapping[str, str],
    purse: schemas.PurseOut | None = None,
    *,
    now_s: float,
) -> CostView:
    """The month to date. A minimum bill is spread over the time that it pays for.

    `names` are those of the jobs, by id.
    """
    begin_s = month_begins_s(now_s)
    # UTC has days of 86,400 s, as Unix time counts them, so no calendar is needed.
    day_s = now_s - now_s % _DAY_S

    def spent(from_s: float, to_s: float, own: Sequence[LedgerRow] = rows) -> float:
        return cost_between(own, from_s, to_s, now_s=now_s)

    burn = sum(map(burn_usd_per_h, rows))
    month = spent(begin_s, now_s)
    elapsed_days = (now_s - begin_s) / _DAY_S

    def by(title: str, column: str, key: Callable[[LedgerRow], str]) -> CostTable:
        groups: defaultdict[str, list[LedgerRow]] = defaultdict(list)
        for row in rows:
            groups[key(row)].append(row)
        usd = {name: spent(begin_s, now_s, own) for name, own in groups.items()}
        ordered = sorted(usd.items(), key=lambda each: (-each[1], each[0]))
        return _table(title, column, ordered)

    # The newest first, and without those on which nothing ran.
    days = [begin_s + number * _DAY_S for number in range(int(elapsed_days) + 1)]
    dollars_on = {each: spent(each, min(each + _DAY_S, now_s)) for each in reversed(days)}
    daily = [(figures.day(each), usd) for each, usd in dollars_on.items() if usd > 0]
    by_job = by("By job", "Job", lambda row: row.job_id)
    named = tuple(
        CostRow(names[each.name], f"/jobs/{each.name}", each.usd, each.share)
        if each.name in names
        else each
        for each in by_job.rows
    )
    return CostView(
        month=figures.month(now_s),
        cards=(
            Card("month_usd", "This month", dollars(month)),
            Card("today_usd", "Today", dollars(spent(day_s, now_s)), ("since midnight UTC",)),
            Card(
                "burn_usd_per_h",
                "Now, an hour",
                dollars_an_hour(burn),
                ("for the machines that run",),
            ),
        ),
        tables=(
            _table("By day", "Day", daily),
            CostTable(by_job.title, by_job.column, named),
            by("By node type", "Node type", type_of),
            by("By zone", "Zone", lambda row: row.offering.zone),
        ),
        purse=_purse(purse, now_s) if purse is not None and purse.caps else None,
    )


def _purse(purse: schemas.PurseOut, now_s: float) -> PurseView:
    burn = f"All machines together cost {figures.price(purse.burn_usd_per_h)}/h now"
    if purse.rate_usd_per_h is not None:
        burn += f", and may cost {figures.price(purse.rate_usd_per_h)}/h"
    return PurseView(
        caps=tuple(
            CapRow(
                name=f"This {each.unit}",
                usd=dollars(each.usd),
                spent=dollars(each.spent_usd),
                committed=dollars(each.committed_usd),
                left=dollars(each.left_usd),
                until=figures.moment(each.ends_at_s, now_s),
                share=min(100 * each.spent_usd / each.usd, 100.0),
            )
            for each in purse.caps
        ),
        waiting=tuple(
            WaitingRow(each.name, f"/jobs/{each.job_id}", each.priority, each.why)
            for each in purse.jobs
            if each.why is not None
        ),
        burn=f"{burn}. Days and months are those of {purse.zone}.",
    )


def _table(title: str, column: str, usd: Sequence[tuple[str, float]]) -> CostTable:
    greatest = max((each for _, each in usd), default=0.0)
    rows = [
        CostRow(name, None, dollars(each), 100 * each / greatest if greatest else 0.0)
        for name, each in usd[:_MOST_ROWS]
    ]
    others = usd[_MOST_ROWS:]
    if others:
        rest = dollars(sum(each for _, each in others))
        rows.append(CostRow(f"{len(others):,} more", None, rest, 0.0))
    return CostTable(title, column, tuple(rows))
