"""The provider whose nodes are process trees on this machine."""

from elastic.providers.local.cgroup import CpuCgroups, find_cpu_cgroups
from elastic.providers.local.process import ProcessId, find_family, is_alive, kill, reap
from elastic.providers.local.provider import LocalProvider
from elastic.providers.local.spawn import boot_id, start_ticks

__all__ = [
    "CpuCgroups",
    "LocalProvider",
    "ProcessId",
    "boot_id",
    "find_cpu_cgroups",
    "find_family",
    "is_alive",
    "kill",
    "reap",
    "start_ticks",
]
