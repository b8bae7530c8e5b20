"""What is on record of when jobs make no turns: how long they pause by themselves, and the alarms
that were told."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import bindparam, select

from elastic.store.engine import Repository
from elastic.store.schema import events

_ALARMS = (
    select(events.c.kind, events.c.text, events.c.node_id)
    .where(events.c.job_id == bindparam("job_id"), events.c.kind.in_(("alarm", "alarm_over")))
    .order_by(events.c.id)
)


class Stillness(Repository):
    """What a daemon that is started again must know of jobs that stand still."""

    def open_alarms(self, job_id: str) -> Mapping[tuple[str, str | None], str]:
        """The job's alarms that are not over, by the alarm's kind and the node that it names."""
        found: dict[tuple[str, str | None], str] = {}
        with self._database.read() as connection:
            for each in connection.execute(_ALARMS, {"job_id": job_id}):
                kind, _, text = each.text.partition(": ")
                if each.kind == "alarm":
                    found[kind, each.node_id] = text
                else:
                    found.pop((kind, each.node_id), None)
        return found
