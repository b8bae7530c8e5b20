"""Measurements as rows: each window, and summed beside what charts and estimates need of them, for
`elastic.store.rollup` deletes old windows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Executable, bindparam, case, func, select, update

from elastic.model import Group, Node, Sample, Series, Trained, Window
from elastic.store import jobs as job_rows
from elastic.store import losses
from elastic.store import nodes as node_rows
from elastic.store.codec import group_from_text
from elastic.store.engine import Repository, insert, reads
from elastic.store.events import add_event
from elastic.store.schema import buckets, events, generations, jobs, series, windows
from elastic.throughput import RECENT_WINDOWS

# Width of the stored sums of throughput, in seconds.
BUCKET_S = 5

# A window is spread over its last hour at most, so that none can ask for rows without end.
_MOST_BUCKETS = 720

_STORE = windows.insert()
_MEMBERSHIPS = select(
    generations.c.number, generations.c.members, generations.c.node_ids, generations.c.world_size
).where(
    generations.c.job_id == bindparam("job_id"),
    generations.c.number.in_(bindparam("numbers", expanding=True)),
)
_STORED_SEQS = select(windows.c.seq).where(
    windows.c.node_id == bindparam("node_id"),
    windows.c.seq.between(bindparam("first"), bindparam("last")),
)
_SERIES_OF_JOB = select(series).where(series.c.job_id == bindparam("job_id")).order_by(series.c.id)
_SERIES_ID = select(series.c.id).where(
    series.c.job_id == bindparam("job_id"),
    series.c.members == bindparam("members"),
    series.c.training_phase == bindparam("training_phase"),
)
_ADD_TO_SERIES = (
    update(series)
    .where(series.c.id == bindparam("of_series"))
    .values(
        iterations=series.c.iterations + bindparam("more"),
        elapsed_s=series.c.elapsed_s + bindparam("longer_s"),
    )
)
_FIRST_WINDOW = (
    select(windows.c.iterations, series.c.training_phase)
    .join(series, series.c.id == windows.c.series_id)
    .where(windows.c.job_id == bindparam("job_id"))
    .order_by(windows.c.id)
    .limit(1)
)
_WARM = (
    select(windows.c.iterations, windows.c.elapsed_s, windows.c.ended_at_s)
    .where(windows.c.series_id == bindparam("series_id"), windows.c.is_cold.is_(False))
    .order_by(windows.c.id.desc())
    .limit(bindparam("newest"))
)
_PROGRESS = select(
    jobs.c.iteration, jobs.c.progress_generation, jobs.c.training_phase, jobs.c.error
).where(jobs.c.id == bindparam("job_id"))
_LAST_RESTART = (
    select(events.c.numbers)
    .where(events.c.job_id == bindparam("job_id"), events.c.kind == "redone")
    .order_by(events.c.id.desc())
    .limit(1)
)
_LATER_OF_OTHERS = (
    select(windows.c.id)
    .where(
        windows.c.job_id == bindparam("job_id"),
        windows.c.node_id != bindparam("node_id"),
        windows.c.generation == bindparam("generation"),
        windows.c.ended_at_s > bindparam("ended_at_s"),
    )
    .limit(1)
)
_MARK_STEPS = (
    update(generations)
    .where(
        generations.c.job_id == bindparam("of_job"), generations.c.number == bindparam("of_number")
    )
    .values(
        first_step_at_s=func.coalesce(generations.c.first_step_at_s, bindparam("first_s")),
        last_step_at_s=bindparam("last_s"),
    )
)


@dataclass(frozen=True, slots=True)
class StoredWindow:
    """A window with the id it is paged by, and the group that it measures."""

    id: int
    job_id: str
    group: Group
    window: Window


@dataclass(frozen=True, slots=True)
class ThroughputPoint:
    """Iterations per second of the clock in the stretch that begins at an instant."""

    at_s: float
    # 0 if nothing was done.
    iterations_per_s: float
    # The phase that most of the iterations belong to.
    training_phase: str


def append(connection: Connection, node: Node, batch: Sequence[Window]) -> int:
    """Stores the windows that are new and gives how many were; a node speaks only for generations
    it was in."""
    # A node may only report on generations that it was in, and each window once.
    members, sizes = _memberships(connection, node, {window.generation for window in batch})
    stored = _stored_seqs(connection, node.id, batch)
    unique = {
        window.seq: window
        for window in batch
        # A dict by number: a batch may name a window twice, too.
        if window.seq not in stored and window.generation in members
    }
    # In the order in which they were measured.
    fresh = [_cold_unless_whole(unique[seq], sizes) for seq in sorted(unique)]
    # Each group has a series for each training phase.
    ids: dict[tuple[str, str], int] = {}
    for window in fresh:
        key = (members[window.generation], window.phase)
        # Not one look for each window: a batch of an hour has thousands, and few series.
        if key not in ids:
            ids[key] = _series_id(connection, node.job_id, *key)
    if fresh:
        connection.execute(
            _STORE, [_values(node, w, ids[members[w.generation], w.phase]) for w in fresh]
        )
        _add_to_series(connection, [(ids[members[w.generation], w.phase], w) for w in fresh])
        _add_to_buckets(connection, node.job_id, fresh)
        _advance(connection, node.job_id, fresh)
    return len(fresh)


def listed(
    connection: Connection, job_id: str | None = None, *, limit: int = 50, before: int | None = None
) -> tuple[StoredWindow, ...]:
    """Windows, newest first."""
    query = select(windows, series.c.members, series.c.training_phase).join(
        series, series.c.id == windows.c.series_id
    )
    if job_id is not None:
        query = query.where(windows.c.job_id == job_id)
    if before is not None:
        query = query.where(windows.c.id < before)
    rows = connection.execute(query.order_by(windows.c.id.desc()).limit(limit))
    return tuple(
        StoredWindow(row.id, row.job_id, group_from_text(row.members), _to_window(row))
        for row in rows
    )


def recent_series(connection: Connection, job_id: str) -> tuple[Series, ...]:
    """The newest warm windows of every group and training phase of a job, each series oldest
    first."""
    found = []
    for row in connection.execute(_SERIES_OF_JOB, {"job_id": job_id}).all():
        warm = connection.execute(_WARM, {"series_id": row.id, "newest": RECENT_WINDOWS})
        samples = tuple(Sample(*each) for each in warm)[::-1]
        found.append(Series(group_from_text(row.members), row.training_phase, samples))
    return tuple(found)


def trained(connection: Connection, job_id: str) -> tuple[Trained, ...]:
    """All that a job ever did, by group and training phase; one that has only cold windows has done
    0 iterations."""
    rows = connection.execute(_SERIES_OF_JOB, {"job_id": job_id})
    return tuple(
        Trained(group_from_text(row.members), row.training_phase, row.iterations, row.elapsed_s)
        for row in rows
    )


def begun(connection: Connection, job_id: str) -> dict[str, int]:
    """What was done of each phase by the end of the job's first window, which belongs to its
    start-up."""
    first = connection.execute(_FIRST_WINDOW, {"job_id": job_id}).first()
    if first is None:
        return {}
    return {first.training_phase: first.iterations}


def throughput(
    connection: Connection, job_id: str, *, since_s: float = 0.0, points: int = 300
) -> tuple[ThroughputPoint, ...]:
    """Throughput over time in at most about `points` points, oldest first, from the stored sums
    alone; fewer where these are coarser."""
    mine = (buckets.c.job_id == job_id) & (buckets.c.at_s >= since_s)
    first, last, coarsest_s = connection.execute(
        select(
            func.min(buckets.c.at_s), func.max(buckets.c.at_s), func.max(buckets.c.width_s)
        ).where(mine)
    ).one()
    if first is None:
        return ()
    # No point can be narrower than the coarsest stored sum.
    width_s = max(chart_width_s(first, last, points=points), coarsest_s)
    into_slot = (buckets.c.at_s - first) % width_s
    slot = (buckets.c.at_s - into_slot).label("slot")
    phase = buckets.c.training_phase
    # Sums that lie within one point are added up by the database.
    lies_in_one = into_slot + buckets.c.width_s <= width_s
    query = select(slot, phase, func.sum(buckets.c.iterations)).where(mine, lies_in_one)
    done: dict[int, dict[str, float]] = {}
    for at_s, training_phase, iterations in connection.execute(query.group_by("slot", phase)):
        done.setdefault(at_s, {})[training_phase] = iterations
    # The others are divided between two points, in proportion to time.
    across = select(buckets.c.at_s, phase, buckets.c.iterations, buckets.c.width_s)
    for row in connection.execute(across.where(mine, ~lies_in_one).order_by(buckets.c.at_s)):
        next_s = row.at_s - (row.at_s - first) % width_s + width_s
        later = row.iterations * (row.at_s + row.width_s - next_s) / row.width_s
        for at_s, iterations in ((next_s - width_s, row.iterations - later), (next_s, later)):
            phases = done.setdefault(at_s, {})
            phases[row.training_phase] = phases.get(row.training_phase, 0.0) + iterations
    return rates(done, width_s=width_s)


def chart_width_s(first: int, last: int, *, points: int) -> int:
    """The width of about `points` points from the first stored sum to the last, in whole sums.

    >>> chart_width_s(0, 3595, points=300), chart_width_s(0, 60, points=300)
    (10, 5)
    """
    return max((last - first) // max(points, 1) // BUCKET_S * BUCKET_S, BUCKET_S)


def rates(done: Mapping[int, Mapping[str, float]], *, width_s: int) -> tuple[ThroughputPoint, ...]:
    """Gives a point for each slot from the first to the last, from the iterations of each phase
    done in a slot.

    A slot in which nothing was done is 0, in the phase before it. The last slot is not over, so it
    is left out unless it is the only one.

    >>> done = {0: {"main": 10.0}, 10: {"main": 5.0}, 15: {"main": 1.0}}
    >>> [point.iterations_per_s for point in rates(done, width_s=5)]
    [2.0, 0.0, 1.0]
    """
    points: list[ThroughputPoint] = []
    first = min(done)
    last = max(done)
    for at_s in range(first, max(last, first + 1), width_s):
        phases = done.get(at_s) or {points[-1].training_phase: 0.0}
        # Sorted first: of two phases with the same iterations always the same one names the point.
        most = max(sorted(phases), key=lambda phase: phases[phase])
        points.append(ThroughputPoint(float(at_s), sum(phases.values()) / width_s, most))
    return tuple(points)


def spread(window: Window) -> dict[int, float]:
    """Divides a window's iterations among the buckets that it lasted through, in proportion to the
    time in each.

    >>> spread(Window("node-1", 1, 1, 1, "main", 8, 8, 8.0, is_cold=False, ended_at_s=14.0))
    {5: 4.0, 10: 4.0}
    """
    last = int(window.ended_at_s // BUCKET_S)
    first = max(int((window.ended_at_s - window.elapsed_s) // BUCKET_S), last - _MOST_BUCKETS + 1)
    if first == last:
        return {last * BUCKET_S: float(window.iterations)}
    begin_s = max(window.ended_at_s - window.elapsed_s, first * BUCKET_S)
    inner = range(first + 1, last + 1)
    pieces = pairwise((begin_s, *(number * BUCKET_S for number in inner), window.ended_at_s))
    each_s = window.iterations / (window.ended_at_s - begin_s)
    return {
        number * BUCKET_S: each_s * (to_s - from_s)
        for number, (from_s, to_s) in enumerate(pieces, start=first)
        if to_s > from_s
    }


def add_to_buckets(
    connection: Connection, job_id: str, sums: Mapping[tuple[int, str], float], *, width_s: int
) -> None:
    """Adds iterations to the stored sums, each by its instant and training phase."""
    rows = [
        {
            "job_id": job_id,
            "at_s": at_s,
            "training_phase": phase,
            "iterations": iterations,
            "width_s": width_s,
        }
        for (at_s, phase), iterations in sums.items()
    ]
    if rows:
        connection.execute(_add_to_stored(connection.dialect.name), rows)


def _memberships(
    connection: Connection, node: Node, numbers: Iterable[int]
) -> tuple[dict[int, str], dict[int, int]]:
    """The members of the generations that a node was in, and how many workers these were meant to
    have."""
    rows = connection.execute(_MEMBERSHIPS, {"job_id": node.job_id, "numbers": list(numbers)})
    own = [row for row in rows if node.id in json.loads(row.node_ids)]
    return {row.number: row.members for row in own}, {row.number: row.world_size for row in own}


def _cold_unless_whole(window: Window, sizes: Mapping[int, int]) -> Window:
    """A window of fewer workers than its generation has is progress, but no rate of that group.

    torchrun starts those that a lost node leaves behind by themselves, before the next generation
    is recorded.
    """
    if window.world_size < sizes[window.generation]:
        return replace(window, is_cold=True)
    return window


def _stored_seqs(connection: Connection, node_id: str, batch: Sequence[Window]) -> set[int]:
    first = min(window.seq for window in batch)
    last = max(window.seq for window in batch)
    return set(
        connection.execute(
            _STORED_SEQS, {"node_id": node_id, "first": first, "last": last}
        ).scalars()
    )


def _series_id(connection: Connection, job_id: str, members: str, training_phase: str) -> int:
    values = {"job_id": job_id, "members": members, "training_phase": training_phase}
    found: int | None = connection.execute(_SERIES_ID, values).scalar()
    if found is None:
        found = insert(connection, series, **values)
    return found


def _values(node: Node, window: Window, series_id: int) -> dict[str, object]:
    return {
        "series_id": series_id,
        "job_id": node.job_id,
        "node_id": node.id,
        "seq": window.seq,
        "generation": window.generation,
        "world_size": window.world_size,
        "iteration": window.iteration,
        "iterations": window.iterations,
        "elapsed_s": window.elapsed_s,
        "is_cold": window.is_cold,
        "ended_at_s": window.ended_at_s,
    }


def _add_to_series(connection: Connection, fresh: Iterable[tuple[int, Window]]) -> None:
    # One update for each series, whatever the number of windows; cold windows are no speed.
    sums: dict[int, tuple[int, float]] = {}
    for series_id, window in fresh:
        if not window.is_cold:
            iterations, elapsed_s = sums.get(series_id, (0, 0.0))
            sums[series_id] = iterations + window.iterations, elapsed_s + window.elapsed_s
    if sums:
        rows = [
            {"of_series": each, "more": more, "longer_s": longer}
            for each, (more, longer) in sums.items()
        ]
        connection.execute(_ADD_TO_SERIES, rows)


def _add_to_buckets(connection: Connection, job_id: str, fresh: Sequence[Window]) -> None:
    sums: dict[tuple[int, str], float] = {}
    for window in fresh:
        for at_s, iterations in spread(window).items():
            sums[at_s, window.phase] = sums.get((at_s, window.phase), 0.0) + iterations
    add_to_buckets(connection, job_id, sums, width_s=BUCKET_S)


@cache
def _add_to_stored(dialect: str) -> Executable:
    # Each dialect has such an insert of its own; with SQLite PostgreSQL's is never
    # imported.
    new = import_module(f"sqlalchemy.dialects.{dialect}").insert(buckets)
    wider = buckets.c.width_s < new.excluded.width_s
    added = {
        "iterations": buckets.c.iterations + new.excluded.iterations,
        "width_s": case((wider, new.excluded.width_s), else_=buckets.c.width_s),
    }
    stored: Executable = new.on_conflict_do_update(index_elements=buckets.primary_key, set_=added)
    return stored


def _advance(connection: Connection, job_id: str, fresh: Sequence[Window]) -> None:
    """Brings the job's progress and its generations' first and last step to what the windows
    show."""
    iteration, generation, phase, error = connection.execute(_PROGRESS, {"job_id": job_id}).one()
    # The first and the last step of each generation.
    steps: dict[int, tuple[float, float]] = {}
    restarts: dict[str, object] = {}
    for window in sorted(fresh, key=lambda each: (each.generation, each.seq)):
        # They were done, and count in sums. They say nothing of how far the job is now.
        if window.generation < generation or _is_late(connection, job_id, window, iteration):
            continue
        if window.iteration is None:
            # A script that names no iteration is taken to go on where the count stands.
            begins_at = iteration
        else:
            begins_at = max(window.iteration - window.iterations, 0)
        # A restart goes back behind what was counted: a new generation may, and a script's counter
        # may.
        is_restart = window.generation > generation or begins_at + window.iterations <= iteration
        if is_restart and begins_at < iteration:
            restarts |= _restart(
                connection, job_id, before=iteration, begins_at=begins_at, at_s=window.ended_at_s
            )
        elif window.generation > generation and begins_at > 0:
            restarts |= {"restarts_at_zero": False}
        if window.iteration is None:
            iteration = iteration + window.iterations
        else:
            iteration = window.iteration
        generation = window.generation
        phase = window.phase
        first_s, _ = steps.get(generation, (window.ended_at_s, 0.0))
        steps[generation] = (first_s, window.ended_at_s)
    for number, (first_s, last_s) in steps.items():
        step = {"of_job": job_id, "of_number": number, "first_s": first_s, "last_s": last_s}
        connection.execute(_MARK_STEPS, step)
    progress = {"iteration": iteration, "progress_generation": generation, "training_phase": phase}
    job_rows.change(connection, job_id, progress | restarts)
    _forget_a_restart_before_the_first_save(connection, job_id)
    if error is not None:
        job_rows.forgive(connection, job_id)


def _restart(
    connection: Connection, job_id: str, *, before: int, begins_at: int, at_s: float
) -> dict[str, object]:
    """What changes in a job's row whose script begins behind what it had done; an event says so."""
    row = job_rows.row(connection, job_id)
    lost = before - begins_at
    text = f"the script begins at iteration {begins_at}; iterations to be done again: {lost}"
    numbers = {"iteration": float(begins_at), "redone": float(lost)}
    if row.kept_iteration is not None:
        numbers["kept"] = float(row.kept_iteration)
    add_event(connection, "redone", text, job_id=job_id, numbers=numbers, now_s=at_s)
    # Written at once: one heartbeat may report several restarts.
    job_rows.change(connection, job_id, {"redone": row.redone + lost})
    return {"restarts_at_zero": begins_at == 0}


