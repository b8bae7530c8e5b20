"""Sums of coarser width for old throughput, what restarts lost, and how far windows are gone."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("buckets", sa.Column("width_s", sa.Integer(), nullable=False, server_default="5"))
    op.create_table(
        "losses",
        sa.Column("event_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("from_s", sa.Float(precision=53), nullable=True),
        sa.Column("to_s", sa.Float(precision=53), nullable=True),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_losses_event_id")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_losses_job_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_losses")),
    )
    op.create_index(op.f("ix_losses_job_id"), "losses", ["job_id"], unique=False)
    op.create_table(
        "rollups",
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("windows_to_s", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_rollups_job_id")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_rollups")),
    )


def downgrade() -> None:
    op.drop_table("rollups")
    op.drop_index(op.f("ix_losses_job_id"), table_name="losses")
    op.drop_table("losses")
    with op.batch_alter_table("buckets", schema=None) as batch_op:
        batch_op.drop_column("width_s")
