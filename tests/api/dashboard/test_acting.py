"""The forms that act on jobs: what they show first, and that they act once, for our pages only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient

from api.deps import COOKIE
from api.documents import MAX_BYTES
from elastic.model import Job, JobPhase, Objective
from tests.api.world import TOKEN, World, train

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def hidden(html: str) -> dict[str, str]:
    """The fields of the page's form that acts."""
    (form,) = re.findall(r'<form class="confirm".*?</form>', html, re.DOTALL)
    pairs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form)
    return {name: unescape(value) for name, value in pairs}


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def post(client: TestClient, path: str, fields: Mapping[str, str], **headers: str) -> Any:
    return client.post(
        path, content=urlencode(fields), headers={**FORM, **headers}, follow_redirects=False
    )


def texts(world: World, kind: str) -> list[str]:
    return [each.text for each in world.store.events.listed() if each.kind == kind]


def end(world: World, phase: JobPhase = JobPhase.CANCELLED) -> Job:
    """A job that is over, its node gone."""
    job, node = train(world)
    now_s = world.clock.now_s()
    world.store.jobs.request_stop(job.id, phase, "enough", now_s=now_s)
    world.store.nodes.intend_end(node.id, reason="the job is over", now_s=now_s)
    world.store.nodes.gone(node.id, at_s=now_s)
    world.store.jobs.move(job.id, phase, now_s=now_s)
    return world.store.jobs.get(job.id)


def test_a_job_is_stopped_once(client: TestClient, world: World) -> None:
    job, _ = train(world)
    shown = client.get(f"/jobs/{job.id}/stop")
    assert shown.status_code == 200
    assert "small on-demand · local none Cost an hour $0.36/h $0/h" in text_of(shown.text)
    assert "Spent so far: $0.006." in text_of(shown.text)
    assert world.store.jobs.get(job.id) == job, "looking changes nothing"
    fields = hidden(shown.text)
    for _ in range(2):
        answer = post(client, f"/jobs/{job.id}/stop", fields)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/jobs/{job.id}")
    assert world.store.jobs.get(job.id).phase is JobPhase.DRAINING
    assert len(world.wakes) == 1
    (told,) = texts(world, "job_phase")
    assert told.endswith("stopped on request, on the dashboard")


def test_a_job_is_paused_and_resumed_once(client: TestClient, world: World) -> None:
    job, _ = train(world)
    spec = replace(job.spec, objective=Objective(deadline_s=world.clock.now_s() + 3600.0))
    world.store.jobs.set_spec(job.id, spec, now_s=world.clock.now_s())
    shown = client.get(f"/jobs/{job.id}/pause")
    assert "It saves, gives its nodes back, and waits until it is resumed." in text_of(shown.text)
    assert "Its deadline, 23:14:20 UTC, still counts while it is paused." in text_of(shown.text)
    fields = hidden(shown.text)
    for _ in range(2):
        assert post(client, f"/jobs/{job.id}/pause", fields).status_code == 303
    assert world.store.jobs.get(job.id).phase is JobPhase.PAUSED
    assert len(texts(world, "job_phase")) == 1
    assert "its deadline of 2023-11-14T23:14:20Z still counts" in client.get(f"/jobs/{job.id}").text

    fields = hidden(client.get(f"/jobs/{job.id}/resume").text)
    for _ in range(2):
        assert post(client, f"/jobs/{job.id}/resume", fields).status_code == 303
    assert world.store.jobs.get(job.id).phase is JobPhase.WAITING
    assert texts(world, "job_resumed") == ["job first goes on, on the dashboard"]


