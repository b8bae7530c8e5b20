"""Alembic, which is loaded only where a database is migrated: it takes 0.2 s."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elastic.distribution import migrations_folder

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection


def migrate(url: str, revision: str = "head", *, connection: Connection | None = None) -> None:
    """Brings the database to a revision of the schema, whole or not at all.

    With `connection` it is done in the transaction that goes on there.
    """
    from alembic import command

    config = migration_config(url)
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def migration_config(url: str) -> Config:
    """Alembic's configuration for a database, from a checkout or from an installed wheel."""
    from alembic.config import Config

    # No alembic.ini: a wheel has none, and what stands in it would be a second place for the URL.
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    config.attributes["url"] = url
    return config


def revisions() -> frozenset[str]:
    """Every revision that this version knows."""
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(migration_config("sqlite://"))
    return frozenset(each.revision for each in script.walk_revisions())
