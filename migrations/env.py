"""Alembic's entry: runs the migrations on the database that elasticd names."""

from alembic import context

from elastic.store.engine import plain_engine
from elastic.store.schema import metadata

url = context.config.attributes.get("url") or context.config.get_main_option("sqlalchemy.url")
engine = plain_engine(url)
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
