"""Spot machines that the cloud takes back: real agents and real training on the local EC2, through
the whole daemon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from elastic_lab import Lab
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon_on

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

TURNS, INTERVAL = 400, 50
SCENARIO = {"node_types": {"c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}}
CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 6.0

[ec2]
cluster = "interrupted"
capacities = ["spot"]
"""
SCRIPT = f"""
import os, pathlib, time
import torch
from elastic.worker import checkpointed, drained, finished, paramount

state = pathlib.Path(os.environ["ELASTICD_CHECKPOINT_DIR"])
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
done = 0
if (state / "model.pt").exists():
    saved = torch.load(state / "model.pt", weights_only=True)
    model.load_state_dict(saved["model"])
    done = saved["done"]

def save():
    torch.save({{"model": model.state_dict(), "done": done}}, state / "part")
    (state / "part").replace(state / "model.pt")
    checkpointed(done, elapsed_s=0.01)

while done < {TURNS}:
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    time.sleep(0.05)
    done += 1
    with (state / "turns").open("a") as file:
        file.write(f"{{done}}\\n")
    stop = paramount(done)
    if stop or done % {INTERVAL} == 0:
        save()
    if stop:
        drained(done)
        break
else:
    finished(done)
"""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with lab_left_empty(SCENARIO) as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, lab: Lab) -> Iterator[RunningDaemon]:
    with running_daemon_on(lab, tmp_path, config=CONFIG) as running:
        yield running


def submit(daemon: RunningDaemon) -> str:
    script = daemon.folder / "train.py"
    script.write_text(SCRIPT)
    return daemon.submit(
        name="interrupted",
        command=[str(script)],
        iterations=TURNS,
        capacity="spot",
        node_types=["c5.large"],
        policy={"name": "fixed", "node_type": "c5.large"},
    )


def only_machine(daemon: RunningDaemon, job_id: str) -> tuple[str, str]:
    """The node that trains, and its instance."""
    (node,) = daemon.get("/v1/nodes", job=job_id)["items"]
    return node["id"], node["provider_id"]


def redone(daemon: RunningDaemon, job_id: str) -> int:
    """How many turns were done more than once; every one must have been done."""
    lines = (daemon.data / "jobs" / job_id / "checkpoints" / "turns").read_text().split()
    counts = Counter(int(each) for each in lines)
    assert set(counts) == set(range(1, TURNS + 1))
    return sum(count - 1 for count in counts.values())


def finish(daemon: RunningDaemon, job_id: str, lab: Lab) -> None:
    job = daemon.until_phase(job_id, "succeeded", timeout_s=180.0)
    assert job["iteration"] == TURNS
    daemon.until("every machine is gone", lambda: not lab.running(), timeout_s=30.0)


def kinds(daemon: RunningDaemon, job_id: str) -> list[str]:
    return [
        event["kind"] for event in daemon.get("/v1/events", job=job_id, after=0, limit=500)["items"]
    ]


def test_an_interruption_with_notice_loses_no_iteration(daemon: RunningDaemon, lab: Lab) -> None:
    job_id = submit(daemon)
    daemon.until_iteration(job_id, 20)
    old, instance_id = only_machine(daemon, job_id)
    lab.interrupt(instance_id, notice_s=20.0)
    finish(daemon, job_id, lab)
    assert redone(daemon, job_id) == 0
    node = daemon.get(f"/v1/nodes/{old}")
    assert node["phase"] == "terminated"
    assert node["terminated_at_s"] < node["notice"]["at_s"]
    reasons = {each.instance_id: each.reason for each in lab.instances()}
    assert len(reasons) == 2
    assert "Spot" not in reasons[instance_id], "it was ended before the cloud took it"
    assert kinds(daemon, job_id).count("interruption_notice") == 1
    assert "failure" not in kinds(daemon, job_id)


def test_an_interruption_without_notice_costs_at_most_a_checkpoint_interval(
    daemon: RunningDaemon, lab: Lab
) -> None:
    job_id = submit(daemon)
    daemon.until_iteration(job_id, INTERVAL + 20)
    old, instance_id = only_machine(daemon, job_id)
    lab.interrupt(instance_id, notice_s=0.0)
    daemon.until(
        "it is known to be lost",
        lambda: daemon.get(f"/v1/nodes/{old}")["phase"] == "lost",
        timeout_s=20.0,
    )
    finish(daemon, job_id, lab)
    assert 0 < redone(daemon, job_id) <= INTERVAL


def test_a_notice_that_comes_while_the_daemon_is_dead_loses_no_iteration(
    daemon: RunningDaemon, lab: Lab
) -> None:
    job_id = submit(daemon)
    daemon.until_iteration(job_id, 20)
    _, instance_id = only_machine(daemon, job_id)
    daemon.kill()
    lab.interrupt(instance_id, notice_s=14.0)
    daemon.until("the machine is taken", lambda: not lab.running(), timeout_s=40.0)
    daemon.start()
    finish(daemon, job_id, lab)
    assert redone(daemon, job_id) == 0
