from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import give_context, routes
from elastic.model import (
    AgentState,
    Batch,
    Beginning,
    JobPhase,
    NodeReport,
    Objective,
    Precision,
    Save,
)
from elastic.providers import FakeCloud, FakeProvider
from elastic.store import HeartbeatReport
from tests.api.world import SPEC, START_S, TYPES, World, decide_once, train
from tests.builders import window

ESRGAN = {"name": "sr", "workload": "esrgan", "preset": "small"}
ESRGAN_YAML = b"name: sr\nworkload: esrgan\npreset: small\nobjective: {budget_usd: 2}\n"
LAUGHS = b"name: &a x\ncommand: [*a, *a]\n"


def submit(client: TestClient, document: Any = SPEC, **headers: str) -> Any:
    return client.post("/v1/jobs", json=dict(document), headers=headers)


def test_a_submitted_job_is_stored_shown_and_attended_to(client: TestClient, world: World) -> None:
    answer = submit(client)
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    assert answer.headers["etag"] == '"0"'
    assert (job["phase"], job["spec"]["name"], job["spec"]["nodes_max"]) == (
        "submitted",
        "first",
        2,
    )
    assert job["progress"] == {
        "iteration": 0, "iterations": 100, "unit": None, "fraction": 0.0, "iterations_per_s": None, "eta_s": None,
    }  # fmt: skip
    assert world.wakes == [START_S]
    assert client.get(answer.headers["location"]).json() == job
    assert client.get("/v1/jobs/first").json() == job


def test_a_jobs_workers_have_the_daemons_grace_to_drain(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    settings = world.context.settings.model_copy(update={"drain_grace_s": 120.0})
    give_context(bare_app, replace(world.context, settings=settings))
    assert submit(client).json()["spec"]["drain_grace_s"] == 120.0


def test_a_job_says_where_its_checkpoints_are(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    settings = world.context.settings.model_copy(
        update={"checkpoint_root": "s3://training/elasticd/"}
    )
    give_context(bare_app, replace(world.context, settings=settings))
    job = submit(client).json()
    assert job["files_at"] == f"s3://training/elasticd/{job['id']}"


def test_yaml_is_taken_as_json_is(client: TestClient) -> None:
    answer = client.post(
        "/v1/jobs", content=ESRGAN_YAML, headers={"Content-Type": "application/yaml; charset=utf-8"}
    )
    assert answer.status_code == 202
    assert answer.json()["spec"]["command"][:2] == ["-m", "elastic.workloads.esrgan"]
    assert answer.json()["spec"]["objective"]["budget_usd"] == 2.0


def test_the_same_key_and_body_give_the_same_job(client: TestClient, world: World) -> None:
    first = submit(client, **{"Idempotency-Key": "k1"})
    reordered = json.dumps({name: SPEC[name] for name in reversed(list(SPEC))}).encode()
    headers = {"Idempotency-Key": "k1", "Content-Type": "application/json"}
    again = client.post("/v1/jobs", content=reordered, headers=headers)
    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json()["id"] == first.json()["id"]
    assert len(world.store.jobs.listed()) == 1 and len(world.wakes) == 1


def test_the_same_key_with_another_body_is_a_conflict(client: TestClient, world: World) -> None:
    submit(client, **{"Idempotency-Key": "k1"})
    refused = submit(client, {**SPEC, "iterations": 7}, **{"Idempotency-Key": "k1"})
    assert refused.status_code == 409 and "use a new key" in refused.json()["detail"]
    assert len(world.store.jobs.listed()) == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
def test_a_key_that_is_none_is_refused(client: TestClient, world: World, key: str) -> None:
    assert submit(client, **{"Idempotency-Key": key}).status_code == 422
    assert world.store.jobs.listed() == ()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"name": "x", "command": ["/a.py"], "iteratons": 3}', "iteratons"),
        (b'{"name": "x", "command": ["/a.py"], "iterations": NaN}', "iterations"),
        (b"name: x\ncommand: [/a.py]\nobjective: {budget_usd: .inf}", "objective.budget_usd"),
        (b"name: ../../etc/passwd\ncommand: [/a.py]", "name"),
        (b"name: x\ncommand: [/a.py]\nnode_types: [medium]", "node_types"),
        (b"name: x\nname: y\ncommand: [/a.py]", "name"),
        (LAUGHS, None),
        (b"[" * 20_000, None),
        (b"", None),
        (b"\xff", None),
    ],
)
def test_a_hostile_job_is_refused_by_name_and_changes_nothing(
    client: TestClient, world: World, body: bytes, field: str | None
) -> None:
    before = world.store.events.newest_id()
    for path in ("/v1/jobs", "/v1/jobs:plan"):
        answer = client.post(path, content=body)
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        named = [each["field"] for each in answer.json().get("errors", [])]
        assert named == ([] if field is None else [field])
    assert (
        world.store.jobs.listed() == ()
        and world.store.events.newest_id() == before
        and world.wakes == []
    )


