"""A person enters a node over REST: who may, what is answered, and what is on record."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from elastic.model import Means, Node, WayIn
from elastic.providers import FakeProvider
from tests.api.world import World, train

WAY = WayIn(Means.SSH, "me@box", "/work", marks={"ELASTICD_NODE_ID": "node-1"})


@pytest.fixture
def node(world: World) -> Node:
    """A node with a way in."""
    _, trained = train(world)
    provider = world.context.provider
    assert isinstance(provider, FakeProvider) and trained.provider_id is not None
    provider.cloud.ways_in[trained.provider_id] = WAY
    return trained


def said(world: World, node: Node) -> list[tuple[str, str]]:
    """What the events of a node's job say of people."""
    return [
        (each.kind, each.text)
        for each in world.store.events.listed(job_id=node.job_id)
        if each.kind in ("node_entered", "node_left")
    ]


def test_who_entered_and_how_that_ended_are_events_and_saying_so_again_adds_none(
    client: TestClient, world: World, node: Node
) -> None:
    asked = {"by": "ada@laptop", "command": ["nvidia-smi", "-L"]}
    began = client.post(f"/v1/nodes/{node.id}:enter", json=asked)
    assert began.status_code == 200, began.text
    told = began.json()
    assert (told["node_id"], told["job_id"]) == (node.id, node.job_id)
    assert (told["way"]["means"], told["way"]["target"]) == ("ssh", "me@box")
    world.clock.advance(75.0)
    left = {"entry": told["entry"], "exit_code": 3}
    for _ in range(2):
        assert client.post(f"/v1/nodes/{node.id}:leave", json=left).status_code == 200
    runs = "ada@laptop runs nvidia-smi -L"
    assert said(world, node) == [
        ("node_entered", f"{runs} on {node.id}"),
        ("node_left", f"closed on {node.id} after 1 min 15 s, exit code 3: {runs}"),
    ]


def test_a_shell_that_its_node_closed_says_why_and_has_no_exit_code(
    client: TestClient, world: World, node: Node
) -> None:
    entry = client.post(f"/v1/nodes/{node.id}:enter", json={"by": "ada@laptop"}).json()["entry"]
    client.post(f"/v1/nodes/{node.id}:leave", json={"entry": entry, "because": "is terminated: x"})
    last = world.store.events.listed(job_id=node.job_id)[-1]
    assert "is terminated: x: ada@laptop opens a shell" in last.text
    assert "exit_code" not in last.numbers


def test_an_entry_of_another_node_or_of_none_is_not_found(client: TestClient, node: Node) -> None:
    answer = client.post(f"/v1/nodes/{node.id}:leave", json={"entry": 4711})
    assert answer.status_code == 404 and "found no 4711" in answer.json()["detail"]
    assert client.post("/v1/nodes/node-none:enter", json={"by": "ada"}).status_code == 404


def test_a_node_that_has_ended_or_runs_nothing_yet_says_so(
    client: TestClient, world: World, node: Node
) -> None:
    provider = world.context.provider
    assert isinstance(provider, FakeProvider)
    provider.cloud.ways_in.clear()
    early = client.post(f"/v1/nodes/{node.id}:enter", json={"by": "ada@laptop"})
    assert early.status_code == 409 and "nothing of it runs" in early.json()["detail"]
    world.store.nodes.intend_end(node.id, reason="the job is done", now_s=world.clock.now_s())
    world.store.nodes.gone(node.id, at_s=world.clock.now_s())
    late = client.post(f"/v1/nodes/{node.id}:enter", json={"by": "ada@laptop"})
    assert late.status_code == 409
    assert f"{node.id} is terminated since 2023-11-14" in late.json()["detail"]
    assert "is being terminated: the job is done" in late.json()["detail"]
    assert said(world, node) == []
