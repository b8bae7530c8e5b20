"""What it costs a node's agent to send its workers' lines to the daemon: ``python -m
benchmarks.log_streaming``.

One real agent, torchrun and worker, and a daemon that only answers. The worker prints nothing, then
10 lines of 200 bytes a second, then nothing again, then up to 100,000 lines of 100 bytes a second.
For each the agent's own processor time a second, what arrived and what was left out, and how long a
line took to the daemon. While the worker prints most, the agent is stopped and continued in turn:
what the worker prints a second of its own processor time with and without the agent says whether it
is slowed. Processor time can be compared on a busy machine; delays cannot.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil

from benchmarks.standins import agent_config
from elastic.protocol import PROTOCOL
from elastic.rendezvous import Credential, StoreServer
from elastic.rendezvous.certificate import new_certificate

SCRIPT = """
import sys, time
from pathlib import Path
mode = Path(sys.argv[1])
filler = "x" * 180
flood = ("y" * 99 + "\\n") * 1000
printed = 0
print("pid", __import__("os").getpid(), flush=True)
while True:
    wanted = mode.read_text()
    if wanted == "lines":
        print(f"AT {time.time():.6f} {filler}", flush=True)
        time.sleep(0.1)
    elif wanted == "flood":
        begun = time.monotonic()
        sys.stdout.write(flood); sys.stdout.flush()
        printed += 1000
        mode.with_name("partial").write_text(str(printed))
        mode.with_name("partial").replace(mode.with_name("printed"))  # whole whenever it is read
        time.sleep(max(0.0, 0.01 - (time.monotonic() - begun)))
    else:
        time.sleep(0.1)
"""
ROUNDS = 3  # of the agent stopped and continued


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="how long each state is watched"
    )
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), seconds)


def _measure(folder: Path, seconds: float) -> None:
    mode = folder / "mode"
    mode.write_text("silent")
    (folder / "train.py").write_text(SCRIPT)
    daemon = _Daemon([str(folder / "train.py"), str(mode)])
    agent = _agent(folder, daemon)
    try:
        daemon.until(lambda: any(line.startswith("pid") for line in daemon.lines))
        worker = psutil.Process(
            int(next(line for line in daemon.lines if line.startswith("pid")).split()[1])
        )
        time.sleep(5.0)
        shares = {}
        for name in ("silent", "lines", "silent again", "flood"):
            mode.write_text(name)
            time.sleep(2.0)
            daemon.forget()
            shares[name] = _share(agent, seconds)
            print(
                f"{name:13} agent {shares[name]:.2%} of a core{daemon.account(seconds)}", flush=True
            )
        quiet = (shares["silent"] + shares["silent again"]) / 2
        cost = {name: f"{shares[name] - quiet:.2%} of a core" for name in ("lines", "flood")}
        print(f"10 lines a second cost {cost['lines']}, all that it can print {cost['flood']}")
        _compare(agent, worker, folder / "printed", seconds)
    finally:
        agent.send_signal(signal.SIGCONT)
        daemon.shutdown = True
        for child in agent.children(recursive=True):
            child.kill()
        agent.kill()


def _compare(agent: psutil.Process, worker: psutil.Process, printed: Path, seconds: float) -> None:
    """What the worker prints a second of its own processor time, the agent running and stopped."""
    rates: dict[bool, list[float]] = {True: [], False: []}
    for number in range(2 * ROUNDS):
        is_running = number % 2 == 0
        agent.send_signal(signal.SIGCONT if is_running else signal.SIGSTOP)
        before, cpu_s = int(printed.read_text()), _cpu_s(worker)
        time.sleep(min(seconds, 5.0))
        rates[is_running].append((int(printed.read_text()) - before) / (_cpu_s(worker) - cpu_s))
    running, stopped = (statistics.median(rates[each]) for each in (True, False))
    with_it = f"{running:,.0f} with the agent, {stopped:,.0f} without: {running / stopped:.3f} x"
    print(f"lines a CPU-second of the worker: {with_it}")


def _agent(folder: Path, daemon: _Daemon) -> psutil.Process:
    config = agent_config(folder, daemon_url=daemon.url)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    command = [sys.executable, "-m", "elastic.agent", "--config", str(config)]
    return psutil.Popen(command, env=environment, stderr=subprocess.DEVNULL)


def _share(process: psutil.Process, seconds: float) -> float:
    begun_s, used_s = time.monotonic(), _cpu_s(process)
    time.sleep(seconds)
    return (_cpu_s(process) - used_s) / (time.monotonic() - begun_s)


def _cpu_s(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


class _Daemon:
    """Has one generation run, and notes what arrives of its lines."""

    def __init__(self, command: list[str]) -> None:
        self.shutdown = False
        self.lines: list[str] = []
        self._command = command
        self._certificate = new_certificate()
        self._store = StoreServer(Credential(self._certificate))
        self.forget()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def until(self, is_true: Any) -> None:
        until_s = time.monotonic() + 60.0
        while not is_true():
            if time.monotonic() > until_s:
                raise TimeoutError("the worker did not begin within a minute")
            time.sleep(0.1)

    def forget(self) -> None:
        self._delays: list[float] = []
        self._count = self._dropped = self._bytes = 0

    def account(self, seconds: float) -> str:
        if not self._count:
            return ""
        told = (
            f", {self._count / seconds:,.0f} lines/s and {self._bytes / seconds / 1024:.0f} KiB/s "
            "arrive"
        )
        if self._dropped:
            told += f", {self._dropped / seconds:,.0f} lines/s are left out"
        if self._delays:
            told += (
                f", {statistics.median(self._delays):.2f} s after they were printed, "
                f"{max(self._delays):.2f} at most"
            )
        return told

    def answer(self, path: str, body: dict[str, Any], size: int) -> dict[str, Any]:
        if path.endswith("register"):
            known = {
                "node_id": "n",
                "node_token": "t",
                "heartbeat_interval_s": 1.0,
                "lease_s": 600.0,
            }
            return known | {"protocol": PROTOCOL}
        if path.endswith("logs"):
            self._take(body, size)
            return {"acked_seq": body["seq"]}
        said = [*body["windows"], *body["events"]]
        assignment = {
            "job_id": "j", "generation": 1, "command": self._command, "env": {}, "nnodes_min": 1, "nnodes_max": 1,
            "nproc_per_node": 1, "threads": 1, "world_size": 1, "rdzv_endpoint": self._store.address,
            "certificate": self._certificate,
            "rdzv_id": f"logs-{self._server.server_port}", "drain_grace_s": 10.0, "max_restarts": 0,
            "checkpoint_dir": "c", "artifact_dir": "a",
        }  # fmt: skip
        return {
            "acked_seq": max((message["seq"] for message in said), default=0),
            "lease_s": 600.0,
            "shutdown": self.shutdown,
            "assignment": assignment,
        }

    def _take(self, body: dict[str, Any], size: int) -> None:
        now_s = time.time()
        self._bytes += size
        for stream in body["streams"]:
            self._dropped += stream["dropped"]
            self._count += len(stream["lines"])
            self._delays += [
                now_s - float(line.split()[1]) for line in stream["lines"] if line.startswith("AT ")
            ]
            self.lines += [line for line in stream["lines"] if line.startswith("pid")]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        daemon = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                answer = json.dumps(daemon.answer(self.path, json.loads(data), len(data))).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


if __name__ == "__main__":
    main()
