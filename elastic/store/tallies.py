"""How many there are of each kind, counted by the database: what metrics are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Column, Connection, func, select

from elastic.store.schema import decisions, events, jobs


@dataclass(frozen=True, slots=True)
class Tallies:
    """All jobs by phase, all decisions by action (holds for one reason count once), all events by
    kind."""

    jobs: Mapping[str, int]
    decisions: Mapping[str, int]
    events: Mapping[str, int]


def tallies(connection: Connection) -> Tallies:
    """Counts everything, each by an index alone."""
    return Tallies(
        jobs=_counted(connection, jobs.c.phase),
        decisions=_counted(connection, decisions.c.action),
        events=_counted(connection, events.c.kind),
    )


def _counted(connection: Connection, column: Column[str]) -> dict[str, int]:
    rows = connection.execute(select(column, func.count()).group_by(column).order_by(column))
    return {str(kind): int(count) for kind, count in rows}
