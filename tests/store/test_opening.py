"""Opening a store: what is in order already is not migrated, and what is behind is."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, text
from structlog.testing import capture_logs

from elastic.errors import StoreUnavailable
from elastic.model import AgentState, JobSpec, Mode, Pulse, Workers
from elastic.policy import decide
from elastic.store import migrate, migration_config, open_store, to_text
from elastic.store.engine import PRAGMAS
from elastic.store.schema import REVISION
from tests.builders import job, node, snapshot
from tests.empty_database import lay_out
from tests.full_disk import a_full_disk


def test_the_schemas_revision_is_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(migration_config("sqlite://")).get_current_head() == REVISION


def test_a_database_in_order_is_opened_without_the_tools_of_migration(tmp_path: Path) -> None:
    url = lay_out(tmp_path / "elasticd.db")
    code = (
        f"import sys; from elastic.store import open_store; open_store({url!r}).jobs.listed(); "
        "print('alembic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def test_a_disk_without_room_for_sqlites_helper_files_is_named(tmp_path: Path) -> None:
    path = tmp_path / "elasticd.db"
    url = lay_out(path)
    with a_full_disk(), pytest.raises(StoreUnavailable, match=f"is the disk of {path} full"):
        open_store(url)


def test_an_empty_file_is_a_new_database_and_its_owner_is_told(tmp_path: Path) -> None:
    path = tmp_path / "elasticd.db"
    with capture_logs() as logs:
        open_store(f"sqlite:///{path}").close()
    assert [each for each in logs if each["log_level"] == "warning"] == []
    path.write_bytes(b"")
    for helper in tmp_path.glob("elasticd.db-*"):
        helper.unlink()
    with capture_logs() as logs:
        open_store(f"sqlite:///{path}").close()
    (told,) = [each for each in logs if each["log_level"] == "warning"]
    assert "elasticd db restore" in told["event"] and told["database"] == str(path)


def test_a_database_that_cannot_be_opened_is_named_with_what_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "elasticd.db").mkdir()
    with pytest.raises(StoreUnavailable, match=r"cannot open the database /.*elasticd\.db: wanted"):
        open_store(f"sqlite:///{tmp_path / 'elasticd.db'}")


def test_a_database_that_another_program_holds_is_refused_and_written_when_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = tuple(each.replace("busy_timeout=5000", "busy_timeout=50") for each in PRAGMAS)
    monkeypatch.setattr("elastic.store.engine.PRAGMAS", hurried)
    url = lay_out(tmp_path / "elasticd.db")
    store = open_store(url)
    with closing(sqlite3.connect(tmp_path / "elasticd.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match=r"database is locked; nothing was changed"):
            store.jobs.submit(JobSpec("a", ("train.py",)), key=None, request_hash="", now_s=1.0)
        assert store.jobs.listed() == ()
        other.execute("ROLLBACK")
    store.jobs.submit(JobSpec("a", ("train.py",)), key=None, request_hash="", now_s=1.0)
    assert len(store.jobs.listed()) == 1
    store.close()


def test_a_database_that_is_new_or_behind_is_migrated(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    open_store(url).close()
    with create_engine(url).begin() as connection:
        assert (
            connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == REVISION
        )
        connection.execute(text("DROP TABLE past_prices"))
        connection.execute(text("DELETE FROM alembic_version"))
        for table in (
            connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'"))
            .scalars()
            .all()
        ):
            if table not in ("alembic_version", "sqlite_sequence"):
                connection.execute(text(f"DROP TABLE {table}"))
    store = open_store(url)
    assert store.jobs.listed() == () and store.past_prices.of_type("c5.large") == ()
    store.close()


@pytest.fixture
def everyone_may_read() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("everyone_may_read")
def test_only_its_owner_reads_a_database_in_a_folder_that_all_may_enter(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    store = open_store(f"sqlite:///{tmp_path / 'elasticd.db'}")
    store.jobs.listed()
    assert _modes(tmp_path) == {
        "elasticd.db": 0o600,
        "elasticd.db-wal": 0o600,
        "elasticd.db-shm": 0o600,
    }
    store.close()


@pytest.mark.usefixtures("everyone_may_read")
def test_a_database_that_others_may_read_is_closed_to_them_when_it_is_opened(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    (tmp_path / "elasticd.db").touch(mode=0o644)
    migrate(url)
    with create_engine(url).connect() as left_open:  # as a daemon that was killed leaves its log
        left_open.execute(text("PRAGMA journal_mode=WAL"))
        left_open.execute(text("SELECT * FROM jobs"))
        assert set(_modes(tmp_path).values()) == {0o644} and len(_modes(tmp_path)) == 3
        open_store(url).close()
        assert set(_modes(tmp_path).values()) == {0o600} and len(_modes(tmp_path)) == 3


def _modes(folder: Path) -> dict[str, int]:
    return {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()}


def test_nodes_of_an_earlier_release_run_on_as_they_were(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    migrate(url, "0001")
    offering = {"node_type": "small", "capacity": "spot", "zone": "a"}
    with create_engine(url).begin() as connection:
        spec: dict[str, object] = {
            **json.loads(to_text(JobSpec("old", ("train.py",)))),
            "nproc_per_node": 2,
        }
        job = {
            "id": "job-1",
            "name": "old",
            "spec": json.dumps(spec),
            "phase": "running",
            "submitted_at_s": 1.0,
        }
        _insert(connection, "jobs", {**job, "version": 0, "iteration": 0, "progress_generation": 0})
        for each in ("node-1", "node-2"):
            node = {
                "id": each,
                "job_id": "job-1",
                "phase": "joined",
                "token": "t",
                "intended_at_s": 1.0,
                **offering,
            }
            _insert(connection, "nodes", node)
        generation = {
            "job_id": "job-1",
            "number": 1,
            "node_ids": '["node-1", "node-2"]',
            "members": "{}",
        }
        _insert(
            connection, "generations", {**generation, "rdzv_endpoint": "e", "started_at_s": 1.0}
        )
    store = open_store(url)
    assert store.jobs.get("job-1").spec.nproc_per_node == 2
    assert [node.workers for node in store.nodes.listed("job-1")] == [Workers(2, 1)] * 2
    assert [each.world_size for each in store.generations.listed("job-1")] == [4]
    store.close()


def test_what_agents_said_last_before_an_upgrade_is_still_known(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    migrate(url, "0010")
    offering = {"node_type": "small", "capacity": "spot", "zone": "a"}
    said = {
        "agent_state": "preparing",
        "agent_generation": 3,
        "saving_s": 4.5,
        "tier": "T1",
        "heartbeat_at_s": 100.0,
    }
    said |= {"still_s": 0.5, "longest_pause_s": 2.0, "learnt_pause_s": None}
    said |= {"preparing": json.dumps({"what": "setup", "since_s": 90.0, "failure": ""})}
    with create_engine(url).begin() as connection:
        job = {
            "id": "job-1",
            "name": "old",
            "spec": to_text(JobSpec("old", ("train.py",))),
            "phase": "running",
        }
        _insert(connection, "jobs", {**job, "submitted_at_s": 1.0})
        for each, report in (("node-1", said), ("node-2", {"heartbeat_at_s": 100.0})):
            node = {
                "id": each,
                "job_id": "job-1",
                "phase": "joined",
                "token": "t",
                "intended_at_s": 1.0,
                **offering,
            }
            _insert(connection, "nodes", {**node, **report})
    store = open_store(url)
    silent, spoke = store.nodes.listed("job-1")
    assert (silent.agent_state, silent.pulse, silent.preparing) == (None, None, None)
    assert (spoke.agent_state, spoke.agent_generation, spoke.saving_s) == (
        AgentState.PREPARING,
        3,
        4.5,
    )
    assert (spoke.mode, spoke.is_preloaded) == (Mode.RESTART, True)
    assert (spoke.pulse, spoke.prepares_since_s) == (
        Pulse(0.5, 2.0),
        90.0,
    )
    store.close()
    command.downgrade(migration_config(url), "0010")
    with create_engine(url).begin() as connection:
        row = connection.execute(text("SELECT * FROM nodes WHERE id = 'node-1'")).mappings().one()
    assert {name: row[name] for name in said} == said


_TIERS = {
    "T0": (Mode.RESTART, False),
    "T1": (Mode.RESTART, True),
    "T2": (Mode.LIVE, True),
}


@pytest.mark.parametrize("tier", _TIERS)
def test_jobs_nodes_and_decisions_of_tiers_have_modes_after_an_upgrade(
    tmp_path: Path, tier: str
) -> None:
    url = f"sqlite:///{tmp_path / 'elasticd.db'}"
    migrate(url, "0011")
    mode, preload = _TIERS[tier]
    of_now = snapshot(job=job(mode=mode, preload=preload), nodes=(node(), node(number=2)))
    plan = decide(of_now)
    seen = json.loads(to_text(of_now))
    seen["job"]["spec"] = spec = _of_tier(json.dumps(seen["job"]["spec"]), tier)
    seen["nodes"] = [_of_tier(json.dumps(each), tier) for each in seen["nodes"]]
    seen["nodes"][1]["tier"] = None
    report = {"state": "running", "tier": tier}
    of_job = {"job_id": seen["job"]["id"], "action": plan.action, "code": plan.reason.code}
    rows: dict[str, dict[str, object]] = {
        "jobs": {"id": seen["job"]["id"], "name": "old", "spec": json.dumps(spec)},
        "nodes": {"id": "node-1", "job_id": seen["job"]["id"], "report": json.dumps(report)},
        "decisions": {**of_job, "plan": to_text(plan), "snapshot": _packed(seen)},
    }
    rows["jobs"] |= {"phase": "running", "submitted_at_s": 1.0}
    rows["nodes"] |= {"phase": "joined", "token": "t", "intended_at_s": 1.0}
    rows["nodes"] |= {"node_type": "small", "capacity": "spot", "zone": "a"}
    rows["decisions"] |= {"at_s": 1.0, "last_at_s": 1.0, "ticks": 1, "policy": "best_value"}
    with create_engine(url).begin() as connection:
        for table, row in rows.items():
            _insert(connection, table, row)

    store = open_store(url)
    is_preloaded = None if mode is Mode.LIVE else preload
    kept = store.jobs.get(seen["job"]["id"]).spec
    assert (kept.mode, kept.preload) == (mode, preload)
    (reported,) = store.nodes.listed(seen["job"]["id"])
    assert (reported.mode, reported.is_preloaded) == (mode, is_preloaded)
    (decided,) = store.decisions.listed()
    of_then = store.decisions.snapshot(decided.id)
    assert (of_then.job.spec.mode, of_then.job.spec.preload) == (mode, preload)
    assert [(each.mode, each.is_preloaded) for each in of_then.nodes] == [
        (mode, is_preloaded),
        (None, None),
    ]
    assert decide(of_then) == decided.plan
    store.close()

    command.downgrade(migration_config(url), "0011")
    with create_engine(url).begin() as connection:
        spec_then = connection.execute(text("SELECT spec FROM jobs")).scalar_one()
        report_then = connection.execute(text("SELECT report FROM nodes")).scalar_one()
        blob = connection.execute(text("SELECT snapshot FROM decisions")).scalar_one()
    assert (json.loads(spec_then), json.loads(report_then)) == (spec, report)
    assert json.loads(zlib.decompress(blob)) == seen


def _of_tier(text: str, tier: str) -> dict[str, object]:
    """A spec or a node as an earlier release wrote it."""
    found: dict[str, object] = json.loads(text)
    for name in ("mode", "preload", "is_preloaded"):
        found.pop(name, None)
    return {**found, "tier": tier}


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value).encode())


def _insert(connection: Connection, table: str, values: Mapping[str, object]) -> None:
    """A row as an earlier release wrote it: what its columns want beyond `values` is 0 or empty."""
    columns = inspect(connection).get_columns(table)
    missing = [
        each for each in columns if not each["nullable"] and each["name"] not in (*values, "seq")
    ]
    row: dict[str, object] = {
        each["name"]: 0 if "CHAR" not in str(each["type"]).upper() else "" for each in missing
    }
    row = {**row, **values}
    names = ", ".join(row)
    connection.execute(
        text(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{each}' for each in row)})"), row
    )
