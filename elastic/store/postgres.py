"""PostgreSQL's side of a database: one session may write, and it holds the lock that keeps every
other one out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.pool import QueuePool

from elastic.errors import AlreadyRunning, InvalidInput

# The server frees a killed daemon's lock a moment after the process ends, and what starts a daemon
# again may be quicker. The other daemon may also never end: a longer wait looks like a hang.
_WAIT_FOR_LOCK = "SET LOCAL lock_timeout = 2000"
_LOCK_NOT_AVAILABLE = "55P03"

# The key of the advisory lock, of this database alone: "elasticd" in ASCII.
_LOCK = 0x656C617374696364

ENCODING = {"client_encoding": "utf8"}  # from a database that has none text would come as bytes
# Seconds, but for the options, which are the server's and in milliseconds: no wait without an end.
_ARGUMENTS = {
    **ENCODING,
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "options": (
        "-c statement_timeout=30000 -c lock_timeout=5000 "
        "-c idle_in_transaction_session_timeout=60000 "
        # The server's side: it ends the session of a daemon that is cut off, and a standby begins.
        "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 "
        "-c tcp_user_timeout=15000"
    ),
}
# A daemon that stands still, and its machine does not: `Store.hold` is called more often than that.
# It may stand still in the middle of a transaction, too.
_NO_STANDSTILL = "SET idle_session_timeout = 15000"
_NO_STANDSTILL_WITHIN = "SET idle_in_transaction_session_timeout = 15000"
_KNOWS_IDLE_SESSIONS = 140_000


def writer(url: URL) -> Engine:
    """Makes the engine of the one session that writes.

    A session that cannot have the lock is no session: a daemon that lost its connection, and with
    it the lock, writes nothing more. Raises AlreadyRunning, at each use, while another has it.
    """
    engine = _engine(url, size=1)

    @event.listens_for(engine, "connect")
    def _lock(connection: Any, _record: Any) -> None:
        with connection.cursor() as cursor:
            # First: they hold for the session whether the lock is had or not.
            cursor.execute(_NO_STANDSTILL_WITHIN)
            if connection.info.server_version >= _KNOWS_IDLE_SESSIONS:
                cursor.execute(_NO_STANDSTILL)
            connection.commit()
            cursor.execute(_WAIT_FOR_LOCK)
            # A lock of the session, not of a transaction: it is held as long as this one connection
            # lives.
            try:
                cursor.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            except connection.OperationalError as error:
                if error.sqlstate != _LOCK_NOT_AVAILABLE:
                    raise
                connection.close()
                raise AlreadyRunning(
                    f"{url.render_as_string()}: another daemon owns this database; stop it or "
                    "choose another --database-url"
                ) from None
        connection.commit()

    @event.listens_for(engine, "close")
    def _unlock(connection: Any, _record: Any) -> None:
        # The server itself frees the lock a moment after the session ends: too late for a daemon
        # or command that starts right now.
        with suppress(connection.Error):  # the session may be lost already, and the lock with it
            connection.rollback()
            connection.execute("SELECT pg_advisory_unlock_all()")

    return engine


def reader(url: URL) -> Engine:
    """Makes the engine of the sessions that read; a transaction sees one state of the database."""
    # PostgreSQL's usual level shows each statement another state, and a tick reads with many.
    return _engine(url, size=8, isolation_level="REPEATABLE READ")


@contextmanager
def driver_named() -> Iterator[None]:
    """Raises InvalidInput that says what to install, where PostgreSQL's driver is not."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"database_url: PostgreSQL needs {error.name}: pip install 'elasticd[postgres]'",
            field="database_url",
        ) from error


def _engine(url: URL, *, size: int, **options: Any) -> Engine:
    with driver_named():
        engine = create_engine(
            url,
            poolclass=QueuePool,
            pool_size=size,
            max_overflow=0,
            pool_pre_ping=True,  # a server that was restarted costs no failed transaction
            connect_args=_ARGUMENTS,
            **options,
        )

    # For each connection: a dumper of all psycopg would change what others of this process send.
    @event.listens_for(engine, "connect")
    def _take_any_text(connection: Any, _record: Any) -> None:
        from psycopg.types.string import StrDumper

        class WithoutNul(StrDumper):
            """PostgreSQL's text has no NUL; one in what a script printed must not stop a node's
            heartbeat."""

            def dump(self, obj: str) -> Any:
                return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))

        connection.adapters.register_dumper(str, WithoutNul)

    return engine
