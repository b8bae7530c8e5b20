"""An API over a store of its own, for each test; what is costly to make and holds no state is made
once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.app import give_context, routes
from tests.api.world import TOKEN, World, make_world
from tests.empty_database import lay_out


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("database") / "elasticd.db"
    lay_out(path)
    return path


@pytest.fixture(scope="session")
def bare_app() -> FastAPI:
    return routes()


@pytest.fixture
def world(tmp_path: Path, empty_database: Path) -> Iterator[World]:
    made = make_world(tmp_path, template=empty_database)
    yield made
    made.store.close()


@pytest.fixture
def stranger(world: World, bare_app: FastAPI) -> Iterator[TestClient]:
    """A client without a token. An error inside is an answer, as it is for any client."""
    give_context(bare_app, world.context)
    with TestClient(bare_app, base_url="http://127.0.0.1", raise_server_exceptions=False) as made:
        yield made


@pytest.fixture
def client(stranger: TestClient) -> TestClient:
    """A client with the user's token."""
    stranger.headers["Authorization"] = f"Bearer {TOKEN}"
    return stranger
