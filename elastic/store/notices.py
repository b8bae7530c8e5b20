"""What clouds told nodes of their end, as rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select

from elastic.figures import duration
from elastic.model import NodePhase, Notice, NoticeKind
from elastic.store import nodes as node_rows
from elastic.store.engine import Repository, reads
from elastic.store.events import add_event
from elastic.store.schema import nodes


@dataclass(frozen=True, slots=True)
class Interruptions:
    """How often machines of a node type were taken away, with or without a notice."""

    node_type: str
    with_notice: bool
    count: int


def noticed(connection: Connection, node_id: str, notice: Notice) -> None:
    """Records what the cloud has told a node of its end; saying so again changes nothing."""
    node = node_rows.get(connection, node_id)
    # Agents repeat a notice with every heartbeat: only what says more is an event.
    if not notice.supersedes(node.notice):
        return
    values = {
        "notice_kind": notice.kind,
        "notice_action": notice.action,
        "notice_at_s": notice.at_s,
        "noticed_at_s": notice.noticed_at_s,
    }
    node_rows.change(connection, node_id, values)
    offering = node.offering
    # A mere recommendation has no instant.
    if notice.at_s is None:
        kind = "rebalance_recommended"
        text = f"{offering}: likelier to be taken back than before"
    else:
        left_s = notice.at_s - notice.noticed_at_s
        kind = "interruption_notice"
        cause = notice.cause
        if cause == notice.action:
            text = f"{offering} leaves in {duration(left_s)} ({cause})"
        else:
            text = (
                f"{offering} is taken back by the cloud in {duration(left_s)} (spot "
                f"{notice.action or 'interruption'})"
            )
    add_event(
        connection, kind, text, job_id=node.job_id, node_id=node_id, now_s=notice.noticed_at_s
    )


def interruptions(connection: Connection) -> tuple[Interruptions, ...]:
    """How many nodes the cloud has announced to take back, and how many were lost unannounced, by
    node type."""
    was_noticed = nodes.c.notice_kind == NoticeKind.INTERRUPTION
    was_taken = was_noticed | (nodes.c.phase == NodePhase.LOST)
    was_noticed_or_not = case((was_noticed, 1), else_=0)
    query = select(
        nodes.c.node_type, was_noticed_or_not.label("noticed"), func.count().label("times")
    ).where(was_taken)
    rows = connection.execute(query.group_by(nodes.c.node_type, was_noticed_or_not))
    return tuple(Interruptions(row.node_type, bool(row.noticed), row.times) for row in rows)


class Notices(Repository):
    """Machines that clouds took away."""

    interruptions = reads(interruptions)
