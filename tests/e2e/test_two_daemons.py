"""Two daemons with databases of their own and one cluster name, on one cloud."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from elastic.errors import Conflict
from elastic_lab import Lab
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon_on

pytestmark = [pytest.mark.slow, pytest.mark.timeout(560)]

SCENARIO = {"node_types": {"c5.large": {"on_demand_usd_per_h": 0.085}}}
CONFIG = """
tick_s = 1.0

[ec2]
cluster = "contested"
capacities = ["on-demand"]
"""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with lab_left_empty(SCENARIO) as running:
        yield running


@pytest.fixture
def first(tmp_path: Path, lab: Lab) -> Iterator[RunningDaemon]:
    (tmp_path / "first").mkdir()
    with running_daemon_on(lab, tmp_path / "first", config=CONFIG) as running:
        yield running


def ended(daemon: RunningDaemon, *options: str) -> int:
    """How `elasticd serve` ends by itself on this daemon's folder."""
    daemon.process = daemon.spawn(*options)
    return daemon.process.wait(120)


def held_jobs(daemon: RunningDaemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.get("/v1/held-jobs")["items"]
    return found


def test_one_daemon_of_a_cluster_acts_and_the_one_that_is_taken_over_ends(
    first: RunningDaemon, tmp_path: Path, lab: Lab
) -> None:
    policy = {"name": "fixed", "node_type": "c5.large"}
    script = tmp_path / "train.py"
    script.write_text("import time\n\ntime.sleep(3600)\n")
    first.submit(
        name="contested",
        command=[str(script)],
        iterations=10,
        node_types=["c5.large"],
        policy=policy,
    )
    first.until("an instance", lab.running)

    (tmp_path / "second").mkdir()
    second = RunningDaemon(tmp_path / "second", first.environment)
    (second.folder / "elasticd.toml").write_text(CONFIG)
    assert ended(second) == 6
    assert f"data in {first.data}" in second.log
    assert "`elasticd serve --take-over`" in second.log
    assert len(lab.running()) == 1, "it has not touched what it does not know"

    try:
        second.start("--take-over")
        (held,) = second.until("it holds what it does not know", lambda: held_jobs(second))
        assert len(held["machines"]) == len(lab.running()) == 1
        assert second.elasticd("adopt", held["job_id"], "--end", "-y").returncode == 0
        second.until("the first one's instance is ended", lambda: not lab.running())
        assert first.process is not None
        assert first.process.wait(200) == 6
        assert "superseded" in first.log
        assert f"data in {second.data}" in first.log
        second.until(
            "what the first one bought at that instant is ended too", lambda: not lab.running()
        )
        assert ended(first) == 6, "a living foreign lease refuses this one now"
        second.stop()
        first.start()
        assert first.log.count("has the leader lease") == 2, (
            "the second one left no node, and gave its lease back"
        )
        (job,) = first.get("/v1/jobs")["items"]
        with (
            first.client() as client,
            suppress(Conflict),
        ):
            # It may have failed, having lost its machine so often.
            client.post(f"/v1/jobs/{job['id']}:stop")
        first.until("nothing runs", lambda: not lab.running())
    finally:
        if second.process is not None and second.process.poll() is None:
            second.stop()
        second.sweep()
