"""Generations as rows: each membership of a job's group, recorded before any node hears of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

from sqlalchemy import Connection, Row, bindparam, func, select, update

from elastic.model import Generation, Group, Node, Resume, Stint, Switch
from elastic.store import nodes as node_rows
from elastic.store.codec import group_from_text, to_text
from elastic.store.engine import Repository, reads, writes
from elastic.store.events import add_event
from elastic.store.schema import generations, jobs

_OF_JOB = select(generations).where(generations.c.job_id == bindparam("job_id"))
_LATEST = _OF_JOB.order_by(generations.c.number.desc()).limit(1)
_OTHERS = generations.alias("others")
_LATEST_NUMBER = select(func.max(_OTHERS.c.number)).where(_OTHERS.c.job_id == jobs.c.id)
_LATEST_OF = (
    select(generations)
    .join_from(
        jobs,
        generations,
        (generations.c.job_id == jobs.c.id)
        & (generations.c.number == _LATEST_NUMBER.scalar_subquery()),
    )
    .where(jobs.c.id.in_(bindparam("job_ids", expanding=True)))
)
_OF_LATE = _LATEST.with_only_columns(
    *(
        generations.c[each]
        for each in ("hangs", "started_at_s", "drain_at_s", "first_step_at_s", "last_step_at_s")
    )
).limit(17)
# Turns for so many times as long as generations lasted that stood still are past what those stood
# still in.
_PAST = 2.0

_LISTED = _OF_JOB.order_by(generations.c.number)
_NEWEST_TRAINED = (
    _OF_JOB.where(generations.c.first_step_at_s.is_not(None))
    .order_by(generations.c.number.desc())
    .limit(bindparam("limit"))
)


def start(
    connection: Connection,
    job_id: str,
    members: tuple[Node, ...],
    *,
    rdzv_endpoint: str,
    now_s: float,
) -> Generation:
    """Records the next generation of a job; the earlier one is over."""
    earlier = latest(connection, job_id)
    if earlier is None:
        number = 1
    else:
        number = earlier.number + 1
    if earlier is not None and earlier.ended_at_s is None:
        end(connection, job_id, earlier.number, now_s=now_s)
    group = group_of(members)
    connection.execute(
        generations.insert().values(
            job_id=job_id,
            number=number,
            node_ids=json.dumps([node.id for node in members]),
            members=to_text(group),
            rdzv_endpoint=rdzv_endpoint,
            started_at_s=now_s,
            world_size=sum(node.workers.processes for node in members),
        )
    )
    add_event(connection, "generation", f"generation {number}: {group}", job_id=job_id, now_s=now_s)
    found = latest(connection, job_id)
    assert found is not None  # it was inserted four lines above, in this transaction
    return found


def drain(
    connection: Connection, job_id: str, number: int, *, hangs: bool = False, now_s: float
) -> None:
    """Records that the members were asked to stop at their next safe point; at once where they
    hang."""
    mine = (
        (generations.c.job_id == job_id)
        & (generations.c.number == number)
        & generations.c.drain_at_s.is_(None)
    )
    connection.execute(update(generations).where(mine).values(drain_at_s=now_s, hangs=hangs))


def end(connection: Connection, job_id: str, number: int, *, now_s: float) -> None:
    """Records that no member runs this generation any more."""
    mine = (generations.c.job_id == job_id) & (generations.c.number == number)
    connection.execute(
        update(generations).where(mine, generations.c.ended_at_s.is_(None)).values(ended_at_s=now_s)
    )


def latest(connection: Connection, job_id: str) -> Generation | None:
    """The generation recorded last."""
    found = connection.execute(_LATEST, {"job_id": job_id}).one_or_none()
    if found is None:
        return None
    return to_generation(found)


def latest_of(connection: Connection, job_ids: Collection[str]) -> dict[str, Generation]:
    """The latest generation of each of these jobs that has one."""
    rows = connection.execute(_LATEST_OF, {"job_ids": list(job_ids)})
    return {row.job_id: to_generation(row) for row in rows}


def hung(connection: Connection, job_id: str) -> int:
    """How many of the last few generations before the latest one stood still, since one made turns
    for long.

    A node that holds the others up at each checkpoint is back, and they are drained for it, long
    before the next one.
    """
    count = 0
    lived_s = 0.0
    for each in connection.execute(_OF_LATE, {"job_id": job_id}).all()[:0:-1]:
        if (each.last_step_at_s or 0.0) - (each.first_step_at_s or 0.0) > _PAST * lived_s:
            count = 0
            lived_s = 0.0
        if each.hangs:
            count = count + 1
            lived_s = max(lived_s, each.drain_at_s - each.started_at_s)
    return count


def listed(connection: Connection, job_id: str) -> tuple[Generation, ...]:
    """All generations of a job, oldest first."""
    return tuple(to_generation(each) for each in connection.execute(_LISTED, {"job_id": job_id}))


def stints(connection: Connection, job_id: str) -> tuple[Stint, ...]:
    """All generations of a job with their first and last iteration, oldest first."""
    return tuple(
        Stint(
            number=row.number,
            node_ids=tuple(json.loads(row.node_ids)),
            started_at_s=row.started_at_s,
            first_step_at_s=row.first_step_at_s,
            last_step_at_s=row.last_step_at_s,
            ended_at_s=row.ended_at_s,
        )
        for row in connection.execute(_LISTED, {"job_id": job_id})
    )


def first_step_at_s(connection: Connection, job_id: str) -> float | None:
    """When the job's first iteration of all was done; None before that."""
    query = select(func.min(generations.c.first_step_at_s)).where(generations.c.job_id == job_id)
    found: float | None = connection.execute(query).scalar_one()
    return found


