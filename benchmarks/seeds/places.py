"""Where a program trains: a daemon on real sshds, on a real Slurm, or on the lab."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import psutil
import pytest

from elastic_lab import Lab, parse_scenario, running_lab
from tests.deploy.engine import engine
from tests.e2e.cloud_story import make_bucket_and_role
from tests.e2e.own_machines import daemon_over_slurm, daemon_over_ssh
from tests.e2e.package_index import download, serving
from tests.e2e.running import RunningDaemon, running_daemon_on
from tests.providers.slurm_cluster import running_slurm, skip_where_there_is_no_slurm
from tests.providers.ssh_hosts import (
    Estate,
    running_hosts,
    skip_where_there_is_no_sshd,
)
from tests.torch_image import import_image

_TERMS = "lease_s = 60.0\ndrain_grace_s = 20.0"
_POLICY = """
[policy]
cooldown_s = 5.0
wind_down_s = 25.0
switch_pause_prior_s = 5.0
boot_prior_s = 5.0
"""
_LAB = """
tick_s = 1.0
heartbeat_s = 0.5
checkpoint_root = "s3://story/elasticd"
{terms}
{policy}
[ec2]
cluster = "seeds"
instance_profile = "node"
spot_refresh_s = 2.0
package_index = "{index}"
"""
_SCENARIO = {
    # One second here stands for a minute: EC2's least bill of 60 s is 1 s.
    "minimum_billed_s": 1,
    "node_types": {
        "c5.large": {"cpu": 0.5, "on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034},
        "c5.xlarge": {"cpu": 0.9, "on_demand_usd_per_h": 0.17, "spot_usd_per_h": 0.062},
    },
}
_HOSTS = 2


class Missing(Exception):
    """This machine lacks what a place needs; the text says what."""


@dataclass(frozen=True, slots=True)
class Place:
    """A daemon that has somewhere to train.

    `machines` lists what is still there of jobs. `unit` is what a dollar of the daemon stands for.
    `lab` is None elsewhere: only it keeps a bill.
    """

    name: str
    daemon: RunningDaemon
    machines: Callable[[], list[str]]
    unit: str = "$"
    lab: Lab | None = None

    def left(self) -> list[str]:
        """What jobs have left behind: machines, and processes of nodes."""
        processes = []
        for each in self.daemon.processes():
            with suppress(psutil.Error):
                if "ELASTICD_NODE_ID" in each.environ():
                    processes.append(f"process {each.pid}: {' '.join(each.cmdline()[:4])}")
        return [*self.machines(), *processes]


@contextmanager
def ssh(folder: Path) -> Iterator[Place]:
    """Two hosts, each with a sshd of its own, named in a YAML file."""
    with _estate(folder) as estate:
        lines = [f"  {each.name}: {{type: desk, usd_per_h: 0.05}}\n" for each in estate.hosts]
        (folder / "hosts").write_text("hosts:\n" + "".join(lines))
        with _daemon_over_ssh(folder, estate) as daemon:
            yield Place("ssh", daemon, lambda: _claimed(estate))


@contextmanager
def ssh_with_docker(folder: Path, *, image: str) -> Iterator[Place]:
    """Two hosts of an MPI hostfile, each with a docker of its own that has the image."""
    with _or_missing(), _estate(folder) as estate, ExitStack() as stack:
        (folder / "hosts").write_text("".join(f"{each.name} slots=4\n" for each in estate.hosts))
        engines = []
        for host in estate.hosts:
            docker = stack.enter_context(engine(needs=("dockerd", "docker"), inside=host.entry))
            import_image(docker.host, image)
            socket = docker.host.removeprefix("unix://")
            (folder / f"docker-{host.name}").symlink_to(socket)
            engines.append(docker)
        # A host's shell puts its own name there.
        own = {"DOCKER_HOST": f"unix://{folder}/docker-$(hostname)"}
        with _daemon_over_ssh(folder, estate, **own) as daemon:

            def left() -> list[str]:
                ask = ("docker", "ps", "--all", "--quiet", "--filter", "label=elasticd.node")
                containers = [each.run(*ask).split() for each in engines]
                return [*_claimed(estate), *chain.from_iterable(containers)]

            yield Place("ssh", daemon, left)


@contextmanager
def slurm(folder: Path) -> Iterator[Place]:
    """A Slurm of two nodes with a core each; a dollar is a core-hour."""
    with _or_missing():
        skip_where_there_is_no_slurm()
    with running_slurm(_HOSTS) as cluster:
        more = f'partitions = ["main"]\n{_POLICY}'
        with daemon_over_slurm(cluster, folder, terms=_TERMS, more=more) as daemon:
            yield Place(
                "slurm", daemon, lambda: [each[0] for each in cluster.jobs()], unit="core-h"
            )


@contextmanager
def lab(
    folder: Path, *, requirements: Sequence[str] = (), placement_group: str = ""
) -> Iterator[Place]:
    """An EC2 of two types, a bucket for checkpoints, and a package index with what jobs require."""
    wheels = folder / "wheels"
    if requirements:
        with _or_missing():
            python_version = f"{sys.version_info.major}.{sys.version_info.minor}"
            download(wheels, *requirements, python_version=python_version)
    with running_lab(parse_scenario(_SCENARIO)) as found:
        make_bucket_and_role(found)
        with serving(wheels, folder / "index", address=found.gateway) as index:
            # Its machines reach nothing else.
            config = _LAB.format(terms=_TERMS, policy=_POLICY, index=index.url)
            if placement_group:
                config += f'placement_group = "{placement_group}"\n'
            with running_daemon_on(found, folder, config=config) as daemon:
                yield Place(
                    "lab",
                    daemon,
                    lambda: [each.instance_id for each in found.running()],
                    lab=found,
                )


@contextmanager
def _estate(folder: Path) -> Iterator[Estate]:
    with _or_missing():
        skip_where_there_is_no_sshd()
    (folder / "estate").mkdir()
    with running_hosts(folder / "estate", _HOSTS) as estate:
        yield estate


def _daemon_over_ssh(
    folder: Path, estate: Estate, **variables: str
) -> AbstractContextManager[RunningDaemon]:
    more = f"usd_per_h = 0.05\n{_POLICY}"
    return daemon_over_ssh(
        estate, folder, hosts="hosts", terms=_TERMS, more=more, variables=variables
    )


def _claimed(estate: Estate) -> list[str]:
    return [each.name for each in estate.hosts if (each.root / "claim.json").exists()]


@contextmanager
def _or_missing() -> Iterator[None]:
    """Tells what a test would be skipped for."""
    try:
        yield
    except pytest.skip.Exception as skipped:
        raise Missing(str(skipped)) from None
