"""Serve says what keeps it from starting, and leaves nothing that would lead a client astray."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from elastic.store import lock
from tests.cli.commands import Run, runner


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("ELASTICD_CONFIG", os.devnull)
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path / "data"))
    return runner(capsys)


def test_a_taken_port_is_a_conflict_and_no_address_is_written_down(
    run: Run, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = run("serve", "--port", str(taken.getsockname()[1]))
    assert outcome.status == 6
    assert "choose another --port" in outcome.err
    assert not (tmp_path / "data" / "daemon.json").exists()


def test_a_database_that_another_daemon_has_is_not_opened(run: Run, tmp_path: Path) -> None:
    theirs = lock(tmp_path / "theirs")
    try:
        outcome = run("serve", "--database-url", f"sqlite:///{tmp_path}/theirs/elasticd.db")
    finally:
        os.close(theirs)
    assert outcome.status == 6
    assert f"pid {os.getpid()}) owns this folder" in outcome.err
    assert not (tmp_path / "theirs" / "elasticd.db").exists()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("/dev/full", "No space left on device; free some room"),
        # Not even root may write it.
        ("/proc/sys/kernel/ostype", "certificate.pem: "),
    ],
)
def test_a_file_that_cannot_be_written_is_told_without_a_traceback(
    tmp_path: Path, place: str, told: str
) -> None:
    (tmp_path / "certificate.pem").symlink_to(place)
    command = [sys.executable, "-m", "elastic.cli", "serve", "--port", "0"]
    done = subprocess.run(
        [*command, "--data-dir", str(tmp_path)],
        env={**os.environ, "ELASTICD_CONFIG": os.devnull},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_address_that_is_not_this_machines_is_refused(run: Run) -> None:
    outcome = run("serve", "--host", "203.0.113.7", "--port", "8699")
    assert outcome.status == 2
    assert "203.0.113.7:8699" in outcome.err
    assert gc.isenabled()


@pytest.mark.parametrize("ports", ["8470", "9000-8000", "0-10", "1-70000"])
def test_ports_that_are_no_range_are_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, ports: str
) -> None:
    monkeypatch.setenv("ELASTICD_RENDEZVOUS_PORTS", ports)
    outcome = run("serve")
    assert outcome.status == 2
    assert "rendezvous_ports" in outcome.err


def test_prices_of_a_trace_are_refused_where_ec2_tells_them(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELASTICD_PROVIDER", "ec2")
    outcome = run("serve", "--price-trace", "prices.csv")
    assert outcome.status == 2
    assert "price_trace: wanted none with provider ec2" in outcome.err


def test_who_would_pay_on_ec2_for_nothing_is_refused(tmp_path: Path) -> None:
    done = _start(tmp_path)
    assert done.returncode == 2
    assert "got https://127.0.0.1:" in done.stderr
    assert "checkpoint_root: wanted a place" in done.stderr
    assert not (tmp_path / "data" / "elasticd.db").exists()


def test_where_ec2_is_on_this_machine_the_defaults_are_no_fault(tmp_path: Path) -> None:
    done = _start(tmp_path, AWS_ENDPOINT_URL_EC2="http://127.0.0.1:9")
    assert done.returncode == 2
    assert "ec2.types" in done.stderr, "all that is still missing"
    assert "checkpoint_root" not in done.stderr


def _start(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A daemon that is to buy on EC2, but is not told what."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ELASTICD_", "AWS_"))
    } | {
        "ELASTICD_CONFIG": os.devnull,
        "ELASTICD_DATA_DIR": str(folder / "data"),
        "ELASTICD_PORT": "0",
        "AWS_REGION": "us-east-1",
        **more,
    }
    command = [sys.executable, "-m", "elastic.cli", "serve", "--provider", "ec2"]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_standby_needs_a_database_and_nodes_that_another_machine_reaches(run: Run) -> None:
    outcome = run("serve", "--standby", "--port", "0")
    assert outcome.status == 2
    assert "--standby: wanted a database_url of PostgreSQL and provider ec2" in outcome.err
