from __future__ import annotations

from pathlib import Path

import pytest

from tests.reconciler.virtual import VirtualCluster, small_forever


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    """A virtual cluster with one job that has begun to train."""
    cluster = VirtualCluster(tmp_path, small_forever)
    cluster.submit()
    cluster.run(10)
    return cluster
