"""The provider whose nodes are process trees on this machine."""

from elastic.providers.local.cgroup import CpuCgroups, find_cpu_cgroups
from elastic.providers.local.provider import LocalProvider

__all__ = ["CpuCgroups", "LocalProvider", "find_cpu_cgroups"]
