from __future__ import annotations

import threading
from pathlib import Path

import psutil
import pytest

from elastic.agent.commands import Commands
from elastic.errors import PreparationFailed
from tests.workloads.session.running import wait_until


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path / "prepare.log", environment={"PATH": "/usr/bin:/bin", "KEY": "value"})


def test_a_command_runs_in_its_folder_with_the_jobs_variables(
    commands: Commands, tmp_path: Path
) -> None:
    commands.run(["/bin/sh", "-c", "pwd; echo $KEY"], what="setup", cwd=tmp_path)
    assert commands.log_path.read_text().split() == [str(tmp_path), "value"]


def test_one_that_fails_says_how_and_why(commands: Commands, tmp_path: Path) -> None:
    commands.run(["/bin/sh", "-c", "echo ERROR: of another"], what="before", cwd=tmp_path)
    with pytest.raises(PreparationFailed, match=r"^setup ended with 3: no such compiler$"):
        commands.run(
            ["/bin/sh", "-c", "echo begun; echo no such compiler >&2; exit 3"],
            what="setup",
            cwd=tmp_path,
        )
    with pytest.raises(PreparationFailed, match="it wrote nothing"):
        commands.run(["/bin/false"], what="setup", cwd=tmp_path)
    with pytest.raises(PreparationFailed, match="No such file"):
        commands.run(["/nowhere/at/all"], what="setup", cwd=tmp_path)


def test_one_that_takes_too_long_is_ended(commands: Commands, tmp_path: Path) -> None:
    with pytest.raises(PreparationFailed, match="not done after 0 s: put it into the nodes' image"):
        commands.run(["/bin/sleep", "600"], what="setup", cwd=tmp_path, limit_s=0.0)


def test_a_node_that_leaves_ends_one_with_all_that_it_started(
    commands: Commands, tmp_path: Path
) -> None:
    (tmp_path / "pids").touch()
    line = ["/bin/sh", "-c", "sleep 600 & echo $! > pids; wait"]

    def stop_once_it_runs() -> None:
        wait_until(lambda: bool((tmp_path / "pids").read_text()), "the command runs")
        commands.stop()

    threading.Thread(target=stop_once_it_runs).start()
    with pytest.raises(PreparationFailed, match="the node is leaving"):
        commands.run(line, what="setup", cwd=tmp_path)
    started = int((tmp_path / "pids").read_text())
    wait_until(lambda: has_ended(started), "what it started has ended")


def has_ended(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
