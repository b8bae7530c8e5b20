"""Providers of machines, behind one port."""

from collections.abc import Callable, Mapping
from typing import Any

from elastic.providers.base import Instance, InstanceState, LaunchRequest, Provider, Trouble
from elastic.providers.claims import Claim, ClaimRegister
from elastic.providers.fake import Call, Failure, FakeCloud, FakeProvider, Operation
from elastic.providers.local import CpuCgroups, LocalProvider, find_cpu_cgroups


def _ec2(*args: Any, **options: Any) -> Provider:
    from elastic.providers.ec2 import Ec2Provider  # only who buys there pays for boto3

    return Ec2Provider(*args, **options)


PROVIDERS: Mapping[str, Callable[..., Provider]] = {
    "ec2": _ec2,
    "fake": FakeProvider,
    "local": LocalProvider,
}

__all__ = [
    "PROVIDERS",
    "Call",
    "Claim",
    "ClaimRegister",
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
    "Trouble",
    "find_cpu_cgroups",
]
