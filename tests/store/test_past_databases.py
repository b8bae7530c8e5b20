"""Databases of past releases are migrated with data, repaired where they differ, or refused."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from elastic.errors import ElasticError
from elastic.model import JobPhase, NodePhase
from elastic.store import open_store
from elastic.store.comparison import differences_in
from elastic.store.engine import plain_engine
from elastic.store.schema import REVISION
from tests.empty_database import lay_out
from tests.store.past_databases import PAST, dump, lay_out_past

AN_HOUR_LATER_S = 1_700_003_600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "elasticd.db"


@pytest.mark.parametrize("past", PAST, ids=lambda path: path.stem)
def test_a_past_database_is_migrated_with_its_data(past: Path, path: Path) -> None:
    url = lay_out_past(past, path)
    store = open_store(url)
    training, ended = store.jobs.listed()
    assert (training.spec.name, training.phase) == ("training", JobPhase.RUNNING)
    assert (ended.spec.name, ended.phase) == ("ended", JobPhase.CANCELLED)
    for job, phase in ((training, NodePhase.JOINED), (ended, NodePhase.TERMINATED)):
        assert [node.phase for node in store.nodes.listed(job.id, include_gone=True)] == [phase] * 2
        (trained,) = store.measurements.trained(job.id)
        assert (job.iteration, trained.iterations, trained.elapsed_s) == (400, 396, 49.5)
        assert sum(point.iterations_per_s for point in store.measurements.throughput(job.id)) > 0
        (decision,) = store.decisions.listed(job.id)
        assert decision.plan.reason.text == "start on 2 nodes"
        assert store.decisions.snapshot(decision.id).job.id == job.id
        assert [e.text for e in store.events.listed(job_id=job.id) if e.kind == "note"] == [
            f"a note of {job.spec.name}"
        ]
    # Two nodes from 5 s on: at $0.36/h until 300 s, then at $0.72/h until 610 s, or the hour's end.
    assert store.ledger.spent(ended.id, AN_HOUR_LATER_S) == pytest.approx(
        2 * (295 * 0.36 + 310 * 0.72) / 3600
    )
    assert store.ledger.spent(training.id, AN_HOUR_LATER_S) == pytest.approx(
        2 * (295 * 0.36 + 3300 * 0.72) / 3600
    )
    # It is used on, and not only read.
    job, is_new = store.jobs.submit(ended.spec, key=None, request_hash="n", now_s=AN_HOUR_LATER_S)
    assert is_new and store.jobs.get(job.id) == job
    assert store.holder() == store.holder()
    store.close()


@pytest.mark.parametrize("past", PAST, ids=lambda path: path.stem)
def test_a_migrated_database_has_exactly_the_tables_of_the_schema(past: Path, path: Path) -> None:
    url = lay_out_past(past, path)
    open_store(url).close()
    engine = plain_engine(url)
    with engine.connect() as connection:
        assert differences_in(connection) == ()
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    engine.dispose()


def test_a_copy_is_made_before_a_migration(path: Path) -> None:
    url = lay_out_past(PAST[0], path)
    before = dump(path)
    open_store(url).close()
    copy = path.with_name(f"elasticd.db.before-{REVISION}")
    assert dump(copy) == before != dump(path)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    copied_at = copy.stat().st_mtime_ns
    open_store(url).close()
    assert copy.stat().st_mtime_ns == copied_at


def test_nothing_is_migrated_that_cannot_be_copied(path: Path) -> None:
    url = lay_out_past(PAST[0], path)
    before = dump(path)
    path.with_name(f"elasticd.db.before-{REVISION}.partial").mkdir()
    with pytest.raises(ElasticError, match=r"cannot copy .* nothing was changed"):
        open_store(url)
    assert dump(path) == before


@pytest.mark.parametrize(
    ("statement", "differs"),
    [
        ("ALTER TABLE jobs ADD COLUMN mood TEXT", "column jobs.mood is unknown"),
        ("ALTER TABLE jobs RENAME COLUMN spec TO text", "column jobs.spec is missing"),
        ("CREATE TABLE _alembic_tmp_jobs (id TEXT)", "_alembic_tmp_jobs is left of a migration"),
        ("ALTER TABLE windows DROP COLUMN iterations", "column windows.iterations is missing"),
    ],
)
def test_a_database_that_cannot_be_repaired_is_refused_and_left_alone(
    path: Path, statement: str, differs: str
) -> None:
    url = lay_out(path)
    _execute(path, statement)
    before = dump(path)
    with pytest.raises(ElasticError, match=differs) as raised:
        open_store(url)
    assert f"revision {REVISION}" in str(raised.value)
    assert "elasticd db restore" in str(raised.value)
    assert dump(path) == before


def test_a_table_that_is_lost_is_made_again(path: Path) -> None:
    url = lay_out(path)
    _execute(path, "DROP TABLE past_prices")
    store = open_store(url)
    assert store.past_prices.of_type("c5.large") == ()
    store.close()


def test_a_database_of_a_newer_release_is_refused(path: Path) -> None:
    url = lay_out(path)
    _execute(path, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(ElasticError, match="a newer elasticd made this database"):
        open_store(url)


def test_a_database_of_something_else_is_refused(path: Path) -> None:
    _execute(path, "CREATE TABLE photos (id INTEGER)")
    with pytest.raises(ElasticError, match=r"holds tables \(photos\) but no revision"):
        open_store(f"sqlite:///{path}")


def _execute(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
