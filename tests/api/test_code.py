"""The code of a job is stored by its owner under its sum, and given to the nodes of that job
alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from elastic.archive import MOST_BYTES, Archive, pack
from elastic.model import ONE_WORKER
from tests.api.registration import ask
from tests.api.world import SMALL, START_S, World

JOB = {"name": "mine", "command": ["train.py"]}


@pytest.fixture
def code(tmp_path: Path) -> Archive:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/train.py").write_text("print(1)\n")
    return pack(tmp_path / "app")


def put(client: TestClient, code: Archive) -> int:
    return client.put(f"/v1/code/{code.sha256}", content=code.content).status_code


def launched(world: World, job_id: str, instance_id: str) -> str:
    """Gives the launch of a machine that was bought for a job."""
    intent = world.store.nodes.intend_launch(
        job_id, SMALL, count=1, workers=ONE_WORKER, reason="test", request_hash="h", now_s=START_S
    )
    world.store.nodes.launched(
        intent.nodes[0].id, instance_id, launched_at_s=START_S, minimum_s=60.0
    )
    return intent.token


def test_a_node_gets_the_code_of_its_job(client: TestClient, world: World, code: Archive) -> None:
    assert (put(client, code), put(client, code)) == (204, 204)
    job = client.post("/v1/jobs", json={**JOB, "code": code.sha256}).json()
    assert (job["spec"]["command"], job["spec"]["code"]) == (["train.py"], code.sha256)
    registered = ask(client, world, "i-1", launch=launched(world, job["id"], "i-1")).json()
    assert registered["code"] == code.sha256
    who = {"node_id": registered["node_id"], "instance_id": "i-1"}
    bearer = {"Authorization": f"Bearer {registered['node_token']}"}
    found = client.get("/v1/agent/code", params=who, headers=bearer)
    assert (found.status_code, found.content) == (200, code.content)
    assert (
        client.get(
            "/v1/agent/code", params={**who, "instance_id": "i-2"}, headers=bearer
        ).status_code
        == 401
    )
    assert client.get("/v1/agent/code", params=who).status_code == 401, "a user is no node"


def test_a_node_whose_machine_is_gone_gets_no_code_that_its_job_runs_later(
    client: TestClient, world: World, code: Archive
) -> None:
    put(client, code)
    job = client.post("/v1/jobs", json={**JOB, "code": code.sha256}).json()
    registered = ask(client, world, "i-1", launch=launched(world, job["id"], "i-1")).json()
    world.store.nodes.gone(registered["node_id"], at_s=START_S)
    who = {"node_id": registered["node_id"], "instance_id": "i-1"}
    bearer = {"Authorization": f"Bearer {registered['node_token']}"}
    found = client.get("/v1/agent/code", params=who, headers=bearer)
    assert (found.status_code, "is lost" in found.json()["detail"]) == (409, True)


def test_a_job_without_code_has_none_to_give(client: TestClient, world: World) -> None:
    job = client.post("/v1/jobs", json={**JOB, "command": ["/srv/train.py"]}).json()
    registered = ask(client, world, "i-1", launch=launched(world, job["id"], "i-1")).json()
    assert registered["code"] is None
    who = {"node_id": registered["node_id"], "instance_id": "i-1"}
    bearer = {"Authorization": f"Bearer {registered['node_token']}"}
    assert client.get("/v1/agent/code", params=who, headers=bearer).status_code == 404


def test_a_job_whose_code_is_not_there_is_not_taken_though_it_can_be_planned(
    client: TestClient, code: Archive
) -> None:
    asked = {**JOB, "code": code.sha256}
    assert client.post("/v1/jobs:plan", json=asked).status_code == 200
    refused = client.post("/v1/jobs", json=asked)
    assert refused.status_code == 404
    assert f"PUT it to /v1/code/{code.sha256}" in refused.json()["detail"]
    assert client.get("/v1/jobs").json()["items"] == []


@pytest.mark.parametrize(
    "body", [b"", b"another", bytes(MOST_BYTES + 1)], ids=["empty", "another", "too large"]
)
def test_what_is_not_of_that_sum_is_refused(client: TestClient, code: Archive, body: bytes) -> None:
    refused = client.put(f"/v1/code/{code.sha256}", content=body)
    assert refused.status_code == (413 if len(body) > MOST_BYTES else 422)


def test_only_its_owner_stores_code(stranger: TestClient, code: Archive) -> None:
    assert put(stranger, code) == 401


def test_a_script_is_within_the_code(client: TestClient, code: Archive) -> None:
    for command in (["../train.py"], ["python", "../train.py"]):
        asked = {**JOB, "code": code.sha256, "command": command}
        assert client.post("/v1/jobs:plan", json=asked).status_code == 422
    for job in ({"name": "a", "workload": "esrgan"}, {**JOB, "code": "app"}):
        assert client.post("/v1/jobs:plan", json={"code": code.sha256, **job}).status_code == 422


def test_code_that_no_living_job_runs_is_gone_after_a_day(
    client: TestClient, world: World, tmp_path: Path
) -> None:
    stored = []
    for number in range(3):
        (tmp_path / "app").mkdir(exist_ok=True)
        (tmp_path / "app/train.py").write_text(f"print({number})\n")
        stored.append(pack(tmp_path / "app"))
    used, unused, late = stored
    assert (put(client, used), put(client, unused)) == (204, 204)
    assert client.post("/v1/jobs", json={**JOB, "code": used.sha256}).status_code == 202
    world.clock.advance(86_401)
    assert put(client, late) == 204
    again = {**JOB, "name": "again"}
    assert client.post("/v1/jobs", json={**again, "code": unused.sha256}).status_code == 404
    assert client.post("/v1/jobs", json={**again, "code": used.sha256}).status_code == 202
