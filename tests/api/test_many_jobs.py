"""Lists of jobs ask the database as often for many jobs as for few, and say of each what it says of
itself."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from elastic.model import (
    AgentState,
    Capacity,
    CapacityChoice,
    Job,
    JobPhase,
    JobSpec,
    NodeReport,
    Offering,
    Preparing,
)
from elastic.store import HeartbeatReport, StoredAlarm
from tests.api.world import SMALL, World, decide_once
from tests.builders import intend
from tests.statements import statements

SPOT = Offering("small", Capacity.SPOT, "us-east-1a")


def submitted(world: World, name: str, **more: object) -> Job:
    script = ("/srv/train.py",)
    spec = JobSpec(name, script, nodes_max=2, iterations=100, **more)  # type: ignore[arg-type]
    now_s = world.clock.now_s()
    job, _ = world.store.jobs.submit(spec, key=None, request_hash=name, now_s=now_s)
    world.store.events.add("note", f"a word of {name}", job_id=job.id, now_s=now_s)
    return job


def trains(world: World, name: str) -> Job:
    """A job of which one of two nodes is lost, one boots, and one prepares."""
    job = submitted(world, name)
    store, now_s = world.store, world.clock.now_s()
    nodes = []
    for number in range(3):
        node = intend(store, job.id, SMALL, now_s=now_s)
        store.nodes.launched(node.id, f"{name}-{number}", launched_at_s=now_s, minimum_s=60.0)
        world.clock.advance(1.0)
        nodes.append(node)
    first, second, _ = nodes
    members = tuple(store.nodes.joined(each.id, now_s=world.clock.now_s()) for each in nodes[:2])
    store.generations.start(job.id, members, rdzv_endpoint="127.0.0.1:1", now_s=now_s)
    decide_once(world, job)
    store.nodes.gone(first.id, at_s=world.clock.now_s(), why="lost")
    said = NodeReport(AgentState.IDLE, preparing=Preparing("installing torch", 4.0))
    report = HeartbeatReport(said, windows=[], acked_seq=0)
    store.heartbeats.take_in(second.id, report, now_s=world.clock.now_s())
    alarm = StoredAlarm("will_be_late", "3 h late", now_s, job.id, None, name)
    store.alarms.begin(alarm, now_s=now_s)
    return job


def waits(world: World, name: str) -> Job:
    """A job that takes spot only, of which there is none."""
    job = submitted(world, name, capacity=CapacityChoice.SPOT)
    now_s = world.clock.now_s()
    node = intend(world.store, job.id, SPOT, now_s=now_s)
    world.store.nodes.launch_failed(node.token, "none left", for_want_of_capacity=True, now_s=now_s)
    decide_once(world, job)
    return job


def ended(world: World, name: str, phase: JobPhase) -> Job:
    job = submitted(world, name)
    now_s = world.clock.now_s()
    world.store.jobs.request_stop(job.id, phase, "exit code 1", now_s=now_s)
    world.store.jobs.move(job.id, phase, now_s=now_s, message="exit code 1")
    world.clock.advance(1.0)
    return job


@pytest.mark.parametrize(
    "path", ["/v1/jobs", "/jobs", "/jobs?order=cost", "/jobs?order=left", "/metrics", "/v1/purse"]
)
def test_twenty_jobs_take_as_many_statements_as_two(
    client: TestClient, world: World, path: str
) -> None:
    counts = []
    for numbers in (range(1), range(1, 10)):
        for number in numbers:
            trains(world, f"trains-{number}")
            waits(world, f"waits-{number}")
        with statements() as found:
            assert client.get(path).status_code == 200
        counts.append(len(found))
    assert counts[1] == counts[0] < 50


def test_a_list_says_of_each_job_what_its_own_resource_says(
    client: TestClient, world: World
) -> None:
    trains(world, "trains")
    waits(world, "waits")
    ended(world, "again", JobPhase.FAILED)
    ended(world, "again", JobPhase.FAILED)
    ended(world, "fine", JobPhase.SUCCEEDED)
    resumed = ended(world, "resumed", JobPhase.CANCELLED)
    world.store.resumes.resume(resumed.id, resumed.spec, now_s=world.clock.now_s())
    found = client.get("/v1/jobs").json()["items"]
    assert [each["spec"]["name"] for each in found] == [
        "resumed",
        "fine",
        "again",
        "again",
        "waits",
        "trains",
    ]
    assert found == [client.get(f"/v1/jobs/{each['id']}").json() for each in found]
    assert [each["attention"] for each in found] == [
        None,
        None,
        "exit code 1",
        None,
        None,
        "will be late: 3 h late",
    ]
    assert all(each["notes"][-1] == f"a word of {each['spec']['name']}" for each in found)
    boots, prepares = sorted(found[-1]["preparing"])
    assert boots.startswith("booting node-") and prepares.startswith("installing torch on node-")
    assert len(found[-2]["waiting"]["pools"]) == 1


def test_a_job_whose_name_an_older_one_goes_on_with_needs_no_attention(
    client: TestClient, world: World
) -> None:
    older = ended(world, "again", JobPhase.FAILED)
    newer = ended(world, "again", JobPhase.FAILED)
    world.store.resumes.resume(older.id, older.spec, now_s=world.clock.now_s())
    assert world.store.jobs.followed([newer.id]) == {newer.id}
    assert client.get(f"/v1/jobs/{newer.id}").json()["attention"] is None
