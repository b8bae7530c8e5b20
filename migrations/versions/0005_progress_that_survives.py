"""What a job has saved, where its script began, and how much of its work was lost to restarts."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("redone", sa.BigInteger(), server_default="0", nullable=False)
        )
        batch_op.add_column(sa.Column("kept_iteration", sa.BigInteger(), nullable=True))
        batch_op.add_column(
            sa.Column("restarts_at_zero", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.add_column(sa.Column("stops_when_asked", sa.Boolean(), nullable=True))
        batch_op.add_column(sa.Column("batch", sa.String(length=8), nullable=True))
        batch_op.add_column(sa.Column("saves", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        for name in (
            "saves",
            "batch",
            "stops_when_asked",
            "restarts_at_zero",
            "kept_iteration",
            "redone",
        ):
            batch_op.drop_column(name)
