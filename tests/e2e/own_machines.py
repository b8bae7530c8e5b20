"""A daemon with quick ticks over machines that one has: hosts by ssh, or a Slurm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.running import RunningDaemon, running_daemon
from tests.providers.slurm_cluster import SlurmCluster
from tests.providers.ssh_hosts import Estate, python_with_elasticd

# A core is two billing units there, and costs a dollar an hour by two of these.
USD_PER_CORE_H = 0.5
_CONFIG = """
tick_s = 1.0
heartbeat_s = 0.5
{terms}
provider = "{provider}"
host = "{address}"
checkpoint_root = "{folder}/jobs"

[{provider}]
python = "{python}"
{own}
{more}
"""


@contextmanager
def daemon_over_ssh(
    estate: Estate,
    folder: Path,
    *,
    hosts: str = "hosts.yaml",
    terms: str = "",
    more: str = "",
    variables: Mapping[str, str] | None = None,
) -> Iterator[RunningDaemon]:
    """A daemon over the hosts that a file in the folder names.

    `terms` are settings of the daemon, `more` those of the provider, then tables. Nodes have the
    `variables` too.
    """
    config = _CONFIG.format(
        provider="ssh",
        address=estate.address,
        folder=folder,
        python=python_with_elasticd(folder, **(variables or {})),
        own=f'hosts_file = "{folder}/{hosts}"\nconfig_file = "{estate.config}"',
        terms=terms,
        more=more,
    )
    with running_daemon(folder, config=config) as daemon:
        yield daemon


@contextmanager
def daemon_over_slurm(
    slurm: SlurmCluster,
    folder: Path,
    *,
    terms: str = "",
    more: str = 'partitions = ["main"]',
    variables: Mapping[str, str] | None = None,
) -> Iterator[RunningDaemon]:
    """The same over partitions of a Slurm."""
    config = _CONFIG.format(
        provider="slurm",
        address=slurm.address,
        folder=folder,
        python=python_with_elasticd(folder, **(variables or {})),
        own=f'folder = "{folder}/shared"\nusd_per_billing_h = {USD_PER_CORE_H}',
        terms=terms,
        more=more,
    )
    environment = {"SLURM_CONF": str(slurm.folder / "slurm.conf")}
    with running_daemon(folder, environment, config=config) as daemon:
        yield daemon
