"""Asks for a node's registration."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from elastic.protocol import PROTOCOL
from tests.api.world import World


def ask(client: TestClient, world: World, instance_id: str, *, launch: str, **more: object) -> Any:
    token = world.context.node_tokens.join_token(launch)
    body = {
        "join_token": token,
        "instance_id": instance_id,
        "agent_version": "1",
        "pid": 1,
        "hostname": "h",
    }
    body |= {"protocol": PROTOCOL}
    return client.post("/v1/agent/register", json=body | more)
