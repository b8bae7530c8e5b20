"""The client turns what the daemon answers into values, and what it refuses into errors."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import httpx2
import pytest

from elastic.client.rest import Client
from elastic.errors import (
    Conflict,
    DaemonUnreachable,
    ElasticError,
    InvalidInput,
    NotFound,
    StoreUnavailable,
    Unauthorized,
)

Answer = Callable[[httpx2.Request], httpx2.Response]


def client_of(answer: Answer) -> Client:
    return Client(url="http://127.0.0.1", token="secret", transport=httpx2.MockTransport(answer))


def problem(status: int, detail: str, **more: object) -> Answer:
    return lambda _: httpx2.Response(
        status, json={"title": "T", "status": status, "detail": detail, **more}
    )


def test_sends_the_token_in_the_header() -> None:
    seen: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers["Authorization"])
        return httpx2.Response(200, json={})

    with client_of(answer) as client:
        client.get("/v1/jobs")
    assert seen == ["Bearer secret"]


def test_reads_a_list_page_by_page_up_to_the_limit() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        before = int(request.url.params.get("before", "9"))
        limit = int(request.url.params["limit"])
        ids = list(range(before - 1, max(before - 1 - min(limit, 3), 0), -1))
        return httpx2.Response(
            200, json={"items": [{"id": each} for each in ids], "next_before": ids[-1]}
        )

    with client_of(answer) as client:
        assert [each["id"] for each in client.items("/v1/events", limit=5)] == [8, 7, 6, 5, 4]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, Unauthorized),
        (404, NotFound),
        (409, Conflict),
        (412, Conflict),
        (422, InvalidInput),
        (503, StoreUnavailable),
        (500, StoreUnavailable),
        (418, ElasticError),
    ],
)
def test_a_refusal_is_an_error_with_the_daemons_words(
    status: int, kind: type[ElasticError]
) -> None:
    with (
        client_of(problem(status, "c5.large: no such thing")) as client,
        pytest.raises(kind, match=r"c5\.large: no such"),
    ):
        client.get("/v1/jobs/a")


def test_every_fault_of_a_problem_is_told() -> None:
    faults = [
        {"field": "nodes.min", "message": "wanted 1"},
        {"field": "name", "message": "wanted a name"},
    ]
    with (
        client_of(problem(422, "two faults", errors=faults)) as client,
        pytest.raises(InvalidInput) as caught,
    ):
        client.post("/v1/jobs", {})
    assert str(caught.value).splitlines() == [
        "two faults",
        "  nodes.min: wanted 1",
        "  name: wanted a name",
    ]


def test_a_single_fault_is_told_once() -> None:
    faults = [{"field": "limit", "message": "wanted less than or equal to 500, got '501'"}]
    said = "limit: wanted less than or equal to 500, got '501'"
    with (
        client_of(problem(422, said, errors=faults)) as client,
        pytest.raises(InvalidInput) as caught,
    ):
        client.get("/v1/jobs")
    assert str(caught.value) == said


def test_a_single_fault_that_the_detail_leaves_out_is_told() -> None:
    faults = [{"field": "name", "message": "wanted a name"}]
    with (
        client_of(problem(422, "one fault", errors=faults)) as client,
        pytest.raises(InvalidInput) as caught,
    ):
        client.get("/v1/jobs")
    assert str(caught.value).splitlines() == ["one fault", "  name: wanted a name"]


def test_a_page_that_is_not_json_says_so() -> None:
    with (
        client_of(lambda _: httpx2.Response(200, html="<p>hello</p>")) as client,
        pytest.raises(ElasticError, match=r"is this elasticd's address\?"),
    ):
        client.get("/v1/jobs")


def test_nobody_at_the_address_says_what_to_do() -> None:
    with (
        Client(url="http://127.0.0.1:1", token="t") as client,
        pytest.raises(DaemonUnreachable, match="elasticd serve"),
    ):
        client.get("/v1/jobs")


def test_events_are_read_as_they_come() -> None:
    lines = [f"id: {each}\nevent: note\ndata: {json.dumps({'id': each})}\n\n" for each in (1, 2)]
    stream = ": hello\n\n" + "".join(lines)
    with client_of(lambda _: httpx2.Response(200, text=stream)) as client:
        assert [each["id"] for each in client.events(after=None, job=None)] == [1, 2]


def test_a_refused_stream_is_an_error() -> None:
    with (
        client_of(problem(404, "no job 'a'")) as client,
        pytest.raises(NotFound, match="no job 'a'"),
    ):
        list(client.events(after=0, job="a"))


def test_a_daemon_that_takes_a_connection_and_says_nothing_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with (
            Client(url=url, token="secret") as client,
            # It is there: to start another one would be of no use.
            pytest.raises(DaemonUnreachable, match=r"an answer .* found none in time: its log"),
        ):
            client.get("/v1/jobs/a", within_s=0.1)


@pytest.mark.parametrize("url", ["localhost:8470", "127.0.0.1:8470", "daemon", "ftp://a", ""])
def test_what_is_no_address_is_not_called_a_daemon_that_is_gone(url: str) -> None:
    with pytest.raises(InvalidInput, match="wanted the daemon's address as http://host:port, got"):
        Client(url=url, token="secret")
