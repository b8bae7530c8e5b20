"""A real daemon for a test: its own folder and port, real nodes, everything ended when the test is
over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from elastic.client.rest import Client
from elastic.errors import ElasticError
from elastic.trust import trust_for
from elastic_lab import Lab, parse_scenario, running_lab

# A script that trains until it is ended.
ENDLESS = """\
import time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while True:
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.1)
"""

_CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 20.0

[[local_types]]
name = "half"
cpu = 0.5
usd_per_h = 0.36

[[local_types]]
name = "full"
cpu = 1.0
usd_per_h = 1.44

[policy]
cooldown_s = 5.0
trial_windows = 4
wind_down_s = 25.0
switch_pause_prior_s = 5.0
boot_prior_s = 3.0
"""


@dataclass(slots=True)
class RunningDaemon:
    """`elasticd serve` as a process, which may be killed and started again on the same folder."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> str:
        return (self.folder / "daemon.log").read_text(errors="replace")

    def start(self, *options: str) -> None:
        """Starts the daemon and waits until it answers."""
        self.process = self.spawn(*options)
        self.until("the daemon answers", self._answers)

    @property
    def variables(self) -> dict[str, str]:
        """The whole environment of the daemon, and of commands that ask it."""
        return {
            name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")
        } | {
            "ELASTICD_CONFIG": str(self.folder / "elasticd.toml"),
            "ELASTICD_DATA_DIR": str(self.data),
            "ELASTICD_PORT": "0",
            "OMP_NUM_THREADS": "1",
            **self.environment,
        }

    def spawn(self, *options: str) -> subprocess.Popen[bytes]:
        with (self.folder / "daemon.log").open("ab") as log:
            command = [sys.executable, "-m", "elastic.cli", "serve", *options]
            return subprocess.Popen(
                command, env=self.variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def elasticd(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a command as a user does."""
        return subprocess.run(
            [sys.executable, "-m", "elastic.cli", *words],
            env=self.variables | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def kill(self) -> None:
        """Ends the daemon by SIGKILL, as a crash would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def stop(self) -> float:
        """Ends the daemon by SIGTERM and gives the seconds that took."""
        assert self.process is not None
        begun_s = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        return time.monotonic() - begun_s

    def client(self) -> Client:
        address = json.loads((self.data / "daemon.json").read_text())
        token = (self.data / "token").read_text().strip()
        certificate = (self.data / "certificate.pem").read_text()
        trust = trust_for(address["url"], certificate, checks_name=False)
        return Client(url=address["url"], token=token, trust=trust)

    def submit(self, **spec: Any) -> str:
        with self.client() as client:
            return str(client.post("/v1/jobs", body=spec)["id"])

    def get(self, path: str, **query: Any) -> Any:
        with self.client() as client:
            return client.get(path, **query)

    def until(
        self,
        what: str,
        is_true: Callable[[], Any],
        *,
        timeout_s: float = 90.0,
        every_s: float = 0.2,
    ) -> Any:
        """Waits until `is_true`, asked so often, gives something true, and gives that."""
        until_s = time.monotonic() + timeout_s
        while time.monotonic() < until_s:
            with suppress(ElasticError, OSError, KeyError, ValueError):
                if found := is_true():
                    return found
            time.sleep(every_s)
        raise AssertionError(f"not within {timeout_s:.0f} s: {what}\n{self.log[-3000:]}")

    def until_iteration(self, job_id: str, iteration: int) -> int:
        """Waits until the job has done so many iterations."""
        done = self.until(
            f"iteration {iteration}",
            lambda: (n := self.get(f"/v1/jobs/{job_id}")["iteration"]) >= iteration and n,
        )
        return int(done)

    def until_phase(self, job_id: str, phase: str, *, timeout_s: float = 120.0) -> Any:
        def has_it() -> Any:
            job = self.get(f"/v1/jobs/{job_id}")
            return job if job["phase"] == phase else None

        return self.until(f"phase {phase}", has_it, timeout_s=timeout_s)

    def processes(self) -> list[psutil.Process]:
        """Every process that names this daemon's folder: it, its nodes, their workers, the
        rendezvous stores."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                words = [*process.cmdline(), *process.environ().values()]
                is_ours = (
                    any(str(self.folder) in word for word in words) and process.pid != os.getpid()
                )
                if is_ours and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def sweep(self) -> list[str]:
        """Ends whatever is left, and tells what that was."""
        names = []
        for process in self.processes():
            with suppress(psutil.Error):
                name = " ".join(process.cmdline()[:6])
                process.kill()
                names.append(name)
        return names

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log[-3000:]
        return bool(self.get("/v1/node-types"))


@contextmanager
def running_daemon(
    folder: Path, environment: Mapping[str, str] | None = None, *, config: str = _CONFIG
) -> Iterator[RunningDaemon]:
    """A daemon for the length of a test; `config` is its elasticd.toml, `environment` holds more of
    its settings."""
    (folder / "elasticd.toml").write_text(config)
    daemon = RunningDaemon(folder, environment or {})
    try:
        daemon.start()
        yield daemon
    finally:
        try:
            if daemon.process is not None and daemon.process.poll() is None:
                daemon.stop()
        finally:
            daemon.sweep()


@contextmanager
def running_daemon_on(lab: Lab, folder: Path, *, config: str) -> Iterator[RunningDaemon]:
    """A daemon that buys on this lab."""
    with running_daemon(
        folder, {**lab.environment(), "ELASTICD_PROVIDER": "ec2"}, config=config
    ) as daemon:
        yield daemon


@contextmanager
def lab_left_empty(scenario: Mapping[str, Any]) -> Iterator[Lab]:
    """A lab in which no instance may be left when the test is over."""
    with running_lab(parse_scenario(scenario)) as lab:
        yield lab
        left = [each.instance_id for each in lab.running()]
    assert left == [], (
        "a job that is over leaves no machine, and who has the lease ends what it does not know"
    )
