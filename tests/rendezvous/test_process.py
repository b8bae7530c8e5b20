"""A job's rendezvous store as a process."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from time import monotonic

import psutil
import pytest

from elastic.clock import SystemClock
from elastic.rendezvous import StoreClient, place_of
from tests.certificates import certificate, credential, pem

COMMAND = [sys.executable, "-m", "elastic.rendezvous"]


@pytest.mark.parametrize(("at", "written"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_serves_at_one_address_until_it_is_told_to_end(
    tmp_path: Path, at: str, written: str
) -> None:
    ready = tmp_path / "ready"
    process = _started(ready, f"--host={at}", "--tell=job/floor=12")
    try:
        address = _wait_for(ready).strip()
        host, port = place_of(address)
        assert address.startswith(f"{written}:")
        store = StoreClient(address, credential())
        assert store.find("job/floor") == b"12"
        store.set("word", b"kept")
        assert store.get("word", timeout_s=0.0) == b"kept"
        listening = [
            c.laddr
            for c in psutil.Process(process.pid).net_connections()
            if c.status == psutil.CONN_LISTEN
        ]
        assert [tuple(address) for address in listening] == [(host, port)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.wait()
    assert [path.name for path in tmp_path.iterdir()] == ["ready"]


def test_one_that_reads_its_arguments_shows_none_of_them(tmp_path: Path) -> None:
    ready = tmp_path / "job-1" / "ready"
    ready.parent.mkdir()
    arguments = [f"--ready-file={ready}", f"--certificate={pem()}", "--tell=job-1/floor=7"]
    process = subprocess.Popen([*COMMAND, "-"], stdin=subprocess.PIPE)
    try:
        assert process.stdin is not None
        with process.stdin as told:
            told.write(json.dumps(arguments).encode())
        store = StoreClient(_wait_for(ready).strip(), credential())
        assert store.find("job-1/floor") == b"7"
        assert psutil.Process(process.pid).cmdline() == [*COMMAND, "-"]
    finally:
        process.kill()
        process.wait()


def test_listens_within_the_ports_it_is_given_and_says_if_all_are_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [
                *COMMAND,
                f"--ready-file={tmp_path / 'ready'}",
                f"--certificate={certificate()}",
                f"--ports={port}-{port}",
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode != 0
    assert f"127.0.0.1: wanted a free port of {port} to {port}, found none" in done.stderr


@pytest.mark.slow
def test_ends_by_itself_when_nobody_has_been_there_for_long(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    process = _started(ready, "--idle-exit-s=2")
    try:
        address = _wait_for(ready).strip()
        store = StoreClient(address, credential())
        with socket.create_connection(place_of(address)):
            SystemClock().sleep(4)
            assert process.poll() is None, "a store with a member lives on"
            store.close()
            assert process.wait(timeout=20) == 0, "a stranger does not count"
    finally:
        process.kill()
        process.wait()


def _started(ready: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, f"--ready-file={ready}", f"--certificate={certificate()}", *more]
    )


def _wait_for(path: Path) -> str:
    deadline_s = monotonic() + 60
    while not path.exists():
        assert monotonic() < deadline_s, "the store did not come up"
        SystemClock().sleep(0.02)
    return path.read_text()
