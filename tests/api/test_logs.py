"""Nodes send lines of their own job, within bounds; people read or follow them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.feed import Feed
from api.rates import Rates
from api.routers import logs as routes
from elastic.log_line import MAX_CHARACTERS, LogPiece
from elastic.model import JobPhase, Node
from tests.api.world import World, train


def batch(node: Node, *lines: str, seq: int = 1, **stream: Any) -> dict[str, Any]:
    streams = [{"generation": 1, "worker": 0, "rank": 0, "lines": list(lines), **stream}]
    return {"node_id": node.id, "instance_id": "fake-1", "seq": seq, "streams": streams}


def send(
    client: TestClient, world: World, node: Node, body: dict[str, Any], *, token: str | None = None
) -> int:
    token = token or world.context.node_tokens.node_token(node.id, "fake-1")
    return client.post(
        "/v1/agent/logs", json=body, headers={"Authorization": f"Bearer {token}"}
    ).status_code


def test_what_a_node_sends_is_its_job_s_log(client: TestClient, world: World) -> None:
    _, node = train(world)
    for _ in range(2):  # the second time it did not hear the answer
        assert send(client, world, node, batch(node, "first", "<b>second</b>")) == 200
    assert send(client, world, node, batch(node, "third", seq=2, worker=1, rank=1)) == 200
    text = client.get("/v1/jobs/first/logs").text
    assert text == "==> generation 1 <==\n[rank 0] first\n[rank 0] <b>second</b>\n[rank 1] third\n"
    assert client.get("/v1/jobs/first/logs?rank=1").text == "==> generation 1, rank 1 <==\nthird\n"
    assert client.get("/v1/jobs/first/logs?tail=1").text.endswith("<==\n[rank 1] third\n")
    assert client.get(f"/v1/jobs/first/logs?node={node.id}").text == text
    assert client.get("/v1/jobs/first/logs?node=another").status_code == 404
    page = client.get("/jobs/first").text
    assert "[rank 0] &lt;b&gt;second&lt;/b&gt;" in page and "<b>second" not in page


def test_a_token_that_outlived_its_machine_forges_no_line(client: TestClient, world: World) -> None:
    job, node = train(world)
    world.store.nodes.gone(node.id, at_s=world.context.clock.now_s())
    assert send(client, world, node, batch(node, "forged")) == 409
    assert world.context.logs.lines(job.id, limit=10) == ()


def test_only_a_node_itself_writes_into_its_job_s_log(client: TestClient, world: World) -> None:
    job, node = train(world)
    assert send(client, world, node, batch(node, "x"), token="guessed") == 401
    assert send(client, world, node, batch(node, "x") | {"instance_id": "fake-2"}) == 401
    assert send(client, world, node, batch(node, "x") | {"node_id": "n-other"}) == 401
    assert world.context.logs.lines(job.id, limit=10) == ()
    assert send(client, world, node, batch(node, "x") | {"job_id": "another"}) == 200
    assert world.context.logs.lines("another", limit=10) == (), (
        "a field that the protocol does not know is ignored"
    )
    assert [line.text for line in world.context.logs.lines(job.id, limit=10)] == ["x"]


@pytest.mark.parametrize(
    "stream",
    [
        {"generation": 2},
        {"generation": 0},
        {"worker": -1},
        {"worker": 5000},
        {"rank": 2**31},
        {"dropped": -1},
        {"lines": ["x" * (MAX_CHARACTERS + 101)]},
        {"lines": ["x"] * 10_001},
        {"lines": [7]},
        {"open": "x" * (MAX_CHARACTERS + 101)},
    ],
)
def test_what_no_agent_sends_is_refused(
    client: TestClient, world: World, stream: dict[str, Any]
) -> None:
    job, node = train(world)
    assert send(client, world, node, batch(node, **stream)) == 422
    assert world.context.logs.lines(job.id, limit=10) == ()


def test_a_node_that_sends_too_much_is_told_to_wait(client: TestClient, world: World) -> None:
    _, node = train(world)
    lines = ["x" * 4000] * 250
    answers = [send(client, world, node, batch(node, *lines, seq=seq)) for seq in range(1, 7)]
    assert answers == [200] * 4 + [429] * 2
    world.clock.advance(60.0)
    assert send(client, world, node, batch(node, "after a while", seq=7)) == 200
    body = batch(node, *(["x" * 4000] * 1100))
    assert send(client, world, node, body) == 413


def test_rates_remember_a_bounded_number_of_nodes() -> None:
    rates = Rates(per_s=1.0, most=1.0)
    for number in range(5000):
        assert rates.takes(f"n{number}", 1.0, now_s=0.0)
    assert not rates.takes("n4999", 1.0, now_s=0.0)
    assert rates.takes("n0", 1.0, now_s=0.0), "the one heard longest ago was forgotten"


def test_a_failed_job_s_log_opens_at_its_traceback_unless_something_is_asked_for(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    own = LogPiece(1, None, None, ("torchrun: FAILED",))
    failed = LogPiece(
        1, 0, 0, ("loss 0.5", "Traceback (most recent call last):", "ValueError: no such folder")
    )
    world.context.logs.add(job.id, node.id, [failed, own], seq=1, now_s=0.0)
    assert client.get("/v1/jobs/first/logs").text.endswith("no such folder\n"), "it goes on"
    world.store.jobs.request_stop(job.id, JobPhase.FAILED, "it failed", now_s=world.clock.now_s())
    world.store.jobs.move(job.id, JobPhase.FAILED, now_s=world.clock.now_s())
    wanted = (
        "==> generation 1, rank 0 <==\nTraceback (most recent call last):\nValueError: no such "
        "folder\n"
    )
    assert client.get("/v1/jobs/first/logs").text == wanted
    worker = "[rank 0] Traceback (most recent call last):\n[rank 0] ValueError: no such folder\n"
    assert client.get("/v1/jobs/first/logs?tail=100").text.endswith("loss 0.5\n" + worker)
    assert client.get(f"/v1/jobs/first/logs?tail=100&node={node.id}").text.endswith("FAILED\n")
    assert "loss" in client.get("/v1/jobs/first/logs?rank=0").text
    page = client.get("/jobs/first").text
    assert page.index("Log: rank 0 failed") < page.index("Generations"), (
        "it is what somebody who comes now looks for"
    )
    assert f"<code>{wanted.replace('>', '&gt;').replace('<', '&lt;')}</code>" in page.replace(
        "&#39;", "'"
    )


def test_torchrun_s_own_lines_are_shown_where_no_worker_has_begun(
    client: TestClient, world: World
) -> None:
    job, node = train(world)
    refused = LogPiece(1, None, None, ("torchrun: error: no rendezvous",), open="torchrun waits")
    world.context.logs.add(job.id, node.id, [refused], seq=1, now_s=0.0)
    assert client.get("/v1/jobs/first/logs").text.endswith("error: no rendezvous\n")
    assert client.get("/v1/jobs/first/logs?rank=0").text == ""
    world.context.logs.add(job.id, node.id, [LogPiece(1, 0, 0, ("loss 0.5",))], seq=2, now_s=0.0)
    assert client.get("/v1/jobs/first/logs").text == "==> generation 1 <==\n[rank 0] loss 0.5\n"


@pytest.mark.parametrize("names_node", [False, True])
def test_a_stream_has_torchrun_s_lines_where_it_is_of_one_node(
    world: World, names_node: bool
) -> None:
    job, node = train(world)
    own = LogPiece(1, None, None, ("SignalException",), open="torchrun ends")
    world.context.logs.add(
        job.id, node.id, [own, LogPiece(1, 0, 0, ("loss 0.5",))], seq=1, now_s=0.0
    )
    events = streamed(world, node_id=node.id if names_node else None)
    said = [line["text"] for event in events for line in (*event["lines"], *event["open"])]
    assert said == (
        ["SignalException", "loss 0.5", "torchrun ends"] if names_node else ["loss 0.5"]
    )


def streamed(world: World, **options: Any) -> list[dict[str, Any]]:
    """What a stream of the job's log gives until it ends by itself."""
    world.store.jobs.request_stop(
        world.store.jobs.get("first").id, JobPhase.CANCELLED, None, now_s=world.clock.now_s()
    )
    world.store.jobs.move(
        world.store.jobs.get("first").id, JobPhase.CANCELLED, now_s=world.clock.now_s()
    )

    async def read() -> list[bytes]:
        wanted = {
            "tail": 100,
            "after": None,
            "rank": None,
            "node_id": None,
            "silence_s": 0.01,
            **options,
        }
        feed = Feed(lambda: world.context.logs.changes)
        return [
            part
            async for part in routes.follow(
                world.context, feed, world.store.jobs.get("first").id, **wanted
            )
        ]

    parts = [part.decode() for part in asyncio.run(read())]
    assert parts[0].startswith("retry:")
    assert parts[-1].startswith("event: end\n")
    data = [
        line.removeprefix("data: ")
        for part in parts[1:-1]
        for line in part.splitlines()
        if line[:5] == "data:"
    ]
    return [json.loads(each) for each in data]


