from __future__ import annotations

from collections.abc import Iterator

import pytest
from torch.distributed import TCPStore  # type: ignore[attr-defined]  # torch forgets to export it


@pytest.fixture
def store() -> Iterator[TCPStore]:
    """The rendezvous store of members that are threads of the test."""
    store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
    yield store
    del store
