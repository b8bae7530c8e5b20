"""Connections: one that writes, a pool that reads, each transaction whole or not at all."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.pool import NullPool, PoolProxiedConnection, QueuePool

from elastic.errors import InvalidInput, StoreUnavailable
from elastic.store import postgres

P = ParamSpec("P")
R = TypeVar("R")

# With WAL readers never wait for the writer. FULL, since NORMAL may lose the last commits at a loss
# of power: a machine whose intent is lost would never be ended. SQLite checks foreign keys only for
# a connection that asks for it.
PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=5000",
    "cache_size=-32768",
)


# In place of a table's name, where a statement does not name one.
ANY = "any"
# Counts every change of a table, whichever job it concerns.
_ALL = "all"
# The execution option of statements that change nothing from which a decision is made.
MATTERS_NOT = "matters_not"


@dataclass(frozen=True, slots=True)
class Versions:
    """How often tables may have changed. `ANY` stands for what names no table."""

    _counts: Mapping[tuple[str, str | None], int] = field(default_factory=dict)

    def stamp(self, tables: Iterable[str], job_id: str | None = None) -> tuple[int, ...]:
        """Differs from an earlier one if one of these tables may have changed in between, in rows
        that concern this job, or in any."""
        if job_id is None:
            return tuple(self._counts.get((each, _ALL), 0) for each in (ANY, *tables))
        return tuple(
            self._counts.get((each, of), 0) for each in (ANY, *tables) for of in (None, job_id)
        )

    def stamps(self, tables: Iterable[str], job_id: str) -> Mapping[str, tuple[int, ...]]:
        """The same for each of these tables alone."""
        return {each: self.stamp((each,), job_id) for each in tables}

    def after(self, tables: Iterable[str], job_id: str | None) -> Versions:
        """What they are after these tables changed, in rows of one job or (None) of any."""
        changed = [(each, of) for each in tables for of in (_ALL, job_id)]
        counts = {key: self._counts.get(key, 0) + 1 for key in changed}
        return Versions({**self._counts, **counts})


class Database:
    """A database by its URL. Writes are serialised: SQLite has one writer anyway, and waiting here
    is cheaper."""

    def __init__(self, url: str) -> None:
        self.url = url
        match make_url(url).get_backend_name():
            case "sqlite":
                self._writer, self._reader = (
                    _sqlite(url, "BEGIN IMMEDIATE", size=1),
                    _sqlite(url, "BEGIN", size=8),
                )
            case "postgresql":
                self._writer, self._reader = (
                    postgres.writer(make_url(url)),
                    postgres.reader(make_url(url)),
                )
            case other:
                wanted = f"database_url: wanted sqlite or postgresql, got {other}"
                raise InvalidInput(wanted, field="database_url")
        self._writing = threading.RLock()
        self._changed: set[str] = set()
        self._job_id: str | None = None
        # How often each table may have changed: what is read later is at least as new. This process
        # alone writes, so it can tell without asking. Replaced as a whole.
        self.versions = Versions()
        # On the engine, so that no statement can forget to say which table it changes.
        event.listen(self._writer, "after_execute", self._note)
        event.listen(self._writer, "connect", self._note_session)

    def own(self) -> None:
        """Makes sure that this process alone may write, where the server can tell. Raises
        AlreadyRunning."""
        # To connect is to ask for the lock: PostgreSQL's writer takes it, or refuses, in its
        # "connect".
        with self._writing, _translated(self.url), self._writer.connect():
            pass

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is committed, durably, when the block ends without an error."""
        with self._writing:
            try:
                with _translated(self.url), self._writer.begin() as connection:
                    yield connection
            finally:
                # Only now: a reader that began before the commit must not take what it saw for new.
                if self._changed:
                    self.versions = self.versions.after(self._changed, self._job_id)
                self._changed = set()
                self._job_id = None

    def concerns(self, job_id: str) -> None:
        """Says of the transaction that goes on that it changes rows of this job alone."""
        self._job_id = job_id

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with _translated(self.url), self._reader.begin() as connection:
            yield connection

    def _note(self, _: Connection, statement: Any, *more: Any) -> None:
        """Takes note of the table that a statement changes, unless it `MATTERS_NOT`."""
        if getattr(statement, "is_select", False) or more[2].get(MATTERS_NOT):
            return
        table = getattr(statement, "table", None)
        # What names no table, such as text(), counts for all of them.
        self._changed.add(ANY if table is None else table.name)

    def _note_session(self, *_: Any) -> None:
        """Takes what was read before for out of date: between two sessions another may have
        written."""
        self.versions = self.versions.after((ANY,), None)

    def close(self) -> None:
        self._reader.dispose()
        self._writer.dispose()


