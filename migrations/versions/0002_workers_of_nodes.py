"""What each node runs: how many workers, on how many threads; and how many workers a generation
has."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Until now a job named one number for all of its nodes, and each worker had one thread.
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("processes", sa.Integer(), nullable=False, server_default="1")
        )
        batch_op.add_column(sa.Column("threads", sa.Integer(), nullable=False, server_default="1"))
    with op.batch_alter_table("generations", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("world_size", sa.Integer(), nullable=False, server_default="1")
        )
    _fill(op.get_bind())


def downgrade() -> None:
    with op.batch_alter_table("generations", schema=None) as batch_op:
        batch_op.drop_column("world_size")
    with op.batch_alter_table("nodes", schema=None) as batch_op:
        batch_op.drop_column("threads")
        batch_op.drop_column("processes")


def _fill(connection: sa.Connection) -> None:
    jobs = sa.table("jobs", sa.column("id"), sa.column("spec"))
    nodes = sa.table("nodes", sa.column("job_id"), sa.column("processes"))
    generations = sa.table(
        "generations",
        sa.column("job_id"),
        sa.column("number"),
        sa.column("node_ids"),
        sa.column("world_size"),
    )
    processes = {
        job.id: int(json.loads(job.spec).get("nproc_per_node", 1))
        for job in connection.execute(sa.select(jobs))
    }
    for job_id, count in processes.items():
        connection.execute(nodes.update().where(nodes.c.job_id == job_id).values(processes=count))
    for each in connection.execute(sa.select(generations)).all():
        mine = (generations.c.job_id == each.job_id) & (generations.c.number == each.number)
        size = len(json.loads(each.node_ids)) * processes[each.job_id]
        connection.execute(generations.update().where(mine).values(world_size=size))
