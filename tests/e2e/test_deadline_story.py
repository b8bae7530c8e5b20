"""Deadlines on the local EC2: more nodes where one would be late, a drought that is waited out, a
goal without hope."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from elastic.model import Capacity
from elastic_lab import CapacityWindow, Lab
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon_on

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

SCENARIO = {"node_types": {"c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}}
CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 6.0

[ec2]
cluster = "deadline"
spot_refresh_s = 2.0
minimum_billed_s = 1

[policy]
cooldown_s = 5.0
trial_windows = 4
boot_prior_s = 5.0
switch_pause_prior_s = 6.0
wind_down_s = 10.0
"""
# Long beside what a busy machine adds to the exchange of two workers.
STEP_S = 0.2
DROUGHT_S = 20.0
SCRIPT = f"""
import os, pathlib, sys, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank, steps = dist.get_rank(), int(sys.argv[1])
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
snapshot, samples = pathlib.Path("snapshot.pt"), 0
if snapshot.exists():
    saved = torch.load(snapshot, weights_only=True)
    model.module.load_state_dict(saved["model"])
    samples = saved["samples"]
while samples < steps:
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    time.sleep({STEP_S})
    samples += dist.get_world_size()
    if rank == 0 and samples % 10 < dist.get_world_size():
        torch.save({{"model": model.module.state_dict(), "samples": samples}}, "part")
        os.replace("part", snapshot)
dist.destroy_process_group()
"""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with lab_left_empty(SCENARIO) as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, lab: Lab) -> Iterator[RunningDaemon]:
    with running_daemon_on(lab, tmp_path, config=CONFIG) as running:
        yield running


def submit(
    daemon: RunningDaemon, *, iterations: int, due_s: float, **spec: Any
) -> tuple[str, float]:
    """Submits the script, as many batches as iterations; gives the job and the instant of its
    deadline."""
    script = daemon.folder / "train.py"
    script.write_text(SCRIPT)
    deadline_s = time.time() + due_s
    job_id = daemon.submit(
        name="due",
        mode="restart",
        command=[str(script), str(iterations)],
        iterations=iterations,
        node_types=["c5.large"],
        objective={"deadline": f"{due_s:.0f}s"},
        **spec,
    )
    return job_id, deadline_s


def finished_at_s(daemon: RunningDaemon, job_id: str, *, timeout_s: float) -> float:
    daemon.until_phase(job_id, "succeeded", timeout_s=timeout_s)
    return time.time()


def bought(daemon: RunningDaemon, job_id: str) -> list[str]:
    """How each node of the job was bought, gone ones too."""
    nodes = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    return [each["offering"]["capacity"] for each in nodes if each["provider_id"]]


def with_code(decisions: list[dict[str, Any]], code: str) -> list[dict[str, Any]]:
    return [each for each in decisions if each["plan"]["reason"]["code"] == code]


def decided(daemon: RunningDaemon, job_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.get("/v1/decisions", job=job_id, limit=200)["items"]
    return found


def test_a_job_whose_deadline_needs_two_nodes_gets_them_and_meets_it(daemon: RunningDaemon) -> None:
    alone_s = 180.0
    job_id, deadline_s = submit(
        daemon,
        iterations=round(alone_s / STEP_S),
        due_s=0.9 * alone_s,
        nodes={"min": 1, "max": 2},
        capacity="on-demand",
    )

    ended_s = finished_at_s(daemon, job_id, timeout_s=300.0)

    assert ended_s <= deadline_s, f"{ended_s - deadline_s:.0f} s late"
    sizes = {
        each["plan"]["target"]["members"][0][1]
        for each in decided(daemon, job_id)
        if each["plan"]["target"]
    }
    assert max(sizes) == 2


def test_a_drought_of_spot_is_waited_out_and_the_job_ends_in_time(
    daemon: RunningDaemon, lab: Lab
) -> None:
    job_id, deadline_s = submit(
        daemon, iterations=round(40.0 / STEP_S), due_s=1800.0, capacity="any"
    )
    daemon.until_iteration(job_id, round(15.0 / STEP_S))
    (node,) = daemon.get("/v1/nodes", job=job_id)["items"]
    assert node["offering"]["capacity"] == "spot"

    begun_s = lab.state().after_s
    lab.add_trouble(
        CapacityWindow(capacity=Capacity.SPOT, from_s=begun_s, until_s=begun_s + DROUGHT_S)
    )
    lab.interrupt(node["provider_id"], notice_s=5.0)
    waiting = daemon.until(
        "it waits for spot", lambda: with_code(decided(daemon, job_id), "waiting")
    )
    assert waiting[0]["plan"]["reason"]["text"].startswith("waits for spot: the rest should cost $")
    daemon.until("the drought is over", lambda: lab.state().after_s > begun_s + DROUGHT_S)
    assert not lab.running()
    # A pool that refused is left alone for three minutes. A daemon that is started again asks at
    # once.
    daemon.stop()
    daemon.start()

    assert finished_at_s(daemon, job_id, timeout_s=120.0) <= deadline_s
    assert bought(daemon, job_id) == ["spot", "spot"]


def test_a_deadline_without_hope_is_said_within_a_minute(daemon: RunningDaemon) -> None:
    begun_s = time.monotonic()
    job_id, _ = submit(
        daemon, iterations=round(36_000 / STEP_S), due_s=3600.0, capacity="on-demand"
    )

    def said() -> list[dict[str, Any]]:
        return [
            each for each in daemon.get("/v1/alarms")["items"] if each["kind"] == "will_be_late"
        ]

    (alarm, *_) = daemon.until("the alarm", said, timeout_s=60.0)

    assert time.monotonic() - begun_s < 60.0
    assert "deadline" in alarm["text"]
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    daemon.until_phase(job_id, "cancelled", timeout_s=60.0)
