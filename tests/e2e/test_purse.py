"""Jobs share a purse: a real daemon, real nodes and its commands, here and on the local EC2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.counting import COUNTING
from tests.e2e.running import RunningDaemon, lab_left_empty, running_daemon, running_daemon_on
from tests.e2e.survivors import covered, windows

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SCENARIO = {
    "node_types": {"c5.large": {"cpu": 0.3, "on_demand_usd_per_h": 0.1, "spot_usd_per_h": 0.05}}
}
# A tenth of the cap is kept back: the rest pays two spot machines with their disks and addresses.
ON_THE_LAB = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 6.0

[ec2]
cluster = "purse"
capacities = ["spot"]
spot_refresh_s = 2.0
minimum_billed_s = 1

[policy]
cooldown_s = 5.0
trial_windows = 4
boot_prior_s = 5.0
switch_pause_prior_s = 6.0
wind_down_s = 10.0

[purse]
usd_per_h = 0.15
usd_per_day = 3.0
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[RunningDaemon]:
    # Nine tenths of it pay one node of the type half, at $0.36/h.
    with running_daemon(tmp_path, environment={"ELASTICD_PURSE__USD_PER_H": "0.45"}) as running:
        yield running


def test_the_lower_priority_waits_a_paused_job_goes_on_and_nothing_is_done_twice(
    daemon: RunningDaemon, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(COUNTING)

    def submit(name: str, iterations: int, priority: int) -> str:
        return daemon.submit(
            name=name,
            command=[str(script), str(iterations), "0.1"],
            iterations=iterations,
            policy={"name": "fixed", "node_type": "half"},
            priority=priority,
        )

    low = submit("low", 120, 0)
    daemon.until_iteration(low, 20)
    high = submit("high", 30, 5)
    waiting = daemon.until_phase(low, "waiting")
    assert "1 job comes first, with $0.36/h" in waiting["message"]
    daemon.until_phase(high, "succeeded")

    again = daemon.until_iteration(low, waiting["iteration"] + 10)
    assert daemon.elasticd("job", "pause", "low", "-y").returncode == 0
    daemon.until("its node is gone", lambda: not daemon.get("/v1/nodes", job=low)["items"])
    paused = daemon.get(f"/v1/jobs/{low}")
    assert (paused["phase"], paused["iteration"] >= again) == ("paused", True)
    shown = daemon.elasticd("purse").stdout
    assert "paused" in shown and "at most $0.405/h now" in shown
    assert daemon.elasticd("job", "resume", "low").returncode == 0

    done = daemon.until_phase(low, "succeeded")
    assert (done["iteration"], done["redone"]) == (120, 0)
    for job_id, iterations in ((low, 120), (high, 30)):
        assert covered(daemon, job_id) == set(range(1, iterations + 1))
        assert sum(each["iterations"] for each in windows(daemon, job_id)) == iterations
    cap = daemon.get("/v1/purse")["caps"][0]
    assert cap["spent_usd"] <= cap["usd"]


@pytest.mark.soak
def test_four_jobs_on_two_machines_of_the_lab_cost_what_the_ledgers_say(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(COUNTING)
    with (
        lab_left_empty(SCENARIO) as lab,
        running_daemon_on(lab, tmp_path, config=ON_THE_LAB) as daemon,
    ):
        jobs = [
            daemon.submit(
                name=f"job-{number}",
                command=[str(script), "40", "0.1"],
                iterations=40,
                priority=number % 2,
            )
            for number in range(4)
        ]
        for job_id in jobs:
            done = daemon.until_phase(job_id, "succeeded", timeout_s=200.0)
            assert (done["iteration"], done["redone"]) == (40, 0)
        nodes = [
            node
            for job_id in jobs
            for node in daemon.get("/v1/nodes", job=job_id, all=True)["items"]
        ]
        for each in nodes:
            at_once = [
                other
                for other in nodes
                if other["launched_at_s"] <= each["launched_at_s"] < other["terminated_at_s"]
            ]
            assert len(at_once) <= 2
        daemon.until("no instance runs", lambda: not lab.running(), timeout_s=30)
        ledgers_usd = sum(daemon.get("/v1/ledger", job=each)["total_usd"] for each in jobs)
        assert ledgers_usd == pytest.approx(lab.bill().usd, rel=0.01)
        assert all(each["spent_usd"] <= each["usd"] for each in daemon.get("/v1/purse")["caps"])