def test_a_job_is_scaled_once(client: TestClient, world: World) -> None:
    job, _ = train(world)
    asked = client.get(f"/jobs/{job.id}/scale")
    assert "confirm" not in asked.text
    shown = client.get(f"/jobs/{job.id}/scale?nodes=2&node_type=large")
    priced = client.post(f"/v1/jobs/{job.id}:plan", json={"nodes": 2, "node_type": "large"}).json()
    assert priced["target_usd_per_h"] == 1.44
    assert "2 × large on-demand · local" in text_of(shown.text)
    assert "Cost an hour $0.36/h $1.44/h" in text_of(shown.text)
    assert priced["why"] in text_of(shown.text)
    fields = hidden(shown.text)
    for _ in range(2):
        assert post(client, f"/jobs/{job.id}/scale", fields).status_code == 303
    changed = world.store.jobs.get(job.id)
    assert (changed.spec.nodes_wanted, changed.spec.fixed_node_type) == (2, "large")
    assert changed.version == job.version + 1
    assert texts(world, "job_changed") == [
        "job first: 2 nodes instead of as many nodes as the policy chooses; only large from now "
        "on, on the dashboard"
    ]


def test_limits_are_changed_once_and_as_they_were_shown(client: TestClient, world: World) -> None:
    job, _ = train(world)
    now_s = world.clock.now_s()
    shown = client.get(f"/jobs/{job.id}/limits?budget_usd=%2412.50&deadline=6h")
    assert "Budget none $12.50" in text_of(shown.text)
    fields = hidden(shown.text)
    # Somebody thinks for an hour: what was shown counts.
    world.clock.advance(3600.0)
    for _ in range(2):
        assert post(client, f"/jobs/{job.id}/limits", fields).status_code == 303
    objective = world.store.jobs.get(job.id).spec.objective
    assert objective.budget_usd == 12.5
    assert objective.deadline_s == now_s + 6 * 3600
    assert len(texts(world, "job_changed")) == 1


def test_a_priority_is_changed_once(client: TestClient, world: World) -> None:
    job, _ = train(world)
    shown = client.get(f"/jobs/{job.id}/limits?priority=7")
    assert "Priority 0 7" in text_of(shown.text)
    fields = hidden(shown.text)
    for _ in range(2):
        assert post(client, f"/jobs/{job.id}/limits", fields).status_code == 303
    assert world.store.jobs.get(job.id).spec.priority == 7
    assert texts(world, "job_changed") == ["job first: priority 7 instead of 0, on the dashboard"]


def test_a_job_that_is_over_is_resumed_once(client: TestClient, world: World) -> None:
    job = end(world)
    shown = client.get(f"/jobs/{job.id}/resume?budget_usd=9")
    assert "It goes on at iteration 60" in text_of(shown.text)
    assert "Budget none $9.00" in text_of(shown.text)
    assert re.search(r"Cost an hour \$0/h \$0\.\d+/h", text_of(shown.text))
    fields = hidden(shown.text)
    for _ in range(2):
        assert post(client, f"/jobs/{job.id}/resume", fields).status_code == 303
    resumed = world.store.jobs.get(job.id)
    assert (resumed.phase, resumed.spec.objective.budget_usd) == (JobPhase.SUBMITTED, 9.0)
    (told,) = texts(world, "job_resumed")
    assert "is resumed on the dashboard at iteration 60; budget $9.00" in told


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("limits?budget_usd=0.000001", "wanted a budget above that"),
        ("limits?budget_usd=much", "budget: wanted dollars such as 12.50"),
        ("limits?budget_usd=nan", "budget_usd: wanted a finite number"),
        ("limits?budget_usd=-1", "budget_usd: wanted greater than 0, got -1.0"),
        ("limits?deadline=2001-01-01T00:00:00Z", "wanted one that is still to come"),
        ("limits?deadline=soon", "wanted a time from now such as 6h"),
        ("limits?priority=first", "priority: wanted a whole number"),
        ("scale?nodes=9", "9"),
        ("scale?nodes=many", "wanted a number or auto"),
        ("scale?node_type=huge", "huge"),
        ("resume", "cannot be resumed"),
    ],
)
def test_what_cannot_be_done_says_why_and_has_no_button(
    client: TestClient, world: World, path: str, said: str
) -> None:
    job, _ = train(world)
    shown = client.get(f"/jobs/{job.id}/{path}")
    assert shown.status_code in (409, 422)
    assert shown.headers["content-type"].startswith("text/html")
    (refused,) = re.findall(r'id="refused">(.*?)</div>', shown.text)
    assert said in text_of(refused)
    assert 'class="confirm"' not in shown.text


