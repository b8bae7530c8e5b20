"""A real Slurm on this machine: munged, slurmctld, several slurmd, and its accounting if wanted.

Needs root, and Debian's slurm-wlm and munge; for the accounting slurmdbd and mariadb-server too.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count as count_up
from pathlib import Path

import pytest

from elastic_lab.namespaces import ip
from tests.short_folders import short_folder

_CLUSTERS = count_up()
_TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "ip")
_ACCOUNTING = ("slurmdbd", "mariadbd", "mariadb-install-db")
# Quick where Slurm by default waits for more work to come together. Each node has one core, whatever
# this machine has.
_CONFIG = """\
ClusterName={name}
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
ReturnToService=2
KillWait={kill_wait_s}
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=100000
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
{accounting}
NodeName={stem}[1-{count}] NodeHostname={host} NodeAddr={address} Port=[{first}-{last}] CPUs=1 \
RealMemory=4000 Feature=small
PartitionName=main Nodes=ALL Default=YES PriorityTier=5 PreemptMode=off MaxTime=1-0 \
TRESBillingWeights=CPU=2.0
PartitionName=idle Nodes=ALL PriorityTier=1 PreemptMode=cancel GraceTime={grace_s}
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=off
"""
# A node that is switched off until a job needs it. Power saving asks a program for it, which cannot
# start it itself: what it starts ignores SIGTERM.
_CLOUD = """\
ResumeProgram={folder}/resume
SuspendProgram={folder}/suspend
SuspendTime=600
ResumeTimeout=60
SuspendExcParts=main
NodeName={stem}cloud NodeHostname={host} NodeAddr={address} Port={port} CPUs=1 RealMemory=4000 \
State=CLOUD
PartitionName=cloud Nodes={stem}cloud
"""
_DBD_CONFIG = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost={host}
DbdAddr={address}
DbdPort={port}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
"""


def skip_where_there_is_no_slurm(*, with_accounting: bool = False) -> None:
    """Skips a test, with what it lacks."""
    if os.geteuid() != 0:
        pytest.skip("a Slurm of one's own needs root")
    wanted = (*_TOOLS, *(_ACCOUNTING if with_accounting else ()))
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    lacking = [each for each in wanted if shutil.which(each, path=path) is None]
    if lacking:
        pytest.skip(
            f"lacks {', '.join(lacking)} (Debian: apt-get install slurm-wlm munge slurmdbd "
            "mariadb-server)"
        )


