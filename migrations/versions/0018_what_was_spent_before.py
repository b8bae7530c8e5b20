"""What an adopted job had cost by the time its database was lost, which no ledger row says."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("unknown_least_usd", "unknown_most_usd"):
        op.add_column("jobs", sa.Column(name, sa.Float(precision=53), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("jobs") as table:
        table.drop_column("unknown_most_usd")
        table.drop_column("unknown_least_usd")
