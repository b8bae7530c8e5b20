"""What tests of several folders are given."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server, started when the first test asks for it; skips the test where PostgreSQL is not installed."""
    with postgres_server() as server:
        yield server
