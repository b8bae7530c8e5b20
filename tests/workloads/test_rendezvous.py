"""The job's rendezvous store as a process."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic

import psutil
import pytest
from torch.distributed import DistNetworkError, TCPStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.clock import SystemClock

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("at", "written"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_serves_at_one_address_until_it_is_told_to_end(
    tmp_path: Path, at: str, written: str
) -> None:
    ready = tmp_path / "ready"
    command = [
        sys.executable,
        "-m",
        "elastic.workloads.rendezvous",
        "--host",
        at,
        "--ready-file",
        str(ready),
        "--tell",
        "job/floor=12",
    ]
    process = subprocess.Popen(command)
    try:
        host, _, port = _wait_for(ready).strip().rpartition(":")
        assert host == written
        store = TCPStore(at, int(port), None, False)
        assert store.get("job/floor") == b"12"
        store.set("word", "kept")
        assert store.get("word") == b"kept"
        listening = [
            c.laddr
            for c in psutil.Process(process.pid).net_connections()
            if c.status == psutil.CONN_LISTEN
        ]
        assert [tuple(address) for address in listening] == [(at, int(port))]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["ready"]


def test_one_that_is_renewed_forgets_all_and_listens_elsewhere(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [sys.executable, "-m", "elastic.workloads.rendezvous", "--ready-file", str(ready)]
    process = subprocess.Popen([*command, "--tell", "job/floor=12", "--ports", "8471-8970"])
    try:
        host, port = _wait_for(ready).split(":")
        before = TCPStore(host, int(port), None, False)
        before.set("word", "said")
        ready.unlink()
        process.send_signal(signal.SIGHUP)
        host, port = _wait_for(ready).split(":")
        after = TCPStore(host, int(port), None, False)
        assert after.get("job/floor") == b"12" and not after.check(["word"])
        with pytest.raises(DistNetworkError):
            before.get("word")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.wait()


def test_listens_within_the_ports_it_is_given_and_says_if_all_are_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "elastic.workloads.rendezvous",
            "--ready-file",
            str(tmp_path / "ready"),
        ]
        done = subprocess.run(
            [*command, "--ports", f"{port}-{port}"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode != 0
    assert f"127.0.0.1: wanted a free port of {port} to {port}, found none" in done.stderr


def test_ends_by_itself_when_nobody_has_been_there_for_long(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [
        sys.executable,
        "-m",
        "elastic.workloads.rendezvous",
        "--ready-file",
        str(ready),
        "--idle-exit-s",
        "2",
    ]
    process = subprocess.Popen(command)
    try:
        host, port = _wait_for(ready).strip().split(":")
        with socket.create_connection((host, int(port)), timeout=10):
            SystemClock().sleep(4)
            assert process.poll() is None, "a store with a client lives on"
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.wait()


def _wait_for(path: Path) -> str:
    deadline_s = monotonic() + 60
    while not path.exists():
        assert monotonic() < deadline_s, "the store did not come up"
        SystemClock().sleep(0.05)
    return path.read_text()