def test_a_stream_begins_with_the_last_lines_or_after_one_and_ends_with_the_job(
    world: World,
) -> None:
    job, node = train(world)
    pieces = [LogPiece(1, 0, 0, tuple(str(number) for number in range(1200)), open=" 50%")]
    world.context.logs.add(job.id, node.id, pieces, seq=1, now_s=0.0)
    (event,) = streamed(world, tail=3)
    assert [(line["text"], line["source"]) for line in event["lines"]] == [
        (str(n), "rank 0") for n in (1197, 1198, 1199)
    ]
    assert [line["text"] for line in event["open"]] == [" 50%"]


def test_a_stream_that_resumes_misses_nothing(world: World) -> None:
    job, node = train(world)
    pieces = [LogPiece(1, 0, 0, tuple(str(number) for number in range(1200)))]
    world.context.logs.add(job.id, node.id, pieces, seq=1, now_s=0.0)
    seen = world.context.logs.lines(job.id, limit=1200)[99].id
    events = streamed(world, after=seen)
    assert [line["text"] for event in events for line in event["lines"]] == [
        str(n) for n in range(100, 1200)
    ]


def test_a_stream_tells_where_to_go_on_before_there_is_a_line(world: World) -> None:
    train(world)
    # With this number a follower takes up the stream of a daemon that was started again.
    (event,) = streamed(world)
    assert event == {"lines": [], "open": []}


def test_a_stream_waits_for_the_last_lines_of_a_job_that_is_over(world: World) -> None:
    job, node = train(world)
    logs = world.context.logs

    feed = Feed(lambda: logs.changes)
    world.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=world.clock.now_s())
    world.store.jobs.move(job.id, JobPhase.CANCELLED, now_s=world.clock.now_s())

    async def read() -> str:
        stream = routes.follow(
            world.context,
            feed,
            job.id,
            tail=10,
            after=None,
            rank=None,
            node_id=None,
            silence_s=0.01,
        )
        parts = []
        async for part in stream:
            parts.append(part.decode())
            if len(parts) == 2:  # after the first look at a job that is over
                logs.add(job.id, node.id, [LogPiece(1, 0, 0, ("the last line",))], seq=1, now_s=0.0)
        return "".join(parts)

    assert "the last line" in asyncio.run(read())


def test_a_stream_needs_the_user_and_a_job_that_is_there(
    stranger: TestClient, client: TestClient
) -> None:
    accept = {"Accept": "text/event-stream"}
    assert client.get("/v1/jobs/none/logs", headers=accept).status_code == 404
    assert (
        stranger.get("/v1/jobs/none/logs", headers=accept | {"Authorization": ""}).status_code
        == 401
    )
