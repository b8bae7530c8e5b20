"""The pages on backups and upgrades: their commands run, as they stand, and a daemon serves from
what they leave."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elastic.model import JobPhase, JobSpec
from elastic.store import open_store
from tests.docs.pages import ROOT, page
from tests.store.past_databases import dump, lay_out_past

_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_START_TIMEOUT_S = 120.0


def commands(document: str) -> list[str]:
    """Each block of a page, as a script."""
    return [
        re.sub(r"^\$ ", "", block, flags=re.MULTILINE) for block in _CONSOLE.findall(page(document))
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the data of a daemon in `data`."""
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "elasticd"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m elastic.cli "$@"\n')
    program.chmod(0o755)
    for name in ("secret", "token"):
        (tmp_path / "data" / name).write_text(f"the-{name}-of-this-daemon")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "ELASTICD_"))
    }
    return {
        **kept,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "ELASTICD_DATA_DIR": "data",
        "ELASTICD_PORT": "0",
    }


def run(script: str, folder: Path, **more: str) -> str:
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**environment(folder), **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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
