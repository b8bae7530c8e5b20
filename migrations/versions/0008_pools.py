"""What is known of spot pools, over all jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "pools",
        sa.Column("node_type", sa.String(64), nullable=False),
        sa.Column("capacity", sa.String(16), nullable=False),
        sa.Column("zone", sa.String(32), nullable=False),
        sa.Column("history", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("node_type", "capacity", "zone", name=op.f("pk_pools")),
    )


def downgrade() -> None:
    op.drop_table("pools")
