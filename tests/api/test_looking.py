"""The token that may look and change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import give_context
from api.deps import COOKIE
from elastic.config import Settings
from elastic.model import Job
from tests.api.operations import AGENT, OPEN, operations, rows
from tests.api.world import SPEC, World, train

LOOK = "a-token-that-may-look"
ACTING = [
    path
    for method, path in operations()
    if method == "POST" and path not in OPEN and not path.startswith(AGENT)
]


@pytest.fixture
def looker(world: World, bare_app: FastAPI) -> Iterator[TestClient]:
    """A client with the token that may look."""
    give_context(bare_app, replace(world.context, look_token=LOOK))
    with TestClient(bare_app, base_url="http://127.0.0.1", raise_server_exceptions=False) as made:
        made.headers["Authorization"] = f"Bearer {LOOK}"
        yield made


def job_of(world: World) -> Job:
    job, _ = train(world)
    return job


def test_it_reads_what_the_user_reads(looker: TestClient, world: World) -> None:
    job = job_of(world)
    for path in (f"/v1/jobs/{job.id}", "/v1/events", "/metrics", "/", f"/jobs/{job.id}", "/jobs"):
        assert looker.get(path, follow_redirects=False).status_code == 200, path


def test_its_pages_have_no_buttons_that_act(looker: TestClient, world: World) -> None:
    job = job_of(world)
    assert f"/jobs/{job.id}/stop" not in looker.get(f"/jobs/{job.id}").text
    assert "/submit" not in looker.get("/jobs").text
    for page in ("stop", "scale", "limits", "resume"):
        refused = looker.get(f"/jobs/{job.id}/{page}")
        assert refused.status_code == 403
        assert "may look and change nothing" in refused.text
        assert "form_token" not in refused.text
    assert looker.get("/submit").status_code == 403


@pytest.mark.parametrize("path", ACTING)
def test_it_acts_nowhere(looker: TestClient, world: World, path: str) -> None:
    job_of(world)
    before = rows(world)
    answer = looker.post(path.replace("{job}", "first"), json=dict(SPEC))
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert rows(world) == before


def test_it_puts_no_code(looker: TestClient) -> None:
    assert looker.put(f"/v1/code/{'0' * 64}", content=b"zip").status_code == 403


def test_it_signs_in_for_looking(looker: TestClient, world: World) -> None:
    job = job_of(world)
    del looker.headers["Authorization"]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    signed_in = looker.post(
        "/login", content=urlencode({"token": LOOK}), headers=form, follow_redirects=False
    )
    assert signed_in.status_code == 303
    assert looker.cookies[COOKIE] == LOOK
    assert looker.get(f"/jobs/{job.id}").status_code == 200
    own = {"Origin": "http://127.0.0.1"}
    assert looker.post(f"/v1/jobs/{job.id}:stop", headers=own).status_code == 403
    assert looker.post(f"/jobs/{job.id}/stop", headers={**own, **form}).status_code == 403
    assert world.store.jobs.get(job.id) == job


def test_without_such_a_token_nothing_opens(stranger: TestClient) -> None:
    for token in ("", LOOK):
        headers = {"Cookie": f"{COOKIE}={token}"}
        assert stranger.get("/v1/jobs", headers=headers).status_code == 401


def test_no_file_is_made_unless_it_is_named() -> None:
    assert Settings().look_token_file is None