def test_a_form_is_no_job(client: TestClient) -> None:
    refused = client.post("/v1/jobs", data={"name": "x"})
    assert refused.status_code == 415 and "application/yaml" in refused.json()["detail"]


def test_a_plan_is_priced_and_nothing_is_submitted(client: TestClient, world: World) -> None:
    plan = client.post("/v1/jobs:plan", json=dict(SPEC)).json()
    assert plan["spec"]["name"] == "first"
    assert {each["offering"]["node_type"]: each["usd_per_h"] for each in plan["prices"]} == {
        "small": 0.36,
        "large": 0.72,
    }
    assert plan["plan"]["reason"]["text"] and plan["measured_by"] is None
    assert world.store.jobs.listed() == () and world.wakes == []


def test_a_plan_says_where_a_script_must_be(
    client: TestClient, world: World, bare_app: FastAPI
) -> None:
    assert client.post("/v1/jobs:plan", json=dict(SPEC)).json()["notes"] == [], (
        "nodes here see what is here"
    )
    settings = world.context.settings.model_copy(update={"provider": "ec2"})
    give_context(bare_app, replace(world.context, settings=settings))
    (note,) = client.post("/v1/jobs:plan", json=dict(SPEC)).json()["notes"]
    assert note.startswith("/srv/train.py is a path on the nodes")
    for elsewhere in (
        {"command": ["train.py"], "code": "0" * 64},
        {"command": ["-m", "mine.train"]},
    ):
        assert client.post("/v1/jobs:plan", json={**SPEC, **elsewhere}).json()["notes"] == []


def test_a_plan_shows_what_an_earlier_run_measured(client: TestClient, world: World) -> None:
    job, _ = train(world)
    plan = client.post("/v1/jobs:plan", json=dict(SPEC)).json()
    assert plan["measured_by"] == job.id
    assert any(each["samples"] for each in plan["candidates"])


