"""EC2's quotas: which one a launch counts against, what it needs, and how to ask for more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from elastic.model import Capacity, Offering


@dataclass(frozen=True, slots=True)
class Quota:
    """One quota on vCPUs, with its code and name in Service Quotas."""

    code: str
    name: str

    def __str__(self) -> str:
        return f'"{self.name}" ({self.code})'


# Service Quotas, service `ec2`. On-demand P5 counts with older P types, spot P5 has its own quota.
_P_ON_DEMAND = Quota("L-417A185B", "Running On-Demand P instances")
# The quotas on running machines, by the family of node types and by market.
QUOTAS: Mapping[str, Mapping[Capacity, Quota]] = {
    "standard": {
        Capacity.ON_DEMAND: Quota(
            "L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances"
        ),
        Capacity.SPOT: Quota(
            "L-34B43A08", "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests"
        ),
    },
    "G and VT": {
        Capacity.ON_DEMAND: Quota("L-DB2E81BA", "Running On-Demand G and VT instances"),
        Capacity.SPOT: Quota("L-3819A6DF", "All G and VT Spot Instance Requests"),
    },
    "P": {
        Capacity.ON_DEMAND: _P_ON_DEMAND,
        Capacity.SPOT: Quota("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests"),
    },
    "P5": {
        Capacity.ON_DEMAND: _P_ON_DEMAND,
        Capacity.SPOT: Quota("L-C4BD4855", "All P5 Spot Instance Requests"),
    },
}

_COUNT_VCPUS = frozenset(
    {"VcpuLimitExceeded", "MaxSpotInstanceCountExceeded", "InstanceLimitExceeded"}
)
_FAMILY_OF: Mapping[str, str] = {"g": "G and VT", "vt": "G and VT", "p": "P"} | dict.fromkeys(
    "acdhimrtz", "standard"
)
_OTHERS = "inf trn dl f x u hpc mac"
_CONSOLE = "https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas"


def family_of(node_type: str) -> str | None:
    """The quota's name for a node type; None for types with quotas of their own.

    >>> family_of("c5.large"), family_of("g4dn.xlarge"), family_of("p3.2xlarge")
    ('standard', 'G and VT', 'P')
    >>> family_of("p5en.48xlarge"), family_of("inf2.xlarge")
    ('P5', None)
    """
    if node_type.startswith("p5"):
        return "P5"
    letters = re.match(r"[a-z]+", node_type)
    name = letters[0] if letters else ""
    if name in _OTHERS.split():
        return None
    return _FAMILY_OF.get(name) or _FAMILY_OF.get(name[:1])


def quota_of(node_type: str, capacity: Capacity) -> Quota | None:
    """The quota that machines of this type and market count against; None if unknown."""
    family = family_of(node_type)
    if family is None:
        return None
    return QUOTAS[family][capacity]


def how_to_raise(quota: Quota) -> str:
    """The command that asks AWS for more of it."""
    asked = f"--service-code ec2 --quota-code {quota.code} --desired-value VCPUS"
    return f"aws service-quotas request-service-quota-increase {asked}"


def what_is_missing(refused_as: str, offering: Offering, *, count: int, vcpus: float) -> str:
    """Says which quota refused a launch of `count` machines, what it needs, and how to get more.

    >>> print(what_is_missing("VolumeLimitExceeded", Offering("c5.large"), count=1, vcpus=2))
    the quota that EC2 calls VolumeLimitExceeded is used up; ask AWS to raise it: \
https://console.aws.amazon.com/servicequotas/home/services/ec2/quotas
    """
    quota = quota_of(offering.node_type, offering.capacity)
    if refused_as not in _COUNT_VCPUS or quota is None:
        return f"the quota that EC2 calls {refused_as} is used up; ask AWS to raise it: {_CONSOLE}"
    need = f"{count * vcpus:g} vCPUs" + (f" ({count} x {vcpus:g})" if count > 1 else "")
    return (
        f"it needs {need}, and the quota {quota} is used up; ask AWS to raise it: "
        f"`{how_to_raise(quota)}`"
    )