@dataclass(slots=True)
class SlurmCluster:
    """A Slurm that runs, and how to speak with it."""

    folder: Path
    # Where its nodes and the daemon are reached.
    address: str
    nodes: Sequence[str]
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """What commands need to speak with this Slurm."""
        return {
            **os.environ,
            "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin",
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "SLURM_TIME_FORMAT": "%s",
        }

    def run(self, *command: str, stdin: str = "") -> str:
        done = subprocess.run(
            command,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def jobs(self, *states: str) -> list[list[str]]:
        """Every job's number, state, partition and node."""
        wanted = ",".join(states) or "PENDING,RUNNING,CONFIGURING,COMPLETING,SUSPENDED"
        said = self.run("squeue", "-h", "-r", "-t", wanted, "-o", "%i|%T|%P|%N")
        return [line.split("|") for line in said.splitlines()]

    @property
    def said(self) -> str:
        """The last that the processes of this Slurm have written."""
        log = self.folder / "processes.log"
        return log.read_text(errors="replace")[-3000:] if log.exists() else ""

    def until(self, what: str, is_true: object, *, within_s: float = 60.0) -> None:
        assert callable(is_true)
        end_s = time.monotonic() + within_s
        while not is_true():
            assert time.monotonic() < end_s, f"still not: {what}; jobs {self.jobs()}; {self.said}"
            time.sleep(0.1)

    def settle(self) -> None:
        """Waits until every job runs, waits for its turn, or is gone."""
        self.until("settled", lambda: not self.jobs("CONFIGURING", "COMPLETING"))
        if self.run("sinfo", "-h", "-t", "idle", "-o", "%D").strip():
            self.until("started", lambda: not self.jobs("PENDING"), within_s=20)

    def occupy(self, partition: str, node: str, seconds: int = 300) -> str:
        """Has somebody else's job take a node; gives its number."""
        script = f"#!/bin/sh\nexec sleep {seconds}\n"
        options = ["--parsable", "-p", partition, "-w", node, "--exclusive", "-o", "/dev/null"]
        return self.run("sbatch", *options, "--job-name=others", stdin=script).strip()

    def open_nodes(self, count: int) -> None:
        """Lets so many nodes take jobs, and no others."""
        drained = self.run("sinfo", "-h", "-N", "-p", "main", "-t", "drain", "-o", "%N").split()
        for number, name in enumerate(self.nodes):
            if number >= count and name not in drained:
                update = ["State=DRAIN", "Reason=test"]
            elif number < count and name in drained:
                update = ["State=RESUME"]
            else:
                continue
            self.run("scontrol", "update", f"NodeName={name}", *update)

    def spawn(self, *command: str, env: dict[str, str] | None = None) -> None:
        with (self.folder / "processes.log").open("ab") as log:
            self._processes.append(
                subprocess.Popen(
                    command,
                    env={**self.environment, **(env or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )

    def power_up(self) -> None:
        """Starts the node of the cloud once power saving has asked for it, as its script would."""
        asked = self.folder / "resume.asked"
        self.until("a node is asked for", asked.exists)
        self.spawn("slurmd", "-D", "-b", "-N", asked.read_text().strip())

    def end(self) -> None:
        """Ends all jobs, then every process of this Slurm."""
        with suppress(AssertionError, subprocess.TimeoutExpired):
            for command in (
                ["scancel", "-u", "root"],
                ["scancel", "-s", "KILL", "-f", "-u", "root"],
            ):
                self.run(*command)
            self.until("no job", lambda: not self.jobs(), within_s=20)
        # What others need goes last: the database after those that write to it.
        for process in reversed(self._processes):
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()


@contextmanager
def running_slurm(
    count: int,
    *,
    kill_wait_s: int = 5,
    grace_s: int = 20,
    with_accounting: bool = False,
    with_cloud: bool = False,
) -> Iterator[SlurmCluster]:
    """Gives a Slurm of so many nodes of one core, and leaves nothing of it."""
    # Its steps have sockets there, whose paths may have 107 characters.
    with (
        short_folder() as folder,
        _running_in(folder, count, kill_wait_s, grace_s, with_accounting, with_cloud) as cluster,
    ):
        yield cluster


@contextmanager
def _running_in(
    folder: Path,
    count: int,
    kill_wait_s: int,
    grace_s: int,
    with_accounting: bool,
    with_cloud: bool,
) -> Iterator[SlurmCluster]:
    # Other tests run beside this one, each with a network of its own.
    number = os.getpid() % 10_000 * 8 + next(_CLUSTERS) % 8
    stem = f"sl{number}"
    address = f"10.{200 + number % 50}.{number // 50 % 250}.1"
    cluster = SlurmCluster(folder, address, [f"{stem}x{each}" for each in range(1, count + 1)])
    for name in ("state", "spool", "mysql"):
        (folder / name).mkdir(parents=True)
    try:
        ip(
            f"link add {stem} type bridge",
            f"addr add {address}/24 dev {stem}",
            f"link set {stem} up",
        )
        ports = _free_ports(count + 3, number)
        accounting = ""
        if with_accounting:
            accounting = (
                "AccountingStorageType=accounting_storage/slurmdbd\n"
                f"AccountingStoragePass={folder}/munge.socket\nAccountingStorageHost={address}\nAccountingStoragePort={ports[1]}\n"
                "JobAcctGatherType=jobacct_gather/none"
            )
        _write_config(cluster, ports, f"{stem}x", accounting, kill_wait_s, grace_s)
        if with_cloud:
            _add_cloud(cluster, f"{stem}x", ports[-1])
        _start_munge(cluster)
        if with_accounting:
            _start_accounting(cluster, ports[1])
        cluster.spawn("slurmctld", "-D", "-c")
        cluster.until("slurmctld", lambda: _answers(cluster))
        for name in cluster.nodes:
            cluster.spawn("slurmd", "-D", "-N", name)
        cluster.until(
            "all nodes idle",
            lambda: (
                cluster.run("sinfo", "-h", "-p", "main", "-t", "idle", "-o", "%D").strip()
                == str(count)
            ),
        )
        yield cluster
    finally:
        cluster.end()
        subprocess.run(["ip", "link", "delete", stem], capture_output=True, check=False)


def _write_config(
    cluster: SlurmCluster,
    ports: Sequence[int],
    stem: str,
    accounting: str,
    kill_wait_s: int,
    grace_s: int,
) -> None:
    config = _CONFIG.format(
        name=stem,
        host=socket.gethostname(),
        address=cluster.address,
        port=ports[0],
        folder=cluster.folder,
        accounting=accounting,
        stem=stem,
        count=len(cluster.nodes),
        first=ports[2],
        last=ports[2] + len(cluster.nodes) - 1,
        kill_wait_s=kill_wait_s,
        grace_s=grace_s,
    )
    (cluster.folder / "slurm.conf").write_text(config)


def _add_cloud(cluster: SlurmCluster, stem: str, port: int) -> None:
    for name in ("resume", "suspend"):
        program = cluster.folder / name
        program.write_text(f'#!/bin/sh\necho "$1" >>{cluster.folder}/{name}.asked\n')
        program.chmod(0o755)
    config = cluster.folder / "slurm.conf"
    text = config.read_text().replace("Nodes=ALL", f"Nodes={stem}[1-{len(cluster.nodes)}]")
    cloud = _CLOUD.format(
        folder=cluster.folder,
        stem=stem,
        host=socket.gethostname(),
        address=cluster.address,
        port=port,
    )
    config.write_text(text + cloud)


def _start_munge(cluster: SlurmCluster) -> None:
    folder = cluster.folder
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    files = [
        f"--key-file={key}",
        f"--pid-file={folder}/munge.pid",
        f"--seed-file={folder}/munge.seed",
        f"--log-file={folder}/munge.log",
        f"--socket={folder}/munge.socket",
    ]
    cluster.spawn("munged", "--foreground", "--force", *files)
    cluster.until("munged", (folder / "munge.socket").exists)


def _start_accounting(cluster: SlurmCluster, port: int) -> None:
    folder = cluster.folder
    own = [f"--datadir={folder}/mysql", "--user=root", "--no-defaults"]
    cluster.run(
        "mariadb-install-db", "--no-defaults", *own[:2], "--auth-root-authentication-method=normal"
    )
    sock = f"{folder}/mysql.socket"
    quick = ["--skip-networking", "--innodb-flush-log-at-trx-commit=0"]
    cluster.spawn("mariadbd", own[2], *own[:2], *quick, f"--socket={sock}")
    cluster.until("mariadb", Path(sock).exists)
    config = folder / "slurmdbd.conf"
    config.write_text(
        _DBD_CONFIG.format(
            folder=folder, host=socket.gethostname(), address=cluster.address, port=port
        )
    )
    config.chmod(0o600)
    cluster.spawn("slurmdbd", "-D", env={"MYSQL_UNIX_PORT": sock})
    cluster.until("slurmdbd", lambda: _listens(cluster.address, port))


def _answers(cluster: SlurmCluster) -> bool:
    done = subprocess.run(
        ["scontrol", "ping"], env=cluster.environment, capture_output=True, check=False
    )
    return done.returncode == 0


def _listens(address: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


def _free_ports(count: int, number: int) -> list[int]:
    """Ports in a row, of which none is in use, and none is another cluster's that starts now."""
    # Slurm's daemons listen at every address. From 32,768 on the kernel gives ports to whatever
    # asks for one, at any address and at any time.
    for first in range(20_000 + number * 16 % 12_000, 32_700, 16):
        found = list(range(first, first + count))
        if all(_is_free(each) for each in found):
            return found
    raise AssertionError("no free ports")


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("", port))
        return True
    return False
