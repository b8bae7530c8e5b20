"""The purse over all jobs, and pauses, by REST."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.purse import purse_now
from elastic.config import PurseSettings
from elastic.model import JobPhase
from tests.api.world import SPEC, World, train


def texts(world: World, kind: str) -> list[str]:
    return [each.text for each in world.store.events.listed() if each.kind == kind]


def test_a_job_is_paused_and_goes_on_and_events_say_who_asked(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    for _ in range(2):
        paused = client.post("/v1/jobs/first:pause")
        assert (paused.status_code, paused.json()["phase"]) == (202, "paused")
    for _ in range(2):
        again = client.post("/v1/jobs/first:resume", json={"budget_usd": 3.0})
    assert again.status_code == 409, "it goes on already"
    gone_on = world.store.jobs.get(job.id)
    assert gone_on.phase is JobPhase.WAITING
    assert gone_on.spec.objective.budget_usd == 3.0
    assert texts(world, "job_phase") == ["job first is paused: paused on request, by REST"]
    assert texts(world, "job_resumed") == ["job first goes on, by REST; budget $3.00"]


def test_a_job_that_is_ending_cannot_be_paused(client: TestClient, world: World) -> None:
    job, _ = train(world)
    world.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=world.clock.now_s())
    answer = client.post("/v1/jobs/first:pause")
    assert answer.status_code == 409
    assert "there is nothing to pause" in answer.json()["detail"]


def test_a_paused_job_can_be_stopped(client: TestClient, world: World) -> None:
    train(world)
    client.post("/v1/jobs/first:pause")
    assert client.post("/v1/jobs/first:stop").json()["phase"] == "draining"


def test_the_purse_tells_what_is_spent_committed_and_left(world: World) -> None:
    train(world)
    settings = replace_purse(world, usd_per_h=1.0, usd_per_day=2.0)
    found = purse_now(replace(world.context, settings=settings))
    hour, day = found.caps
    assert (hour.unit, day.unit) == ("hour", "day")
    # A minute of $0.36/h, and ten minutes that are kept back to end in good order.
    assert hour.spent_usd == day.spent_usd == pytest.approx(0.006)
    assert hour.committed_usd == pytest.approx(0.06)
    assert hour.left_usd == pytest.approx(1.0 - 0.066)
    assert found.rate_usd_per_h == pytest.approx(0.9)
    (job,) = found.jobs
    assert (job.name, job.priority, job.burn_usd_per_h) == ("first", 0, 0.36)


def test_without_caps_the_purse_says_so(client: TestClient, world: World) -> None:
    found = client.get("/v1/purse").json()
    assert (found["caps"], found["rate_usd_per_h"], found["zone"]) == ([], None, "UTC")


def replace_purse(world: World, **caps: float) -> Any:
    return world.context.settings.model_copy(update={"purse": PurseSettings(**caps)})


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"start": {"hours": "20:00-07:00"}}, "start.hours: wanted hours and their zone"),
        ({"start": {"hours": "20:00-07:00 Europe/Madryd"}}, "start.hours: wanted UTC or a zone"),
        ({"start": {"hours": "20:00-20:00 UTC"}}, "begin and end at different times"),
        ({"start": {"not_before": "soon"}}, "start.not_before: wanted a time from now"),
        ({"start": {"when": 1}}, "start.when: no field 'when'"),
        ({"max_duration": "2031-05-01T12:00:00Z"}, "max_duration: wanted a time such as 8h"),
        ({"priority": 2000}, "priority"),
    ],
)
def test_what_is_no_condition_is_refused(client: TestClient, field: Any, said: str) -> None:
    answer = client.post("/v1/jobs", json={**SPEC, **field})
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_the_plan_shows_what_it_will_begin_with_and_why_not_yet(client: TestClient) -> None:
    document = {**SPEC, "start": {"not_before": "2h"}, "priority": 3, "max_duration": "1h30m"}
    found = client.post("/v1/jobs:plan", json=document).json()
    assert found["plan"]["action"] == "start"
    assert found["spec"]["max_duration_s"] == 5400.0
    assert found["spec"]["priority"] == 3
    assert any("it starts no earlier than 2023-11-15T00:13:20Z" in each for each in found["notes"])


def test_the_plan_of_a_job_with_hours_names_them_once(client: TestClient) -> None:
    hours = "20:00-20:30 UTC"  # the clock stands at 22:13
    found = client.post("/v1/jobs:plan", json={**SPEC, "start": {"hours": hours}}).json()
    assert found["plan"]["action"] == "start"
    assert "waits" not in found["plan"]["reason"]["text"]
    assert [each for each in found["notes"] if f"it starts within {hours} only" in each]
