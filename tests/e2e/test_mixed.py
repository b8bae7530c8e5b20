"""Two node types train one job under a real daemon: what runs is kept, another comes in, the mix
has its own rate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.running import RunningDaemon, running_daemon
from tests.e2e.sessions import SCRIPT, Told

pytestmark = [pytest.mark.slow, pytest.mark.soak, pytest.mark.timeout(300)]

# What an iteration costs on the large type is less, so that two small ones are no rival; two large
# ones pass the cap.
_CONFIG = """
tick_s = 0.5
heartbeat_s = 0.5
drain_grace_s = 20.0

[[local_types]]
name = "small"
cpu = 0.8
usd_per_h = 0.36

[[local_types]]
name = "large"
cpu = 2.0
usd_per_h = 0.6

[policy]
trial_windows = 4
trial_usd_share = 1.0
wind_down_s = 25.0
switch_pause_prior_s = 1.0
boot_prior_s = 3.0
"""
_CAP_USD_PER_H = 1.0


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path, config=_CONFIG) as running:
        yield running


def _types(group: dict[str, Any] | None) -> dict[str, int]:
    return (
        {}
        if group is None
        else {offering["node_type"]: count for offering, count in group["members"]}
    )


def test_a_node_of_another_type_comes_in_beside_the_one_that_runs(daemon: RunningDaemon) -> None:
    """The deadline cannot be met, so whatever is clearly faster is worth a trial, and the fastest
    is kept."""
    job_id = daemon.submit(
        name="mixed",
        command=[str(SCRIPT), "1000000", "0.0", "0.06"],
        mode="live",
        iterations=1_000_000,
        global_batch=12,
        nodes={"min": 1, "max": 2},
        objective={"deadline": "10m", "max_usd_per_hour": _CAP_USD_PER_H},
    )
    told = Told(daemon, job_id)

    def kept() -> Any:
        job = daemon.get(f"/v1/jobs/{job_id}")
        is_mixed = (
            _types(job["target_group"]) == _types(job["current_group"]) == {"large": 1, "small": 1}
        )
        return job if is_mixed and job["phase"] == "running" else None

    job = daemon.until("the mix is measured and kept", kept, timeout_s=240.0)
    mix = next(each for each in job["candidates"] if each["group"] == job["target_group"])
    assert mix["samples"] >= 4
    assert mix["step_s"]["value"] > 0
    measured = [
        each
        for each in daemon.get("/v1/measurements", job=job_id)["items"]
        if not each["window"]["is_cold"]
    ]
    assert _types(measured[0]["group"]) == {"large": 1, "small": 1}
    nodes = {each["id"]: each for each in daemon.get("/v1/nodes", job=job_id, all=True)["items"]}
    trial = next(
        each
        for each in daemon.get("/v1/decisions", job=job_id)["items"]
        if each["plan"]["action"] == "trial"
    )
    assert _types(trial["plan"]["target"]) == {"large": 1, "small": 1}
    assert "together they should need" in trial["plan"]["reason"]["text"]
    # Nobody was swapped for the mix: the large node trained before it was decided on, and its
    # worker goes on.
    large = next(each for each in nodes.values() if each["offering"]["node_type"] == "large")
    workers = [line["pid"] for line in told.lines("joined") if line["node"] == large["id"]]
    assert told.lines("turn")[-1]["world_size"] == 2
    assert [line["pid"] for line in told.lines("turn") if line["node"] == large["id"]][
        -1
    ] == workers[0]
    told.assert_nothing_lost()
    rows = daemon.get(f"/v1/jobs/{job_id}/report")["nodes"]
    assert sorted(row["offering"]["node_type"] for row in rows) == ["large", "small", "small"]
