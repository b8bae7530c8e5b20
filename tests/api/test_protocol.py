"""The daemon's end of the protocol: it takes what agents can send, and names what is wrong with
anything else."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elastic.errors import InvalidInput
from elastic.model import NodePhase
from elastic.protocol import PROTOCOL, Heartbeat, HeartbeatReply, from_json, to_json
from tests.api.world import World, train
from tests.protocol.messages import contents

MAJOR = int(PROTOCOL.partition(".")[0])


def beat(client: TestClient, world: World, body: dict[str, Any]) -> Any:
    token = world.context.node_tokens.node_token(body["node_id"], body["instance_id"])
    return client.post(
        "/v1/agent/heartbeat", json=body, headers={"Authorization": f"Bearer {token}"}
    )


@given(data=st.data())
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
def test_every_heartbeat_that_an_agent_can_send_is_taken(
    world: World, client: TestClient, data: st.DataObject
) -> None:
    (node,) = world.store.nodes.listed() or (train(world)[1],)
    content = data.draw(contents(Heartbeat, junk=data.draw(st.booleans())))
    content |= {"node_id": node.id, "instance_id": "fake-1", "protocol": PROTOCOL}
    try:
        body = to_json(from_json(Heartbeat, content))
    except InvalidInput:
        return
    answer = beat(client, world, body)
    assert answer.status_code == 200, answer.text
    assert from_json(HeartbeatReply, answer.json()).lease_s > 0


@pytest.mark.parametrize("protocol", [f"{MAJOR + 1}.0", "1.0"])
def test_an_agent_of_another_major_version_does_not_join_and_its_job_says_why(
    client: TestClient, world: World, protocol: str
) -> None:
    _, node = train(world)
    body = {
        "join_token": world.context.node_tokens.join_token(node.token),
        "instance_id": "fake-1",
        "pid": 1,
    }
    body |= {"agent_version": "1", "hostname": "h", "protocol": protocol}
    answer = client.post("/v1/agent/register", json=body)
    why = (
        f"protocol: wanted {MAJOR}.x, but the agent speaks {protocol}: "
        "install one release of elasticd on both"
    )
    assert (answer.status_code, answer.json()["errors"]) == (
        422,
        [{"field": "protocol", "message": why}],
    )
    (event,) = [each for each in world.store.events.listed() if each.kind == "note"]
    assert (event.text, event.node_id) == (why, node.id)


def test_a_heartbeat_of_another_major_version_changes_nothing(
    client: TestClient, world: World
) -> None:
    _, node = train(world)
    body = {
        "node_id": node.id,
        "instance_id": "fake-1",
        "sent_at_s": 1.0,
        "report": {"state": "exited"},
    }
    answer = beat(client, world, body | {"protocol": f"{MAJOR + 1}.0"})
    assert answer.status_code == 422
    assert f"the agent speaks {MAJOR + 1}.0" in answer.json()["detail"]
    assert world.store.nodes.get(node.id) == node and node.phase is NodePhase.JOINED
    assert (
        beat(
            client, world, body | {"protocol": f"{MAJOR}.99", "more": {"of": "a newer minor"}}
        ).status_code
        == 200
    )
    assert world.store.nodes.get(node.id).agent_state == "exited"


def test_a_window_that_is_refused_is_named_by_its_place(client: TestClient, world: World) -> None:
    _, node = train(world)
    window = {
        "seq": 1,
        "generation": 1,
        "world_size": 1,
        "phase": "main",
        "iteration": 8,
        "iterations": 8,
    }
    window |= {"elapsed_s": 8.0, "is_cold": False, "ended_at_s": 1.7e9}
    body = {
        "node_id": node.id,
        "instance_id": "fake-1",
        "sent_at_s": 1.0,
        "report": {"state": "running"},
    }
    answer = beat(client, world, body | {"windows": [window, window | {"world_size": 2_000_000}]})
    assert [each["field"] for each in answer.json()["errors"]] == ["windows.1.world_size"]
    note = {"kind": "note", "seq": 2, "text": "x" * 2001}
    answer = beat(client, world, body | {"events": [note]})
    assert [each["field"] for each in answer.json()["errors"]] == ["events.0.note.text"]
