"""A job that was over goes on: what the API takes, refuses and shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.specs import to_spec
from api.steering import refuse_unpayable
from elastic.errors import Conflict
from elastic.model import AgentState, DoubtedPrice, Job, JobPhase, JobSpec, NodeReport, Objective
from elastic.sealing import Sealer
from elastic.store import Event, HeartbeatReport
from tests.api.world import LARGE, SMALL, START_S, World, decide_once, train


def end(
    world: World,
    job: Job,
    ending: JobPhase = JobPhase.CANCELLED,
    *,
    message: str = "stopped on request",
) -> None:
    """Everything of the job is ended, a minute and 40 s after it was submitted."""
    now_s = START_S + 100.0
    for node in world.store.nodes.listed(job.id):
        world.store.nodes.intend_end(node.id, reason="the job is ending", now_s=now_s)
        world.store.nodes.gone(node.id, at_s=now_s)
    world.store.generations.end(job.id, 1, now_s=now_s)
    world.store.jobs.request_stop(job.id, ending, message, now_s=now_s)
    world.store.jobs.move(job.id, ending, now_s=now_s)
    world.clock.advance(max(now_s - world.clock.now_s(), 0.0))


def limit(world: World, job: Job, objective: Objective) -> None:
    world.store.jobs.set_spec(
        job.id, replace(job.spec, objective=objective), now_s=world.clock.now_s()
    )


def resume(client: TestClient, body: Any = None, **headers: str) -> Any:
    return client.post("/v1/jobs/first:resume", json=body, headers=headers)


@pytest.fixture
def ended(world: World) -> Job:
    job, _ = train(world)
    decide_once(world, job)
    end(world, job)
    return world.store.jobs.get(job.id)


def test_a_stopped_job_goes_on_as_the_same_job(
    client: TestClient, world: World, ended: Job
) -> None:
    assert client.get("/v1/jobs/first").json()["is_final"]
    wakes = len(world.wakes)
    answer = resume(client)
    job = answer.json()
    assert (answer.status_code, job["id"], job["phase"], job["is_final"]) == (
        202,
        ended.id,
        "submitted",
        False,
    )
    assert answer.headers["etag"] == f'"{ended.version + 1}"' and len(world.wakes) == wakes + 1
    assert (job["finished_at_s"], job["ending"], job["message"], job["target_group"]) == (
        None,
        None,
        None,
        None,
    )
    assert (job["iteration"], job["spent_usd"]) == (60, pytest.approx(0.01))
    assert job["waits_because"] is None, "its newest decision is from before its end"
    assert client.get("/v1/jobs").json()["items"] == [job]
    again = resume(client)
    assert again.status_code == 409 and "there is nothing to resume" in again.json()["detail"]


def test_a_job_whose_secrets_cannot_be_opened_any_more_is_not_resumed(
    client: TestClient, world: World, ended: Job
) -> None:
    sealed = Sealer(b"of-before-a-rotation").sealed(
        replace(ended.spec, env={"KEY": "k"}, secrets=("KEY",))
    )
    world.store.jobs.set_spec(ended.id, sealed, now_s=world.clock.now_s())
    answer = resume(client)
    assert answer.status_code == 422
    assert "secret KEY was sealed with another secret" in answer.json()["detail"]
    assert world.store.jobs.get(ended.id).phase.is_final
    world.store.jobs.set_spec(
        ended.id,
        Sealer(b"secret").sealed(replace(sealed, env={"KEY": "k"})),
        now_s=world.clock.now_s(),
    )
    assert resume(client).status_code == 202


def test_a_job_without_code_of_its_own_is_not_resumed_with_other_code(
    client: TestClient, ended: Job
) -> None:
    refused = resume(client, {"code": "0" * 64})
    assert refused.status_code == 422
    assert (
        "runs /srv/train.py as it is on its nodes, so resume it without" in refused.json()["detail"]
    )


def test_a_job_goes_on_with_other_outputs_and_another_setup(
    client: TestClient, world: World, ended: Job
) -> None:
    refused = resume(client, {"outputs": ["/tmp/x"]})
    assert refused.status_code == 422 and "outputs" in refused.text
    assert resume(client, {"outputs": ["*.pt"], "setup": ["make"]}).status_code == 202
    spec = world.store.jobs.get(ended.id).spec
    assert (spec.outputs, spec.setup) == (("*.pt",), ("make",))
    said = world.store.events.listed(job_id=ended.id)[-1].text
    assert "; with other outputs; with other setup; it was cancelled" in said


def test_a_job_goes_on_in_another_image_and_installs_nothing_beside_it(
    client: TestClient, world: World, ended: Job
) -> None:
    refused = resume(client, {"image": "me/train:2", "requirements": ["einops"]})
    assert refused.status_code == 422
    assert "write them into the image" in refused.json()["detail"]
    assert resume(client, {"image": "me/train:2"}).status_code == 202
    assert world.store.jobs.get(ended.id).spec.image == "me/train:2"
    assert "in image me/train:2" in world.store.events.listed(job_id=ended.id)[-1].text


def test_only_the_version_that_was_read_is_resumed(client: TestClient, ended: Job) -> None:
    assert resume(client, **{"If-Match": '"77"'}).status_code == 412
    assert resume(client, **{"If-Match": f'"{ended.version}"'}).status_code == 202


def test_a_job_that_succeeded_or_goes_on_is_a_conflict(client: TestClient, world: World) -> None:
    job, _ = train(world)
    assert "it goes on" in resume(client).json()["detail"]
    world.store.jobs.request_stop(job.id, JobPhase.SUCCEEDED, None, now_s=START_S)
    assert "once it has ended" in resume(client).json()["detail"]
    end(world, job, JobPhase.SUCCEEDED)
    refused = resume(client, {"budget_usd": 5})
    assert refused.status_code == 409 and "there is nothing left to do" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"budget_usd": 0}, "budget_usd"),
        ({"budget_usd": "5"}, "budget_usd"),
        ({"deadline": "soon"}, "deadline"),
        ({"deadline": "2020-01-01T00:00:00Z"}, "deadline"),
        ({"budget": 5}, "budget"),
    ],
)
def test_limits_that_are_none_are_refused_by_name(
    client: TestClient, ended: Job, body: Any, field: str
) -> None:
    refused = resume(client, body)
    assert refused.status_code == 422
    assert [each["field"] for each in refused.json()["errors"]] == [field]


def test_a_budget_that_would_end_it_again_is_refused_with_one_that_does(
    client: TestClient, world: World, ended: Job
) -> None:
    limit(world, ended, Objective(budget_usd=0.05))
    refused = resume(client)
    assert refused.status_code == 409
    assert refused.json()["detail"] == (
        "job first cannot go on: $0.01 spent and $0.06 kept back to end in good order (10 min of "
        "$0.36/h) reach the budget of $0.05: the job stops; resume it with a higher budget "
        "(--budget): $0.0826 should see it to its end"
    )
    assert resume(client, {"budget_usd": 0.06}).status_code == 409
    job = resume(client, {"budget_usd": 0.0826}).json()
    assert job["spec"]["objective"]["budget_usd"] == 0.0826
    (event,) = [
        each for each in client.get("/v1/events").json()["items"] if each["kind"] == "job_resumed"
    ]
    assert event["text"].startswith(
        "job first is resumed by REST at iteration 60; budget $0.0826 instead of $0.05; it was"
    )


def test_the_budget_that_is_named_pays_for_all_that_its_checkpoint_lacks(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    checkpoint = Event(90, START_S, "checkpoint", "checkpoint", numbers={"iteration": 5.0})
    said = HeartbeatReport(NodeReport(AgentState.RUNNING, 1), notes=[checkpoint], acked_seq=90)
    world.store.heartbeats.take_in(node.id, said, now_s=START_S + 60.0)
    end(world, job)
    limit(world, job, Objective(budget_usd=0.05))
    assert resume(client).json()["detail"].endswith("(--budget): $0.0837 should see it to its end")
    assert resume(client, {"budget_usd": 0.0837}).json()["iteration"] == 5


def test_a_price_that_is_doubted_counts_as_it_does_at_the_next_tick(
    world: World, ended: Job
) -> None:
    doubts = tuple(
        DoubtedPrice(each, usd_per_h, since_s=START_S + 50.0)
        for each, usd_per_h in ((SMALL, 3.6), (LARGE, 7.2))
    )
    context = replace(world.context, doubted=lambda: doubts)
    spec = replace(ended.spec, objective=Objective(budget_usd=0.3))
    refuse_unpayable(world.context, ended, spec, now_s=START_S + 100.0)
    with pytest.raises(Conflict) as raised:
        refuse_unpayable(context, ended, spec, now_s=START_S + 100.0)
    assert "$0.01 spent (perhaps $0.045 more) and $0.60 kept back" in str(raised.value)
    assert "(--budget): $0.781 should" in str(raised.value)
    richer = replace(ended.spec, objective=Objective(budget_usd=0.836))
    refuse_unpayable(context, ended, richer, now_s=START_S + 100.0)


def test_a_job_whose_own_type_is_beyond_its_budget_goes_on_with_another(
    world: World, ended: Job
) -> None:
    doubt = DoubtedPrice(SMALL, 3.6, since_s=START_S + 50.0)
    context = replace(world.context, doubted=lambda: (doubt,))
    spec = replace(ended.spec, objective=Objective(budget_usd=0.3))
    refuse_unpayable(context, ended, spec, now_s=START_S + 100.0)


def paused(world: World) -> Job:
    """A job that was paused, without any machine."""
    job, node = train(world)
    world.store.jobs.pause(job.id, "paused on request", now_s=world.clock.now_s())
    world.store.nodes.intend_end(node.id, reason="paused", now_s=world.clock.now_s())
    world.store.nodes.gone(node.id, at_s=world.clock.now_s())
    return world.store.jobs.get(job.id)


def test_a_paused_job_is_not_resumed_to_end_at_its_budget(client: TestClient, world: World) -> None:
    job = paused(world)
    limit(world, job, Objective(budget_usd=0.05))
    refused = resume(client)
    assert refused.status_code == 409
    assert refused.json()["detail"] == (
        "job first cannot go on: $0.006 spent and $0.06 kept back to end in good order (10 min of "
        "$0.36/h) reach the budget of $0.05: the job stops; resume it with a higher budget "
        "(--budget): $0.0786 should see it to its end"
    )
    assert world.store.jobs.get(job.id).phase is JobPhase.PAUSED
    assert resume(client, {"budget_usd": 0.0786}).json()["phase"] == "waiting"


def test_a_paused_job_is_given_no_budget_that_would_end_it_when_it_is_resumed(
    client: TestClient, world: World
) -> None:
    job = paused(world)
    for path in (":limit", ":plan"):
        refused = client.post(f"/v1/jobs/{job.id}{path}", json={"budget_usd": 0.05})
        assert refused.status_code == 409
        assert "the job stops; give it a higher budget (--budget): $0.0786" in refused.text
    assert world.store.jobs.get(job.id).spec == job.spec
    given = client.post(f"/v1/jobs/{job.id}:limit", json={"budget_usd": 0.0786})
    assert given.status_code == 202
    # Another deadline is no budget.
    limit(world, job, Objective(budget_usd=0.05))
    assert client.post(f"/v1/jobs/{job.id}:limit", json={"deadline": "6h"}).status_code == 202


def test_the_budget_that_is_named_is_for_the_cheapest_that_can_be_had(
    client: TestClient, world: World
) -> None:
    """Where nothing is measured, and the deadline is too near for anything but the fastest."""
    goal = Objective(budget_usd=0.05, deadline_s=START_S + 120.0)
    spec = JobSpec("first", ("/a.py",), iterations=9, objective=goal)
    job, _ = world.store.jobs.submit(spec, key=None, request_hash="h", now_s=START_S)
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=START_S)
    assert "(--budget): $0.066, and what it may cost from now on" in resume(client).json()["detail"]


def test_what_nobody_has_measured_is_not_foretold(client: TestClient, world: World) -> None:
    spec = JobSpec("first", ("/a.py",), iterations=9, objective=Objective(budget_usd=0.05))
    job, _ = world.store.jobs.submit(spec, key=None, request_hash="h", now_s=START_S)
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=START_S)
    assert "(--budget): $0.066, and what it may cost from now on" in resume(client).json()["detail"]


def test_without_a_price_no_budget_can_be_named(
    client: TestClient, world: World, ended: Job
) -> None:
    world.clock.advance(10 * 86_400.0)
    limit(world, ended, Objective(budget_usd=0.01))
    detail = resume(client).json()["detail"]
    assert detail.endswith("(--budget)") and "$0.01 spent" in detail


def test_a_deadline_that_has_passed_wants_a_later_one(
    client: TestClient, world: World, ended: Job
) -> None:
    limit(world, ended, Objective(deadline_s=START_S + 90.0))
    refused = resume(client)
    assert refused.status_code == 409 and "--deadline 6h" in refused.json()["detail"]
    job = resume(client, {"deadline": "1h"}).json()
    assert job["spec"]["objective"]["deadline_s"] == START_S + 100.0 + 3600.0


def test_the_time_between_is_no_part_of_how_long_it_took(
    client: TestClient, world: World, ended: Job
) -> None:
    assert client.get("/v1/jobs/first/report").json()["elapsed_s"] == 100.0
    world.clock.advance(5000.0)
    resume(client)
    world.clock.advance(30.0)
    assert client.get("/v1/jobs/first/report").json()["elapsed_s"] == 130.0


def test_metrics_tell_of_it_again(client: TestClient, ended: Job) -> None:
    labels = f'{{job_id="{ended.id}",job_name="first"}}'
    assert labels not in client.get("/metrics").text
    resume(client)
    text = client.get("/metrics").text
    assert (
        f"elasticd_job_iterations{labels} 60.0" in text
        and 'elasticd_jobs{phase="submitted"} 1.0' in text
    )
    assert 'elasticd_events_total{kind="job_resumed"} 1.0' in text


def test_the_page_of_an_ended_job_names_the_command(client: TestClient, ended: Job) -> None:
    page, hint = f"/jobs/{ended.id}", f"<code>elasticd job resume {ended.id}</code>"
    assert hint in client.get(page).text
    resume(client)
    text = client.get(page).text
    assert hint not in text and "being stopped" not in text


def test_a_job_from_before_jobs_had_one_precision_goes_on_in_one(
    client: TestClient, world: World
) -> None:
    open_still = to_spec({"name": "first", "workload": "esrgan", "preset": "small"}, now_s=START_S)
    job, _ = world.store.jobs.submit(open_still, key=None, request_hash="h", now_s=START_S)
    end(world, job)
    spec = resume(client).json()["spec"]
    assert spec["precision"] == "fp32"
    assert spec["command"][spec["command"].index("--precision") + 1] == "fp32"
    (event,) = [
        each
        for each in world.store.events.listed(after=None, job_id=job.id)
        if each.kind == "job_resumed"
    ]
    assert event.text.startswith(
        "job first is resumed by REST at iteration 0 in fp32: no faster format suits "
    )
