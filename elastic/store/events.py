"""What happened, in order, in words: the feed that people and pages follow."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, func, select

from elastic.store.codec import by_job
from elastic.store.engine import Repository, reads, writes
from elastic.store.schema import events

_ADD = events.insert()
_NOTES = (
    select(events.c.job_id, events.c.text)
    .where(events.c.job_id.in_(bindparam("job_ids", expanding=True)), events.c.kind == "note")
    .group_by(events.c.job_id, events.c.text)
    .order_by(func.max(events.c.id))
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. Ids grow with time."""

    id: int
    at_s: float
    kind: str
    text: str
    job_id: str | None = None
    node_id: str | None = None
    numbers: Mapping[str, float] = field(default_factory=dict)


def add_event(
    connection: Connection,
    kind: str,
    text: str,
    *,
    job_id: str | None = None,
    node_id: str | None = None,
    numbers: Mapping[str, float] | None = None,
    now_s: float,
) -> int:
    """Appends to the feed, in the transaction of what it reports; gives the event's id."""
    values = {"at_s": now_s, "kind": kind, "text": text, "job_id": job_id, "node_id": node_id}
    added = connection.execute(_ADD, values | {"numbers": json.dumps(dict(numbers or {}))})
    key = added.inserted_primary_key
    assert key is not None  # of one row
    return int(key[0])


def listed(
    connection: Connection, *, after: int | None = 0, job_id: str | None = None, limit: int = 200
) -> tuple[Event, ...]:
    """The first events after the one of id `after`, or the newest of all if it is None; oldest
    first either way."""
    query = select(events).limit(limit)
    if after is not None:
        query = query.where(events.c.id > after).order_by(events.c.id)
    else:
        query = query.order_by(events.c.id.desc())
    rows = connection.execute(
        query if job_id is None else query.where(events.c.job_id == job_id)
    ).all()
    return tuple(
        Event(
            each.id,
            each.at_s,
            each.kind,
            each.text,
            each.job_id,
            each.node_id,
            json.loads(each.numbers),
        )
        for each in (rows if after is not None else reversed(rows))
    )


def of_kind(connection: Connection, job_id: str, kind: str) -> tuple[Event, ...]:
    """A job's events of one kind, oldest first."""
    query = (
        select(events).where(events.c.job_id == job_id, events.c.kind == kind).order_by(events.c.id)
    )
    return tuple(
        Event(
            each.id,
            each.at_s,
            each.kind,
            each.text,
            each.job_id,
            each.node_id,
            json.loads(each.numbers),
        )
        for each in connection.execute(query)
    )


def notes(
    connection: Connection, job_ids: Collection[str], *, most: int
) -> dict[str, tuple[str, ...]]:
    """The newest notes of each of these jobs, the oldest of them first; what was said again stands
    once."""
    rows = connection.execute(_NOTES, {"job_ids": list(job_ids)})
    said = by_job(job_ids, ((row.job_id, row.text) for row in rows))
    return {job_id: texts[-most:] for job_id, texts in said.items()}


def newest_id(connection: Connection) -> int:
    """The id of the latest event, 0 before the first."""
    return connection.execute(select(func.max(events.c.id))).scalar() or 0


class Events(Repository):
    """The feed."""

    add = writes(add_event)
    listed = reads(listed)
    notes = reads(notes)
    newest_id = reads(newest_id)
