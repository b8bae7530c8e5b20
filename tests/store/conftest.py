"""A store for each test, in SQLite and in PostgreSQL, with one job in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from elastic.model import Job, JobSpec, Node, Offering
from elastic.store import Store, open_store
from tests.builders import add_price, intend
from tests.empty_database import lay_out
from tests.postgres import PostgresServer

HALF = Offering("local.half")


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(request: pytest.FixtureRequest, backend: str, tmp_path: Path) -> str:
    """An empty database. It is asked for by name, so that no server is started for tests that need
    none."""
    if backend == "sqlite":
        return f"sqlite:///{tmp_path / 'elasticd.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.empty_database()


@pytest.fixture
def store(request: pytest.FixtureRequest, backend: str, tmp_path: Path) -> Iterator[Store]:
    """A store on that database; where the test does not ask for it, on one that need not be
    migrated each time."""
    if "url" in request.fixturenames:
        opened = open_store(request.getfixturevalue("url"))
    elif backend == "sqlite":
        opened = open_store(lay_out(tmp_path / "elasticd.db"))
    else:
        opened = open_store(request.getfixturevalue("postgres").migrated_database())
    yield opened
    opened.close()


@pytest.fixture
def job(store: Store) -> Job:
    return store.jobs.submit(
        JobSpec("first", ("train.py",)), key=None, request_hash="h", now_s=100.0
    )[0]


@pytest.fixture
def node(store: Store, job: Job) -> Node:
    """A node that joined and is the only member of generation 1; $0.36 an hour, launched at 110."""
    add_price(store, HALF, 0.36, valid_from_s=0.0, observed_at_s=0.0, source="test")
    intended = intend(store, job.id, HALF, now_s=109.0)
    store.nodes.launched(intended.id, "machine-1", launched_at_s=110.0, minimum_s=0.0)
    joined = store.nodes.joined(intended.id, now_s=115.0)
    store.generations.start(job.id, (joined,), rdzv_endpoint="127.0.0.1:1", now_s=116.0)
    return joined
