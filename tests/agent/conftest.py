"""A daemon, a store and nodes for the agent's tests: small, real and local."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from elastic.agent import AgentSettings
from elastic.agent.processes import kill_group
from elastic.protocol import PROTOCOL
from elastic.rendezvous import StoreServer
from tests.agent.assignments import ONE
from tests.agent.upload_threads import Desk
from tests.certificates import credential, pem


class FakeDaemon:
    """Answers registrations and heartbeats as told, and keeps what nodes say exactly once each, by
    their numbers."""

    def __init__(self) -> None:
        self.assignment: dict[str, Any] | None = None
        self.brings: dict[str, Any] | None = None
        self.shutdown = False
        self.is_silent = False
        self.protocol = PROTOCOL
        self.lease_s = 600.0
        self.registrations: list[dict[str, Any]] = []
        self.heartbeats: list[dict[str, Any]] = []
        self.said: dict[str, list[dict[str, Any]]] = {}
        self.log_lines: list[str] = []
        self.staged_lines: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def turns(self, node_id: str = "n1") -> int:
        return sum(message["iterations"] for message in self.messages("window", node_id))

    def messages(self, kind: str, node_id: str = "n1") -> list[dict[str, Any]]:
        return [message for message in self.said.get(node_id, []) if message["kind"] == kind]

    def exit_of(self, generation: int, node_id: str = "n1") -> dict[str, Any] | None:
        for beat in reversed(self.heartbeats):
            if (
                beat["node_id"] == node_id
                and beat["exit"]
                and beat["exit"]["generation"] == generation
            ):
                return dict(beat["exit"])
        return None

    def answer(self, path: str, body: dict[str, Any], token: str) -> tuple[int, dict[str, Any]]:
        if path == "/v1/agent/register":
            self.registrations.append(body)
            name = body["instance_id"]
            content = {
                "node_id": name,
                "node_token": f"t-{name}",
                "heartbeat_interval_s": 0.2,
                "lease_s": self.lease_s,
            }
            return 200, content | {"brings": self.brings or {}, "protocol": self.protocol}
        if token != f"Bearer t-{body['node_id']}":
            return 401, {"detail": "no such token"}
        if path == "/v1/agent/logs":
            self.log_lines += [line for stream in body["streams"] for line in stream["lines"]]
            self.staged_lines += [
                (stream.get("stage", ""), line)
                for stream in body["streams"]
                for line in stream["lines"]
            ]
            return 200, {"acked_seq": body["seq"]}
        return 200, self._hear(body)

    def _hear(self, body: dict[str, Any]) -> dict[str, Any]:
        said = self.said.setdefault(body["node_id"], [])
        last = said[-1]["seq"] if said else 0
        new = sorted((*body["windows"], *body["events"]), key=lambda message: int(message["seq"]))
        said.extend(message for message in new if message["seq"] > last)
        self.heartbeats.append(body)
        return {
            "acked_seq": said[-1]["seq"] if said else 0,
            "lease_s": self.lease_s,
            "assignment": self.assignment,
            "shutdown": self.shutdown,
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        daemon = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if daemon.is_silent:
                    self.close_connection = True
                    return
                status, content = daemon.answer(
                    self.path, body, self.headers.get("Authorization", "")
                )
                data = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class Node:
    """An agent in a process of its own."""

    def __init__(
        self, folder: Path, daemon: FakeDaemon, *, node_id: str = "n1", **settings: Any
    ) -> None:
        self.work_dir = folder / node_id
        self.work_dir.mkdir(parents=True, exist_ok=True)
        self._config = folder / f"{node_id}.json"
        self._config.touch(mode=0o600)
        fields = {
            "instance_id": node_id,
            "daemon_url": daemon.url,
            "join_token": "join",
            "work_dir": str(self.work_dir),
            "advertise_host": "127.0.0.1",
            "checkpoint_root": str(folder / "checkpoints"),
            "artifact_root": str(folder / "artifacts"),
            "env": {"GLOO_SOCKET_IFNAME": "lo"},
        }
        self._config.write_text(json.dumps(fields | settings))
        self.start()

    def start(self) -> None:
        self._log = (self.work_dir / "agent.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "elastic.agent", "--config", str(self._config)],
            stdout=self._log,
            stderr=self._log,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )

    def kill_agent_only(self) -> None:
        self.process.kill()
        self.process.wait()
        self._log.close()

    def group(self) -> dict[str, Any]:
        try:
            return dict(json.loads((self.work_dir / "group.json").read_text()))
        except (FileNotFoundError, ValueError):
            return {}

    def logs(self) -> str:
        return "".join(
            path.read_text()
            for path in [self.work_dir / "agent.log", *self.work_dir.glob("logs/*")]
        )

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
        kill_group(self.process.pid, socket_path=str(self.work_dir / "workers.socket"))


class Store:
    """A rendezvous store, from when it is first asked for; jobs share it, each by its own ids."""

    def __init__(self) -> None:
        self._server: StoreServer | None = None

    @property
    def port(self) -> int:
        if self._server is None:
            self._server = StoreServer(credential())
        return self._server.port

    def end(self) -> None:
        if self._server is not None:
            self._server.close()


class World:
    """One job's daemon, store and nodes; a store that is given is left alone in the end."""

    def __init__(
        self, folder: Path, daemon: FakeDaemon | None = None, *, store: Store | None = None
    ) -> None:
        self.folder = folder
        self.daemon = daemon or FakeDaemon()
        self._nodes: list[Node] = []
        self._store = store or Store()
        self._own = [] if store else [self._store]

    def node(self, node_id: str = "n1", **settings: Any) -> Node:
        result = Node(self.folder, self.daemon, node_id=node_id, **settings)
        self._nodes.append(result)
        return result

    def assign(self, *command: str, generation: int = 1, **fields: Any) -> None:
        self.daemon.assignment = {
            "job_id": "job",
            "generation": generation,
            "command": list(command),
            "env": {},
            "nnodes_min": 1,
            "nnodes_max": 1,
            "nproc_per_node": 1,
            "threads": 1,
            "world_size": 1,
            "rdzv_endpoint": f"127.0.0.1:{self._store.port}",
            "rdzv_id": f"{self.folder.name}-g{generation}",
            "certificate": pem(),
            "drain_grace_s": 20.0,
            "checkpoint_dir": "job",
            "artifact_dir": "job",
            "max_restarts": 2,
            **fields,
        }

    def script(self, text: str, name: str = "train.py") -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def wait_for(self, what: Callable[[], Any], *, timeout_s: float = 60.0) -> Any:
        deadline = time.monotonic() + timeout_s
        while not (result := what()):
            if time.monotonic() > deadline:
                raise TimeoutError("\n".join(node.logs()[-6000:] for node in self._nodes))
            time.sleep(0.05)
        return result

    def end(self) -> None:
        for node in self._nodes:
            node.end()
        self.daemon.close()
        for store in self._own:
            store.end()


@pytest.fixture
def settings(tmp_path: Path) -> AgentSettings:
    """Those of an agent that speaks with nobody."""
    return AgentSettings(
        instance_id="n1",
        daemon_url="http://127.0.0.1:1",
        join_token="",
        work_dir=tmp_path,
        advertise_host="127.0.0.1",
        checkpoint_root=tmp_path,
        artifact_root=tmp_path,
    )


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    """One for all jobs: it holds no state that another could meet, and costs two seconds of a core
    to start."""
    result = Store()
    yield result
    result.end()


@pytest.fixture
def world(tmp_path: Path, store: Store) -> Iterator[World]:
    result = World(tmp_path, store=store)
    yield result
    result.end()


@pytest.fixture
def desk() -> Iterator[Desk]:
    result = Desk()
    result.upload_thread.begin(ONE)
    yield result
    result.upload_thread.stop()
