"""What a node tells of its machine's end, through the heartbeat to those who look."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.world import START_S, World, train

NOTICE = {
    "kind": "interruption",
    "noticed_at_s": START_S + 61,
    "at_s": START_S + 180,
    "action": "terminate",
}
HINT = {"kind": "rebalance", "noticed_at_s": START_S + 60}


def beat(client: TestClient, world: World, node_id: str, notice: dict[str, Any] | None) -> int:
    report = {"state": "running", "generation": 1}
    said = {"sent_at_s": world.clock.now_s(), "report": report, "notice": notice}
    body = {"node_id": node_id, "instance_id": "fake-1", **said}
    token = world.context.node_tokens.node_token(node_id, "fake-1")
    return client.post(
        "/v1/agent/heartbeat", json=body, headers={"Authorization": f"Bearer {token}"}
    ).status_code


def test_a_notice_is_stored_wakes_the_reconciler_and_makes_one_event(
    client: TestClient, world: World
) -> None:
    _, node = train(world)
    assert beat(client, world, node.id, NOTICE) == 200
    assert beat(client, world, node.id, NOTICE | {"noticed_at_s": START_S + 66}) == 200
    assert len(world.wakes) == 1
    assert client.get(f"/v1/nodes/{node.id}").json()["notice"] == NOTICE
    (event,) = [
        event for event in world.store.events.listed() if event.kind == "interruption_notice"
    ]
    assert (
        event.text
        == "small on-demand local is taken back by the cloud in 1 min 59 s (spot terminate)"
    )


def test_a_time_limit_of_slurm_is_no_spot_interruption(client: TestClient, world: World) -> None:
    _, node = train(world)
    assert beat(client, world, node.id, NOTICE | {"action": "time limit"}) == 200
    told = [each.text for each in world.store.events.listed() if "time limit" in each.text]
    assert told == ["small on-demand local leaves in 1 min 59 s (time limit)"]


def test_an_announced_end_is_taken_back_by_no_recommendation(
    client: TestClient, world: World
) -> None:
    _, node = train(world)
    for notice in (HINT, NOTICE, HINT, None):
        assert beat(client, world, node.id, notice) == 200
    assert world.store.nodes.get(node.id).leaves_at_s == START_S + 180
    kinds = [event.kind for event in world.store.events.listed()]
    assert (kinds.count("rebalance_recommended"), kinds.count("interruption_notice")) == (1, 1)


def test_an_interruption_is_counted_and_shown(client: TestClient, world: World) -> None:
    _, node = train(world)
    assert beat(client, world, node.id, NOTICE) == 200
    assert (
        'elasticd_interruptions_total{node_type="small",notice="yes"} 1.0'
        in client.get("/metrics").text
    )
    assert "leaves at 22:16:20 UTC (spot interruption)" in client.get("/nodes").text


@pytest.mark.parametrize(
    "wrong",
    [
        {"at_s": None},
        {"at_s": "NaN"},
        {"noticed_at_s": -1.0},
        {"kind": "eviction"},
        {"action": "x" * 33},
    ],
)
def test_a_notice_that_makes_no_sense_is_refused(
    client: TestClient, world: World, wrong: dict[str, Any]
) -> None:
    _, node = train(world)
    assert beat(client, world, node.id, NOTICE | wrong) == 422
    assert world.store.nodes.get(node.id).notice is None
