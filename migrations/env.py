"""Alembic's entry: runs the migrations on the database that elasticd names, in one transaction.

Where it is not given the connection of a transaction that goes on, it opens one. A process that is
killed leaves the old tables or the new ones: SQLite, too, can roll back a change of its tables.
"""

from alembic import context

from elastic.store.engine import migration_engine
from elastic.store.schema import metadata


def run(connection):
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    url = context.config.attributes.get("url") or context.config.get_main_option("sqlalchemy.url")
    with migration_engine(url) as engine, engine.begin() as connection:
        run(connection)
