"""Where the time goes from a decision to the first iteration on the machine it bought: a real
daemon on the local EC2.

Run: python benchmarks/first_iteration.py [--rounds 5] [--cpu 1.0] [--boot-delay-s 0] Each round
submits the small ESRGAN, which buys a machine, and stops it after its first iteration. The parts
follow from what the store holds (decision, node, generation, first window); only when the machine
was bought and when it ran is the lab's word, for EC2 tells instants in whole seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from elastic.client.rest import Client
from elastic.errors import ElasticError
from elastic_lab import Lab, parse_scenario, running_lab

PARTS = {
    "decision to bought": "the intent is written, launch template and CreateFleet are answered",
    "bought to running": "the machine starts",
    "running to registered": "user data runs, the agent starts and exchanges its join token",
    "registered to generation": "the rendezvous answers, the daemon's tick lets the generation begin",
    "generation to worker": "the agent hears of it, torchrun meets the others and starts the worker",
    "worker to iteration": "data, networks and the first step; torch was imported while the machine registered",
}
_TIMEOUT_S = 180.0


def main() -> None:
    """Runs the rounds and prints each one's parts, then their medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--cpu", type=float, default=1.0, help="cores of the machine that is bought"
    )
    parser.add_argument(
        "--boot-delay-s",
        type=float,
        default=0.0,
        help="what the lab waits before it starts a machine",
    )
    parser.add_argument(
        "--tick-s",
        type=float,
        default=5.0,
        help="the setting of that name; the default is its default",
    )
    arguments = parser.parse_args()
    kind = {"cpu": arguments.cpu, "on_demand_usd_per_h": 0.17, "spot_usd_per_h": 0.06}
    scenario = parse_scenario(
        {"node_types": {"c5.xlarge": kind}, "boot_delay_s": arguments.boot_delay_s}
    )
    with tempfile.TemporaryDirectory() as folder, running_lab(scenario) as lab:
        settings = {
            **lab.environment(),
            "ELASTICD_PROVIDER": "ec2",
            "ELASTICD_TICK_S": str(arguments.tick_s),
        }
        with _daemon(Path(folder), settings) as client:
            rounds = [_round(lab, client) for _ in range(arguments.rounds)]
    for name, what in PARTS.items():
        taken = [each[name] for each in rounds]
        print(
            f"{name:26}{statistics.median(taken):7.2f} s  {[round(each, 2) for each in taken]}  "
            f"{what}"
        )
    print(f"{'all':26}{statistics.median(sum(each.values()) for each in rounds):7.2f} s")


def _round(lab: Lab, client: Client) -> Mapping[str, float]:
    job = {
        "name": "first",
        "workload": "esrgan",
        "preset": "small",
        "capacity": "spot",
        "iterations": 10_000,
    }
    job_id = client.post(
        "/v1/jobs", {**job, "policy": {"name": "fixed", "node_type": "c5.xlarge"}}
    )["id"]
    try:
        _until(lambda: client.items("/v1/measurements", job=job_id, limit=1))
        return _parts(lab, client, job_id)
    finally:
        client.post(f"/v1/jobs/{job_id}:stop")
        _until(lambda: client.get(f"/v1/jobs/{job_id}")["is_final"])


def _parts(lab: Lab, client: Client, job_id: str) -> Mapping[str, float]:
    decision = min(each["at_s"] for each in client.items("/v1/decisions", job=job_id, limit=1000))
    (node,) = client.items("/v1/nodes", job=job_id, limit=10)
    machine = next(each for each in lab.instances() if each.instance_id == node["provider_id"])
    (begun,) = [
        each
        for each in _events(client)
        if each["job_id"] == job_id and each["kind"] == "generation"
    ]
    windows = [
        each["window"] for each in client.items("/v1/measurements", job=job_id, limit=10_000)
    ]
    first = min(windows, key=lambda each: each["seq"])
    assert machine.running_at_s is not None
    assert (first["iterations"], first["is_cold"]) == (1, True), (
        "the first window is the first iteration"
    )
    instants = (
        *(
            decision,
            machine.launched_at_s,
            machine.running_at_s,
            node["joined_at_s"],
            begun["at_s"],
        ),
        *(first["ended_at_s"] - first["elapsed_s"], first["ended_at_s"]),
    )
    return {name: instants[index + 1] - instants[index] for index, name in enumerate(PARTS)}


def _events(client: Client) -> Iterator[Any]:
    after = 0
    while page := client.get("/v1/events", after=after, limit=200)["items"]:
        after = page[-1]["id"]
        yield from page


@contextmanager
def _daemon(folder: Path, settings: Mapping[str, str]) -> Iterator[Client]:
    own = {
        "ELASTICD_DATA_DIR": str(folder),
        "ELASTICD_CONFIG": os.devnull,
        "ELASTICD_PORT": "0",
    }
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "elastic.cli", "serve"],
            env={**environment, **settings, **own, "OMP_NUM_THREADS": "1"},
            stdout=log,
            stderr=log,
        )
    try:
        _until((folder / "daemon.json").exists)
        url = json.loads((folder / "daemon.json").read_text())["url"]
        with Client(url=url, token=(folder / "token").read_text().strip()) as client:
            _until(lambda: client.get("/v1/prices")["items"])
            yield client
    finally:
        process.terminate()
        process.wait(30)


def _until(is_true: Callable[[], Any]) -> None:
    until_s = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < until_s:
        with suppress(ElasticError, OSError):
            if is_true():
                return
        time.sleep(0.2)
    raise TimeoutError(f"nothing came within {_TIMEOUT_S:.0f} s")


if __name__ == "__main__":
    main()
