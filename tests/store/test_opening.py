"""Opening a store: what is in order already is not migrated, and what is behind is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from elastic.store import migration_config, open_store
from elastic.store.schema import REVISION
from tests.empty_database import lay_out


def test_the_schemas_revision_is_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(migration_config("sqlite://")).get_current_head() == REVISION


def test_a_database_in_order_is_opened_without_the_tools_of_migration(tmp_path: Path) -> None:
    url = lay_out(tmp_path / "elasticd.db")
    code = (
        f"import sys; from elastic.store import open_store; open_store({url!r}).jobs(); print('alembic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


def test_a_database_that_is_new_or_behind_is_migrated(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    open_store(url).close()
    with create_engine(url).begin() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == REVISION
        connection.execute(text("DROP TABLE past_prices"))
        connection.execute(text("DELETE FROM alembic_version"))
        for table in connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all():
            if table not in ("alembic_version", "sqlite_sequence"):
                connection.execute(text(f"DROP TABLE {table}"))
    store = open_store(url)
    assert store.jobs() == () and store.past_prices.of_type("c5.large") == ()
    store.close()
