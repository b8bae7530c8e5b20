"""What is wrong, from when until when: one row an alarm, and an event when it begins and ends."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from elastic.store.engine import Repository, reads, writes
from elastic.store.events import add_event
from elastic.store.schema import alarms, jobs


@dataclass(frozen=True, slots=True)
class StoredAlarm:
    """An alarm that stands: about a job, perhaps one of its nodes, or about the daemon."""

    kind: str
    # Why it stands, as of the latest look.
    text: str
    since_s: float
    job_id: str | None = None
    node_id: str | None = None
    job_name: str | None = None

    @property
    def key(self) -> tuple[str, str | None, str | None]:
        """What is wrong with what: at most one alarm of each stands."""
        return self.kind, self.job_id, self.node_id

    @property
    def sentence(self) -> str:
        """Its kind and why it stands."""
        return f"{self.kind}: {self.text}"


def standing(connection: Connection, job_id: str | None = None) -> tuple[StoredAlarm, ...]:
    """The alarms that are not over, oldest first; of all jobs and of the daemon, or of one job."""
    query = (
        select(alarms, jobs.c.name.label("job_name"))
        .outerjoin(jobs, jobs.c.id == alarms.c.job_id)
        .where(alarms.c.over_at_s.is_(None))
        .order_by(alarms.c.since_s, alarms.c.id)
    )
    if job_id is not None:
        query = query.where(alarms.c.job_id == job_id)
    return tuple(
        StoredAlarm(row.kind, row.text, row.since_s, row.job_id, row.node_id, row.job_name)
        for row in connection.execute(query)
    )


def begin(connection: Connection, alarm: StoredAlarm, *, now_s: float) -> None:
    """Records an alarm, and its event."""
    values = {
        "kind": alarm.kind,
        "text": alarm.text,
        "since_s": alarm.since_s,
        "job_id": alarm.job_id,
        "node_id": alarm.node_id,
    }
    connection.execute(alarms.insert(), values)
    _tell(connection, "alarm", alarm, alarm.text, now_s=now_s)


def reword(connection: Connection, alarm: StoredAlarm) -> None:
    """Records why an alarm stands now; that is no news."""
    _change(connection, alarm, text=alarm.text)


def end(connection: Connection, alarm: StoredAlarm, why: str, *, now_s: float) -> None:
    """Records that an alarm is over, and tells why."""
    _change(connection, alarm, over_at_s=now_s)
    _tell(connection, "alarm_over", alarm, why, now_s=now_s)


def _change(connection: Connection, alarm: StoredAlarm, **values: object) -> None:
    kind, job_id, node_id = alarm.key
    connection.execute(
        update(alarms)
        .where(
            alarms.c.over_at_s.is_(None),
            alarms.c.kind == kind,
            # An alarm of the daemon has no job, and in SQL NULL equals nothing, not even NULL.
            alarms.c.job_id.is_not_distinct_from(job_id),
            alarms.c.node_id.is_not_distinct_from(node_id),
        )
        .values(**values)
    )


def _tell(
    connection: Connection, event: str, alarm: StoredAlarm, text: str, *, now_s: float
) -> None:
    words = f"{alarm.kind}: {text}"
    add_event(connection, event, words, job_id=alarm.job_id, node_id=alarm.node_id, now_s=now_s)


class StoredAlarms(Repository):
    """The alarms, for pages and REST, and for a daemon that is started again."""

    standing = reads(standing)
    begin = writes(begin)
    reword = writes(reword)
    end = writes(end)
