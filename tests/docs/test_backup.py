"""The pages on backups and upgrades: their commands run, as they stand, and a daemon serves from
what they leave."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from elastic.model import JobPhase, JobSpec
from elastic.store import open_store
from tests.docs.pages import ROOT
from tests.docs.running_pages import commands, environment, folder_in, run
from tests.store.past_databases import dump, lay_out_past

_START_TIMEOUT_S = 120.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_in(tmp_path)


@pytest.mark.slow
def test_a_daemon_serves_from_what_was_backed_up_and_restored(folder: Path) -> None:
    store = open_store(f"sqlite:///{folder / 'data' / 'elasticd.db'}")
    spec = JobSpec("kept", ("train.py",))
    job, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=1_700_000_000.0)
    # It is over, or the daemon would start a node, which lives on.
    store.jobs.move(job.id, JobPhase.CANCELLED, now_s=1_700_000_001.0)
    store.close()
    before = dump(folder / "data" / "elasticd.db")
    backup, restore, damaged = commands("docs/how-to/backup.md")

    assert "database, secret, token" in run(backup, folder)
    (file,) = (folder / "backups").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert "sound" in run(restore, folder)
    restored = folder / "restored"
    assert dump(restored / "elasticd.db") == before
    assert (restored / "token").read_text() == "the-token-of-this-daemon"

    (restored / "elasticd.db").write_bytes(b"\xff" * 65_536)
    refused = subprocess.run(
        [folder / "bin" / "elasticd", "serve", "--data-dir", "restored"],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert refused.returncode == 7
    assert "elasticd.db is damaged" in refused.stderr and "elasticd db restore" in refused.stderr
    run(damaged, folder)
    assert dump(restored / "elasticd.db") == before
    assert jobs_served_from(folder, "restored") == ["kept"]


def jobs_served_from(folder: Path, data: str) -> list[str]:
    """Starts a daemon there, and asks it with the token of that folder."""
    daemon = subprocess.Popen(
        [folder / "bin" / "elasticd", "serve", "--data-dir", data],
        cwd=folder,
        env=environment(folder),
        stderr=subprocess.DEVNULL,
    )
    try:
        until_s = time.monotonic() + _START_TIMEOUT_S
        while True:
            asked = subprocess.run(
                [folder / "bin" / "elasticd", "job", "ls", "-o", "json"],
                cwd=folder,
                env={**environment(folder), "ELASTICD_DATA_DIR": data},
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            if asked.returncode == 0:
                return [each["spec"]["name"] for each in json.loads(asked.stdout)]
            assert time.monotonic() < until_s and daemon.poll() is None, asked.stderr
            time.sleep(0.5)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(60)


@pytest.mark.slow
def test_a_past_database_is_upgraded_and_taken_back_as_the_page_says(folder: Path) -> None:
    path = folder / "data" / "elasticd.db"
    lay_out_past(ROOT / "tests" / "store" / "past" / "fea8dcf.sql", path)
    before = dump(path)
    backup, migrate, back = commands("docs/how-to/upgrade.md")
    run(backup, folder)
    assert "sound" in run(migrate, folder)
    assert dump(path) != before
    for name in ("elasticd.db-wal", "elasticd.db-shm"):
        assert not (folder / "data" / name).exists()
    run(back, folder)
    assert dump(path) == before
    shutil.rmtree(folder / "data")
    run("elasticd db restore before-upgrade.tar --data-dir data", folder)
    assert dump(path) == before
