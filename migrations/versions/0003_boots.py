"""What a machine was made from, and what setting it up took."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        batch_op.add_column(sa.Column("image", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("setup_s", sa.Float(precision=53), nullable=True))
        batch_op.add_column(sa.Column("setup_bytes", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        for name in ("setup_bytes", "setup_s", "image"):
            batch_op.drop_column(name)
