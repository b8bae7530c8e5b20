"""The token stays with its user where another user listens in the daemon's place."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from elastic.cli import ExitCode
from elastic.client import Connection
from elastic.errors import DaemonUnreachable, Unauthorized
from elastic.rendezvous import listeners_at
from tests.cli.commands import runner
from tests.unprivileged import identity, needs_root

# It tells its port, and then whatever is sent to it.
_THIEF = """
import socket, sys
listener = socket.create_server((sys.argv[1], 0), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print(listener.getsockname()[1], flush=True)
connection, _ = listener.accept()
print(connection.recv(65536), flush=True)
connection.sendall(b"HTTP/1.1 404 no\\r\\nContent-Length: 0\\r\\n\\r\\n")
"""


@pytest.fixture
def token_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ELASTICD_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("ELASTICD_TOKEN", raising=False)
    (tmp_path / "token").write_text("the token")
    return tmp_path / "token"


@pytest.fixture(params=["127.0.0.1", "0.0.0.0"])
def thief(request: pytest.FixtureRequest) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Another user of the machine, who listens."""
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    process = subprocess.Popen(
        [python, "-I", "-c", _THIEF, request.param],
        stdout=subprocess.PIPE,
        text=True,
        **identity(),
    )
    assert process.stdout is not None
    yield int(process.stdout.readline()), process
    process.kill()
    process.wait()
    process.stdout.close()


@needs_root
def test_a_command_sends_no_token_to_another_users_process(
    token_file: Path, thief: tuple[int, subprocess.Popen[str]]
) -> None:
    port, process = thief
    for name in ("127.0.0.1", "localhost"):
        with Connection(url=f"http://{name}:{port}").open() as client:
            with pytest.raises(Unauthorized, match="another user"):
                client.get("/v1/jobs")
            with pytest.raises(Unauthorized, match="another user"):
                list(client.stream("/v1/events"))
    process.kill()
    assert process.stdout is not None
    assert process.stdout.read() == ""


@needs_root
def test_no_link_with_the_token_leads_to_another_users_process(
    token_file: Path,
    thief: tuple[int, subprocess.Popen[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = runner(capsys)
    done = run("--url", f"http://127.0.0.1:{thief[0]}", "token", "show", "--link")
    assert done.status == ExitCode.UNAUTHORIZED
    assert "the token" not in done.out


def test_where_nothing_listens_no_connection_is_tried_that_another_may_take(
    token_file: Path,
) -> None:
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{kept.getsockname()[1]}"
        with Connection(url=url).open() as client, pytest.raises(DaemonUnreachable):
            client.get("/v1/jobs")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_users_that_listen_at_an_address_are_found(host: str) -> None:
    with _listening_at(host) as (port, other):
        assert listeners_at(host, port) == frozenset({os.geteuid()})
        assert listeners_at("localhost", port) == frozenset({os.geteuid()})
        assert listeners_at(other, port) == frozenset()


@contextmanager
def _listening_at(host: str) -> Iterator[tuple[int, str]]:
    """Listens at a port of this address, and keeps other programs from it at the other one, where
    nothing listens. Gives the port and the other address."""
    families = {"127.0.0.1": socket.AF_INET, "::1": socket.AF_INET6}
    (other,) = families.keys() - {host}
    while True:
        with (
            socket.create_server((host, 0), family=families[host]) as listener,
            socket.socket(families[other]) as kept,
        ):
            port = listener.getsockname()[1]
            try:
                kept.bind((other, port))
            except OSError:
                continue  # taken there
            yield port, other
            return
