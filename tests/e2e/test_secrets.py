"""A job's secrets reach its workers, and are found nowhere else: not in the database, answers,
pages, logs, process lists or packets."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import sqlite3
import tarfile
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import boto3
import httpx2
import psutil
import pytest

from elastic.reconciler import NodeTokens
from elastic.trust import trust_for
from tests.e2e.capture import Capture, captured
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CANARIES = {
    "NAMED": "canary-of-the-shell-4f1a",
    "OTHER": "canary-of-another-name-77c2",
    "FILED": "canary-of-a-file-0d9e",
    "STORED": "canary-of-a-parameter-b853",
    "HUB_TOKEN": "canary-by-its-name-91aa",
}
SCENARIO = {
    "node_types": {"c5.large": {"cpu": 0.5, "on_demand_usd_per_h": 0.1}},
}
JOB = """
name: canary
code: app
command: torchrun train.py
env: [NAMED, HUB_TOKEN=canary-by-its-name-91aa]
secrets:
  OTHER: {env: OTHER_OF_THE_SHELL}
  FILED: {file: filed.txt}
  STORED: {ssm: /elasticd/stored}
outputs: [got.json]
"""
SCRIPT = """
import hashlib, json, os, sys, time
from pathlib import Path
import torch
names = ("NAMED", "OTHER", "FILED", "STORED", "HUB_TOKEN")
values = {name: os.environ[name] for name in names}
digests = {name: hashlib.sha256(value.encode()).hexdigest() for name, value in values.items()}
Path("got.json").write_text(json.dumps(digests))
print("printed:", *values.values(), flush=True)
print("to stderr:", *values.values(), file=sys.stderr, flush=True)
net = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    optimizer.zero_grad()
    net(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    time.sleep(0.05)
"""
# What only the owner reads (docs/security.md): the daemon's secret, and its user's token.
OWN_FILES = ("secret", "token")


def test_secrets_of_each_kind_reach_the_workers_and_are_found_nowhere_else(tmp_path: Path) -> None:
    address = _own_address()
    _lay_out(tmp_path)
    with captured() as capture, lab_left_empty(SCENARIO) as lab:
        variables = lab.environment()
        session = boto3.Session(aws_access_key_id="k", aws_secret_access_key="s")
        session.client(
            "ssm", endpoint_url=variables["AWS_ENDPOINT_URL"], region_name=variables["AWS_REGION"]
        ).put_parameter(Name="/elasticd/stored", Value=CANARIES["STORED"], Type="SecureString")
        with running_daemon(tmp_path, {**variables, "ELASTICD_HOST": address}) as daemon:
            told = json.loads((daemon.data / "daemon.json").read_text())
            ports = {told["port"], told["node_port"]}
            capture.ports.update(ports)
            _prove(capture)
            said, job_key = _run_the_job(daemon, tmp_path)
            tokens = _tokens(daemon)
            forbidden = [*CANARIES.values(), *tokens, job_key]
            for where, words in (*said, *_answers(daemon)):
                _refuse(words, forbidden, where)
            backup = daemon.elasticd("db", "backup", str(tmp_path / "backup.tar"))
            assert backup.returncode == 0, backup.stderr
        carried = capture.carried(ports)
    assert sum(map(len, carried)) > 100_000
    # Records of the handshake, or of data where TCP's numbers began again at 0 (RFC 8446, 5.1).
    assert {each[:1] for each in carried} <= {b"\x16", b"\x17"}, "all is TLS"
    for each in carried:
        _refuse(each, forbidden, "packets")
    _refuse((tmp_path / "daemon.log").read_bytes(), forbidden, "daemon.log")
    _refuse_in_files(daemon.data, [*CANARIES.values(), *tokens[1:]])
    _refuse_in_backup(tmp_path / "backup.tar", CANARIES.values())


def _own_address() -> str:
    """An address of this machine that others can reach, so that nothing is in plain HTTP."""
    for found in psutil.net_if_addrs().values():
        for each in found:
            if each.family == socket.AF_INET and not each.address.startswith(("127.", "169.254.")):
                return each.address
    pytest.skip("this machine has no IPv4 address beside loopback")


def _lay_out(folder: Path) -> None:
    (folder / "app").mkdir()
    (folder / "app" / "train.py").write_text(SCRIPT)
    (folder / "job.yaml").write_text(JOB)
    (folder / "filed.txt").write_text(CANARIES["FILED"] + "\n")


def _prove(capture: Capture) -> None:
    """Fails unless the capture sees what is sent in plain text."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        capture.ports.add(port)
        with socket.create_connection(server.getsockname()) as sender:
            sender.sendall(b"in plain text")
            receiver, _ = server.accept()
            with receiver:
                assert receiver.recv(64) == b"in plain text"
    until_s = time.monotonic() + 10
    while b"in plain text" not in capture.carried({port}) and time.monotonic() < until_s:
        time.sleep(0.05)
    assert b"in plain text" in capture.carried({port})


def _run_the_job(daemon: RunningDaemon, folder: Path) -> tuple[list[tuple[str, bytes]], str]:
    """Runs it to its end; gives what was said meanwhile, and a line of the job's private key."""
    submitted = daemon.elasticd(
        *("job", "submit", "-f", str(folder / "job.yaml"), "-y"),
        NAMED=CANARIES["NAMED"],
        OTHER_OF_THE_SHELL=CANARIES["OTHER"],
    )
    assert submitted.returncode == 0, submitted.stderr
    job_id = daemon.get("/v1/jobs/canary")["id"]
    daemon.until_iteration(job_id, 10)
    said = [("process list", _process_list(daemon)), *_answers(daemon)]
    with closing(sqlite3.connect(daemon.data / "elasticd.db")) as database:
        ((pem,),) = database.execute("SELECT pem FROM certificates").fetchall()
    daemon.until_phase(job_id, "succeeded")
    brought = daemon.elasticd("job", "outputs", "canary", "-o", str(folder / "home"))
    assert brought.returncode == 0, brought.stderr
    assert json.loads((folder / "home" / "got.json").read_text()) == {
        name: hashlib.sha256(value.encode()).hexdigest() for name, value in CANARIES.items()
    }
    logs = daemon.elasticd("job", "logs", "canary", "-n", "1000")
    assert re.search(r"printed:( \(hidden\)| \*+){5}", logs.stdout), logs.stdout
    said += [("logs", logs.stdout.encode()), ("outcome", submitted.stdout.encode())]
    return said, pem.splitlines()[1]


def _process_list(daemon: RunningDaemon) -> bytes:
    words = []
    for process in daemon.processes():
        with suppress(psutil.Error):
            words += process.cmdline()
    assert any("elastic.agent" in word for word in words)
    return "\n".join(words).encode()


def _tokens(daemon: RunningDaemon) -> list[str]:
    """The user's token, and those of all nodes."""
    tokens = NodeTokens((daemon.data / "secret").read_bytes().strip())
    with closing(sqlite3.connect(daemon.data / "elasticd.db")) as database:
        nodes = database.execute("SELECT id, provider_id, token FROM nodes").fetchall()
    assert nodes
    found = [(daemon.data / "token").read_text().strip()]
    for node_id, instance_id, launch in nodes:
        found += [tokens.node_token(node_id, instance_id), tokens.join_token(launch)]
    return found


def _answers(daemon: RunningDaemon) -> Iterator[tuple[str, bytes]]:
    """What every address answers that can be read."""
    told = json.loads((daemon.data / "daemon.json").read_text())
    trust = trust_for(told["url"], (daemon.data / "certificate.pem").read_text())
    token = (daemon.data / "token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    known = {"job": "canary", "decision": "1", "id": "1"}
    with closing(sqlite3.connect(daemon.data / "elasticd.db")) as database:
        ((known["node"],),) = database.execute("SELECT id FROM nodes LIMIT 1").fetchall()
    answered = 0
    with httpx2.Client(base_url=told["url"], headers=headers, verify=trust, timeout=30) as client:
        for path in _paths(client):
            if "events" in path or path.endswith(":follow"):
                continue  # a stream has no end; the list of events is asked for below
            answer = client.get(re.sub(r"{(\w+)}", lambda name: known.get(name[1], "1"), path))
            answered += answer.is_success
            yield path, answer.content
        yield "events", b"".join(json.dumps(each).encode() for each in _events(daemon))
    assert answered > 20


def _paths(client: httpx2.Client) -> list[str]:
    described = client.get("/openapi.json").json()["paths"]
    pages = ["/", "/jobs", "/jobs/{job}", "/nodes", "/decisions", "/decisions/1", "/prices"]
    return [path for path, methods in described.items() if "get" in methods] + pages


def _events(daemon: RunningDaemon) -> list[object]:
    with closing(sqlite3.connect(daemon.data / "elasticd.db")) as database:
        return [list(map(str, row)) for row in database.execute("SELECT * FROM events")]


def _refuse(words: bytes, forbidden: Iterable[str], where: str) -> None:
    for each in forbidden:
        assert each.encode() not in words, f"{where}: holds {each[:12]}..."


def _refuse_in_files(data: Path, forbidden: Iterable[str]) -> None:
    looked_at = set()
    for path in data.rglob("*"):
        if path.is_file() and path.name not in OWN_FILES:
            _refuse(path.read_bytes(), forbidden, str(path))
            looked_at.add(path.name)
    assert {"elasticd.db", "daemon.json", "agent.log", "g1-l0-r0.log"} <= looked_at


def _refuse_in_backup(path: Path, forbidden: Iterable[str]) -> None:
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member)
            assert content is not None
            _refuse(content.read(), forbidden, f"backup: {member.name}")