def switches(
    connection: Connection,
    job_id: str,
    *,
    resumes: Sequence[Resume] = (),
    pauses_s: Sequence[float] = (),
    limit: int = 32,
) -> tuple[Switch, ...]:
    """The latest changes of group that were carried out and reached a first step, oldest first.

    What lies on both sides of one of the job's `resumes`, or of a pause that began at one of
    `pauses_s`, is none: no node was waiting.
    """
    gaps_s = [*(each.resumed_at_s for each in resumes), *pauses_s]
    rows = connection.execute(_NEWEST_TRAINED, {"job_id": job_id, "limit": limit + 1}).all()[::-1]
    found = []
    for earlier, later in pairwise(rows):
        if earlier.members == later.members:  # a restart after a failure, not a change of group
            continue
        if any(earlier.started_at_s < at_s <= later.started_at_s for at_s in gaps_s):
            continue
        found.append((earlier, later, _ids(later) - _ids(earlier)))
    added = {each for _, _, newcomers in found for each in newcomers}
    if added:
        boots_s = node_rows.boots_s(connection, added)
    else:
        boots_s = {}
    return tuple(
        Switch(
            to_group=group_from_text(later.members),
            pause_s=max(later.first_step_at_s - earlier.last_step_at_s, 0.0),
            boot_s=max((boots_s[each] for each in newcomers if each in boots_s), default=0.0),
            ended_at_s=later.first_step_at_s,
        )
        for earlier, later, newcomers in found
    )


def group_of(members: tuple[Node, ...]) -> Group:
    """The group that these nodes make."""
    return Group(tuple(sorted(Counter(node.offering for node in members).items())))


def to_generation(row: Row[tuple[object, ...]]) -> Generation:
    """One row as a value."""
    return Generation(
        job_id=row.job_id,
        number=row.number,
        node_ids=tuple(json.loads(row.node_ids)),
        rdzv_endpoint=row.rdzv_endpoint,
        started_at_s=row.started_at_s,
        drain_at_s=row.drain_at_s,
        ended_at_s=row.ended_at_s,
        hangs=row.hangs,
        world_size=row.world_size,
    )


def _ids(row: Row[tuple[object, ...]]) -> set[str]:
    return set(json.loads(row.node_ids))


class Generations(Repository):
    """Generations of jobs: who trained together, and for how long."""

    start = writes(start)
    drain = writes(drain)
    end = writes(end)
    latest = reads(latest)
    listed = reads(listed)
    stints = reads(stints)
    first_step_at_s = reads(first_step_at_s)
