"""Serve says what keeps it from starting, and leaves nothing that would lead a client astray."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Run, runner


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("ELASTICD_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))
    return runner(capsys)


def test_a_taken_port_is_a_conflict_and_no_address_is_written_down(run: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run("serve", "--port", str(taken.getsockname()[1]))
    assert outcome.status == 6
    assert "choose another --port" in outcome.err
    assert not (tmp_path / "data" / "daemon.json").exists()


def test_an_address_that_is_not_this_machines_is_refused(run: Run) -> None:
    outcome = run("serve", "--host", "203.0.113.7", "--port", "8699")
    assert outcome.status == 2
    assert "203.0.113.7:8699" in outcome.err


def test_who_buys_on_ec2_is_warned_of_what_the_defaults_would_cost(tmp_path: Path) -> None:
    log = _log_of_a_start(tmp_path, "--provider", "ec2")
    assert "[warning" in log
    assert "nodes are told to find this daemon at http://127.0.0.1:" in log
    assert "checkpoint_root is not set" in log


def test_nodes_of_this_machine_are_no_reason_to_warn(tmp_path: Path) -> None:
    assert "[warning" not in _log_of_a_start(tmp_path, "--price-trace", str(tmp_path / "none.csv"))


def _log_of_a_start(folder: Path, *options: str) -> str:
    """What a daemon says that begins to start and then finds no types to buy, or no trace to replay."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ELASTICD_", "AWS_"))} | {
        "ELASTICD_CONFIG": str(folder / "none.toml"),
        "ELASTICD_DATA_DIR": str(folder / "data"),
        "ELASTICD_PORT": "0",
        "AWS_REGION": "us-east-1",
    }
    command = [sys.executable, "-m", "elastic.cli", "serve", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode not in (0, 1), done.stderr
    return done.stderr
