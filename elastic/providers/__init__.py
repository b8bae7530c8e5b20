"""Providers of machines, behind one port."""

from collections.abc import Callable, Mapping

from elastic.providers.base import Instance, InstanceState, LaunchRequest, Provider
from elastic.providers.fake import Call, Failure, FakeCloud, FakeProvider, Operation
from elastic.providers.local import CpuCgroups, LocalProvider, find_cpu_cgroups

PROVIDERS: Mapping[str, Callable[..., Provider]] = {
    "fake": FakeProvider,
    "local": LocalProvider,
}

__all__ = [
    "PROVIDERS",
    "Call",
    "CpuCgroups",
    "Failure",
    "FakeCloud",
    "FakeProvider",
    "Instance",
    "InstanceState",
    "LaunchRequest",
    "LocalProvider",
    "Operation",
    "Provider",
    "find_cpu_cgroups",
]
