"""What must hold for every route: who may ask, from where, with how much, and what a refusal looks
like."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from structlog.testing import capture_logs

from api.app import routes
from api.deps import COOKIE
from elastic.protocol import PROTOCOL
from tests.api.operations import OPEN, operations, rows
from tests.api.world import SPEC, TOKEN, World


def is_problem(answer: Any, status: int) -> bool:
    return (
        answer.status_code == status
        and answer.headers["content-type"] == "application/problem+json"
        and answer.json()["status"] == status
        and bool(answer.json()["detail"])
    )


@pytest.mark.parametrize(("method", "path"), [each for each in operations() if each[1] not in OPEN])
def test_no_route_answers_without_a_token(
    stranger: TestClient, world: World, method: str, path: str
) -> None:
    before = rows(world)
    body: dict[str, object] = {
        "join_token": "x",
        "instance_id": "i",
        "agent_version": "1",
        "pid": 1,
        "hostname": "h",
        "protocol": PROTOCOL,
    }
    if path.endswith("heartbeat"):
        body = {"node_id": "n", "instance_id": "i", "sent_at_s": 1.0, "report": {"state": "idle"}}
    if path == "/v1/agent/logs":
        body = {"node_id": "n", "instance_id": "i", "seq": 1, "streams": []}
    query = {"node_id": "n", "instance_id": "i"} if path == "/v1/agent/code" else {}
    answer = stranger.request(method, path, json=body if method == "POST" else None, params=query)
    assert is_problem(answer, 401)
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert rows(world) == before


@pytest.mark.parametrize("path", ["/", "/jobs", "/nodes", "/decisions", "/openapi.json"])
def test_no_page_answers_without_a_token(stranger: TestClient, path: str) -> None:
    assert stranger.get(path, follow_redirects=False).status_code in (303, 401)


def test_every_route_is_described_or_a_page() -> None:
    described = {path for _, path in operations()}
    found = {
        each.path
        for each in routes().routes
        if isinstance(each, APIRoute) and each.include_in_schema
    }
    assert found <= described


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "é"])
def test_a_wrong_token_opens_nothing(stranger: TestClient, token: str) -> None:
    headers = [(b"Authorization", f"Bearer {token}".encode())]
    assert is_problem(stranger.get("/v1/jobs", headers=headers), 401)
    assert is_problem(stranger.get("/v1/jobs", headers={"Cookie": f"{COOKIE}=wrong"}), 401)


def test_a_wrong_token_may_be_one_that_a_restart_puts_in_force(stranger: TestClient) -> None:
    answer = stranger.get("/v1/jobs", headers={"Authorization": "Bearer rotated"})
    assert "if it was rotated, start the daemon again" in answer.json()["detail"]


def test_a_node_token_opens_nothing_of_the_user(stranger: TestClient, world: World) -> None:
    token = world.context.node_tokens.node_token("node-1", "i-1")
    assert is_problem(stranger.get("/v1/jobs", headers={"Authorization": f"Bearer {token}"}), 401)


def test_a_user_token_does_not_speak_for_a_node(client: TestClient) -> None:
    body = {"node_id": "n", "instance_id": "i", "sent_at_s": 1.0, "report": {"state": "idle"}}
    assert is_problem(client.post("/v1/agent/heartbeat", json=body), 401)


def test_a_cookie_reads_anywhere_but_changes_only_from_our_own_pages(
    stranger: TestClient, world: World
) -> None:
    cookie = {"Cookie": f"{COOKIE}={TOKEN}"}
    assert stranger.get("/v1/jobs", headers=cookie).status_code == 200
    for origin in (
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Origin": "null"},
    ):
        assert is_problem(stranger.post("/v1/jobs", json=dict(SPEC), headers=cookie | origin), 401)
    assert rows(world)[0] == 0
    own = cookie | {"Origin": "http://127.0.0.1"}
    assert stranger.post("/v1/jobs", json=dict(SPEC), headers=own).status_code == 202


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:80", "a b", "[::1"],
)
def test_a_foreign_host_name_is_refused(client: TestClient, world: World, host: str) -> None:
    assert is_problem(client.post("/v1/jobs", json=dict(SPEC), headers={"Host": host}), 421)
    assert rows(world)[0] == 0


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8470", "127.0.0.1:8470", "127.0.3.9", "[::1]", "[::1]:8470"]
)
def test_loopback_by_any_name_is_ours(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/jobs:plan", "/v1/decisions/1:replay", "/login"])
def test_a_body_over_the_limit_is_refused_as_declared_and_as_it_comes(
    client: TestClient, world: World, path: str
) -> None:
    before = rows(world)
    large = b"x" * (64 * 1024 + 1)
    headers = {"Content-Type": "application/yaml"}
    assert is_problem(client.post(path, content=large, headers=headers), 413)
    if path != "/v1/decisions/1:replay":  # which reads no body
        chunks = (large[start : start + 1000] for start in range(0, len(large), 1000))
        assert is_problem(client.post(path, content=chunks, headers=headers), 413)
    assert rows(world) == before


def test_what_is_not_there_and_what_is_not_done_there_are_problems(client: TestClient) -> None:
    assert is_problem(client.get("/v1/nothing"), 404)
    assert is_problem(client.get("/v1/jobs/nobody"), 404)
    refused = client.delete("/v1/jobs")
    assert is_problem(refused, 405)
    assert refused.headers["allow"] == "GET, POST"
    refused = client.get("/v1/jobs/nobody:stop")
    assert is_problem(refused, 405)
    assert refused.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/jobs?limit=0",
        "/v1/jobs?limit=501",
        "/v1/jobs?limit=nan",
        "/v1/jobs?before=-1",
        "/v1/jobs?before=9999999999999999999999",
        "/v1/decisions/zero",
        "/v1/decisions/0",
        "/v1/decisions/99999999999999999999999999",
        "/v1/events?after=-1",
        "/v1/nodes?all=perhaps",
        "/v1/jobs/x/throughput?since_s=nan",
        "/v1/jobs/x/throughput?since_s=inf",
        "/v1/jobs/x/throughput?buckets=1e9",
        "/v1/jobs/x/logs?tail=0",
        f"/v1/jobs/{'x' * 65}",
        f"/v1/nodes?job={'x' * 65}",
    ],
)
def test_a_parameter_out_of_range_is_a_problem_that_names_it(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert is_problem(answer, 422)
    assert answer.json()["errors"][0]["field"]


def test_an_error_inside_tells_nothing_of_the_inside(client: TestClient, world: World) -> None:
    world.context.store.close()
    object.__setattr__(world.context, "store", None)
    with capture_logs() as logs:
        answer = client.get("/v1/jobs")
    assert is_problem(answer, 500)
    assert logs[0]["event"] == "a request failed" and logs[0]["exc_info"]
    assert "NoneType" not in answer.text and "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    world.store.close()


def test_every_answer_tells_browsers_what_they_may_do(client: TestClient) -> None:
    for path in ("/v1/jobs", "/v1/nothing", "/healthz"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
    page = client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in page and "unsafe-inline" not in page
