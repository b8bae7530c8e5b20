"""A daemon of the zoo's own: nodes are processes of this machine, everything in one folder, nothing left in the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from elastic.cli.client import Client
from elastic.errors import ElasticError

_SETTINGS = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 20.0

[[local_types]]
name = "full"
cpu = 1.0
usd_per_h = 1.44

[policy]
cooldown_s = 2.0
wind_down_s = 5.0
switch_pause_prior_s = 5.0
boot_prior_s = 3.0
"""
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 30.0
_COMMAND_TIMEOUT_S = 120.0


class CommandFailed(Exception):
    """An `elasticd` command ended with another status than 0; the text is what it said."""


@dataclass(frozen=True, slots=True)
class Daemon:
    """`elasticd serve` as a process, asked as a user asks it."""

    folder: Path
    process: subprocess.Popen[bytes]

    def client(self) -> Client:
        data = self.folder / "data"
        address = json.loads((data / "daemon.json").read_text())
        return Client(url=address["url"], token=(data / "token").read_text().strip())

    def command(self, *words: str) -> str:
        """Gives what an `elasticd` command prints. Raises CommandFailed."""
        done = subprocess.run(
            [sys.executable, "-m", "elastic.cli", *words],
            env=_environment(self.folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_COMMAND_TIMEOUT_S,
            check=False,
        )
        if done.returncode != 0:
            raise CommandFailed(f"elasticd {' '.join(words[:2])}: {(done.stderr or done.stdout).strip()[-400:]}")
        return done.stdout

    def kill_node(self, node_id: str) -> None:
        """Ends every process of a node by SIGKILL, as the loss of a machine does."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("ELASTICD_NODE_ID") == node_id:
                    process.kill()


@contextmanager
def running_daemon(folder: Path) -> Iterator[Daemon]:
    """Starts a daemon in the folder, and ends whatever names that folder in the end."""
    (folder / "elasticd.toml").write_text(_SETTINGS)
    with (folder / "daemon.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "elastic.cli", "serve", "--port", "0"],
            env=_environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches the zoo, which then ends the daemon in good order
        )
    try:
        daemon = Daemon(folder, process)
        _wait_until_it_answers(daemon)
        yield daemon
    finally:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_TIMEOUT_S)
        for each in _processes_of(folder):
            with suppress(psutil.Error):
                each.kill()
        process.wait()


def _environment(folder: Path) -> dict[str, str]:
    outer = {name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")}
    own = {"ELASTICD_CONFIG": str(folder / "elasticd.toml"), "ELASTICD_DATA_DIR": str(folder / "data")}
    return {**outer, **own, "OMP_NUM_THREADS": "1"}


def _wait_until_it_answers(daemon: Daemon) -> None:
    until_s = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < until_s and daemon.process.poll() is None:
        with suppress(ElasticError, OSError, ValueError), daemon.client() as client:
            if client.items("/v1/prices", limit=1):
                return
        time.sleep(0.1)
    raise TimeoutError(f"the daemon did not answer: {(daemon.folder / 'daemon.log').read_text()[-2000:]}")


def _processes_of(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = [*process.cmdline(), *process.environ().values()]
            if process.pid != os.getpid() and any(str(folder) in word for word in words):
                found.append(process)
    return found
