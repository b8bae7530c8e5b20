"""Reads what EC2 sells here: node types, zones, on-demand and spot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elastic.config import Ec2Settings
from elastic.errors import InvalidInput, ProviderError
from elastic.model import Capacity, NodeType, Offering, Precision
from elastic.providers.ec2.advisor import advisor_buckets
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import translated
from elastic.providers.ec2.requirements import Requirements, parse_requirements
from elastic.providers.precisions import FP32_ONLY, WITH_BF16, precisions_of_gpu

# More candidates than this are never all tried, and their spot prices alone take minutes to read.
MOST_TYPES = 64
# The limit of values per request (EC2 User Guide, "Filtering").
_NAMES_A_FILTER = 200
# Fields of DescribeInstanceTypes for Trainium and Inferentia, FPGAs and video. They cost money, and
# torch as it is installed does not use them.
_ACCELERATORS = ("NeuronInfo", "InferenceAcceleratorInfo", "FpgaInfo", "MediaAcceleratorInfo")
# The first generation with bf16 arithmetic, for all makers: Intel's Sapphire Rapids, AMD's Zen 4,
# Graviton 3.
_BF16_SINCE = 7
_USAGE: Mapping[str, Capacity] = {"on-demand": Capacity.ON_DEMAND, "spot": Capacity.SPOT}


@dataclass(frozen=True, slots=True)
class Kind:
    """A node type with what a launch on EC2 must know of it."""

    node_type: NodeType
    architecture: str
    capacities: frozenset[Capacity]
    is_burstable: bool
    gpu_maker: str | None = None
    # Its accelerators other than whole GPUs, by the names of EC2's fields.
    accelerators: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Subnet:
    """The subnet for machines of one zone."""

    id: str
    zone: str
    vpc_id: str
    # Whether machines get a public IPv4 address, which costs.
    is_public: bool


@dataclass(frozen=True, slots=True)
class Catalog:
    """All that can be bought."""

    # By node type.
    kinds: Mapping[str, Kind]
    # By zone.
    subnets: Mapping[str, Subnet]
    offerings: tuple[Offering, ...]
    # Types that settings name but that have no offering: unknown, retired, or not sold in these
    # zones in one of the ways of `wanted_as`.
    not_sold: tuple[str, ...] = ()
    wanted_as: tuple[str, ...] = ()

    def not_sold_text(self) -> str:
        """The message about types that are not sold, and what to do."""
        return (
            f"ec2.types: {', '.join(self.not_sold)}: not sold in {', '.join(self.subnets)} as "
            f"{' or '.join(self.wanted_as)}; the others are on offer. "
            "Correct the name, or name other zones (ec2.zones) or ways to buy (ec2.capacities)"
        )

    @property
    def vpc_id(self) -> str:
        return next(iter(self.subnets.values())).vpc_id

    @property
    def public_zones(self) -> frozenset[str]:
        """The zones whose machines get a public address."""
        return frozenset(zone for zone, subnet in self.subnets.items() if subnet.is_public)


def check_choice(settings: Ec2Settings) -> Requirements | None:
    """The requirements for node types; None if settings list types. Raises InvalidInput."""
    wanted = settings.requirements
    if settings.types:
        return None
    if wanted.cpu is None and wanted.memory is None and wanted.gpu is None:
        raise InvalidInput(
            "ec2.types: wanted node types by name, or ec2.requirements such as cpu = '4..8', "
            "memory = '8GB'; got neither, name some",
            field="ec2.types",
        )
    return parse_requirements(cpu=wanted.cpu, memory=wanted.memory, gpu=wanted.gpu)


def read_catalog(aws: Aws, settings: Ec2Settings) -> Catalog:
    """Reads what EC2 sells, and adds how often it takes spot machines back.

    Raises ProviderError if nothing that is wanted is sold, ProviderUnavailable without an answer.
    """
    requirements = check_choice(settings)
    with translated("reading what EC2 sells"):
        subnets = _subnets(aws, settings)
        if requirements is None:
            listed = _kinds(aws, settings.types)
        else:
            listed = _current_kinds(aws)
        listed = _with_buckets(listed, advisor_buckets(str(aws.reads.meta.region_name)))
        kinds = {each.node_type.name: each for each in listed if _is_wanted(each, requirements)}
        _check_kinds(kinds, settings)
        zones = _zones(aws, tuple(kinds))
    offerings = tuple(_offerings(kinds.values(), subnets, zones, settings))
    if not offerings:
        raise ProviderError(
            f"wanted {', '.join(sorted(kinds))} in {', '.join(sorted(subnets))} as "
            f"{' or '.join(settings.capacities)}, found none sold so; "
            "name other types (ec2.types), zones (ec2.zones) or ways to buy (ec2.capacities)"
        )
    sold = {each.node_type for each in offerings}
    not_sold = tuple(each for each in settings.types if each not in sold)
    return Catalog(kinds, subnets, offerings, not_sold, settings.capacities)


def _with_buckets(kinds: Iterable[Kind], buckets: Mapping[str, int]) -> list[Kind]:
    return [
        replace(
            each, node_type=replace(each.node_type, advisor_bucket=buckets.get(each.node_type.name))
        )
        for each in kinds
    ]


def _subnets(aws: Aws, settings: Ec2Settings) -> dict[str, Subnet]:
    """One subnet per zone: the first that the settings name, else that of the default VPC."""
    if settings.subnets:
        choice: dict[str, Any] = {"SubnetIds": list(settings.subnets)}
    else:
        choice = {"Filters": [{"Name": "default-for-az", "Values": ["true"]}]}
    pages = aws.reads.get_paginator("describe_subnets").paginate(**choice)
    raw_subnets = [raw for page in pages for raw in page["Subnets"]]
    found = [_subnet(raw) for raw in raw_subnets if not raw.get("Ipv6Native")]
    if settings.subnets:
        _check_ipv4(raw_subnets)
    region = str(aws.reads.meta.region_name)
    _check_zones([*settings.zones, *(each.zone for each in found if settings.subnets)], region)
    found = [each for each in found if not _is_apart(each.zone, region)]
    order = {name: place for place, name in enumerate(settings.subnets)}
    # Reversed, since of one zone the last one stays in the dict below: so the first named one does.
    found.sort(key=lambda each: (order.get(each.id, 0), each.zone, each.id), reverse=True)
    by_zone = {
        each.zone: each for each in found if not settings.zones or each.zone in settings.zones
    }
    _check_subnets(by_zone, settings)
    return dict(sorted(by_zone.items()))


def _subnet(raw: Mapping[str, Any]) -> Subnet:
    return Subnet(
        raw["SubnetId"], raw["AvailabilityZone"], raw["VpcId"], bool(raw.get("MapPublicIpOnLaunch"))
    )


def _check_ipv4(raw_subnets: Iterable[Mapping[str, Any]]) -> None:
    without = sorted(raw["SubnetId"] for raw in raw_subnets if raw.get("Ipv6Native"))
    if without:
        raise ProviderError(
            f"wanted subnets with IPv4, by which nodes reach one another, found only IPv6 in "
            f"{', '.join(without)}; name others (ec2.subnets)"
        )


def _is_apart(zone: str, region: str) -> bool:
    """Whether it is a Local or Wavelength Zone; all others are named by region and one letter.

    >>> _is_apart("us-west-2a", "us-west-2"), _is_apart("us-west-2-lax-1a", "us-west-2")
    (False, True)
    """
    return zone.startswith(f"{region}-")


def _check_zones(named: Iterable[str], region: str) -> None:
    apart = sorted({each for each in named if _is_apart(each, region)})
    if apart:
        raise ProviderError(
            f"wanted zones at the prices of {region}, found {', '.join(apart)}: Local and "
            "Wavelength Zones cost more than its price list says; name others (ec2.zones, "
            "ec2.subnets)"
        )


def _check_subnets(by_zone: Mapping[str, Subnet], settings: Ec2Settings) -> None:
    missing = sorted(set(settings.zones) - set(by_zone))
    if missing or not by_zone:
        where = ", ".join(missing) or "any zone"
        raise ProviderError(
            f"wanted a subnet in {where}, found none; name one (ec2.subnets) or other zones "
            "(ec2.zones)"
        )
    if len(vpcs := {each.vpc_id for each in by_zone.values()}) > 1:
        raise ProviderError(
            f"wanted subnets of one VPC, found {', '.join(sorted(vpcs))}; nodes must reach one "
            "another"
        )


def _kinds(aws: Aws, names: Sequence[str]) -> list[Kind]:
    """The named types that EC2 knows."""
    # Asked for by a filter, since a request by name fails if EC2 does not know one of them.
    found: list[Kind] = []
    for start in range(0, len(names), _NAMES_A_FILTER):
        some = list(names[start : start + _NAMES_A_FILTER])
        pages = aws.reads.get_paginator("describe_instance_types").paginate(
            Filters=[{"Name": "instance-type", "Values": some}]
        )
        found += [_kind(raw) for page in pages for raw in page["InstanceTypes"]]
    # A filter takes * and ? as wildcards.
    return [each for each in found if each.node_type.name in names]


def _current_kinds(aws: Aws) -> list[Kind]:
    filters = [
        {"Name": "current-generation", "Values": ["true"]},
        {"Name": "bare-metal", "Values": ["false"]},
    ]
    pages = aws.reads.get_paginator("describe_instance_types").paginate(Filters=filters)
    return [_kind(raw) for page in pages for raw in page["InstanceTypes"]]


def _kind(raw: Mapping[str, Any]) -> Kind:
    gpus = [gpu for gpu in raw.get("GpuInfo", {}).get("Gpus", []) if gpu.get("Count")]
    others = {name for name in _ACCELERATORS if raw.get(name)}
    if raw.get("GpuInfo") and not gpus:
        others.add("GpuInfo")  # a fraction of a GPU (g6f) costs money, and counts as no GPU
    architectures = raw.get("ProcessorInfo", {}).get("SupportedArchitectures", [])
    return Kind(
        node_type=NodeType(
            name=raw["InstanceType"],
            cpu=float(raw["VCpuInfo"]["DefaultVCpus"]),
            memory_gib=raw["MemoryInfo"]["SizeInMiB"] / 1024,
            gpu_count=sum(gpu["Count"] for gpu in gpus),
            gpu_model=gpus[0]["Name"] if gpus else None,
            physical_cores=raw["VCpuInfo"].get("DefaultCores"),
            precisions=_precisions(raw["InstanceType"], gpus),
        ),
        # Old types name i386 beside x86_64; none has both x86_64 and arm64.
        architecture="arm64" if "arm64" in architectures else "x86_64",
        capacities=frozenset(
            _USAGE[use] for use in raw.get("SupportedUsageClasses", []) if use in _USAGE
        ),
        is_burstable=bool(raw.get("BurstablePerformanceSupported")),
        gpu_maker=gpus[0].get("Manufacturer") if gpus else None,
        accelerators=frozenset(others),
    )


def _precisions(name: str, gpus: Sequence[Mapping[str, Any]]) -> tuple[Precision, ...]:
    """The precisions of a type's GPUs by model, else of its processor by the type's generation.

    >>> names = ("c6i.large", "c7g.large", "m7i-flex.large", "u-6tb1.metal")
    >>> [_precisions(name, [])[-1].value for name in names]
    ['fp32', 'bf16', 'bf16', 'fp32']
    """
    if gpus:
        return precisions_of_gpu(gpus[0]["Name"], gpus[0].get("Manufacturer", "NVIDIA"))
    generation = re.match(r"[a-z]+(\d+)", name)
    if generation and int(generation[1]) >= _BF16_SINCE:
        return WITH_BF16
    return FP32_ONLY


def _is_wanted(kind: Kind, requirements: Requirements | None) -> bool:
    """Whether a type is a candidate by the requirements; one that is named always is."""
    if requirements is None:
        return True
    # The default images and wheels are for x86_64, and for GPUs as the only accelerators.
    is_plain = kind.architecture == "x86_64" and not kind.accelerators
    return is_plain and requirements.admit(kind.node_type, gpu_maker=kind.gpu_maker)


def _check_kinds(kinds: Mapping[str, Kind], settings: Ec2Settings) -> None:
    if settings.types and not kinds:
        raise ProviderError(
            "ec2.types: wanted node types that EC2 has in this region, found none of "
            f"{', '.join(settings.types)}; correct the names, or ec2.region"
        )
    if not 1 <= len(kinds) <= MOST_TYPES:
        raise ProviderError(
            f"ec2.requirements: wanted 1 to {MOST_TYPES} node types, found {len(kinds)} that meet "
            "them; narrow or widen them, or name types (ec2.types)"
        )
    arm = sorted(
        name
        for name, kind in kinds.items()
        if kind.architecture == "arm64" and kind.node_type.gpu_count
    )
    if arm:
        raise ProviderError(
            f"ec2.types: wanted GPUs beside x86_64 processors, found {', '.join(arm)} with arm64, "
            "for which no image with a driver is known here; name others"
        )


def _zones(aws: Aws, names: Sequence[str]) -> set[tuple[str, str]]:
    """The pairs of a type and a zone in which it is sold."""
    pages = aws.reads.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": list(names)}]
    )
    return {
        (raw["InstanceType"], raw["Location"])
        for page in pages
        for raw in page["InstanceTypeOfferings"]
    }


def _offerings(
    kinds: Iterable[Kind],
    subnets: Mapping[str, Subnet],
    zones: set[tuple[str, str]],
    settings: Ec2Settings,
) -> list[Offering]:
    chosen = [Capacity(each) for each in settings.capacities]
    return sorted(
        Offering(kind.node_type.name, capacity, zone)
        for kind in kinds
        for zone in subnets
        if (kind.node_type.name, zone) in zones
        for capacity in chosen
        if capacity in kind.capacities
    )