def test_a_plan_knows_a_program_under_another_name_and_for_another_time_by_one_rule(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    again = {**SPEC, "name": "again", "objective": {"deadline": "2h"}, "nodes": {"max": 2}}
    plan = client.post("/v1/jobs:plan", json=again).json()
    assert plan["measured_by"] == job.id
    assert "earlier runs of this program" in plan["plan"]["reason"]["text"]
    assert plan["forecast"]["frontier"]
    other = client.post(
        "/v1/jobs:plan", json={**SPEC, "command": [*SPEC["command"], "--wide"]}
    ).json()
    assert other["measured_by"] is None
    assert "speed not measured yet" in other["plan"]["reason"]["text"]
    assert other["forecast"]["frontier"] == []


def test_a_plan_says_that_nothing_of_its_capacity_is_sold(client: TestClient) -> None:
    assert client.post("/v1/jobs:plan", json=SPEC).json()["notes"] == []
    told = client.post("/v1/jobs:plan", json={**SPEC, "capacity": "spot"}).json()
    assert told["candidates"] == []
    (note,) = told["notes"]
    assert note.startswith(
        "capacity is spot, and no spot machine that the job may use is sold here"
    )


def test_a_plan_foretells_by_an_earlier_run_when_the_job_is_done_and_for_how_much(
    client: TestClient, world: World
) -> None:
    train(world)
    wish = {**SPEC, "objective": {"deadline": "1h", "budget_usd": 1.0}}
    told = client.post("/v1/jobs:plan", json=wish).json()["forecast"]
    assert told["misses"] == []
    assert told["best"] == told["frontier"][0]
    assert told["frontier"][0]["is_measured"]
    assert [each["usd"]["value"] for each in told["frontier"]] == sorted(
        each["usd"]["value"] for each in told["frontier"]
    )


def test_a_plan_says_that_what_remains_is_for_the_iterations_that_the_budget_buys(
    client: TestClient, world: World
) -> None:
    train(world)
    wish = {**SPEC, "iterations": 10_000, "objective": {"budget_usd": 0.1}}
    told = client.post("/v1/jobs:plan", json=wish).json()
    (finish,) = told["forecast"]["finishes"][:1]
    (rest,) = [each for each in told["candidates"] if each["group"] == finish["group"]]
    assert rest["remaining_s"] < finish["lasts_s"]["value"]
    (note,) = told["notes"]
    assert note.startswith("the budget buys 2,000 of the iterations that are left: ")
    assert "time left of each candidate are for these" in note
    enough = {**SPEC, "objective": {"budget_usd": 1.0}}
    assert client.post("/v1/jobs:plan", json=enough).json()["notes"] == []


def test_a_job_says_that_what_remains_is_for_the_iterations_that_the_budget_buys(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    decide_once(world, job, effective=5_000.0)
    assert client.get(f"/v1/jobs/{job.id}").json()["notes"] == [], "it has no budget"
    spec = replace(job.spec, objective=Objective(budget_usd=0.01))
    world.store.jobs.set_spec(job.id, spec, now_s=world.clock.now_s())
    (note,) = client.get(f"/v1/jobs/{job.id}").json()["notes"]
    assert note.startswith("the dollars and the time left are for the iterations that the budget")


def test_goals_that_an_earlier_run_shows_to_be_out_of_reach_are_said_at_submission(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    wish = {**SPEC, "objective": {"deadline": "40s"}}
    (miss,) = client.post("/v1/jobs:plan", json=wish).json()["forecast"]["misses"]
    assert miss["kind"] == "will_be_late"
    assert "objective.deadline: " in miss["text"]
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=world.clock.now_s())
    submitted = client.post("/v1/jobs", json=wish).json()
    assert any(
        each.startswith("will_be_late: the deadline is in 40 s") for each in submitted["warnings"]
    )


@pytest.mark.parametrize(
    ("objective", "field", "text"),
    [
        (
            {"max_usd_per_hour": 0.3},
            "objective.max_usd_per_hour",
            "wanted at least $0.36, which small",
        ),
        (
            {"budget_usd": 0.05},
            "objective.budget_usd",
            "wanted more than $0.069: the boot of small",
        ),
        (
            {"deadline": "2001-01-01T00:00:00Z"},
            "objective.deadline",
            "still to come, got '2001-01-01T00:00:00Z'",
        ),
        ({"deadline": "2031-01-01T00:00"}, "objective.deadline", "got '2031-01-01T00:00'"),
        ({"deadline": "tomorrow"}, "objective.deadline", "got 'tomorrow'"),
        # In UTC this is no instant that a calendar has.
        ({"deadline": "9999-12-31T23:59:59-14:00"}, "objective.deadline", "got '9999-12-31T23"),
        ({"on_miss": "later"}, "objective.on_miss", "wanted"),
    ],
)
def test_what_contradicts_itself_is_refused_before_anything_is_stored(
    client: TestClient, world: World, objective: dict[str, object], field: str, text: str
) -> None:
    for path in ("/v1/jobs:plan", "/v1/jobs"):
        refused = client.post(path, json={**SPEC, "objective": objective})
        assert refused.status_code == 422
        assert [each["field"] for each in refused.json()["errors"]] == [field]
        assert text in refused.json()["detail"]
    assert world.store.jobs.listed() == ()


def test_jobs_are_paged_newest_first(client: TestClient) -> None:
    for number in range(5):
        submit(client, {**SPEC, "name": f"job{number}"})
    first = client.get("/v1/jobs", params={"limit": 2}).json()
    second = client.get("/v1/jobs", params={"limit": 2, "before": first["next_before"]}).json()
    third = client.get("/v1/jobs", params={"limit": 2, "before": second["next_before"]}).json()
    names = [each["spec"]["name"] for page in (first, second, third) for each in page["items"]]
    assert names == ["job4", "job3", "job2", "job1", "job0"]
    assert third["next_before"] is None


def test_a_job_without_a_node_says_what_it_waits_for(client: TestClient, world: World) -> None:
    job = client.post("/v1/jobs", json=SPEC).json()
    assert client.get(f"/v1/jobs/{job['id']}").json()["waits_because"] is None, (
        "nothing has been decided yet"
    )
    decide_once(world, world.store.jobs.get(job["id"]))
    assert client.get(f"/v1/jobs/{job['id']}").json()["waits_because"] == "small is the cheapest"


def test_a_training_job_shows_progress_money_and_candidates(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    decide_once(world, job)
    world.clock.advance(2.0)
    shown = client.get(f"/v1/jobs/{job.id}").json()
    group = {"members": [[{"node_type": "small", "capacity": "on-demand", "zone": "local"}, 1]]}
    assert shown["current_group"] == shown["target_group"] == group
    assert shown["progress"] == {
        "iteration": 60, "iterations": 100, "unit": None, "fraction": 0.6, "iterations_per_s": 2.0, "eta_s": 18.0,
    }  # fmt: skip
    assert shown["spent_usd"] == pytest.approx(0.36 * 62 / 3600)
    assert shown["waits_because"] is None
    assert shown["candidates"][0]["iterations_per_usd"] == {
        "value": 20_000.0,
        "low": None,
        "high": None,
    }


def test_what_remains_on_a_group_is_as_of_now_and_nothing_once_the_job_is_over(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    decide_once(world, job)
    world.clock.advance(2.0)
    shown = client.get(f"/v1/jobs/{job.id}").json()
    (here,) = shown["candidates"]
    assert here["remaining_s"] == shown["progress"]["eta_s"] == 18.0
    assert here["remaining_usd"] == pytest.approx(0.002 * 18 / 20)
    world.store.jobs.move(job.id, JobPhase.SUCCEEDED, now_s=world.clock.now_s())
    (here,) = client.get(f"/v1/jobs/{job.id}").json()["candidates"]
    assert (here["remaining_s"], here["remaining_usd"]) == (None, None)


@pytest.mark.parametrize(("iterations", "is_noted"), [(10, True), (60, False)])
def test_a_phase_that_the_time_left_does_not_cover_is_noted(
    iterations: int, is_noted: bool, client: TestClient, world: World
) -> None:
    job, _ = train(world, iterations=iterations)
    assert client.get(f"/v1/jobs/{job.id}").json()["notes"] == [], "no time left is known yet"
    decide_once(world, job)
    note = "what is left of warmup comes on top of the dollars and the time left"
    assert client.get(f"/v1/jobs/{job.id}").json()["notes"] == [note] * is_noted


def test_nobody_says_how_long_a_job_without_an_end_still_takes(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    world.store.jobs.set_spec(job.id, replace(job.spec, iterations=None), now_s=world.clock.now_s())
    decide_once(world, world.store.jobs.get(job.id))
    progress = client.get(f"/v1/jobs/{job.id}").json()["progress"]
    assert (progress["iterations_per_s"], progress["iterations"], progress["eta_s"]) == (
        2.0,
        None,
        None,
    )


def test_stopping_drains_and_can_be_repeated(client: TestClient, world: World) -> None:
    job, _ = train(world)
    answer = client.post(f"/v1/jobs/{job.id}:stop")
    assert answer.status_code == 202 and answer.json()["phase"] == "draining"
    assert client.post("/v1/jobs/first:stop").status_code == 202
    assert world.store.jobs.get(job.id).ending is JobPhase.CANCELLED and world.wakes
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=START_S)
    assert client.post(f"/v1/jobs/{job.id}:stop").status_code == 409


def test_if_match_lets_only_the_version_that_was_read_be_changed(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    tag = client.get(f"/v1/jobs/{job.id}").headers["etag"]
    stale = client.post(f"/v1/jobs/{job.id}:stop", headers={"If-Match": '"77"'})
    assert stale.status_code == 412 and stale.headers["content-type"] == "application/problem+json"
    assert world.store.jobs.get(job.id).phase is not JobPhase.DRAINING
    assert (
        client.post(
            f"/v1/jobs/{job.id}:scale", json={"nodes": 1}, headers={"If-Match": tag}
        ).status_code
        == 202
    )
    assert client.post(f"/v1/jobs/{job.id}:stop", headers={"If-Match": tag}).status_code == 412
    assert client.post(f"/v1/jobs/{job.id}:stop", headers={"If-Match": "*"}).status_code == 202


def test_scaling_changes_what_is_asked_for_and_no_bound(client: TestClient, world: World) -> None:
    job, _ = train(world)
    answer = client.post(f"/v1/jobs/{job.id}:scale", json={"nodes": 2, "node_type": "large"})
    assert answer.status_code == 202
    spec = world.store.jobs.get(job.id).spec
    assert (spec.nodes_min, spec.nodes_max, spec.nodes_wanted) == (1, 2, 2)
    assert (spec.policy, spec.fixed_node_type) == ("fixed", "large")
    assert (
        client.post(f"/v1/jobs/{job.id}:scale", json={"nodes": "auto"}).json()["spec"][
            "nodes_wanted"
        ]
        is None
    )


def test_scaling_beyond_the_bounds_says_them_and_how_to_change_them(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    refused = client.post(f"/v1/jobs/{job.id}:scale", json={"nodes": 3})
    assert refused.status_code == 422
    assert "wanted 1 to 2, the bounds of job first; got 3" in refused.json()["detail"]
    assert "stop the job and resume it with --min-nodes or --max-nodes" in refused.json()["detail"]
    assert world.store.jobs.get(job.id).spec == job.spec


def test_scaling_is_priced_before_it_is_done(client: TestClient, world: World) -> None:
    job, _ = train(world)
    decide_once(world, job)
    answer = client.post(f"/v1/jobs/{job.id}:plan", json={"nodes": 2, "node_type": "large"})
    assert answer.status_code == 200
    priced = answer.json()
    assert (priced["usd_per_h"], priced["target_usd_per_h"]) == (0.36, 1.44)
    assert (priced["group"]["members"][0][1], priced["target_group"]["members"][0][1]) == (1, 2)
    assert priced["why"] == "2 x large at $1.44/h, as the job fixes it"
    assert world.store.jobs.get(job.id) == job and not world.wakes, "nothing has been changed"
    assert client.post(f"/v1/jobs/{job.id}:plan", json={"nodes": 3}).status_code == 422
    assert (priced["redone"], priced["redone_usd"], priced["begins_at_zero"]) == (0, 0.0, False)


def test_a_plan_warns_of_a_program_that_began_at_0_again_though_it_has_saved_at_its_end(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    number = world.store.generations.start(
        job.id, (node,), rdzv_endpoint="e", now_s=START_S + 90.0
    ).number
    first = window(seq=90, node_id=node.id, generation=number, ended_at_s=START_S + 91.0)
    again = replace(first, iteration=first.iterations)
    saves = {91: Save("a-1", 2)}
    said = HeartbeatReport(
        NodeReport(AgentState.RUNNING, generation=number),
        windows=[again],
        saves=saves,
        acked_seq=91,
    )
    world.store.heartbeats.take_in(node.id, said, now_s=START_S + 91.0)
    world.store.jobs.move(job.id, JobPhase.FAILED, now_s=START_S + 92.0)
    (note,) = client.post("/v1/jobs:plan", json=dict(SPEC)).json()["notes"]
    assert note.startswith(
        f"a move or a loss restarts this job: as job {job.id} the script began at 0 again"
    )


def test_scaling_says_what_it_has_done_again(client: TestClient, world: World) -> None:
    job, node = train(world)
    decide_once(world, job)
    begins = Beginning(0, "", stops_when_asked=False, batch=Batch.WORKER)
    said = HeartbeatReport(
        NodeReport(AgentState.RUNNING, generation=1), beginnings={90: begins}, acked_seq=90
    )
    world.store.heartbeats.take_in(node.id, said, now_s=START_S + 90.0)
    priced = client.post(f"/v1/jobs/{job.id}:plan", json={"nodes": 2}).json()
    assert (priced["redone"], priced["begins_at_zero"]) == (60, True)
    assert priced["redone_usd"] == pytest.approx(60 / 2.0 / 3600.0 * 0.36), (
        "2 it/s at $0.36/h, where it was measured"
    )
    stays = client.post(f"/v1/jobs/{job.id}:plan", json={"nodes": 1}).json()
    assert (stays["redone"], stays["redone_usd"]) == (0, 0.0)


@pytest.mark.parametrize(
    "body", [{}, {"nodes": 0}, {"nodes": "2"}, {"nodes": 1.5}, {"node_type": "huge"}, {"node": 1}]
)
def test_scaling_to_what_is_not_there_changes_nothing(
    client: TestClient, world: World, body: dict[str, Any]
) -> None:
    job, _ = train(world)
    assert client.post(f"/v1/jobs/{job.id}:scale", json=body).status_code == 422
    assert world.store.jobs.get(job.id).spec == job.spec


@pytest.mark.parametrize("nodes", [0, 1025, "two", 1.5, True])
def test_a_number_of_nodes_that_cannot_be_is_one_fault_in_plain_words(
    client: TestClient, world: World, nodes: object
) -> None:
    job, _ = train(world)
    told = client.post(f"/v1/jobs/{job.id}:scale", json={"nodes": nodes}).json()
    wanted = f"wanted 1 to 1024, or auto; got {nodes!r}"
    assert told["errors"] == [{"field": "nodes", "message": wanted}]
    assert told["detail"] == f"nodes: {wanted}"


def test_a_change_that_says_nothing_is_told_so_once(client: TestClient, world: World) -> None:
    job, _ = train(world)
    told = client.post(f"/v1/jobs/{job.id}:limit", json={}).json()
    assert told["detail"] == "body: wanted budget_usd, deadline or priority; got none of them"


@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", None])
def test_a_change_that_is_not_sent_as_json_is_told_what_was_wanted(
    client: TestClient, world: World, media_type: str | None
) -> None:
    job, _ = train(world)
    headers = {} if media_type is None else {"Content-Type": media_type}
    answer = client.post(f"/v1/jobs/{job.id}:scale", content=b'{"nodes": 1}', headers=headers)
    assert answer.status_code == 415
    wanted = f"wanted a Content-Type of application/json; got {media_type or 'none'}"
    assert answer.json()["detail"] == wanted


def test_a_job_that_is_over_cannot_be_scaled(client: TestClient, world: World) -> None:
    job, _ = train(world)
    client.post(f"/v1/jobs/{job.id}:stop")
    refused = client.post(f"/v1/jobs/{job.id}:scale", json={"nodes": 1})
    assert refused.status_code == 409
    assert " is draining, and only a job that goes on can be scaled" in refused.json()["detail"]


def test_the_committed_description_of_the_interface_is_current() -> None:
    from api.openapi import REFERENCE, openapi_text

    committed = (Path(__file__).parents[2] / REFERENCE).read_text(encoding="utf-8")
    assert committed == openapi_text(), "run python -m api.openapi"


def test_every_operation_says_what_it_does_under_a_name_of_its_own() -> None:
    operations = [each for path in routes().openapi()["paths"].values() for each in path.values()]
    names = [each["operationId"] for each in operations]
    assert len(set(names)) == len(names)
    assert all(each["description"].endswith(".") for each in operations)


@pytest.mark.usefixtures("only_small_has_bf16")
def test_a_workload_s_precision_is_chosen_once_stored_and_said_why(
    client: TestClient, world: World
) -> None:
    planned = client.post("/v1/jobs:plan", json=ESRGAN).json()
    assert planned["spec"]["precision"] == "bf16"
    assert planned["why_precision"] == "small promises 1.3 x its iterations per dollar in fp32"
    assert planned["plan"]["left_out"] == {"large": "large cannot compute in bf16"}
    assert {
        member[0]["node_type"]
        for each in planned["candidates"]
        for member in each["group"]["members"]
    } == {"small"}
    job = submit(client, ESRGAN).json()
    assert job["spec"]["precision"] == job["spec"]["hyperparameters"]["precision"] == "bf16"
    assert "bf16" in world.store.jobs.get(job["id"]).spec.command
    (event,) = world.store.events.listed(job_id=job["id"])
    assert (
        event.text
        == f"job sr submitted by REST, mode live, precision bf16: {planned['why_precision']}"
    )


def test_a_precision_that_nothing_computes_in_is_refused_before_anything_is_stored(
    client: TestClient, world: World
) -> None:
    refused = submit(client, {**SPEC, "precision": "bf16"})
    assert refused.status_code == 422
    assert (
        "found none: small cannot compute in bf16 (1 more cannot either)"
        in refused.json()["detail"]
    )
    assert world.store.jobs.listed() == ()


@pytest.mark.usefixtures("only_small_has_bf16")
def test_a_job_is_not_scaled_to_a_node_type_that_cannot_compute_in_its_precision(
    client: TestClient,
) -> None:
    submit(client, {**SPEC, "precision": "bf16"})
    refused = client.post("/v1/jobs/first:scale", json={"node_type": "large"})
    assert refused.status_code == 422 and "large cannot compute in bf16" in refused.json()["detail"]


@pytest.fixture
def only_small_has_bf16(client: TestClient, world: World, bare_app: FastAPI) -> None:
    small = replace(TYPES[0], precisions=(Precision.FP32, Precision.BF16))
    provider = FakeProvider(FakeCloud((small, TYPES[1]), clock=world.clock))
    give_context(bare_app, replace(world.context, provider=provider))


def test_a_plan_tells_what_an_earlier_run_of_the_script_has_shown(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    assert client.post("/v1/jobs:plan", json=SPEC).json()["notes"] == []
    node = world.store.nodes.listed(job.id)[0]
    again = replace(window(node_id=node.id, seq=10**5, ended_at_s=START_S + 99), iteration=2)
    world.store.measurements.append(node.id, [again])
    begun = Beginning(0, "", stops_when_asked=False, batch=Batch.WORKER)
    world.store.heartbeats.take_in(
        node.id,
        HeartbeatReport(NodeReport(AgentState.RUNNING), beginnings={10**6: begun}, acked_seq=10**6),
        now_s=START_S,
    )
    (note,) = client.post("/v1/jobs:plan", json=SPEC).json()["notes"]
    assert note.startswith("a move or a loss restarts this job")
    shown = client.get(f"/v1/jobs/{job.id}").json()
    assert shown["progress"]["unit"] == "one worker's batch: a step of 4 workers counts 4"
