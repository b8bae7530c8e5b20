"""A person enters nodes: real shells by every provider's way, and all of it in the events."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.own_machines import daemon_over_slurm, daemon_over_ssh
from tests.e2e.running import (
    ENDLESS,
    RunningDaemon,
    lab_left_empty,
    running_daemon,
    running_daemon_on,
)
from tests.providers.slurm_cluster import running_slurm, skip_where_there_is_no_slurm
from tests.providers.ssh_hosts import (
    running_hosts,
    skip_where_there_is_no_sshd,
)

_SCENARIO = {"node_types": {"c5.large": {"cpu": 0.5, "on_demand_usd_per_h": 0.1}}}
_ON_THE_LAB = """
tick_s = 1.0
heartbeat_s = 0.5
drain_grace_s = 6.0

[ec2]
cluster = "way-in"
capacities = ["on-demand"]
minimum_billed_s = 1

[policy]
wind_down_s = 10.0
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDaemon]:
    folder = tmp_path_factory.mktemp("local")
    with running_daemon(folder) as running:
        yield running


def joined_node(daemon: RunningDaemon, script: Path) -> dict[str, Any]:
    """A node on which a job trains until it is ended."""
    script.write_text(ENDLESS)
    job_id = daemon.submit(name=f"job-{script.stem}", command=[str(script)])
    daemon.until_iteration(job_id, 5)
    (node,) = daemon.get("/v1/nodes", job=job_id)["items"]
    return dict(node)


