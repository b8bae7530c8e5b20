"""Old rows rolled up, so that a database does not grow for ever: windows go once nothing reads
them, the sums of throughput become coarser with age, and decisions lose their facts.

What a job did, what it cost and how far it is follow from other rows, which stay. Of the windows
these stay: the newest that an estimate reads, of each group and training phase, and a job's first.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, select

from elastic.durations import DAY_S, LEASE_S, LONG_KEPT_S, TICK_S
from elastic.model import Window
from elastic.store import losses, thinning
from elastic.store.engine import Database
from elastic.store.measurements import BUCKET_S, add_to_buckets, chart_width_s
from elastic.store.schema import DONE, buckets, jobs, rollups, series, windows
from elastic.throughput import RECENT_WINDOWS

# How long every window is kept: 25.6 MB for a job, at two windows a second.
WINDOWS_KEPT_S = DAY_S
# From an age on, sums of a running job are this wide. A job's chart has 300 points, so at these
# ages a point is 26,000 s, 2,000 s or 288 s wide: wider than what it is drawn from.
WIDTHS_S = ((90 * DAY_S, 3600), (7 * DAY_S, 600), (DAY_S, 60))
# The sums of a job that has ended are as wide as the points of its chart.
CHART_POINTS = 300
_NO_ID = 2**63 - 1
_BATCH = 2_000
# It works a fifth of the time at most, and holds the writer for a batch: 9 ms of processor for
# windows, 27 ms for sums.
_AT_ONCE_S = TICK_S / 5

_JOBS = select(jobs.c.id, jobs.c.phase, jobs.c.finished_at_s, jobs.c.redone).order_by(jobs.c.seq)
_SERIES = select(series.c.id).where(series.c.job_id == bindparam("job_id"))
_WINDOWS_TO = select(rollups.c.windows_to_s).where(rollups.c.job_id == bindparam("job_id"))
_FIRST = select(func.min(windows.c.id)).where(windows.c.job_id == bindparam("job_id"))
_NEEDED_FROM = (
    select(windows.c.id)
    .where(windows.c.series_id == bindparam("series_id"), windows.c.is_cold.is_(False))
    .order_by(windows.c.id.desc())
    .limit(1)
    .offset(RECENT_WINDOWS - 1)
)
_OLDEST = (
    select(windows.c.id, windows.c.ended_at_s)
    .where(
        windows.c.series_id == bindparam("series_id"),
        windows.c.is_cold == bindparam("is_cold"),
        windows.c.id < bindparam("below"),
        windows.c.id != bindparam("first"),
    )
    .order_by(windows.c.id)
    .limit(_BATCH)
)
_SPAN = select(func.min(buckets.c.at_s), func.max(buckets.c.at_s)).where(
    buckets.c.job_id == bindparam("job_id")
)
_FINER = (
    select(buckets.c.at_s, buckets.c.training_phase, buckets.c.iterations)
    .where(
        buckets.c.job_id == bindparam("job_id"),
        buckets.c.at_s < bindparam("before_s"),
        buckets.c.width_s < bindparam("width"),
    )
    .order_by(buckets.c.at_s)
    .limit(_BATCH)
)
_FORGET_BUCKET = delete(buckets).where(
    buckets.c.job_id == bindparam("of_job"),
    buckets.c.at_s == bindparam("of_at_s"),
    buckets.c.training_phase == bindparam("of_phase"),
)


@dataclass(frozen=True, slots=True)
class _Job:
    id: str
    ended_at_s: float | None
    has_redone: bool


class Rollup:
    """Rolls old rows up in batches of a few milliseconds, each a transaction of its own.

    Killed between two of them it goes on at the next start: each batch asks the database what is
    left.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._looked_at_s: dict[str, float] = {}
        """When a job's sums and decisions were last looked through: they age by the day."""
        self._is_done: set[str] = set()
        """Jobs that ended, and have nothing left to roll up."""

    def run(self, *, now_s: float) -> float | None:
        """Works for a second at most; gives in how many seconds it should be called again if there
        is more to do."""
        begun_s = time.monotonic()
        for job in self._jobs():
            while self._step(job, now_s=now_s):
                # Between two batches, so that heartbeats and ticks get the writer in between.
                if time.monotonic() - begun_s > _AT_ONCE_S:
                    return TICK_S
        return None

    def run_to_the_end(self, *, now_s: float) -> None:
        """Returns when nothing is left to do."""
        while self.run(now_s=now_s) is not None:
            pass

    def _jobs(self) -> list[_Job]:
        with self._database.read() as connection:
            rows = connection.execute(_JOBS).all()
        found = [
            _Job(row.id, row.finished_at_s if row.phase in DONE else None, row.redone > 0)
            for row in rows
        ]
        # A job that was resumed is not over any more, and makes windows again.
        self._is_done -= {each.id for each in found if each.ended_at_s is None}
        return [each for each in found if each.id not in self._is_done]

    def _step(self, job: _Job, *, now_s: float) -> bool:
        """Does one batch of a job; False if there was none."""
        if self._roll_windows(job, now_s=now_s):
            return True
        # A job that has been over for long gets one width, as many points as a chart shows.
        is_over = job.ended_at_s is not None and job.ended_at_s < now_s - WINDOWS_KEPT_S
        is_due = now_s - self._looked_at_s.get(job.id, 0.0) >= DAY_S
        if not is_due:
            return False
        if self._widen(job, is_over=is_over, now_s=now_s) or self._thin(job, now_s=now_s):
            return True
        self._looked_at_s[job.id] = now_s
        if job.ended_at_s is not None and job.ended_at_s < now_s - LONG_KEPT_S - DAY_S:
            self._is_done.add(job.id)
        return False

    def _thin(self, job: _Job, *, now_s: float) -> bool:
        with self._database.read() as connection:
            found = thinning.thick(connection, job.id, now_s=now_s)
        if found:
            with self._database.write() as connection:
                thinning.thin(connection, found)
        return bool(found)

    def _roll_windows(self, job: _Job, *, now_s: float) -> bool:
        to_s = now_s - WINDOWS_KEPT_S
        with self._database.read() as connection:
            # Looked for by a reader: only the deletion itself keeps others from writing.
            ids = _old_windows(connection, job.id, to_s=to_s)
        if not ids:
            return False
        with self._database.write() as connection:
            if job.has_redone:
                # The times of lost iterations are read off the windows: keep them before these go.
                # All have come by then: a node without an answer ends itself.
                losses.keep(connection, job.id, before_s=now_s - LEASE_S)
            connection.execute(delete(windows).where(windows.c.id.in_(ids)))
            # In the same transaction: a window that comes again is known by this instant to be
            # counted already.
            connection.execute(delete(rollups).where(rollups.c.job_id == job.id))
            connection.execute(rollups.insert().values(job_id=job.id, windows_to_s=to_s))
        return True

    def _widen(self, job: _Job, *, is_over: bool, now_s: float) -> bool:
        with self._database.read() as connection:
            first, last = connection.execute(_SPAN, {"job_id": job.id}).one()
        if first is None:
            return False
        if is_over:
            width_s = chart_width_s(first, last, points=CHART_POINTS)
            return self._widen_before(job.id, last + 1, width_s, first=first)
        return any(
            self._widen_before(job.id, int(now_s - age_s), width_s, first=first)
            for age_s, width_s in WIDTHS_S
        )

    def _widen_before(self, job_id: str, before_s: int, width_s: int, *, first: int) -> bool:
        """Joins sums into ones of `width_s`, which are counted from the job's first."""
        said = {"job_id": job_id, "before_s": before_s, "width": width_s}
        with self._database.read() as connection:
            if width_s <= BUCKET_S or connection.execute(_FINER, said).first() is None:
                return False
        with self._database.write() as connection:
            # Read again: a heartbeat may have added to a sum since the look above, and its part
            # would be lost.
            rows = connection.execute(_FINER, said).all()
            sums: dict[tuple[int, str], float] = {}
            for row in rows:
                slot = row.at_s - (row.at_s - first) % width_s, row.training_phase
                sums[slot] = sums.get(slot, 0.0) + row.iterations
            gone = [
                {"of_job": job_id, "of_at_s": row.at_s, "of_phase": row.training_phase}
                for row in rows
            ]
            connection.execute(_FORGET_BUCKET, gone)
            add_to_buckets(connection, job_id, sums, width_s=width_s)
        return True


