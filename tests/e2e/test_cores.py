"""A market of node types with one core and with two: a real daemon trains on all the cores that it
pays for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import RunningDaemon, running_daemon

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(420),
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a node with two cores needs two"),
]

# Two cores cost a little more than one: they are the better buy only where training really uses
# both.
CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 20.0

[[local_types]]
name = "one"
cpu = 1.0
usd_per_h = 0.36

[[local_types]]
name = "two"
cpu = 2.0
usd_per_h = 0.378

[policy]
cooldown_s = 5.0
trial_windows = 6
trial_usd_share = 0.9
trial_of_every = true
wind_down_s = 25.0
switch_pause_prior_s = 5.0
boot_prior_s = 3.0
"""
PRICES = {"one": 0.36, "two": 0.378}
CLEARLY = 1.2
"""Twice the margin that a move has to gain."""
ESRGAN = {
    "workload": "esrgan",
    "preset": "small",
    "iterations": 100_000,
    "hyperparameters": {
        "hr_height": 128,
        "hr_width": 128,
        "warmup_batches": 0,
        "held_out_crops": 1,
        "sample_interval": 10_000,
        "checkpoint_interval": 200,
    },
}


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path, config=CONFIG) as running:
        yield running


def warm_windows(daemon: RunningDaemon, job_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Each warm window of a job with the type of the node that measured it."""
    types = {
        each["id"]: each["offering"]["node_type"]
        for each in daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    }
    with daemon.client() as client:
        found = [
            each["window"] for each in client.items("/v1/measurements", job=job_id, limit=10_000)
        ]
    return [(types[each["node_id"]], each) for each in found if not each["is_cold"]]


def settled(daemon: RunningDaemon, job_id: str) -> Any:
    """The job, once both types are measured and the one that is wanted trains."""
    job, decisions = (
        daemon.get(f"/v1/jobs/{job_id}"),
        daemon.get("/v1/decisions", job=job_id)["items"],
    )
    samples = [each["samples"] for each in job["candidates"] if len(each["group"]["members"]) == 1]
    # A trial ends as soon as it is seen to be dearer.
    is_measured = len(samples) == len(PRICES) and min(samples) >= 1
    if not (decisions and is_measured):
        return None
    newest = decisions[0]["plan"]
    is_calm = newest["action"] == "hold" and newest["reason"]["code"] not in (
        "measuring",
        "changing",
        "lost",
    )
    is_one = (
        job["current_group"] == job["target_group"] is not None
        and len(job["current_group"]["members"]) == 1
    )
    return job if is_calm and is_one else None


def test_the_ranking_follows_the_speed_that_one_and_two_cores_were_measured_at(
    daemon: RunningDaemon,
) -> None:
    job_id = daemon.submit(name="cores", **ESRGAN)

    job = daemon.until("both types are measured", lambda: settled(daemon, job_id), timeout_s=300)

    # Beside busy neighbours two cores may have been no faster than one: the ranking follows what
    # was measured.
    alone = {
        each["group"]["members"][0][0]["node_type"]: each
        for each in job["candidates"]
        if len(each["group"]["members"]) == 1
    }
    speeds = {name: 1.0 / each["step_s"]["value"] for name, each in alone.items()}
    print(f"two cores are {speeds['two'] / speeds['one']:.2f} times as fast as one")
    value = {name: speed / PRICES[name] for name, speed in speeds.items()}
    ((best, _),) = job["current_group"]["members"]
    if max(value.values()) > CLEARLY * min(value.values()):  # what is about equal is not moved for
        assert best["node_type"] == max(value, key=value.__getitem__)
    # The speeds are those of its windows; while one node takes over from the other, both train:
    # those tell of neither.
    windows = [
        (of, window) for of, window in warm_windows(daemon, job_id) if window["world_size"] == 1
    ]
    for name, speed in speeds.items():
        seen = [window["iterations"] / window["elapsed_s"] for of, window in windows if of == name]
        # Of a single window it is the same number, but for the rounding of its inverse.
        assert min(seen) * (1 - 1e-12) <= speed <= max(seen) * (1 + 1e-12)
    workers = {name: each["workers"] for name, each in alone.items()}
    assert workers == {
        "one": [{"processes": 1, "threads": 1}],
        "two": [{"processes": 1, "threads": 2}],
    }


def test_a_map_by_node_type_is_obeyed_on_each_type(daemon: RunningDaemon) -> None:
    job_id = daemon.submit(
        name="map", mode="restart", nproc_per_node={"two": 2, "one": 1}, **ESRGAN
    )

    daemon.until("both types are measured", lambda: settled(daemon, job_id), timeout_s=300)

    sizes = {(of, window["world_size"]) for of, window in warm_windows(daemon, job_id)}
    assert sizes == {("one", 1), ("two", 2)}