@pytest.mark.parametrize("page", ["stop", "scale", "limits"])
def test_a_job_that_is_over_says_so(client: TestClient, world: World, page: str) -> None:
    job = end(world)
    shown = client.get(f"/jobs/{job.id}/{page}")
    assert shown.status_code == 409
    assert "was cancelled" in text_of(shown.text)
    assert 'class="confirm"' not in shown.text


def test_the_job_s_page_links_what_can_be_done_now(client: TestClient, world: World) -> None:
    job, _ = train(world)

    def linked() -> list[str]:
        return re.findall(
            rf'class="button" href="/jobs/{job.id}/(\w+)"', client.get(f"/jobs/{job.id}").text
        )

    assert linked() == ["scale", "limits", "pause", "stop"]
    world.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=world.clock.now_s())
    assert linked() == []
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=world.clock.now_s())
    assert linked() == ["resume"]


def test_a_form_of_a_job_that_has_changed_does_nothing_and_is_shown_again(
    client: TestClient, world: World
) -> None:
    job, _ = train(world)
    fields = hidden(client.get(f"/jobs/{job.id}/limits?budget_usd=7").text)
    client.post(f"/v1/jobs/{job.id}:scale", json={"nodes": 2})
    answer = post(client, f"/jobs/{job.id}/limits", fields)
    assert answer.status_code == 409
    assert "has changed since this page was made, and nothing was done" in answer.text
    assert world.store.jobs.get(job.id).spec.objective.budget_usd is None
    # The page that says so has a fresh form.
    assert post(client, f"/jobs/{job.id}/limits", hidden(answer.text)).status_code == 303
    assert world.store.jobs.get(job.id).spec.objective.budget_usd == 7.0


JOB = """name: pasted
command: torchrun /srv/train.py --steps 100
nodes: {min: 1, max: 2}
objective: {budget_usd: 3}
"""


def form_token_of(client: TestClient) -> str:
    (found,) = set(re.findall(r'name="form_token" value="(\w+)"', client.get("/submit").text))
    return str(found)


def planned(client: TestClient, document: str) -> Any:
    fields = {"form_token": form_token_of(client), "document": document}
    return post(client, "/submit/plan", fields)


def test_a_pasted_job_is_planned_and_then_submitted_once(client: TestClient, world: World) -> None:
    # A browser sends both signs at each line's end.
    shown = planned(client, JOB.replace("\n", "\r\n"))
    assert shown.status_code == 200
    text = text_of(shown.text)
    assert "Submit pasted" in text
    assert "Budget $3.00" in text
    assert "Begins on small on-demand · local Cost an hour $0.36/h" in text
    assert world.store.jobs.listed() == (), "a plan submits nothing"
    fields = {**hidden(shown.text), "document": JOB.replace("\n", "\r\n")}
    answers = [post(client, "/submit", fields) for _ in range(2)]
    (job,) = world.store.jobs.listed()
    assert [each.headers["location"] for each in answers] == [f"/jobs/{job.id}"] * 2
    assert job.spec.objective.budget_usd == 3.0
    assert len(world.wakes) == 1
    (told,) = texts(world, "job_submitted")
    assert told.startswith("job pasted submitted on the dashboard, mode ")


def test_the_plan_s_reason_is_the_one_that_rest_gives(client: TestClient) -> None:
    document = {"name": "pasted", "command": ["/srv/train.py"], "nodes": {"max": 2}}
    told = client.post("/v1/jobs:plan", json=document).json()["plan"]["reason"]["text"]
    assert told in text_of(planned(client, json.dumps(document)).text)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("", "got nothing"),
        ("name: [", "line"),
        ("name: pasted", "command"),
        ("name: pasted\ncommand: torchrun /srv/a.py\nbudget: 3", "budget"),
        ("name: pasted\ncommand: torchrun /srv/a.py\ncode: .", "code"),
        ("name: <b>bold</b>\ncommand: torchrun /srv/a.py", "name"),
    ],
)
def test_what_is_no_job_is_refused_with_the_text_kept(
    client: TestClient, world: World, document: str, said: str
) -> None:
    shown = planned(client, document)
    assert shown.status_code == 422
    (refused,) = re.findall(r'id="refused">(.*?)</div>', shown.text)
    assert said in text_of(refused)
    (kept,) = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", shown.text, re.DOTALL)
    assert unescape(kept) == document
    assert 'class="confirm"' not in shown.text
    token = form_token_of(client)
    fields = {"form_token": token, "document": document, "key": "k"}
    assert post(client, "/submit", fields).status_code == 422
    assert world.store.jobs.listed() == ()


