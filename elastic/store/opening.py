"""Opening a store: its folder, its schema brought up to date, and the lock that lets one daemon own
it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.engine import make_url

from elastic.distribution import migrations_folder
from elastic.errors import AlreadyRunning
from elastic.store.engine import Database
from elastic.store.schema import REVISION
from elastic.store.store import Store

if TYPE_CHECKING:
    from alembic.config import Config


def open_store(url: str) -> Store:
    """Gives the store at `url`, made or migrated to the newest schema.

    Raises AlreadyRunning if another daemon owns a database of PostgreSQL; SQLite's is owned by
    `lock`. Raises StoreUnavailable, InvalidInput.
    """
    folder = database_folder(url)
    if folder is not None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _keep_private(folder, make_url(url).database or "")
    database = Database(url)
    try:
        database.own()  # before the schema changes under another daemon
        if _revision(database) != REVISION:
            migrate(url)
    except BaseException:
        database.close()
        raise
    return Store(database)


def shown(url: str) -> str:
    """The URL as people may read it.

    >>> shown("postgresql+psycopg://me:secret@db/elasticd")
    'postgresql+psycopg://me:***@db/elasticd'
    """
    return make_url(url).render_as_string()


def migrate(url: str, revision: str = "head") -> None:
    """Brings the database to a revision of the schema."""
    from alembic import command  # 0.2 s that a start on a database in order need not wait for

    command.upgrade(migration_config(url), revision)


def migration_config(url: str) -> Config:
    """Alembic's configuration for a database, from a checkout or from an installed wheel."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()))
    config.attributes["url"] = url
    return config


def database_folder(url: str) -> Path | None:
    """The folder of an SQLite database, None for any other."""
    told = make_url(url)
    return (
        Path(told.database).parent
        if told.get_backend_name() == "sqlite" and told.database
        else None
    )


def lock(folder: Path) -> int:
    """Takes the daemon's lock on a folder, of its data or its database, and gives its file
    descriptor.

    Raises AlreadyRunning.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / "daemon.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(descriptor, 32).decode().strip() or "unknown"
        os.close(descriptor)
        raise AlreadyRunning(
            f"{folder}: another daemon (pid {owner}) owns this folder; stop it or choose another "
            "--data-dir (and --database-url, if you set that)"
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _keep_private(folder: Path, database: str) -> None:
    """Makes sure that only its owner reads a database of SQLite: it holds the secrets that jobs
    bring.

    SQLite gives its log and its index the mode of the database, so a new one has it before SQLite
    opens it. Where this fails, the folder cannot be written or another user owns the file: SQLite
    then says what it cannot do.
    """
    if database.startswith((":", "file:")):  # in memory, or named by SQLite's own URL
        return
    path = folder / Path(database).name
    with contextlib.suppress(OSError):
        path.touch(mode=0o600)
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(OSError):
            if each.stat().st_mode & 0o077:
                each.chmod(0o600)


def _revision(database: Database) -> str | None:
    """The revision of the schema that a database is at; None if it has none."""
    with database.read() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        found: str | None = connection.execute(
            text("SELECT version_num FROM alembic_version")
        ).scalar()
        return found
