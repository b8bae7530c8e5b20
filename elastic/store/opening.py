"""Opening a store: its folder, its schema brought up to date, and the lock that lets one daemon own
it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

import structlog
from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import make_url

from elastic.data_folder import make_data_folder, unusable
from elastic.errors import AlreadyRunning, ElasticError
from elastic.store.comparison import differences_in
from elastic.store.engine import Database, damaged
from elastic.store.migrating import migrate
from elastic.store.schema import REVISION
from elastic.store.store import Store

log = structlog.get_logger(__name__)

_MOST_CHECKED_BYTES = 256 * 1024**2


def open_store(url: str) -> Store:
    """Gives the store at `url`, made or migrated to the newest schema.

    Raises AlreadyRunning if another daemon owns a database of PostgreSQL; SQLite's is owned by
    `lock`. Raises StoreUnavailable, InvalidInput; ElasticError where the tables are not those that
    the database records.
    """
    folder = database_folder(url)
    if folder is not None:
        make_data_folder(folder)
        _warn_if_emptied(Path(make_url(url).database or ""))
        _keep_private(folder, make_url(url).database or "")
    # After that: SQLite would make the file itself, with the mode that the umask gives.
    database = Database(url)
    try:
        database.own()  # before the schema changes under another daemon
        _refuse_damaged(database)
        _bring_up_to_date(database)
    except BaseException:
        # The caller gets no store that it could close, and a lock that is held would refuse its
        # next try.
        database.close()
        raise
    return Store(database)


def read_store(url: str) -> Store:
    """Gives the store at `url` to be read alone, also beside the daemon that owns it.

    Its tables must be those of this version, as `inspect_store` says. Raises StoreUnavailable.
    """
    # Unlike `open_store` it takes no lock, which PostgreSQL has for one process alone.
    return Store(Database(url))


def shown(url: str) -> str:
    """The URL as people may read it.

    >>> shown("postgresql+psycopg://me:secret@db/elasticd")
    'postgresql+psycopg://me:***@db/elasticd'
    """
    return make_url(url).render_as_string()


def database_folder(url: str) -> Path | None:
    """The folder of an SQLite database, None for any other."""
    told = make_url(url)
    if told.get_backend_name() == "sqlite" and told.database:
        return Path(told.database).parent
    return None


def lock(folder: Path) -> int:
    """Takes the daemon's lock on a folder, of its data or its database, and gives its file
    descriptor.

    Raises AlreadyRunning, and InvalidInput for a folder that cannot be used.
    """
    make_data_folder(folder)
    # The kernel frees a flock when its process ends, however it ends: a file that is merely there
    # would keep the next daemon out after a crash. O_CLOEXEC, so that no child process keeps the
    # lock.
    path = folder / "daemon.lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unusable(folder, f"that {path} cannot be written ({error.strerror})") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # Empty for the moment between the other's lock and the number that it writes.
        owner = os.read(descriptor, 32).decode().strip() or "unknown"
        os.close(descriptor)
        raise AlreadyRunning(
            f"{folder}: another daemon (pid {owner}) owns this folder; stop it or choose another "
            "--data-dir (and --database-url, if you set that)"
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _warn_if_emptied(path: Path) -> None:
    """Warns of an empty file: a disk that lost its content leaves one."""
    if path.is_file() and not path.stat().st_size:
        log.warning(
            "the database is empty, and a new one begins: if jobs were in it, stop the daemon "
            "and restore the last backup (elasticd db restore FILE)",
            database=str(path),
        )


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
    # A database of an earlier version may be readable by others, and its two helper files with it.
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(OSError):
            if each.stat().st_mode & 0o077:
                each.chmod(0o600)


def _refuse_damaged(database: Database) -> None:
    """Looks through an SQLite file for damage, where that takes less than a second. Raises
    StoreUnavailable.

    In a larger one it is named by the first read that finds it, or by `elasticd db check`.
    """
    folder = database_folder(database.url)
    parsed = make_url(database.url)
    if folder is None or parsed.database is None:
        return
    path = Path(parsed.database)
    if path.is_file() and path.stat().st_size <= _MOST_CHECKED_BYTES:
        with database.read() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if found != "ok":
            raise damaged(path, str(found))


def _bring_up_to_date(database: Database) -> None:
    """Migrates a database that is behind, repairs one that differs, and refuses what it cannot."""
    with database.read() as connection:
        revision = _revision(connection)
        tables = set(inspect(connection).get_table_names()) - {"alembic_version"}
        # The revision alone is not enough: a migration that was broken off, or a person, may have
        # left other tables than it says.
        is_in_order = revision == REVISION and not differences_in(connection)
    if is_in_order:
        return
    if revision is not None:
        from elastic.store.upgrading import upgrade  # only who needs it pays for Alembic

        upgrade(database.url, revision)
    elif not tables:
        migrate(database.url)
    else:
        raise ElasticError(
            f"{shown(database.url)}: holds tables ({', '.join(sorted(tables))}) but no revision of "
            "elasticd's; choose another --data-dir or --database-url, or restore a backup "
            "(`elasticd db restore`)"
        )


def _revision(connection: Connection) -> str | None:
    """The revision of the schema that a database is at; None if it has none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found
