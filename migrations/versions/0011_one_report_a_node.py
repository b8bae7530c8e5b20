"""What an agent says of its node, as one report."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_OLD = {
    "agent_state": sa.String(16),
    "agent_generation": sa.Integer(),
    "saving_s": sa.Float(53),
    "tier": sa.String(8),
    "still_s": sa.Float(53),
    "longest_pause_s": sa.Float(53),
    "learnt_pause_s": sa.Float(53),
    "preparing": sa.Text(),
}
_NODES = sa.table("nodes", *map(sa.column, ("seq", "heartbeat_at_s", "report", *_OLD)))


def upgrade() -> None:
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        batch_op.add_column(sa.Column("report", sa.Text(), nullable=True))
    connection = op.get_bind()
    for row in connection.execute(sa.select(_NODES).where(_NODES.c.agent_state.is_not(None))).all():
        change = sa.update(_NODES).where(_NODES.c.seq == row.seq)
        connection.execute(change.values(report=json.dumps(_report(row))))
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        for name in _OLD:
            batch_op.drop_column(name)


def downgrade() -> None:
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        for name, kind in _OLD.items():
            batch_op.add_column(sa.Column(name, kind, nullable=True))
    connection = op.get_bind()
    for row in connection.execute(sa.select(_NODES).where(_NODES.c.report.is_not(None))).all():
        change = sa.update(_NODES).where(_NODES.c.seq == row.seq)
        connection.execute(
            change.values(_columns(json.loads(row.report), row.heartbeat_at_s or 0.0))
        )
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        batch_op.drop_column("report")


def _report(row: sa.Row) -> dict:
    pulse = None
    if row.still_s is not None:
        longest_s = row.longest_pause_s or 0.0
        pulse = {"still_s": row.still_s, "longest_s": longest_s, "learnt_s": row.learnt_pause_s}
    preparing = None
    if row.preparing is not None:
        said = json.loads(row.preparing)
        elapsed_s = max((row.heartbeat_at_s or 0.0) - said["since_s"], 0.0)
        preparing = {"what": said["what"], "elapsed_s": elapsed_s, "failure": said["failure"]}
    return {
        "state": row.agent_state,
        "generation": row.agent_generation,
        "saving_s": row.saving_s,
        "tier": row.tier,
        "pulse": pulse,
        "preparing": preparing,
    }


def _columns(report: dict, heartbeat_at_s: float) -> dict:
    pulse = report["pulse"] or {}
    preparing = None
    if report["preparing"] is not None:
        said = report["preparing"]
        since_s = heartbeat_at_s - said["elapsed_s"]
        preparing = json.dumps(
            {"what": said["what"], "since_s": since_s, "failure": said["failure"]}
        )
    return {
        "agent_state": report["state"],
        "agent_generation": report["generation"],
        "saving_s": report["saving_s"],
        "tier": report["tier"],
        "still_s": pulse.get("still_s"),
        "longest_pause_s": pulse.get("longest_s"),
        "learnt_pause_s": pulse.get("learnt_s"),
        "preparing": preparing,
    }
