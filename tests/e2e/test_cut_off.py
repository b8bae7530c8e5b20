"""A node of a job in mode restart is cut off the network: the others begin anew without it, and it
comes back when it is heard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from elastic_lab import Lab, has_namespaces
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon_on

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not has_namespaces(), reason="needs root, ip, nsenter and unshare"),
]

SCENARIO = {"node_types": {"c5.large": {"on_demand_usd_per_h": 0.085}}, "machines": "namespaces"}
CONFIG = """
tick_s = 1.0
drain_grace_s = 5.0

[ec2]
cluster = "cut-off"
capacities = ["on-demand"]
"""
SCRIPT = """
import json, os, pathlib, time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
told = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"]) / f"{os.environ['ELASTICD_GENERATION']}-{dist.get_rank()}"
for done in range(1, 100_000):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    time.sleep(0.1)
    part = told.with_suffix(".part")
    part.write_text(json.dumps({"done": done, "world_size": dist.get_world_size()}))
    part.replace(told)
"""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with lab_left_empty(SCENARIO) as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, lab: Lab) -> Iterator[RunningDaemon]:
    with running_daemon_on(lab, tmp_path, config=CONFIG) as running:
        yield running


def newest(daemon: RunningDaemon, job_id: str) -> tuple[int, int, int]:
    """The newest generation that has made turns, its size, and its turns so far by its last
    member's word."""
    told = list((daemon.data / "jobs" / job_id / "checkpoints").glob("[0-9]*-[0-9]*"))
    generation = max(int(each.name.partition("-")[0]) for each in told)
    said: list[dict[str, Any]] = [
        json.loads(each.read_text()) for each in told if each.match(f"{generation}-*")
    ]
    is_whole = len(said) == said[0]["world_size"]
    return generation, said[0]["world_size"], min(each["done"] for each in said) if is_whole else 0


def test_the_others_go_on_without_a_node_that_is_cut_off_and_with_it_once_it_is_back(
    daemon: RunningDaemon, lab: Lab
) -> None:
    script = daemon.folder / "train.py"
    script.write_text(SCRIPT)
    job_id = daemon.submit(
        name="cut-off",
        command=[str(script)],
        mode="restart",
        nodes={"min": 1, "max": 3},
        policy={"name": "fixed", "node_type": "c5.large"},
    )
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:scale", {"nodes": 3})

    def trains(generation: int, world_size: int) -> bool:
        found = newest(daemon, job_id)
        return found[0] >= generation and found[1] == world_size and found[2] > 20

    daemon.until("three nodes train", lambda: trains(1, 3))
    lost = daemon.get("/v1/nodes", job=job_id)["items"][0]
    lab.cut_off(lost["provider_id"], is_cut=True)
    daemon.until("two nodes train", lambda: trains(2, 2))
    hung = [
        each
        for each in daemon.get("/v1/events", job=job_id, after=0, limit=500)["items"]
        if each["kind"] == "hung"
    ]
    assert [each["text"] for each in hung] == [
        f"no heartbeat from {lost['id']}, and the others stand still"
    ]
    lab.cut_off(lost["provider_id"], is_cut=False)
    daemon.until("all three train again", lambda: trains(3, 3))
    with daemon.client() as client:
        client.post(f"/v1/jobs/{job_id}:stop")
    daemon.until_phase(job_id, "cancelled", timeout_s=60.0)
