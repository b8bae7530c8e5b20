"""Another budget and another deadline of a job that goes on."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from elastic.model import JobPhase
from tests.api.world import World, decide_once, train


def limit(client: TestClient, body: Any, **headers: str) -> Any:
    return client.post("/v1/jobs/first:limit", json=body, headers=headers)


def texts(world: World, kind: str) -> list[str]:
    return [each.text for each in world.store.events.listed() if each.kind == kind]


def test_a_budget_and_a_deadline_are_changed_and_an_event_says_so(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    first = limit(client, {"budget_usd": 2.0})
    assert first.status_code == 202
    assert first.json()["spec"]["objective"]["budget_usd"] == 2.0
    assert first.headers["etag"] == f'"{job.version + 1}"'
    second = limit(client, {"budget_usd": 5.0, "deadline": "6h"})
    objective = second.json()["spec"]["objective"]
    assert objective["budget_usd"] == 5.0
    assert objective["deadline_s"] == world.clock.now_s() + 6 * 3600
    assert texts(world, "job_changed") == [
        "job first: budget $2.00, by REST",
        "job first: budget $5.00 instead of $2.00; deadline 2023-11-15T04:14:20Z, by REST",
    ]
    assert len(world.wakes) == 2


def test_the_same_limits_again_change_nothing(client: TestClient, world: World) -> None:
    train(world)
    first = limit(client, {"budget_usd": 2.0})
    again = limit(client, {"budget_usd": 2.0})
    assert again.status_code == 202
    assert again.headers["etag"] == first.headers["etag"]
    assert len(texts(world, "job_changed")) == 1


def test_a_body_that_is_no_json_is_named_as_that(client: TestClient, world: World) -> None:
    train(world)
    refused = client.post(
        "/v1/jobs/first:limit", content=b"{budget", headers={"Content-Type": "application/json"}
    )
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "body"
    assert fault["message"].startswith("not JSON: Expecting property name")
    assert fault["message"].endswith("at character 1")


def test_a_budget_is_never_below_what_is_spent(client: TestClient, world: World) -> None:
    job, _ = train(world)
    spent_usd = world.store.ledger.spent(job.id, world.clock.now_s())
    assert spent_usd > 0
    answer = limit(client, {"budget_usd": spent_usd})
    assert answer.status_code == 409
    assert "wanted a budget above that" in answer.json()["detail"]
    assert world.store.jobs.get(job.id).version == job.version


def test_a_budget_that_would_end_the_job_is_refused_with_one_that_would_not(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    decide_once(world, job)
    for path in ("limit", "plan"):
        body = {"budget_usd": 0.0061}
        answer = client.post(f"/v1/jobs/first:{path}", json=body)
        assert answer.status_code == 409
        assert answer.json()["detail"] == (
            "job first cannot go on: $0.006 spent and $0.06 kept back to end in good order "
            "(10 min of $0.36/h) reach the budget of $0.0061: the job stops; give it a higher "
            "budget (--budget): $0.0742 should see it to its end; it goes on with $0.072, and "
            "`elasticd job stop first` ends it"
        )
    assert world.store.jobs.get(job.id).version == job.version
    assert limit(client, {"budget_usd": 0.072}).status_code == 202


def test_a_budget_that_keeps_a_job_from_a_change_alone_is_taken(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    decide_once(world, job)
    client.post("/v1/jobs/first:scale", json={"node_type": "large"})
    assert limit(client, {"budget_usd": 0.1}).status_code == 202
    kept = client.post("/v1/jobs/first:plan", json={"budget_usd": 0.099}).json()
    assert kept["target_group"] is not None and "budget" in kept["why"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"budget_usd": None, "deadline": None},
        {"budget_usd": 0},
        {"budget_usd": "5"},
        {"deadline": "2001-01-01T00:00:00Z"},
        {"deadline": "soon"},
        {"nodes": 2},
    ],
)
def test_what_is_no_limit_is_refused(client: TestClient, world: World, body: Any) -> None:
    job, _ = train(world)
    assert limit(client, body).status_code == 422
    assert world.store.jobs.get(job.id).spec == job.spec


def test_limits_heed_the_version(client: TestClient, world: World) -> None:
    job, _ = train(world)
    stale = limit(client, {"budget_usd": 2.0}, **{"If-Match": f'"{job.version - 1}"'})
    assert stale.status_code == 412
    fresh = limit(client, {"budget_usd": 2.0}, **{"If-Match": f'"{job.version}"'})
    assert fresh.status_code == 202


def test_a_job_that_is_over_is_resumed_instead(client: TestClient, world: World) -> None:
    job, _ = train(world)
    world.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=world.clock.now_s())
    answer = limit(client, {"budget_usd": 2.0})
    assert answer.status_code == 409
    assert "only a job that goes on can be given other limits" in answer.json()["detail"]


def test_the_plan_prices_limits_and_scaling_alike(client: TestClient, world: World) -> None:
    job, _ = train(world)
    kept = client.post(f"/v1/jobs/{job.id}:plan", json={"budget_usd": 100.0}).json()
    assert kept["usd_per_h"] == kept["target_usd_per_h"] == 0.36
    both = client.post(
        f"/v1/jobs/{job.id}:plan", json={"budget_usd": 100.0, "node_type": "large"}
    ).json()
    assert both["target_usd_per_h"] == 0.72
    assert world.store.jobs.get(job.id) == job


def test_scaling_is_in_the_events_too(client: TestClient, world: World) -> None:
    train(world)
    client.post("/v1/jobs/first:scale", json={"nodes": 2, "node_type": "large"})
    client.post("/v1/jobs/first:scale", json={"nodes": "auto"})
    assert texts(world, "job_changed") == [
        "job first: 2 nodes instead of as many nodes as the policy chooses; only large from now "
        "on, by REST",
        "job first: as many nodes as the policy chooses instead of 2 nodes, by REST",
    ]
