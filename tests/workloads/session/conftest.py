from __future__ import annotations

from collections.abc import Iterator

import pytest

from elastic.rendezvous import StoreServer
from tests.workloads.session.stores import close_stores, serve_store


@pytest.fixture(autouse=True)
def _stores_end_with_their_test() -> Iterator[None]:
    yield
    close_stores()


@pytest.fixture
def store() -> Iterator[StoreServer]:
    """The rendezvous store of members that are threads of the test."""
    store = serve_store()
    yield store
    store.close()
