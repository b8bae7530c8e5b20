"""What state a database is in, found out without changing it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import DBAPIError

from elastic.errors import StoreUnavailable
from elastic.store import ledger_check
from elastic.store.engine import plain_engine, refusal
from elastic.store.migrating import migration_config, revisions
from elastic.store.upgrading import differences_at

# What to do with a database that a newer elasticd has migrated.
TO_GO_BACK = (
    "install that elasticd again, or take the copy that it made before it migrated "
    "(elasticd.db.before-*)"
)


@dataclass(frozen=True, slots=True)
class StoreState:
    """A database's schema revision (None: no tables yet), the newest there is, its damages (none:
    it is sound), how its tables differ from those of its revision, and faults of its ledger."""

    revision: str | None
    newest_revision: str | None
    damages: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    # A newer elasticd has migrated it.
    is_newer: bool = False

    @property
    def is_migrated(self) -> bool:
        return self.revision is not None and self.revision == self.newest_revision


def inspect_store(url: str) -> StoreState:
    """Gives the state of the database at `url`; one that does not exist has no revision. Raises
    StoreUnavailable."""
    from alembic.runtime.migration import MigrationContext  # only who inspects pays for alembic
    from alembic.script import ScriptDirectory

    newest = ScriptDirectory.from_config(migration_config(url)).get_current_head()
    parsed = make_url(url)
    is_sqlite = parsed.get_backend_name() == "sqlite"
    # Looking at a file that does not exist must not create it.
    if is_sqlite and not (parsed.database and Path(parsed.database).is_file()):
        return StoreState(None, newest)
    engine = plain_engine(url)
    try:
        with engine.connect() as connection:
            if is_sqlite:
                damages = _sqlite_damages(connection)
            else:
                damages = ()
            revision = MigrationContext.configure(connection).get_current_revision()
            if damages or revision is None:
                return StoreState(revision, newest, damages)
            differ = differences_at(connection, revision)
            # Rows can be checked only if the tables are those that this version knows.
            is_read = revision == newest and not differ
            if is_read:
                wrong = tuple(ledger_check.faults(connection))
            else:
                wrong = ()
            is_newer = revision not in revisions()
            return StoreState(revision, newest, damages, differ, wrong, is_newer)
    except DBAPIError as error:
        refused = refusal(url, error)
        raise StoreUnavailable(f"{parsed.render_as_string()}: cannot be read: {refused}") from error
    finally:
        engine.dispose()


def _sqlite_damages(connection: Connection) -> tuple[str, ...]:
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(10)")]
    found += [
        f"{row[0]}: row {row[1]} refers to nothing"
        for row in connection.exec_driver_sql("PRAGMA foreign_key_check")
    ]
    return tuple(each for each in found if each != "ok")