def _forget_a_restart_before_the_first_save(connection: Connection, job_id: str) -> None:
    """What a script had not saved it could not read. Once it trains on beyond a save, it may do so
    the next time.

    A script that saves only when it is done never gets there, and begins at 0 again.
    """
    row = job_rows.row(connection, job_id)
    if (
        not row.restarts_at_zero
        or row.kept_iteration is None
        or row.iteration <= row.kept_iteration
    ):
        return
    numbers = connection.execute(_LAST_RESTART, {"job_id": job_id}).scalar_one_or_none()
    if numbers is not None and "kept" not in json.loads(numbers):
        job_rows.change(connection, job_id, {"restarts_at_zero": False})


def _is_late(connection: Connection, job_id: str, window: Window, iteration: int) -> bool:
    """Whether later turns of another node are on record already: in a session the first rank comes
    to be elsewhere."""
    if window.iteration is None or window.iteration >= iteration:
        return False
    said = {"job_id": job_id, "node_id": window.node_id, "generation": window.generation}
    return (
        connection.execute(_LATER_OF_OTHERS, {**said, "ended_at_s": window.ended_at_s}).first()
        is not None
    )


def _to_window(row: Any) -> Window:
    return Window(
        node_id=row.node_id,
        seq=row.seq,
        generation=row.generation,
        world_size=row.world_size,
        phase=row.training_phase,
        iteration=row.iteration,
        iterations=row.iterations,
        elapsed_s=row.elapsed_s,
        is_cold=row.is_cold,
        ended_at_s=row.ended_at_s,
    )


class Measurements(Repository):
    """Windows, and what is kept summed of them."""

    listed = reads(listed)
    recent_series = reads(recent_series)
    trained = reads(trained)
    begun = reads(begun)
    lost = reads(losses.lost)
    throughput = reads(throughput)

    def append(self, node_id: str, windows: Sequence[Window]) -> int:
        """Stores the windows not stored yet and gives how many were."""
        with self._database.write() as connection:
            return append(connection, node_rows.get(connection, node_id), windows)
