"""What people are told, a row for each message and recipient."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notifications",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("key", sa.String(length=96), nullable=False),
        sa.Column("topic", sa.String(length=16), nullable=False),
        sa.Column("recipient", sa.String(length=64), nullable=False),
        sa.Column("job_id", sa.String(length=32), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("made_at_s", sa.Float(precision=53), nullable=False),
        sa.Column("delivery", sa.String(length=16), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at_s", sa.Float(precision=53), nullable=False),
        sa.Column("sent_at_s", sa.Float(precision=53), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notifications")),
        sa.UniqueConstraint("key", "recipient", name=op.f("uq_notifications_key_recipient")),
    )
    op.create_index(op.f("ix_notifications_delivery"), "notifications", ["delivery"])
    op.create_index(op.f("ix_notifications_made_at_s"), "notifications", ["made_at_s"])


def downgrade() -> None:
    op.drop_table("notifications")
