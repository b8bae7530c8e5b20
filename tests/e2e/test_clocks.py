"""The machine's clock is wrong when the daemon starts, and is set while it runs, both ways."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from math import floor
from pathlib import Path

import pytest

from elastic.durations import MINIMUM_BILLED_S
from elastic_lab import parse_scenario, running_lab
from tests.e2e.cloud_story import Story
from tests.e2e.running import running_daemon

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

SCENARIO = {"node_types": {"c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034}}}
CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5

[ec2]
cluster = "clocks"
capacities = ["on-demand"]
minimum_billed_s = 1

[policy]
boot_prior_s = 5.0
"""
SCRIPT = """
import time
from elastic.worker import paramount
while True:
    time.sleep(0.05)
    paramount()
"""
# An hour costs $0.085, so an hour that the job did not train would end it.
BUDGET_USD = 0.03
DAY_S = 86_400.0
Set = Callable[[float], None]


@pytest.fixture
def skew(tmp_path: Path) -> Set:
    """Sets the machine's clock, as the daemon sees it, so many seconds ahead."""
    file = tmp_path / "skew"

    def set_to(ahead_s: float) -> None:
        partial = tmp_path / "skew.partial"
        partial.write_text(str(ahead_s))
        os.replace(partial, file)

    set_to(0.0)
    return set_to


@pytest.fixture
def story(tmp_path: Path, skew: Set) -> Iterator[Story]:
    """Its daemon starts a day ahead of the cloud."""
    skew(DAY_S)
    with running_lab(parse_scenario(SCENARIO)) as lab:
        environment = {
            **lab.environment(),
            "ELASTICD_PROVIDER": "ec2",
            "PYTHONPATH": f"{Path(__file__).parent / 'skewed'}:{Path(__file__).parents[2]}",
            "SKEW_FILE": str(tmp_path / "skew"),
        }
        with running_daemon(tmp_path, environment, config=CONFIG) as daemon:
            yield Story(lab, daemon)
        assert [each.instance_id for each in lab.running()] == []


def test_a_clock_that_is_set_ends_no_job_and_charges_nothing(
    story: Story, skew: Set, tmp_path: Path
) -> None:
    daemon = story.daemon
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    job_id = daemon.submit(
        name="clocks", command=[str(script)], objective={"budget_usd": BUDGET_USD}
    )

    done = daemon.until_iteration(job_id, 20)
    alarms = [each["kind"] for each in daemon.get("/v1/alarms")["items"]]
    assert alarms == ["clock"], "the user is told that the machine's clock is wrong"
    for ahead_s in (-600.0, 7200.0, -DAY_S, 600.0):
        skew(ahead_s)
        done = daemon.until_iteration(job_id, done + 40)
    for ahead_s in (7200.0, -DAY_S):
        daemon.kill()
        skew(ahead_s)
        daemon.start()
        done = daemon.until_iteration(job_id, done + 40)

    skew(0.0)
    daemon.until("the alarm is over", lambda: daemon.get("/v1/alarms")["items"] == [])
    assert daemon.get(f"/v1/jobs/{job_id}")["phase"] in ("profiling", "running")
    assert len(story.nodes(job_id, all=True)) == 1, story.tell(job_id)
    story.stop(job_id)
    daemon.until("no instance runs", lambda: not story.lab.running())
    ledger_usd = daemon.get("/v1/ledger", job=job_id)["total_usd"]
    (line,) = story.lab.bill().lines
    # EC2 tells launches and ends in whole seconds, which matters where a job lasts a minute. It
    # bills for a minute at least.
    told_s = floor(line.launched_at_s + line.running_s) - floor(line.launched_at_s)
    usd_per_s = line.usd / line.billed_s
    assert ledger_usd == pytest.approx(usd_per_s * max(told_s, MINIMUM_BILLED_S), rel=0.01)
