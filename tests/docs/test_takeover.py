"""The page on takeovers: its settings are settings, and its commands find a lost job again."""

from __future__ import annotations

import json
import re
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

from elastic.config import Settings
from tests.docs.pages import ROOT, page
from tests.docs.running_pages import commands, environment, folder_in
from tests.e2e.running import ENDLESS, RunningDaemon

PAGE = "docs/how-to/takeover.md"


def test_the_settings_of_a_standby_are_settings() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", page(PAGE), re.MULTILINE | re.DOTALL)
    settings = Settings(**tomllib.loads(text))
    assert len(settings.daemon_urls) == 2 and settings.url.startswith("postgresql")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_job_is_adopted_as_the_page_says(tmp_path: Path) -> None:
    folder = folder_in(tmp_path)
    (folder / "train.py").write_text(ENDLESS)
    (folder / "elasticd.toml").write_text("tick_s = 1.0\nheartbeat_s = 0.5\n")
    own = {"ELASTICD_PORT": "0", "PYTHONPATH": str(ROOT)}
    daemon = RunningDaemon(folder, own)
    try:
        daemon.start()
        job_id = daemon.submit(name="kept", command=[str(folder / "train.py")])
        daemon.until_iteration(job_id, 10)
        daemon.until("it is on record", lambda: _is_recorded(folder, job_id))
        daemon.kill()
        lost, status, adopt = commands(PAGE)
        script = "\n".join(
            [lost, status, adopt, "sleep 10", "elasticd job get kept -o json >kept.json", "kill %1"]
        )
        done = subprocess.run(
            ["bash", "-euc", script],
            cwd=folder,
            env=environment(folder),
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, done.stderr + (folder / "elasticd.log").read_text()[-2000:]
        assert "kept" in done.stdout and "held" in done.stdout
        assert f"{job_id}: adopted" in done.stdout
        kept = json.loads((folder / "kept.json").read_text())
        assert kept["id"] == job_id and not kept["is_final"]
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
        until_s = time.monotonic() + 20.0
        while daemon.sweep() and time.monotonic() < until_s:
            time.sleep(0.2)


def _is_recorded(folder: Path, job_id: str) -> bool:
    path = folder / "data" / "jobs" / "daemon" / "elasticd" / "jobs" / f"{job_id}.json"
    return path.exists() and json.loads(path.read_text())["generation"] is not None
