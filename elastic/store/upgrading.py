"""A database brought to the newest schema: compared first, copied, then changed whole or not at
all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from sqlalchemy import Connection
from sqlalchemy.engine import make_url

from elastic.errors import ElasticError
from elastic.store import repair
from elastic.store.comparison import differences, shapes_in, shapes_of_schema
from elastic.store.copying import copy_sqlite
from elastic.store.engine import migration_engine
from elastic.store.migrating import migrate, revisions
from elastic.store.schema import REVISION

log = structlog.get_logger(__name__)


def upgrade(url: str, revision: str) -> None:
    """Brings a database that records `revision` to the newest one.

    An SQLite file is copied first, to `<file>.before-<newest revision>`. Raises ElasticError where
    the tables are not those of `revision` and cannot be repaired, or where a newer elasticd made
    them: nothing has changed then.
    """
    if revision not in revisions():
        raise ElasticError(
            f"{_shown(url)}: a newer elasticd made this database (revision {revision}, this one "
            f"knows up to {REVISION}). Install that version again, or restore a copy that this "
            "version made (`elasticd.db.before-*`)."
        )
    is_sqlite = make_url(url).get_backend_name() == "sqlite"
    with migration_engine(url) as engine, tempfile.TemporaryDirectory() as folder:
        with _reference(revision, Path(folder)) as reference:
            # What the migrations up to this revision would have made.
            wanted = shapes_in(reference)
            definitions = repair.definitions_in(reference)
        with engine.connect() as connection:
            found = shapes_in(connection)
        # Compare with the old schema, not with the newest: a migration that meets other tables than
        # it was written for may do harm that nothing shows.
        differ = differences(found, wanted)
        # Only SQLite's tables can be repaired, and only without a guess.
        if differ and (not is_sqlite or repair.obstacles(found, wanted)):
            raise ElasticError(_refusal(url, revision, differ, repair.obstacles(found, wanted)))
        if is_sqlite:
            # Copy before the first change.
            # The transaction below protects from an error, and this copy from a migration that is
            # wrong.
            copy = _copied(url)
        else:
            copy = None
        with engine.begin() as connection:
            if differ:
                repair.repair(connection, found, wanted, definitions)
            if revision != REVISION:
                migrate(url, connection=connection)
            # Repair, migrate and check in one transaction: if anything is left, nothing has
            # changed.
            left = differences(shapes_in(connection), shapes_of_schema())
            if left:
                raise ElasticError(_refusal(url, revision, left, ()))
    if differ:
        log.warning("the tables were repaired", database=_shown(url), differed=list(differ))
    log.info("the database was migrated", revision=REVISION, copy=str(copy or "none"))


def differences_at(connection: Connection, revision: str) -> tuple[str, ...]:
    """How the tables of a database differ from those that the migrations give up to `revision`."""
    if revision not in revisions():
        return (f"revision {revision} is a newer elasticd's",)
    with tempfile.TemporaryDirectory() as folder, _reference(revision, Path(folder)) as reference:
        return differences(shapes_in(connection), shapes_in(reference))


def _refusal(url: str, revision: str, differ: tuple[str, ...], obstacles: tuple[str, ...]) -> str:
    return (
        f"{_shown(url)}: the tables are not those of revision {revision}, which the database "
        f"records: {'; '.join(differ)}."
        + (f" They cannot be repaired: {'; '.join(obstacles)}." if obstacles else "")
        + " Nothing was changed. Start the elasticd that made this database, or restore a backup "
        "(`elasticd db restore`)."
    )


@contextmanager
def _reference(revision: str, folder: Path) -> Iterator[Connection]:
    """An empty database of SQLite with the tables that the migrations give up to `revision`."""
    url = f"sqlite:///{folder / 'reference.db'}"
    with migration_engine(url) as engine, engine.begin() as connection:
        migrate(url, revision, connection=connection)
        yield connection


def _copied(url: str) -> Path | None:
    database = make_url(url).database
    if not database or not Path(database).is_file():
        return None
    return copy_sqlite(Path(database), Path(f"{database}.before-{REVISION}"))


def _shown(url: str) -> str:
    return make_url(url).render_as_string()
