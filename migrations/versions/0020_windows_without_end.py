"""Numbers of windows that 100 jobs do not use up in four months. SQLite's have 64 bits anyway."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _use(sa.BigInteger(), "bigint")


def downgrade() -> None:
    _use(sa.Integer(), "integer")


def _use(kind: sa.Integer, name: str) -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.alter_column("windows", "id", type_=kind)
    op.execute(f"ALTER SEQUENCE windows_id_seq AS {name}")