def entries(daemon: RunningDaemon, node: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of people who entered and left a node."""
    return [
        each
        for each in daemon.get("/v1/events", job=node["job_id"])["items"]
        if each["kind"] in ("node_entered", "node_left") and each["node_id"] == node["id"]
    ]


def entering(daemon: RunningDaemon, *words: str) -> subprocess.Popen[str]:
    """A command that goes on beside the test."""
    return subprocess.Popen(
        [sys.executable, "-m", "elastic.cli", *words],
        env=daemon.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@dataclass(slots=True)
class Terminal:
    """A person at a terminal, with one command in front."""

    process: subprocess.Popen[bytes]
    keyboard: int
    seen: bytes = b""

    def type(self, line: str) -> None:
        os.write(self.keyboard, line.encode() + b"\n")

    def until(self, text: str) -> None:
        """Reads until this is on the screen."""
        while text.encode() not in self.seen:
            ready, _, _ = select.select([self.keyboard], [], [], 60)
            assert ready, self.seen
            self.seen += os.read(self.keyboard, 4096)


@contextmanager
def at_a_terminal(daemon: RunningDaemon, *words: str) -> Iterator[Terminal]:
    keyboard, screen = os.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", sys.executable, "-m", "elastic.cli", *words],
        env=daemon.variables,
        stdin=screen,
        stdout=screen,
        stderr=screen,
    )
    try:
        yield Terminal(process, keyboard)
    finally:
        process.kill()
        process.wait()
        os.close(keyboard)
        os.close(screen)


def test_a_shell_has_the_terminal_and_gives_it_back_when_its_node_ends(
    local: RunningDaemon, tmp_path: Path
) -> None:
    node = joined_node(local, tmp_path / "two.py")
    with at_a_terminal(local, "node", "ssh", node["id"]) as person:
        # What a shell without job control would say is a warning, and the second line is not run.
        person.type("echo $((6 * 7)) in $ELASTICD_NODE_ID")
        person.until(f"42 in {node['id']}")
        # Ctrl-C ends what runs in the shell, and neither the shell nor the command around it.
        person.type("sh -c 'echo $((50 + 5)) begins; exec sleep 600'")
        person.until("55 begins")
        os.write(person.keyboard, b"\x03")
        person.type("exit 7")
        assert person.process.wait(60) == 7
    assert b"no job control" not in person.seen
    _, left = entries(local, node)
    assert left["numbers"]["exit_code"] == 7 and "opens a shell" in left["text"]

    # Ctrl-Z would leave a stopped command in front of a terminal that has no shell.
    script = "echo in; read line; echo $line"
    with at_a_terminal(local, "node", "exec", node["id"], "--", "sh", "-c", script) as person:
        person.until("in\r\n")
        os.write(person.keyboard, b"\x1a")
        person.type("on")
        assert person.process.wait(60) == 0

    with at_a_terminal(local, "node", "ssh", node["id"]) as person:
        person.type("stty -echo; echo in $ELASTICD_NODE_ID")
        person.until(f"in {node['id']}")
        local.elasticd("job", "stop", node["job_id"], "-y")
        person.until(f"{node['id']} ended: ")
        assert person.process.wait(60) == 102
        assert termios.tcgetattr(person.keyboard)[3] & termios.ECHO


def test_a_command_on_a_local_node_runs_where_its_workers_do_and_hands_its_exit_code_on(
    local: RunningDaemon, tmp_path: Path
) -> None:
    node = joined_node(local, tmp_path / "one.py")
    script = 'pwd; echo "$ELASTICD_NODE_ID"; command -v python; exit 3'
    done = local.elasticd("node", "exec", node["id"], "--", "sh", "-c", script)
    assert done.returncode == 3, done.stderr
    where, who, python = done.stdout.splitlines()
    assert where.endswith(f"nodes/{node['id']}/work/code")
    assert (who, python) == (node["id"], str(Path(sys.executable).parent / "python"))
    entered, left = entries(local, node)
    assert "runs sh -c" in entered["text"] and "@" in entered["text"]
    assert left["numbers"]["entry"] == entered["id"] and left["numbers"]["exit_code"] == 3
    assert "exit code 3" in left["text"]
    shown = local.elasticd("event", "ls", "--job", node["job_id"]).stdout
    assert "exit code 3" in shown

    ends_with_its_node(local, node)

    late = local.elasticd("node", "ssh", node["id"])
    assert late.returncode == 6 and "is terminated since" in late.stderr, late.stderr
    unknown = local.elasticd("node", "ssh", "node-none")
    assert unknown.returncode == 5 and "node-none" in unknown.stderr


def test_session_manager_enters_an_instance_and_ends_with_it(tmp_path: Path) -> None:
    with (
        lab_left_empty(_SCENARIO) as lab,
        running_daemon_on(lab, tmp_path, config=_ON_THE_LAB) as daemon,
    ):
        node = joined_node(daemon, tmp_path / "train.py")
        script = "pwd; hostname; head -c 400000 /dev/zero | tr '\\0' x; exit 3"
        done = daemon.elasticd("node", "exec", node["id"], "--", "sh", "-c", script)
        assert done.returncode == 3, done.stderr
        where, name, much = done.stdout.split("\n")
        assert where.endswith("/elasticd/work/code")
        (instance,) = lab.running()
        assert name.replace("-", ".").removeprefix("ip.") == instance.address
        # All of a long output and none of what the session itself writes.
        assert much == "x" * 400_000
        _, left = entries(daemon, node)
        assert left["numbers"]["exit_code"] == 3

        with at_a_terminal(daemon, "node", "ssh", node["id"]) as person:
            person.type("echo $((6 * 7)) on $(hostname)")
            person.until(f"42 on {name}")
            person.type("exit")
            assert person.process.wait(60) == 0
        assert b"no job control" not in person.seen
        ends_with_its_node(daemon, node)


def ends_with_its_node(daemon: RunningDaemon, node: dict[str, Any]) -> None:
    """Checks that what is open on a node closes when its job is stopped, and is on record."""
    shell = entering(daemon, "node", "exec", node["id"], "--", "sh", "-c", "echo in; sleep 600")
    assert shell.stdout is not None and shell.stdout.readline() == "in\n"
    daemon.elasticd("job", "stop", node["job_id"], "-y")
    _, said = shell.communicate(timeout=90)
    assert shell.returncode == 102, said
    assert f"{node['id']} ended: " in said and "is being terminated: " in said
    *_, left = entries(daemon, node)
    assert "exit_code" not in left["numbers"] and "ended: " in left["text"]
    # What is open closes before the machine has ended.
    daemon.until_phase(node["job_id"], "cancelled")


def test_ssh_enters_a_host_as_the_hosts_file_names_it(tmp_path: Path) -> None:
    skip_where_there_is_no_sshd()
    (tmp_path / "estate").mkdir()
    with running_hosts(tmp_path / "estate", 1) as estate:
        (tmp_path / "hosts.yaml").write_text("hosts: {desk-a: {usd_per_h: 0.05}}\n")
        with daemon_over_ssh(estate, tmp_path, terms="drain_grace_s = 6.0") as daemon:
            node = joined_node(daemon, tmp_path / "train.py")
            script = "pwd; hostname; cat; exit 3"
            done = daemon.elasticd("node", "exec", node["id"], "--", "sh", "-c", script)
            assert done.returncode == 3, done.stderr
            where, name = done.stdout.split()
            assert where == f"{estate.host('desk-a').root}/nodes/{node['id']}/work/code"
            assert name == "desk-a"
            ends_with_its_node(daemon, node)


@pytest.mark.soak
def test_srun_enters_a_job_of_slurm(tmp_path: Path) -> None:
    skip_where_there_is_no_slurm()
    with running_slurm(1, kill_wait_s=15) as slurm:
        terms = "drain_grace_s = 6.0"
        more = 'partitions = ["main"]\nnotice_s = 30'
        with daemon_over_slurm(slurm, tmp_path, terms=terms, more=more) as daemon:
            node = joined_node(daemon, tmp_path / "train.py")
            script = 'pwd; echo "$SLURM_JOB_ID"; exit 3'
            done = daemon.elasticd("node", "exec", node["id"], "--", "sh", "-c", script)
            assert done.returncode == 3, done.stderr
            where, job = done.stdout.split()
            assert f"elasticd-{node['id']}-{job}/work/code" in where
            assert node["provider_id"] == f"slurm-{job}"
            ends_with_its_node(daemon, node)
