"""The sums of all warm windows of a series: what a whole job did on each group."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_SUMS = """
UPDATE series SET
  iterations = COALESCE((SELECT SUM(w.iterations) FROM windows w WHERE w.series_id = series.id AND NOT w.is_cold), 0),
  elapsed_s = COALESCE((SELECT SUM(w.elapsed_s) FROM windows w WHERE w.series_id = series.id AND NOT w.is_cold), 0)
"""


def upgrade() -> None:
    with op.batch_alter_table("series", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("iterations", sa.BigInteger(), nullable=False, server_default="0")
        )
        batch_op.add_column(
            sa.Column("elapsed_s", sa.Float(53), nullable=False, server_default="0")
        )
    op.execute(_SUMS)


def downgrade() -> None:
    with op.batch_alter_table("series", schema=None) as batch_op:
        batch_op.drop_column("elapsed_s")
        batch_op.drop_column("iterations")
