"""A row for each alarm, which only events reported before."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    alarms = op.create_table(
        "alarms",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=True),
        sa.Column("node_id", sa.String(length=32), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("since_s", sa.Float(precision=53), nullable=False),
        sa.Column("over_at_s", sa.Float(precision=53), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alarms")),
    )
    op.create_index(op.f("ix_alarms_over_at_s"), "alarms", ["over_at_s"], unique=False)
    told = list(_told(op.get_bind()))
    if told:
        op.bulk_insert(alarms, told)


def _told(connection: sa.Connection) -> Iterator[dict[str, Any]]:
    """The alarms that events report, each from its first event to the one that says it is over."""
    events = sa.table(
        "events",
        *(sa.column(name) for name in ("id", "at_s", "kind", "text", "job_id", "node_id")),
    )
    found = sa.select(events).where(events.c.kind.in_(("alarm", "alarm_over")))
    standing: dict[tuple[str, str | None, str | None], dict[str, Any]] = {}
    for event in connection.execute(found.order_by(events.c.id)):
        kind, _, text = event.text.partition(": ")
        key = kind, event.job_id, event.node_id
        begun = standing.pop(key, None)
        if event.kind == "alarm_over":
            if begun is not None:
                yield begun | {"over_at_s": event.at_s}
            continue
        # A daemon that was started again reported the same alarm once more.
        standing[key] = begun or {
            "kind": kind,
            "job_id": event.job_id,
            "node_id": event.node_id,
            "text": text,
            "since_s": event.at_s,
            "over_at_s": None,
        }
    yield from standing.values()


def downgrade() -> None:
    op.drop_index(op.f("ix_alarms_over_at_s"), table_name="alarms")
    op.drop_table("alarms")
