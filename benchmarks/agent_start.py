"""Where the time goes from launching a node to its first training step: ``python
benchmarks/agent_start.py``.

Four ways to the first step of Adam on one gloo rank, each under torchrun with the settings the
agent uses: torchrun as it comes (its workers are fresh interpreters), torchrun that forks its
workers, and a node's first and second generation under the agent, whose spawner forks torchrun too.
Seconds of wall time and of processor time; a node that has a quarter of a core waits four times the
latter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.standins import agent_config
from elastic.agent.torchrun import FORKED_WORKER, RENDEZVOUS_SETTINGS
from elastic.protocol import PROTOCOL
from elastic.rendezvous import Credential, StoreServer
from elastic.rendezvous.certificate import new_certificate

SCRIPT = """
import json, os, sys, time
begun = time.time()
import torch, torch.distributed
imported = time.time()
torch.distributed.init_process_group("gloo")
joined = time.time()
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.Adam(model.parameters())
made = time.time()
model(torch.ones(2, 4)).sum().backward(); optimizer.step()
print("PARTS", json.dumps([begun, imported - begun, joined - imported, made - joined, time.time() - made, time.time()]))
torch.distributed.destroy_process_group()
"""
STORE = """
import time
from datetime import timedelta
from torch.distributed import TCPStore
store = TCPStore("127.0.0.1", 0, None, True, timedelta(seconds=300), wait_for_workers=False)
print(store.port, flush=True)
time.sleep(600)
"""
COLUMNS = ("to the script", "import torch", "join group", "optimizer", "step", "TOTAL", "processor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{'seconds':38}" + "".join(f"{name:>14}" for name in COLUMNS))
    with tempfile.TemporaryDirectory() as folder, _store() as store:
        assert store.stdout is not None
        endpoint = f"127.0.0.1:{int(store.stdout.readline())}"
        script = Path(folder) / "train.py"
        script.write_text(SCRIPT)
        for number in range(arguments.rounds):
            _print("torchrun, fresh workers", _torchrun(endpoint, f"a{number}", [str(script)]))
            forked = [
                "--start-method=fork",
                "--run-path",
                str(FORKED_WORKER),
                "--watched",
                str(script),
            ]
            _print("torchrun, forked workers", _torchrun(endpoint, f"b{number}", forked))
            first, second = _agent(Path(folder) / str(number), script)
            _print("agent from its boot, first generation", first)
            _print("agent, second generation", second)
        store.kill()


def _store() -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", STORE], stdout=subprocess.PIPE, text=True)


def _print(name: str, parts: list[float]) -> None:
    print(f"{name:38}" + "".join(f"{part:14.2f}" for part in parts), flush=True)


def _torchrun(endpoint: str, rdzv_id: str, command: list[str]) -> list[float]:
    start, processor_s = time.time(), _children_s()
    result = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--nnodes=1:1", "--nproc-per-node=1"),
            *("--rdzv-backend=c10d", f"--rdzv-endpoint={endpoint}", f"--rdzv-id={rdzv_id}"),
            *(f"--rdzv-conf=is_host=0,{RENDEZVOUS_SETTINGS}", "--local-addr=127.0.0.1", *command),
        ],
        env=_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return [*_parts(result.stdout, start), _children_s() - processor_s]


def _agent(folder: Path, script: Path) -> tuple[list[float], list[float]]:
    daemon = _Daemon(script)
    (folder / "work").mkdir(parents=True)
    config = agent_config(folder, daemon_url=daemon.url)
    start, processor_s = time.time(), _children_s()
    agent = subprocess.Popen(
        [sys.executable, "-m", "elastic.agent", "--config", str(config)], env=_environment()
    )
    daemon.wait_for_exit(1)
    first = _parts((folder / "work/logs/g1-l0-r0.log").read_text(), start)
    daemon.generation, asked = 2, time.time()
    daemon.wait_for_exit(2)
    second = _parts((folder / "work/logs/g2-l0-r0.log").read_text(), asked)
    daemon.shutdown = True
    agent.wait()
    daemon.close()
    # The agent's whole tree is counted when it has ended: both generations in one sum, shown with
    # the first.
    return [*first, _children_s() - processor_s], [*second, float("nan")]


class _Daemon:
    """Assigns one generation after the other."""

    def __init__(self, script: Path) -> None:
        self.generation = 1
        self.shutdown = False
        self._certificate = new_certificate()
        self._store = StoreServer(Credential(self._certificate))
        self._script = script
        self._exited: set[int] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for_exit(self, generation: int) -> None:
        while generation not in self._exited:
            time.sleep(0.01)

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("register"):
            known = {
                "node_id": "n",
                "node_token": "t",
                "heartbeat_interval_s": 1.0,
                "lease_s": 600.0,
            }
            return known | {"protocol": PROTOCOL}
        if path.endswith("logs"):
            return {"acked_seq": body["seq"]}
        if body["exit"]:
            self._exited.add(body["exit"]["generation"])
        said = [*body["windows"], *body["events"]]
        return {
            "acked_seq": max((message["seq"] for message in said), default=0),
            "lease_s": 600.0,
            "shutdown": self.shutdown,
            "assignment": {
                "job_id": "j",
                "generation": self.generation,
                "command": [str(self._script)],
                "env": {},
                "nnodes_min": 1,
                "nnodes_max": 1,
                "nproc_per_node": 1,
                "threads": 1,
                "world_size": 1,
                "rdzv_endpoint": self._store.address,
                "certificate": self._certificate,
                "rdzv_id": f"agent-{self._server.server_port}-g{self.generation}",
                "drain_grace_s": 10.0,
                "max_restarts": 0,
                "checkpoint_dir": "c",
                "artifact_dir": "a",
            },
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        daemon = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                data = json.dumps(daemon.answer(self.path, body)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _parts(output: str, start: float) -> list[float]:
    line = next(line for line in output.splitlines() if line.startswith("PARTS"))
    begun, *parts, end = json.loads(line.removeprefix("PARTS"))
    return [begun - start, *parts, end - start]


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _environment() -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}


if __name__ == "__main__":
    main()
