"""The demo's own EC2 and its own daemon: started on free ports, ended without a trace."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from elastic.client.rest import Client
from elastic.errors import ElasticError
from elastic.figures import duration
from examples.demo.cloud import Cloud, CloudFailed, start_cloud

HERE = Path(__file__).parent
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 15.0
_SWEEP_TIMEOUT_S = 5.0


class DemoFailed(Exception):
    """The demo did not show what it promises; the text says what happened instead."""


@dataclass(frozen=True, slots=True)
class House:
    """A running daemon, its folder, and the cloud it buys in."""

    folder: Path
    cloud: Cloud
    daemon: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return str(json.loads((self.folder / "data" / "daemon.json").read_text())["url"])

    @property
    def token(self) -> str:
        return (self.folder / "data" / "token").read_text(encoding="ascii").strip()

    def client(self) -> Client:
        return Client(url=self.url, token=self.token)

    def check(self) -> None:
        """Raises DemoFailed if the daemon or the lab has died."""
        for name, process in (("daemon", self.daemon), ("lab", self.cloud.process)):
            if (status := process.poll()) is not None:
                raise DemoFailed(f"the {name} ended with status {status}")


@contextmanager
def open_house() -> Iterator[House]:
    """Starts lab and daemon; in the end stops both and removes their folder. Raises DemoFailed if
    anything stays."""
    folder = Path(tempfile.mkdtemp(prefix="elasticd-demo-"))
    cloud: Cloud | None = None
    try:
        cloud = start_cloud(folder / "lab.log")
        house = House(folder, cloud, _start_daemon(folder, cloud))
        try:
            _wait_until_it_answers(house)
            yield house
        finally:
            _stop_jobs(house)
            _stop_daemon(house.daemon)
    except CloudFailed as error:
        raise DemoFailed(str(error)) from error
    except Exception:
        _show_logs(folder)
        raise
    finally:
        left = _end(cloud, folder)
        shutil.rmtree(folder, ignore_errors=True)
    if left:
        raise DemoFailed(f"these had to be ended by force: {', '.join(left)}")


def processes_of(folder: Path) -> list[psutil.Process]:
    """Every process whose command line or environment names the demo's folder, which nothing else
    knows."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = [*process.cmdline(), *process.environ().values()]
            if process.pid != os.getpid() and any(str(folder) in word for word in words):
                found.append(process)
    return found


def _start_daemon(folder: Path, cloud: Cloud) -> subprocess.Popen[bytes]:
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ELASTICD_", "AWS_"))
        },
        **cloud.environment,
        "ELASTICD_CONFIG": str(HERE / "elasticd.toml"),
        "ELASTICD_DATA_DIR": str(folder / "data"),
        "ELASTICD_PORT": "0",  # any free one; the daemon says which in its data folder
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "elastic.cli", "serve", "--provider", "ec2"]
    with (folder / "daemon.log").open("wb") as log:
        # A session of its own: Ctrl-C reaches the demo, which then ends the daemon in good order.
        return subprocess.Popen(
            command,
            env=environment,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )


def _wait_until_it_answers(house: House) -> None:
    until_s = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < until_s:
        house.check()
        with suppress(ElasticError, OSError, ValueError), house.client() as client:
            client.get("/v1/node-types")
            return
        time.sleep(0.1)
    raise DemoFailed(f"the daemon did not answer within {duration(_START_TIMEOUT_S)}")


def _stop_jobs(house: House) -> None:
    """Stops every job that still runs: nodes outlive the daemon, so that they have to go before
    it."""
    with suppress(ElasticError, OSError, ValueError, DemoFailed), house.client() as client:
        until_s = time.monotonic() + _STOP_TIMEOUT_S
        asked: set[str] = set()
        while time.monotonic() < until_s:
            house.check()
            jobs = [each for each in client.items("/v1/jobs", limit=100) if not each["is_final"]]
            if not jobs and not client.items("/v1/nodes", limit=100):
                return
            for job in jobs:
                if job["id"] not in asked:
                    client.post(f"/v1/jobs/{job['id']}:stop")
                    asked.add(job["id"])
            time.sleep(0.2)


def _stop_daemon(daemon: subprocess.Popen[bytes]) -> None:
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()
        raise DemoFailed(
            f"the daemon did not end within {duration(_STOP_TIMEOUT_S)} of SIGTERM"
        ) from None


def _end(cloud: Cloud | None, folder: Path) -> list[str]:
    """Ends the lab and then whatever else is left of the demo, and names what had to be ended by
    force."""
    names = []
    if cloud is not None:
        try:
            cloud.end()
        except CloudFailed as error:
            names.append(str(error))
    until_s = time.monotonic() + _SWEEP_TIMEOUT_S
    while (left := _left(cloud, folder)) and time.monotonic() < until_s:
        time.sleep(0.1)
    for process in left:
        with suppress(psutil.Error):
            names.append(f"{process.pid} {' '.join(process.cmdline())[:120]}")
            process.kill()
    return names


def _left(cloud: Cloud | None, folder: Path) -> list[psutil.Process]:
    return [*processes_of(folder), *([] if cloud is None else cloud.left())]


def _show_logs(folder: Path, lines: int = 40) -> None:
    for name in ("lab.log", "daemon.log"):
        with suppress(OSError):
            print(
                f"--- {name}",
                *(folder / name).read_text(errors="replace").splitlines()[-lines:],
                sep="\n",
                file=sys.stderr,
            )