class Repository:
    """What is read and written of one subject. Each of its methods is one transaction, committed
    when it returns; threads may share it."""

    def __init__(self, database: Database) -> None:
        self._database = database


def reads(
    query: Callable[Concatenate[Connection, P], R],
) -> Callable[Concatenate[Repository, P], R]:
    """Makes a query a method of its repository, in a transaction of its own.

    The query itself takes a connection, so that it can be part of a larger transaction too.
    """

    @wraps(query)
    def read(self: Repository, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._database.read() as connection:
            return query(connection, *args, **kwargs)

    return read


def writes(
    change: Callable[Concatenate[Connection, P], R],
) -> Callable[Concatenate[Repository, P], R]:
    """Makes a change a method of its repository, like `reads`."""

    @wraps(change)
    def write(self: Repository, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._database.write() as connection:
            return change(connection, *args, **kwargs)

    return write


def plain_engine(url: str) -> Engine:
    """Makes an engine for a look or a migration: a connection at a time, and none of the rules
    above."""
    is_postgresql = make_url(url).get_backend_name() == "postgresql"
    with postgres.driver_named():
        return create_engine(
            # No pool: a connection that is kept would hold the file, or the server's session, after
            # the look.
            url,
            poolclass=NullPool,
            connect_args=postgres.ENCODING if is_postgresql else {},
        )


@contextmanager
def migration_engine(url: str) -> Iterator[Engine]:
    """Makes an engine for a migration: its transactions hold changes of tables, too.

    SQLite's foreign keys are off, as its documents want it where tables are rebuilt.
    """
    if make_url(url).get_backend_name() != "sqlite":
        engine = plain_engine(url)
    else:
        # The driver would begin a transaction before a row changes, and none before a table does.
        arguments = {"isolation_level": None, "timeout": 5.0}
        engine = create_engine(url, poolclass=NullPool, connect_args=arguments)

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            # At once the writer's lock: no other process writes between the first change of a table
            # and the last.
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with _translated(url):
            yield engine
    finally:
        engine.dispose()


def _sqlite(url: str, begin: str, *, size: int) -> Engine:
    # autocommit at the driver, so that BEGIN is ours: the driver's own is deferred and may fail
    # half-way through.
    arguments = {"check_same_thread": False, "isolation_level": None, "timeout": 5.0}
    engine = create_engine(
        # No overflow: more threads than connections wait, and no burst of requests opens files
        # without end.
        url,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        connect_args=arguments,
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    # Not on SQLAlchemy's event "begin": an engine with such an event asks for listeners at each
    # statement, and sends BEGIN as if it were one. Together that is a fifth of a short read.
    def _begin(connection: PoolProxiedConnection) -> None:
        connection.cursor().execute(begin)

    vars(engine.dialect)["do_begin"] = _begin
    return engine


@contextmanager
def _translated(url: str) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise refusal(url, error) from error
    except NoConnection as error:
        raise StoreUnavailable(f"the database is busy: {error}; nothing was changed") from error


def refusal(url: str, error: DBAPIError) -> StoreUnavailable:
    """Says what the database refused, and the way out where its file is damaged."""
    if is_of_damage(error.orig):
        return damaged(make_url(url).database, str(error.orig))
    if _primary_code(error.orig) == sqlite3.SQLITE_CANTOPEN:
        return StoreUnavailable(
            f"cannot open the database {make_url(url).database}: wanted a file that this user may "
            f"read and write, in a folder that it may write to, found: {error.orig}"
        )
    advice = ""
    # SQLite says it of a full disk, too, where its helper files do not fit.
    if _primary_code(error.orig) == sqlite3.SQLITE_IOERR:
        advice = f" (is the disk of {make_url(url).database} full, or broken?)"
    return StoreUnavailable(f"the database refused: {error.orig}{advice}; nothing was changed")


def is_of_damage(error: BaseException | None) -> bool:
    """Whether SQLite says by this error that a file is damaged, or no database."""
    return _primary_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _primary_code(error: BaseException | None) -> int:
    """What SQLite calls an error, without the rest that tells its kinds; 0 for no error of it."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def damaged(path: Path | str | None, why: str) -> StoreUnavailable:
    """Names a damaged file, and the way out."""
    return StoreUnavailable(
        f"the database {path} is damaged ({why}). "
        "Stop the daemon, move the file elsewhere with those that begin like it (-wal, -shm), "
        "and restore the last backup: elasticd db restore FILE"
    )


def insert(connection: Connection, table: Table, **values: object) -> int:
    """Inserts a row and gives its integer key."""
    key = connection.execute(table.insert(), values).inserted_primary_key
    assert key is not None  # every table that is inserted into by this has one
    return int(key[0])
