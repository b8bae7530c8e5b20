"""Every operation of the interface, and what a request could add to the store."""

from __future__ import annotations

from api.app import routes
from tests.api.world import World

OPEN = {"/healthz", "/login", "/v1/wheels/{sha256}/{name}"}
AGENT = "/v1/agent/"


def operations() -> list[tuple[str, str]]:
    """Every operation that the interface describes, and the pages beside it."""
    described = routes().openapi()["paths"]
    return [(method.upper(), path) for path, methods in described.items() for method in methods]


def rows(world: World) -> tuple[int, int, int, int]:
    """How much the store holds of what a request could add."""
    store = world.store
    return (
        len(store.jobs.listed()),
        len(store.nodes.listed(include_gone=True)),
        len(store.prices.listed()),
        store.events.newest_id(),
    )
