"""The demo's EC2: a lab in a process of its own, as anybody would start it, and its truth."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from elastic.figures import duration
from elastic_lab import read_scenario

SCENARIO = Path(__file__).parents[1] / "lab" / "demo.yaml"
_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 60.0
_ASK_TIMEOUT_S = 10.0
_LAST_LINE = "# bill"
_MARK = "ELASTICD_LAB_INSTANCE"


class CloudFailed(Exception):
    """The lab did not do what was wanted of it; the text says what it did."""


@dataclass(slots=True)
class Cloud:
    """A running `elasticd lab`; `environment` is what it said to export. Remembers every instance
    that it was seen to have, so that whatever survives it can be named.
    """

    process: subprocess.Popen[bytes]
    environment: Mapping[str, str]
    _instances: set[str] = field(default_factory=set)

    def spot_usd_per_h(self, node_type: str) -> float:
        """The opening spot price of a type."""
        price = read_scenario(SCENARIO).node_types[node_type].spot_usd_per_h
        assert isinstance(price, float)
        return price

    def set_spot_price(self, node_type: str, usd_per_h: float) -> None:
        """Changes a spot price, now."""
        self._ask("price", {"node_type": node_type, "spot_usd_per_h": usd_per_h})

    def bill_usd(self) -> float:
        """What all instances have cost so far, in truth."""
        return float(self._ask("bill")["usd"])

    def running(self) -> list[str]:
        """The instances that are not terminated."""
        instances = self._ask("state")["instances"]
        self._instances |= {each["instance_id"] for each in instances}
        return [
            f"{each['instance_id']} ({each['phase']})"
            for each in instances
            if each["phase"] != "terminated"
        ]

    def end(self) -> None:
        """Ends the lab with all of its instances. Raises CloudFailed if it does not end, or not in
        good order."""
        with suppress(OSError, ValueError):
            self.running()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise CloudFailed(
                f"the lab did not end within {duration(_STOP_TIMEOUT_S)} of SIGTERM"
            ) from None
        if status != 0:
            raise CloudFailed(f"the lab ended with status {status}")

    def left(self) -> list[psutil.Process]:
        """Processes of instances; there are none once the lab has ended."""
        return [each for each in psutil.process_iter() if _instance_of(each) in self._instances]

    def _ask(self, what: str, body: Mapping[str, object] | None = None) -> Any:
        url = f"{self.environment['AWS_ENDPOINT_URL']}/_lab/{what}"
        data = None if body is None else json.dumps(body).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, data, timeout=_ASK_TIMEOUT_S) as answer:
            return json.load(answer)


def start_cloud(log: Path) -> Cloud:
    """Starts the lab and waits until it says what to export. Raises CloudFailed if it does not."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ELASTICD_", "AWS_"))
    }
    command = [sys.executable, "-m", "elastic.cli", "lab", "--scenario", str(SCENARIO)]
    with log.open("wb") as file:
        # A session of its own: Ctrl-C reaches the demo, which then ends the lab in good order.
        process = subprocess.Popen(
            command,
            env={**environment, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"},
            stdout=file,
            stderr=file,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    until_s = time.monotonic() + _START_TIMEOUT_S
    try:
        while time.monotonic() < until_s:
            said = log.read_text(errors="replace")
            if f"\n{_LAST_LINE}" in said:
                return Cloud(process, _exports(said))
            if process.poll() is not None:
                raise CloudFailed(f"the lab ended with status {process.returncode}: {said.strip()}")
            time.sleep(0.1)
        raise CloudFailed(f"the lab did not start within {duration(_START_TIMEOUT_S)}")
    except BaseException:
        process.terminate()
        process.wait()
        raise


def _exports(said: str) -> Mapping[str, str]:
    lines = [
        line.removeprefix("export ") for line in said.splitlines() if line.startswith("export ")
    ]
    return {
        name: "".join(shlex.split(value))
        for name, _, value in (line.partition("=") for line in lines)
    }


def _instance_of(process: psutil.Process) -> str | None:
    with suppress(psutil.Error):
        return process.environ().get(_MARK)
    return None
