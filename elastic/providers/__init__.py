"""Providers of machines, behind one port; `elastic.market` makes the one that settings name."""

from elastic.providers.base import Instance, InstanceState, LaunchRequest, Provider, Trouble
from elastic.providers.blocks import Blocks
from elastic.providers.fake import Call, Failure, FakeCloud, FakeProvider, Operation
from elastic.providers.leader_lease import LeaderLease, LeaseRegister
from elastic.providers.local import CpuCgroups, LocalProvider, find_cpu_cgroups
from elastic.providers.precisions import precisions_here, precisions_of_gpu

__all__ = [
    "Blocks",
    "Call",
    "CpuCgroups",
    "Failure",
    "FakeCloud",
    "FakeProvider",
    "Instance",
    "InstanceState",
    "LaunchRequest",
    "LeaderLease",
    "LeaseRegister",
    "LocalProvider",
    "Operation",
    "Provider",
    "Trouble",
    "find_cpu_cgroups",
    "precisions_here",
    "precisions_of_gpu",
]