def test_a_name_that_is_taken_is_refused_as_a_page(client: TestClient, world: World) -> None:
    train(world)
    fields = hidden(planned(client, JOB.replace("pasted", "first")).text)
    answer = post(client, "/submit", {**fields, "document": JOB.replace("pasted", "first")})
    assert answer.status_code == 409
    assert "wanted a name of its own" in text_of(answer.text)
    assert len(world.store.jobs.listed()) == 1


@pytest.mark.parametrize("path", ["/submit", "/submit/plan"])
@pytest.mark.parametrize("token", [None, "wrong", TOKEN])
def test_no_other_page_submits(
    client: TestClient, world: World, path: str, token: str | None
) -> None:
    fields = {"document": JOB, "key": "k"}
    if token is not None:
        fields["form_token"] = token
    assert post(client, path, fields).status_code == 403
    assert world.store.jobs.listed() == ()


def test_the_plan_s_address_opened_anew_leads_to_the_form(client: TestClient) -> None:
    answer = client.get("/submit/plan", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/submit")


def test_a_file_of_the_largest_size_fits_into_the_form(client: TestClient) -> None:
    fields = {"form_token": form_token_of(client), "document": JOB + "#" * (MAX_BYTES - len(JOB))}
    assert post(client, "/submit/plan", fields).status_code == 200
    fields["document"] += "#"
    assert post(client, "/submit/plan", fields).status_code == 422
    fields["document"] *= 2
    assert post(client, "/submit/plan", fields).status_code == 413


ACTIONS = ("stop", "scale", "limits", "resume")


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN])
def test_a_form_that_no_page_of_ours_made_is_refused(
    client: TestClient, world: World, action: str, token: str | None
) -> None:
    job, _ = train(world)
    fields = {"version": str(job.version), "nodes": "2", "budget_usd": "9"}
    if token is not None:
        fields["form_token"] = token
    answer = post(client, f"/jobs/{job.id}/{action}", fields)
    assert answer.status_code == 403
    assert "Nothing has been changed" in answer.text
    assert world.store.jobs.get(job.id) == job


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://127.0.0.1:3000", "null"])
def test_a_cookie_acts_from_our_own_origin_only(
    stranger: TestClient, world: World, origin: str | None
) -> None:
    job, _ = train(world)
    cookie = {"Cookie": f"{COOKIE}={TOKEN}"}
    shown = stranger.get(f"/jobs/{job.id}/stop", headers=cookie)
    assert shown.headers["referrer-policy"] == "same-origin"
    fields = hidden(shown.text)
    sent = cookie if origin is None else {**cookie, "Origin": origin}
    answer = post(stranger, f"/jobs/{job.id}/stop", fields, **sent)
    assert (answer.status_code, answer.headers["location"][:6]) == (303, "/login")
    assert world.store.jobs.get(job.id) == job
    own = post(stranger, f"/jobs/{job.id}/stop", fields, **{**cookie, "Origin": "http://127.0.0.1"})
    assert own.headers["location"] == f"/jobs/{job.id}"
    assert world.store.jobs.get(job.id).phase is JobPhase.DRAINING


def test_too_many_fields_are_no_form(client: TestClient, world: World) -> None:
    job, _ = train(world)
    answer = post(client, f"/jobs/{job.id}/stop", {f"f{each}": "1" for each in range(50)})
    assert answer.status_code == 400
    assert world.store.jobs.get(job.id) == job
