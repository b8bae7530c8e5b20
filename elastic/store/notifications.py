"""What people are told, and whether it has arrived: one row for each message and recipient."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, Row, func, select, update

from elastic.model import NodePhase, NoticeKind
from elastic.store.engine import MATTERS_NOT, Repository, reads, writes
from elastic.store.schema import DONE, alarms, jobs, nodes, notifications


class Delivery(StrEnum):
    """How far a message has come."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    # Every try failed.
    FAILED = "failed"
    # The daemon ended while it was sent.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Notification:
    """A message to one recipient. `key` names the news: a recipient gets each key once."""

    key: str
    topic: str
    recipient: str
    title: str
    text: str
    made_at_s: float
    job_id: str | None = None
    id: int = 0
    delivery: Delivery = Delivery.WAITING
    tries: int = 0
    # When the next try is due; None: there is none.
    next_at_s: float | None = None
    sent_at_s: float | None = None
    # Why the last try failed.
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """An alarm of which people are told: when it began, and when it was over."""

    id: int
    kind: str
    text: str
    job_id: str | None
    since_s: float
    over_at_s: float | None


def keep(connection: Connection, found: Sequence[Notification]) -> None:
    """Adds messages. None of them may be `told` already."""
    rows = [
        {
            "key": each.key,
            "topic": each.topic,
            "recipient": each.recipient,
            "title": each.title,
            "text": each.text,
            "job_id": each.job_id,
            "made_at_s": each.made_at_s,
            "delivery": each.delivery,
            "tries": 0,
            "next_at_s": each.made_at_s,
        }
        for each in found
    ]
    if rows:
        options = {MATTERS_NOT: True}
        connection.execute(notifications.insert(), rows, execution_options=options)


def told(connection: Connection, keys: Collection[str]) -> frozenset[tuple[str, str]]:
    """The messages with these keys that are on record, each with its recipient."""
    query = select(notifications.c.key, notifications.c.recipient)
    rows = connection.execute(query.where(notifications.c.key.in_(keys)))
    return frozenset((row.key, row.recipient) for row in rows)


def due(connection: Connection, *, now_s: float) -> tuple[Notification, ...]:
    """The messages whose next try is due, oldest first."""
    query = (
        select(notifications)
        .where(notifications.c.delivery == Delivery.WAITING, notifications.c.next_at_s <= now_s)
        .order_by(notifications.c.id)
    )
    return tuple(map(_to_notification, connection.execute(query)))


def listed(
    connection: Connection, *, job_id: str | None = None, limit: int = 50
) -> tuple[Notification, ...]:
    """The newest messages, newest first."""
    query = select(notifications).order_by(notifications.c.id.desc()).limit(limit)
    if job_id is not None:
        query = query.where(notifications.c.job_id == job_id)
    return tuple(map(_to_notification, connection.execute(query)))


def begin(connection: Connection, notification_id: int) -> None:
    """Notes that a message is being sent. It is durable before the first byte goes out."""
    _change(
        connection,
        notification_id,
        # A daemon that ends now cannot tell whether the message went out. `doubt` finds it by this.
        delivery=Delivery.SENDING,
        tries=notifications.c.tries + 1,
    )


def sent(connection: Connection, notification_id: int, *, now_s: float) -> None:
    """Notes that the recipient's service took a message."""
    _change(connection, notification_id, delivery=Delivery.SENT, sent_at_s=now_s, error=None)


def refused(
    connection: Connection, notification_id: int, why: str, *, next_at_s: float | None
) -> None:
    """Notes why a try failed, and when the next one is due; None: it was the last."""
    values: dict[str, object] = {"error": why, "delivery": Delivery.FAILED}
    if next_at_s is not None:
        values |= {"delivery": Delivery.WAITING, "next_at_s": next_at_s}
    _change(connection, notification_id, **values)


def doubt(connection: Connection) -> None:
    """Gives up messages that an earlier daemon was sending when it ended: they may have arrived."""
    statement = (
        update(notifications)
        # Given up and not sent again: a person who is told twice of a failure looks for a second
        # one.
        .where(notifications.c.delivery == Delivery.SENDING)
        .values(delivery=Delivery.UNKNOWN, error="the daemon ended while it was sent")
    )
    connection.execute(statement, execution_options={MATTERS_NOT: True})


def ended(connection: Connection, *, from_s: float) -> tuple[tuple[str, float], ...]:
    """The ids of the jobs that ended since then, and when each did."""
    # Not the whole jobs: each look asks, and a specification takes long to read.
    query = select(jobs.c.id, jobs.c.finished_at_s)
    query = query.where(jobs.c.phase.in_(DONE), jobs.c.finished_at_s >= from_s)
    return tuple((row.id, row.finished_at_s) for row in connection.execute(query))


def alarms_since(connection: Connection, *, from_s: float) -> tuple[AlarmRow, ...]:
    """The alarms that began or were over since then, oldest first."""
    query = (
        select(alarms)
        .where((alarms.c.since_s >= from_s) | (alarms.c.over_at_s >= from_s))
        .order_by(alarms.c.id)
    )
    return tuple(
        AlarmRow(row.id, row.kind, row.text, row.job_id, row.since_s, row.over_at_s)
        for row in connection.execute(query)
    )


def lost_nodes(connection: Connection) -> dict[str, int]:
    """How many nodes were lost, or taken back by the cloud, by job; of jobs that are not over."""
    was_lost = (nodes.c.phase == NodePhase.LOST) | (nodes.c.notice_kind == NoticeKind.INTERRUPTION)
    is_on = nodes.c.job_id.in_(select(jobs.c.id).where(jobs.c.phase.not_in(DONE)))
    query = select(nodes.c.job_id, func.count().label("lost")).where(was_lost, is_on)
    return {row.job_id: row.lost for row in connection.execute(query.group_by(nodes.c.job_id))}


def _change(connection: Connection, notification_id: int, **values: object) -> None:
    statement = update(notifications).where(notifications.c.id == notification_id).values(**values)
    connection.execute(statement, execution_options={MATTERS_NOT: True})


def _to_notification(row: Row[tuple[object, ...]]) -> Notification:
    return Notification(
        key=row.key,
        topic=row.topic,
        recipient=row.recipient,
        title=row.title,
        text=row.text,
        made_at_s=row.made_at_s,
        job_id=row.job_id,
        id=row.id,
        delivery=Delivery(row.delivery),
        tries=row.tries,
        next_at_s=row.next_at_s if row.delivery == Delivery.WAITING else None,
        sent_at_s=row.sent_at_s,
        error=row.error,
    )


class Notifications(Repository):
    """The messages to people."""

    keep = writes(keep)
    told = reads(told)
    due = reads(due)
    listed = reads(listed)
    begin = writes(begin)
    sent = writes(sent)
    refused = writes(refused)
    doubt = writes(doubt)
    ended = reads(ended)
    alarms_since = reads(alarms_since)
    lost_nodes = reads(lost_nodes)
