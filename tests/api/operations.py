"""Every operation of the interface, and what a request could add to the store."""

from __future__ import annotations

import json
from typing import Any

from api.openapi import REFERENCE
from tests.api.world import World

OPEN = {"/healthz", "/login", "/v1/wheels/{sha256}/{name}"}
AGENT = "/v1/agent/"
# As it is committed. It takes a second to be made, and tests/docs/test_reference.py holds the two
# to be the same.
DESCRIBED: dict[str, Any] = json.loads(REFERENCE.read_text(encoding="utf-8"))


def operations() -> list[tuple[str, str]]:
    """Every operation that the interface describes, and the pages beside it."""
    return [
        (method.upper(), path) for path, methods in DESCRIBED["paths"].items() for method in methods
    ]


def rows(world: World) -> tuple[int, int, int, int]:
    """How much the store holds of what a request could add."""
    store = world.store
    return (
        len(store.jobs.listed()),
        len(store.nodes.listed(include_gone=True)),
        len(store.prices.listed()),
        store.events.newest_id(),
    )
