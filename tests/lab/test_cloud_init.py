"""The product's user data, run by a real cloud-init on a machine with a file system of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from elastic.errors import InvalidInput
from elastic.providers.ec2 import user_data
from elastic_lab import Lab, parse_scenario, running_lab
from tests.e2e.running import RunningDaemon
from tests.lab.conftest import StartLab, processes_of
from tests.lab.world import FIELDS, eventually, launch, state

MACHINES = {"machines": "namespaces", "user_data": "cloud-init"}
_CONFIG = """
provider = "ec2"
host = "{host}"
tick_s = 0.5
heartbeat_s = 0.5
lease_s = 10.0

[ec2]
types = ["c5.xlarge"]
bootstrap = "true"
"""
_LEASE_AND_GRACE_S = 10 + 30

needs_cloud_init = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("cloud-init") is None,
    reason="a machine with cloud-init needs root, and cloud-init (Debian: apt-get install cloud-init)",
)


@pytest.mark.slow
@needs_cloud_init
def test_cloud_init_runs_the_script_which_starts_the_agent_and_arms_the_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_lab(parse_scenario({**FIELDS, **MACHINES})) as lab:
        for name, value in lab.environment().items():
            monkeypatch.setenv(name, value)
        (tmp_path / "elasticd.toml").write_text(_CONFIG.format(host=lab.gateway))
        daemon = RunningDaemon(tmp_path)
        was_there = Path("/root/elasticd").exists()  # someone may have cloned elasticd there
        try:
            daemon.start()
            daemon.submit(name="idle", command=["/bin/idle.py"], iterations=10)
            daemon.until("the agent registers", lambda: joined(daemon))
            machine = lab.instances()[0]
            config = inside(machine.instance_id) / "root/elasticd/agent.json"
            assert config.stat().st_mode & 0o777 == 0o600
            assert json.loads(config.read_text())["advertise_host"] == machine.address
            assert "cloud-init" in lab.log(machine.instance_id).lower()
            assert not Path("/root/elasticd/agent.json").exists()
            assert Path("/root/elasticd").exists() == was_there
            daemon.kill()
            # Nobody renews the lease and the agent does nothing any more: what is left is the
            # timer.
            for pid in agents_of(machine.instance_id):
                os.kill(pid, signal.SIGSTOP)
            eventually(lambda: not lab.running(), within_s=_LEASE_AND_GRACE_S + 30)
            assert reason_of(lab, machine.instance_id) == "Client.InstanceInitiatedShutdown"
            assert "the lease is over" in lab.log(machine.instance_id)
        finally:
            if daemon.process is not None and daemon.process.poll() is None:
                daemon.stop()
            daemon.sweep()


@pytest.mark.slow
@needs_cloud_init
def test_a_machine_that_boots_again_powers_itself_off(
    start_lab: StartLab, client: Callable[..., Any]
) -> None:
    lab = start_lab(**MACHINES)
    ec2 = client(lab)
    waits = user_data({}, bootstrap="echo waits >&2; sleep 1000", lease_s=600).decode()
    instance_id = launch(ec2, UserData=waits, InstanceInitiatedShutdownBehavior="terminate")
    eventually(lambda: "waits" in lab.log(instance_id), within_s=30)
    ec2.stop_instances(InstanceIds=[instance_id])
    eventually(lambda: state(ec2, instance_id) == "stopped")
    ec2.start_instances(InstanceIds=[instance_id])
    eventually(lambda: state(ec2, instance_id) == "terminated", within_s=60)
    assert lab.log(instance_id).count("waits") == 1
    assert reason_of(lab, instance_id) == "Client.InstanceInitiatedShutdown"
    assert not Path("/var/lib/cloud/scripts/per-boot/elasticd").exists()


def test_machines_without_a_file_system_of_their_own_cannot_have_cloud_init() -> None:
    scenario = parse_scenario({**FIELDS, "machines": "processes", "user_data": "cloud-init"})
    for _ in range(2):  # A refused scenario leaves the place free for another.
        with pytest.raises(InvalidInput, match="as root"), running_lab(scenario):
            pass


def joined(daemon: RunningDaemon) -> dict[str, str] | None:
    nodes: list[dict[str, str]] = daemon.get("/v1/nodes")["items"]
    return next((each for each in nodes if each["phase"] == "joined"), None)


def inside(instance_id: str) -> Path:
    """The machine's own file system, as one of its processes sees it."""
    (pid, *_) = agents_of(instance_id)
    return Path(f"/proc/{pid}/root")


def agents_of(instance_id: str) -> list[int]:
    found = []
    for pid in processes_of(instance_id):
        with suppress(psutil.Error):
            if "elastic.agent" in " ".join(psutil.Process(pid).cmdline()):
                found.append(pid)
    return found


def reason_of(lab: Lab, instance_id: str) -> str:
    return next(each.reason for each in lab.instances() if each.instance_id == instance_id)
