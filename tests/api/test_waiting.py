"""What a person sees of a job that waits for capacity: since when, for which pools, and when each
is asked again."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from elastic.model import Capacity, CapacityChoice, Job, JobPhase, JobSpec, Obstacle, Offering
from tests.api.world import START_S, World, decide_once
from tests.builders import add_price, intend

SPOT = Offering("small", Capacity.SPOT, "us-east-1a")
OTHER = Offering("large", Capacity.SPOT, "us-east-1b")
ON_DEMAND = Offering("small", Capacity.ON_DEMAND, "us-east-1a")


@pytest.fixture
def job(world: World) -> Job:
    """A job that takes spot only, and was refused twice in one pool."""
    spec = JobSpec(
        "patient", ("train.py",), nodes_max=1, iterations=100, capacity=CapacityChoice.SPOT
    )
    job, _ = world.store.jobs.submit(spec, key=None, request_hash="h", now_s=world.clock.now_s())
    for _ in range(2):
        world.clock.advance(600.0)
        refuse(world, job, SPOT)
    world.context.provider.blocks.block(ON_DEMAND, now_s=world.clock.now_s())
    return job


def refuse(world: World, job: Job, offering: Offering) -> None:
    now_s = world.clock.now_s()
    node = intend(world.store, job.id, offering, now_s=now_s)
    world.store.nodes.launch_failed(node.token, "none left", for_want_of_capacity=True, now_s=now_s)
    world.context.provider.blocks.block(offering, Obstacle.CAPACITY, first_s=900.0, now_s=now_s)


def waiting(client: TestClient, job: Job) -> Any:
    shown: Any = client.get(f"/v1/jobs/{job.id}").json()["waiting"]
    return shown


def test_it_says_since_when_for_what_and_when_it_is_asked_again(
    client: TestClient, world: World, job: Job
) -> None:
    shown = waiting(client, job)
    assert shown["since_s"] == START_S
    (pool,) = shown["pools"]  # on demand is blocked too, and it would not take that
    assert pool["offering"] == {"node_type": "small", "capacity": "spot", "zone": "us-east-1a"}
    assert (pool["why"], pool["refusals"], pool["since_s"]) == ("capacity", 2, START_S + 600.0)
    assert pool["asked_again_s"] > world.clock.now_s()
    assert pool["text"].startswith("small spot us-east-1a: no capacity since ")
    assert ", refused 2 times, asked again at " in pool["text"]


def test_a_pool_whose_block_is_over_is_asked_at_the_next_look_and_comes_first(
    client: TestClient, world: World, job: Job
) -> None:
    world.clock.advance(2000.0)
    refuse(world, job, OTHER)
    first, second = waiting(client, job)["pools"]
    assert first["text"].endswith("asked again at the next look")
    assert second["offering"]["node_type"] == "large"


def test_a_job_with_a_node_waits_for_none_and_one_that_lost_it_waits_since_then(
    client: TestClient, world: World, job: Job
) -> None:
    now_s = world.clock.now_s()
    add_price(world.store, SPOT, 0.1, valid_from_s=now_s, observed_at_s=now_s, source="test")
    node = intend(world.store, job.id, SPOT, now_s=world.clock.now_s())
    world.store.nodes.launched(node.id, "fake-1", launched_at_s=world.clock.now_s(), minimum_s=60.0)
    assert waiting(client, job) is None
    world.clock.advance(500.0)
    world.store.nodes.gone(node.id, at_s=world.clock.now_s())
    assert waiting(client, job)["since_s"] == world.clock.now_s()


def test_the_jobs_page_says_so(client: TestClient, job: Job) -> None:
    page = client.get(f"/jobs/{job.id}").text
    assert "no node since " in page
    assert "small spot us-east-1a: no capacity since " in page


def test_a_job_says_why_it_waits_now_and_not_why_it_began_to(
    client: TestClient, world: World, job: Job
) -> None:
    said = "waits: the purse leaves it $0/h: 3 jobs come first"
    world.store.jobs.move(job.id, JobPhase.WAITING, now_s=world.clock.now_s(), message=said)
    assert client.get(f"/v1/jobs/{job.id}").json()["message"] == said, "nothing newer is known"
    decide_once(world, job)
    shown = client.get(f"/v1/jobs/{job.id}").json()
    assert shown["message"] == shown["waits_because"] == "small is the cheapest"
    page = client.get(f"/jobs/{job.id}").text
    assert page.count("3 jobs come first") == 1, "the event's"
    assert "3 jobs come first" not in client.get("/jobs").text
