"""Serve says what keeps it from starting, and leaves nothing that would lead a client astray."""

from __future__ import annotations

import socket
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
