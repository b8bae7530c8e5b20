"""The wheel that nodes install: everybody who knows its sum gets it, and nothing else is served
there."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from api.app import give_context
from elastic.distribution import Wheel
from tests.api.world import World

WHEEL = Wheel("elasticd-0.1.0-py3-none-any.whl", b"a wheel", "5" * 64)

Serve = Callable[[Wheel | None], TestClient]


@pytest.fixture
def serve(stranger: TestClient, world: World) -> Serve:
    def made(wheel: Wheel | None) -> TestClient:
        give_context(stranger.app, replace(world.context, wheel=wheel))  # type: ignore[arg-type]  # it is a FastAPI
        return stranger

    return made


def test_a_node_gets_the_wheel_without_a_token_and_may_keep_it(serve: Serve) -> None:
    answer = serve(WHEEL).get(WHEEL.path)
    assert (answer.status_code, answer.content) == (200, b"a wheel")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-length"] == "7"


@pytest.mark.parametrize(
    "path", [f"/v1/wheels/{'6' * 64}/{WHEEL.name}", f"/v1/wheels/{WHEEL.sha256}/other.whl"]
)
def test_another_sum_or_name_is_not_found(serve: Serve, path: str) -> None:
    assert serve(WHEEL).get(path).status_code == 404


def test_a_daemon_whose_nodes_install_otherwise_has_none(serve: Serve) -> None:
    assert serve(None).get(WHEEL.path).status_code == 404
