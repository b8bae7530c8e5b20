"""The demo's own daemon: started on a free port in a folder of its own, ended without a trace."""

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

from elastic.cli.client import Client
from elastic.errors import ElasticError
from examples.demo.market import Market

HERE = Path(__file__).parent
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 15.0
_SWEEP_TIMEOUT_S = 5.0


class DemoFailed(Exception):
    """The demo did not show what it promises; the text says what happened instead."""


@dataclass(frozen=True, slots=True)
class House:
    """A running daemon: its folder, its process, the market it buys on."""

    folder: Path
    market: Market
    daemon: subprocess.Popen[bytes]

    @property
    def log(self) -> Path:
        return self.folder / "daemon.log"

    @property
    def url(self) -> str:
        return str(json.loads((self.folder / "data" / "daemon.json").read_text())["url"])

    @property
    def token(self) -> str:
        return (self.folder / "data" / "token").read_text(encoding="ascii").strip()

    def client(self) -> Client:
        return Client(url=self.url, token=self.token)

    def check_daemon(self) -> None:
        """Raises DemoFailed if the daemon has died."""
        if (status := self.daemon.poll()) is not None:
            raise DemoFailed(f"the daemon ended with status {status}")


@contextmanager
def open_house() -> Iterator[House]:
    """Starts the daemon; in the end stops it and removes its folder. Raises DemoFailed if anything of it stays."""
    folder = Path(tempfile.mkdtemp(prefix="elasticd-demo-"))
    try:
        house = _start(folder)
        try:
            _wait_until_it_answers(house)
            yield house
        except Exception:
            print(_tail(house.log), file=sys.stderr)
            raise
        finally:
            _stop_jobs(house)
            _stop_daemon(house)
    finally:
        left = _sweep(folder)
        shutil.rmtree(folder, ignore_errors=True)
    if left:
        raise DemoFailed(f"these processes had to be ended by force: {', '.join(left)}")


def processes_of(folder: Path) -> list[psutil.Process]:
    """Every process whose command line or environment names the demo's folder, which nothing else knows."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = [*process.cmdline(), *process.environ().values()]
            if process.pid != os.getpid() and any(str(folder) in word for word in words):
                found.append(process)
    return found


def _start(folder: Path) -> House:
    market = Market.open(folder / "prices.csv", opening_prices=HERE / "prices.csv")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")},
        "ELASTICD_CONFIG": str(HERE / "elasticd.toml"),
        "ELASTICD_DATA_DIR": str(folder / "data"),
        "ELASTICD_PRICE_TRACE": str(folder / "prices.csv"),
        "ELASTICD_PORT": "0",  # any free one; the daemon says which in its data folder
        "OMP_NUM_THREADS": "1",
    }
    with (folder / "daemon.log").open("wb") as log:
        # A session of its own: Ctrl-C reaches the demo, which then ends the daemon in good order.
        command = [sys.executable, "-m", "elastic.cli", "serve"]
        daemon = subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
        )
    return House(folder, market, daemon)


def _wait_until_it_answers(house: House) -> None:
    until_s = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < until_s:
        house.check_daemon()
        with suppress(ElasticError, OSError, ValueError), house.client() as client:
            client.get("/v1/node-types")
            return
        time.sleep(0.1)
    raise DemoFailed(f"the daemon did not answer within {_START_TIMEOUT_S:.0f} s")


def _stop_jobs(house: House) -> None:
    """Stops every job that still runs: nodes outlive the daemon, so that they have to go before it."""
    with suppress(ElasticError, OSError, ValueError, DemoFailed), house.client() as client:
        until_s = time.monotonic() + _STOP_TIMEOUT_S
        asked: set[str] = set()
        while time.monotonic() < until_s:
            house.check_daemon()
            jobs = [each for each in client.items("/v1/jobs", limit=100) if not each["is_final"]]
            if not jobs and not client.items("/v1/nodes", limit=100):
                return
            for job in jobs:
                if job["id"] not in asked:
                    client.post(f"/v1/jobs/{job['id']}:stop")
                    asked.add(job["id"])
            time.sleep(0.2)


def _stop_daemon(house: House) -> None:
    house.daemon.send_signal(signal.SIGTERM)
    try:
        house.daemon.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        house.daemon.kill()
        house.daemon.wait()
        raise DemoFailed(f"the daemon did not end within {_STOP_TIMEOUT_S:.0f} s of SIGTERM") from None


def _sweep(folder: Path) -> list[str]:
    """Ends what is left of the demo and names it."""
    until_s = time.monotonic() + _SWEEP_TIMEOUT_S
    while (left := processes_of(folder)) and time.monotonic() < until_s:
        time.sleep(0.1)
    names = []
    for process in left:
        with suppress(psutil.Error):
            names.append(f"{process.pid} {' '.join(process.cmdline())[:120]}")
            process.kill()
    return names


def _tail(log: Path, lines: int = 40) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
