"""ESRGAN trains live on a real Slurm while nodes come and go in every way that Slurm knows."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import psutil
import pytest

from tests.e2e.cloud_story import redone
from tests.e2e.own_machines import USD_PER_CORE_H, daemon_over_slurm
from tests.e2e.running import RunningDaemon
from tests.e2e.survivors import CHEAP, covered, windows
from tests.providers.slurm_cluster import (
    SlurmCluster,
    running_slurm,
    skip_where_there_is_no_slurm,
)

# Slurm looks at time limits every half minute, so this takes a minute or two.
pytestmark = [pytest.mark.slow, pytest.mark.soak, pytest.mark.timeout(400)]

_TERMS = "lease_s = 20.0\ndrain_grace_s = 10.0"
_MORE = """
partitions = ["main", "idle"]
notice_s = 30

[policy]
cooldown_s = 5.0
wind_down_s = 15.0
switch_pause_prior_s = 5.0
boot_prior_s = 5.0
"""

JOB = {
    "workload": "esrgan",
    "preset": "small",
    "mode": "live",
    "hyperparameters": CHEAP | {"batch_size": 3},
    "nodes": {"min": 1, "max": 3},
}


def daemon_on(slurm: SlurmCluster, folder: Path) -> AbstractContextManager[RunningDaemon]:
    return daemon_over_slurm(slurm, folder, terms=_TERMS, more=_MORE)


@pytest.fixture
def slurm() -> Iterator[SlurmCluster]:
    skip_where_there_is_no_slurm(with_accounting=True)
    with running_slurm(6, kill_wait_s=15, with_accounting=True) as found:
        yield found


def training(daemon: RunningDaemon, job_id: str) -> list[str]:
    """The machines whose workers run."""
    return sorted(
        each["provider_id"]
        for each in daemon.get("/v1/nodes", job=job_id)["items"]
        if each["agent_state"] == "running" and each["phase"] == "joined"
    )


def scale(daemon: RunningDaemon, nodes: int) -> None:
    done = daemon.elasticd("job", "scale", "gan", "--nodes", str(nodes), "--yes")
    assert done.returncode == 0, done.stderr


def test_a_job_grows_shrinks_and_is_pushed_about_and_loses_nothing(
    tmp_path: Path, slurm: SlurmCluster
) -> None:
    with daemon_on(slurm, tmp_path) as daemon:
        policy = {"name": "fixed", "node_type": "idle"}
        job = daemon.submit(name="gan", iterations=100_000, policy=policy, **JOB)
        daemon.until("one trains", lambda: len(training(daemon, job)) == 1)
        first = training(daemon, job)[0]
        # Slurm looks at time limits twice a minute: what follows happens meanwhile.
        slurm.run("scontrol", "update", f"JobId={number(first)}", "EndTime=now+55")
        scale(daemon, 3)
        daemon.until("three train", lambda: len(training(daemon, job)) == 3)

        # scancel signals them all, and they must not end in mid-turn.
        started = of_agents(slurm)
        assert len(started) >= 9
        assert all(map(is_shielded, started))
        cancelled = next(each for each in training(daemon, job) if each != first)
        slurm.run("scancel", number(cancelled))
        daemon.until(
            "another one replaces it",
            lambda: cancelled not in (now := training(daemon, job)) and len(now) == 3,
        )

        preempted = next(each for each in training(daemon, job) if each != first)
        node = slurm.run("squeue", "-h", "-j", number(preempted), "-o", "%N").strip()
        slurm.occupy("urgent", node)
        daemon.until(
            "another one replaces it",
            lambda: preempted not in (now := training(daemon, job)) and len(now) == 3,
        )

        daemon.until("the time limit", lambda: first not in training(daemon, job), timeout_s=120)
        daemon.until("three train", lambda: len(training(daemon, job)) == 3)
        scale(daemon, 2)
        daemon.until("two train", lambda: len(training(daemon, job)) == 2)
        daemon.until_iteration(job, daemon.get(f"/v1/jobs/{job}")["iteration"] + 5)

        assert daemon.elasticd("job", "stop", "gan", "-y").returncode == 0
        daemon.until_phase(job, "cancelled")
        assert [each for each in slurm.jobs() if each[2] != "urgent"] == []
        last = daemon.get(f"/v1/jobs/{job}")["iteration"]
        assert set(range(1, last + 1)) <= covered(daemon, job)
        assert redone(windows(daemon, job)) == 0
        nodes = daemon.get("/v1/nodes", job=job, all=True)["items"]
        notices = {each["notice"]["action"] for each in nodes if each["notice"]}
        assert notices == {"scancel", "preemption", "time limit"}
        assert in_ledger(daemon, job) == pytest.approx(in_sacct(slurm), rel=0.01)


def number(provider_id: str) -> str:
    """The number of a node's job in Slurm."""
    return provider_id.removeprefix("slurm-")


def of_agents(slurm: SlurmCluster) -> list[psutil.Process]:
    """Every process that an agent has started on this Slurm: torchrun, workers, what forks them."""
    own = {"SLURM_CONF": str(slurm.folder / "slurm.conf")}
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            environment = process.environ()
            if "ELASTICD_SOCKET" in environment and own.items() <= environment.items():
                found.append(process)
    return found


def is_shielded(process: psutil.Process) -> bool:
    """Whether SIGTERM is blocked in it."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = int(re.findall(r"^SigBlk:\s*(\w+)", status, re.MULTILINE)[0], 16)
    return bool(mask & 1 << signal.SIGTERM - 1)


def in_ledger(daemon: RunningDaemon, job_id: str) -> float:
    """Core-hours by the ledger: a billing unit is a core here, and has one price."""
    return float(daemon.get(f"/v1/jobs/{job_id}")["spent_usd"]) / USD_PER_CORE_H


def in_sacct(slurm: SlurmCluster) -> float:
    """Core-hours of our jobs by Slurm's accounting."""
    said = slurm.run("sacct", "-n", "-P", "-X", "-r", "idle", "-o", "CPUTimeRAW")
    return sum(map(int, said.split())) / 3600
