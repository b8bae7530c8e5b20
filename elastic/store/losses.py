"""When the iterations were made that restarts lost, found in the windows and kept once these go."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, bindparam, select

from elastic.store.events import Event, of_kind
from elastic.store.schema import buckets, losses, rollups, windows

# Of more windows than that only the newest are looked through for what a restart lost.
_MOST_LOST = 10_000

_BEFORE = (
    select(windows.c.iterations, windows.c.elapsed_s, windows.c.ended_at_s)
    .where(windows.c.job_id == bindparam("job_id"), windows.c.ended_at_s < bindparam("at_s"))
    .order_by(windows.c.id.desc())
    .limit(bindparam("limit"))
)
_SUMS_BEFORE = (
    select(buckets.c.iterations, buckets.c.width_s, buckets.c.at_s)
    .where(
        buckets.c.job_id == bindparam("job_id"),
        buckets.c.at_s + buckets.c.width_s <= bindparam("to_s"),
        buckets.c.iterations > 0,
    )
    .order_by(buckets.c.at_s.desc())
    .limit(bindparam("limit"))
)
_KEPT = select(losses).where(losses.c.job_id == bindparam("job_id"))
_WINDOWS_TO = select(rollups.c.windows_to_s).where(rollups.c.job_id == bindparam("job_id"))

Stretch = tuple[float, float]


def lost(connection: Connection, job_id: str) -> tuple[Stretch, ...]:
    """When the iterations were made that had to be done again: from and to, for each restart that
    lost some."""
    kept = _kept(connection, job_id)
    found = (
        kept[event.id] if event.id in kept else _found(connection, event, job_id)
        for event in of_kind(connection, job_id, "redone")
    )
    return tuple(each for each in found if each is not None)


def keep(connection: Connection, job_id: str, *, before_s: float) -> None:
    """Writes down what the restarts before an instant lost, as the windows show it now."""
    kept = _kept(connection, job_id)
    rows = []
    for event in of_kind(connection, job_id, "redone"):
        if event.id not in kept and event.at_s < before_s:
            from_s, to_s = _found(connection, event, job_id) or (None, None)
            rows.append({"event_id": event.id, "job_id": job_id, "from_s": from_s, "to_s": to_s})
    if rows:
        connection.execute(losses.insert(), rows)


def _kept(connection: Connection, job_id: str) -> dict[int, Stretch | None]:
    return {
        row.event_id: None if row.from_s is None else (row.from_s, row.to_s)
        for row in connection.execute(_KEPT, {"job_id": job_id})
    }


def _found(connection: Connection, event: Event, job_id: str) -> Stretch | None:
    left = event.numbers.get("redone", 0.0)
    end_s = begin_s = None
    for iterations, elapsed_s, ended_at_s in _done_before(connection, job_id, event.at_s):
        if left <= 0:
            break
        if end_s is None:
            end_s = ended_at_s
        # Only the last part of the oldest window was lost: the rest of it stays done.
        share = min(left / iterations, 1.0)
        begin_s = ended_at_s - share * elapsed_s
        left -= iterations
    if end_s is None or begin_s is None:
        return None
    return (begin_s, end_s)


def _done_before(
    connection: Connection, job_id: str, at_s: float
) -> Iterator[tuple[float, float, float]]:
    """Iterations, how long they took and when they ended, newest first: of windows, and of sums
    where windows are gone."""
    windows_to_s = connection.execute(_WINDOWS_TO, {"job_id": job_id}).scalar_one_or_none() or 0.0
    said = {"job_id": job_id, "limit": _MOST_LOST}
    for row in connection.execute(_BEFORE, {**said, "at_s": at_s}):
        # Below this instant some windows are gone. Sums, which are whole, cover that time.
        if row.ended_at_s < windows_to_s:
            break
        yield row.iterations, row.elapsed_s, row.ended_at_s
    if windows_to_s:
        for row in connection.execute(_SUMS_BEFORE, {**said, "to_s": min(windows_to_s, at_s)}):
            yield row.iterations, row.width_s, row.at_s + row.width_s
