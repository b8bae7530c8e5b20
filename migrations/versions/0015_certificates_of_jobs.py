"""The key and certificate of each job."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "certificates",
        sa.Column("job_id", sa.String(length=32), nullable=False),
        sa.Column("pem", sa.Text(), nullable=False),
        sa.Column("made_at_s", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_certificates_job_id")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_certificates")),
    )


def downgrade() -> None:
    op.drop_table("certificates")
