"""A job trains on two hosts that somebody has, over real sshd: one is unplugged, and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.e2e.own_machines import daemon_over_ssh
from tests.e2e.running import RunningDaemon
from tests.e2e.survivors import CHEAP, covered
from tests.providers.ssh_hosts import (
    Estate,
    running_hosts,
    skip_where_there_is_no_sshd,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

_TERMS = "lease_s = 20.0\ndrain_grace_s = 10.0"
_POLICY = """
[policy]
cooldown_s = 5.0
wind_down_s = 15.0
switch_pause_prior_s = 5.0
boot_prior_s = 5.0
"""


JOB = {
    "workload": "esrgan",
    "preset": "small",
    "hyperparameters": CHEAP,
    "policy": {"name": "fixed", "node_type": "desk"},
    "nodes": {"min": 1, "max": 2},
}


def write_hosts(folder: Path, estate: Estate, *, usd_per_h: float = 0.05) -> None:
    lines = [
        f"  {each.name}: {{type: desk, usd_per_h: {usd_per_h}, slots: 1}}\n"
        for each in estate.hosts
    ]
    (folder / "hosts.yaml").write_text("hosts:\n" + "".join(lines))


def daemon_on(estate: Estate, folder: Path) -> AbstractContextManager[RunningDaemon]:
    return daemon_over_ssh(estate, folder, terms=_TERMS, more=_POLICY)


@pytest.fixture
def estate(tmp_path: Path) -> Iterator[Estate]:
    skip_where_there_is_no_sshd()
    (tmp_path / "estate").mkdir()
    with running_hosts(tmp_path / "estate", 2) as found:
        write_hosts(tmp_path, found)
        yield found


def trains_on(daemon: RunningDaemon, job_id: str, *hosts: str) -> bool:
    """Whether the job's nodes on exactly these hosts run workers."""
    found = [
        each["provider_id"].partition("@")[2]
        for each in daemon.get("/v1/nodes", job=job_id)["items"]
        if each["agent_state"] == "running" and each["phase"] == "joined"
    ]
    return sorted(found) == sorted(hosts)


def host_alarm(daemon: RunningDaemon) -> str:
    alarms = daemon.get("/v1/alarms")["items"]
    return next((str(each["text"]) for each in alarms if each["kind"] == "hosts"), "")


def test_a_job_trains_on_two_hosts_goes_on_when_one_is_unplugged_and_uses_it_again(
    tmp_path: Path, estate: Estate
) -> None:
    with daemon_on(estate, tmp_path) as daemon:
        job = daemon.submit(name="desks", iterations=100_000, **JOB)
        scaled = daemon.elasticd("job", "scale", "desks", "--nodes", "2", "--yes")
        assert scaled.returncode == 0, scaled.stderr
        daemon.until("both hosts train", lambda: trains_on(daemon, job, "desk-a", "desk-b"))
        before = daemon.until_iteration(job, 20)

        estate.host("desk-b").unplug()
        alarm = daemon.until("the alarm", lambda: host_alarm(daemon))
        assert alarm.startswith("a host cannot be used (elasticd host check): desk-b: ")
        assert "its link is down, or it hangs" in alarm
        daemon.until("the other goes on", lambda: trains_on(daemon, job, "desk-a"))
        alone = daemon.get(f"/v1/jobs/{job}")["iteration"]
        assert alone >= before
        daemon.until_iteration(job, alone + 20)

        estate.host("desk-b").plug_in()
        daemon.until("no alarm", lambda: not host_alarm(daemon))
        daemon.until(
            "both train again", lambda: trains_on(daemon, job, "desk-a", "desk-b"), timeout_s=150
        )
        hosts = [
            each["provider_id"].partition("@")[2]
            for each in daemon.get("/v1/nodes", job=job, all=True)["items"]
        ]
        assert sorted(hosts) == ["desk-a", "desk-b", "desk-b"]
        last = daemon.get(f"/v1/jobs/{job}")["iteration"]
        daemon.until_iteration(job, last + 10)
        assert daemon.elasticd("job", "stop", "desks", "-y").returncode == 0
        daemon.until(
            "the hosts are free",
            lambda: not list(tmp_path.glob("estate/*/home/.elasticd/claim.json")),
        )
        assert set(range(1, last)) <= covered(daemon, job)


def test_torchruns_workers_meet_on_hosts_whose_own_names_lead_to_themselves(
    tmp_path: Path, estate: Estate
) -> None:
    with daemon_on(estate, tmp_path) as daemon:
        job = daemon.submit(name="desks", iterations=100_000, mode="restart", **JOB)
        scaled = daemon.elasticd("job", "scale", "desks", "--nodes", "2", "--yes")
        assert scaled.returncode == 0, scaled.stderr
        daemon.until("both hosts train", lambda: trains_on(daemon, job, "desk-a", "desk-b"))
        before = daemon.get(f"/v1/jobs/{job}")["iteration"]
        daemon.until_iteration(job, before + 10)
        events = daemon.get("/v1/events", job=job)["items"]
        assert [each["text"] for each in events if each["kind"] == "failure"] == []
        assert daemon.elasticd("job", "stop", "desks", "-y").returncode == 0
