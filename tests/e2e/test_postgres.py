"""A real daemon on a real PostgreSQL: it trains, owns its database alone, and outlives its server's
absence."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.running import RunningDaemon, running_daemon
from tests.postgres import PostgresServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# Longer than two heartbeats and two ticks of the daemon under test.
_ABSENCE_S = 5.0
_SCRIPT = """\
import time
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(200):
    optimizer.zero_grad(); model(torch.randn(8, 4)).sum().backward(); optimizer.step()
    time.sleep(0.1)
"""


@pytest.fixture
def daemon(tmp_path: Path, postgres: PostgresServer) -> Iterator[RunningDaemon]:
    with running_daemon(tmp_path, {"ELASTICD_DATABASE_URL": postgres.empty_database()}) as running:
        yield running


def test_a_server_that_goes_away_for_a_while_costs_neither_launch_nor_measurement(
    daemon: RunningDaemon, postgres: PostgresServer, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(_SCRIPT)
    job_id = daemon.submit(
        name="plain", command=[str(script)], policy={"name": "fixed", "node_type": "full"}
    )
    daemon.until_iteration(job_id, 20)
    postgres.stop()
    try:
        time.sleep(_ABSENCE_S)
        assert "the database refused" in daemon.log
    finally:
        postgres.start()
    job = daemon.until_phase(job_id, "succeeded")
    assert job["iteration"] == 200
    windows = daemon.get("/v1/measurements", job=job_id, limit=500)["items"]
    assert sum(each["window"]["iterations"] for each in windows) == 200
    nodes = daemon.get("/v1/nodes", job=job_id, all=True)["items"]
    assert [each["phase"] for each in nodes] == ["terminated"]
    ledger = daemon.get("/v1/ledger", job=job_id)
    seconds = nodes[0]["terminated_at_s"] - nodes[0]["launched_at_s"]
    assert ledger["total_usd"] == pytest.approx(1.44 * seconds / 3600)


def test_a_second_daemon_on_the_same_database_refuses_to_start(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "elasticd.toml").write_text("")
    second = RunningDaemon(elsewhere, daemon.environment)
    process = second.spawn()
    assert process.wait(60) not in (0, None)
    assert "another daemon owns this database" in second.log
    assert daemon.get("/v1/node-types")
