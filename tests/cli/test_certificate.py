"""The daemon's secret is replaced where it lives, but never under nodes or jobs that need it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from elastic.authority import Authority
from elastic.cli import ExitCode
from elastic.model import Job, JobSpec, Offering
from elastic.reconciler import kept_secret
from elastic.store import lock, open_store
from tests.builders import intend
from tests.cli.commands import Run, runner

NOW_S = 1_800_000_000.0
SECRET = {"env": {"KEY": "sealed"}, "secrets": ("KEY",)}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))
    return runner(capsys)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(
    request: pytest.FixtureRequest, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A database that a daemon had, whose secret lies in the data folder, too."""
    if request.param == "sqlite":
        found = f"sqlite:///{tmp_path / 'data' / 'elasticd.db'}"
    else:
        found = request.getfixturevalue("postgres").migrated_database()
        monkeypatch.setenv("ELASTICD_DATABASE_URL", found)
    keep(found, tmp_path)
    return found


def keep(url: str, folder: Path) -> bytes:
    """What a daemon that starts on this database takes as its secret."""
    (folder / "data").mkdir(exist_ok=True)
    store = open_store(url)
    try:
        return kept_secret(store, "secret", folder / "data" / "secret")
    finally:
        store.close()


def submit(url: str, *, has_node: bool = False, **spec: Any) -> Job:
    store = open_store(url)
    try:
        made = JobSpec("photos", ("train.py",), **spec)
        job, _ = store.jobs.submit(made, key=None, request_hash="h", now_s=NOW_S)
        if has_node:
            intend(store, job.id, Offering("local.half"), now_s=NOW_S)
        return job
    finally:
        store.close()


def test_rotate_puts_another_secret_in_force_and_with_it_another_authority(
    url: str, tmp_path: Path, run: Run
) -> None:
    submit(url)
    before = keep(url, tmp_path)
    done = run("certificate", "rotate")
    assert done.status == 0, done.err
    path = tmp_path / "data" / "secret"
    written = path.read_bytes()
    after = keep(url, tmp_path)
    assert after == written != before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Authority(after).certificate != Authority(before).certificate


def test_a_copy_of_the_old_secret_does_not_come_into_force_again(
    url: str, tmp_path: Path, run: Run
) -> None:
    before = keep(url, tmp_path)
    assert run("certificate", "rotate").status == 0
    # As on the machine of a standby, which has not seen the new one.
    (tmp_path / "data" / "secret").write_bytes(before)
    assert keep(url, tmp_path) != before


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"has_node": True}, "found 1 that know the daemon by its certificate"),
        (SECRET, "wanted no job with secrets that goes on, found 1 (photos)"),
    ],
)
def test_rotate_refuses_while_nodes_or_jobs_need_the_old_secret(
    spec: dict[str, Any], why: str, url: str, tmp_path: Path, run: Run
) -> None:
    submit(url, **spec)
    before = keep(url, tmp_path)
    done = run("certificate", "rotate")
    assert done.status == ExitCode.CONFLICT and why in done.err
    assert keep(url, tmp_path) == before


def test_rotate_refuses_beside_a_running_daemon(url: str, tmp_path: Path, run: Run) -> None:
    before = keep(url, tmp_path)
    store, held = open_store(url), lock(tmp_path / "data")
    done = run("certificate", "rotate")
    store.close()
    os.close(held)
    assert done.status == ExitCode.CONFLICT, done.err
    assert keep(url, tmp_path) == before