def not_rolled_up(
    connection: Connection, job_id: str, batch: Sequence[Window], *, acked_seq: int
) -> Sequence[Window]:
    """Leaves out windows that come again, and whose rows are gone: they are counted already."""
    # By far the most: what was never acknowledged was never stored, so nothing need be looked up.
    if all(window.seq > acked_seq for window in batch):
        return batch
    gone_to_s = connection.execute(_WINDOWS_TO, {"job_id": job_id}).scalar_one_or_none() or 0.0
    return [each for each in batch if each.seq > acked_seq or each.ended_at_s >= gone_to_s]


def _old_windows(connection: Connection, job_id: str, *, to_s: float) -> list[int]:
    """Some of the windows that ended before `to_s`, and that nothing reads."""
    first = connection.execute(_FIRST, {"job_id": job_id}).scalar_one()
    if first is None:
        return []
    for series_id in connection.execute(_SERIES, {"job_id": job_id}).scalars().all():
        needed = connection.execute(_NEEDED_FROM, {"series_id": series_id}).scalar_one_or_none()
        # Estimates read the newest warm windows only, so of the cold ones every old one may go.
        for is_cold, below in ((False, needed or 0), (True, _NO_ID)):
            said = {"series_id": series_id, "is_cold": is_cold, "below": below, "first": first}
            found = _ended_before(connection.execute(_OLDEST, said), to_s)
            if found:
                return found
    return []


def _ended_before(rows: Iterable[tuple[int, float]], to_s: float) -> list[int]:
    return [row[0] for row in rows if row[1] < to_s]
