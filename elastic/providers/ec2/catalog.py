"""What EC2 sells here: node types, in the zones of our subnets, on demand and as spot."""

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
_NAMES_A_FILTER = 200  # EC2 User Guide, "Filtering": no more values a request.
# DescribeInstanceTypes: Trainium and Inferentia, FPGAs, video. They are paid for, and torch as
# installed uses none.
_ACCELERATORS = ("NeuronInfo", "InferenceAcceleratorInfo", "FpgaInfo", "MediaAcceleratorInfo")
# The first generation with bf16 arithmetic, of all makers: Intel's Sapphire Rapids, AMD's Zen 4,
# Graviton 3.
_BF16_SINCE = 7
_USAGE: Mapping[str, Capacity] = {"on-demand": Capacity.ON_DEMAND, "spot": Capacity.SPOT}


@dataclass(frozen=True, slots=True)
class Kind:
    """A node type with what a launch must know of it beyond the port's vocabulary.

    `accelerators` says which of EC2's accelerators it has that are no whole GPUs, by the names of
    their fields.
    """

    node_type: NodeType
    architecture: str
    capacities: frozenset[Capacity]
    is_burstable: bool
    gpu_maker: str | None = None
    accelerators: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Subnet:
    """Where machines of a zone are put. `is_public`: they get a public IPv4 address, which
    costs."""

    id: str
    zone: str
    vpc_id: str
    is_public: bool


@dataclass(frozen=True, slots=True)
class Catalog:
    """All that can be bought: kinds by node type, one subnet a zone, and the offerings that these
    make.

    `not_sold` are types that settings name and that have none: unknown, retired, or not sold in
    these zones in one of the ways that settings name, `wanted_as`.
    """

    kinds: Mapping[str, Kind]
    subnets: Mapping[str, Subnet]
    offerings: tuple[Offering, ...]
    not_sold: tuple[str, ...] = ()
    wanted_as: tuple[str, ...] = ()

    def told_not_sold(self) -> str:
        """What is said of those, and what to do."""
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
    """The requirements that choose node types; None where settings list them. Raises InvalidInput
    if neither does."""
    wanted = settings.requirements
    if settings.types:
        return None
    if wanted.cpu is None and wanted.memory is None and wanted.gpu is None:
        raise InvalidInput(
            "ec2.types: wanted node types by name, or ec2.requirements such as cpu = '4..8', "
            "memory = '8GB'; "
            "got neither, name some",
            field="ec2.types",
        )
    return parse_requirements(cpu=wanted.cpu, memory=wanted.memory, gpu=wanted.gpu)


def read_catalog(aws: Aws, settings: Ec2Settings) -> Catalog:
    """Asks EC2 what it sells, and adds how often it takes spot back.

    Raises ProviderError if it sells nothing of what is wanted, ProviderUnavailable if it does not
    answer.
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
    """One subnet a zone at the region's prices: the first that the settings name, else the default
    VPC's own."""
    if settings.subnets:
        choice: dict[str, Any] = {"SubnetIds": list(settings.subnets)}
    else:
        choice = {"Filters": [{"Name": "default-for-az", "Values": ["true"]}]}
    pages = aws.reads.get_paginator("describe_subnets").paginate(**choice)
    found = [_subnet(raw) for page in pages for raw in page["Subnets"]]
    region = str(aws.reads.meta.region_name)
    _check_zones([*settings.zones, *(each.zone for each in found if settings.subnets)], region)
    found = [each for each in found if not _is_apart(each.zone, region)]
    order = {name: place for place, name in enumerate(settings.subnets)}
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


def _is_apart(zone: str, region: str) -> bool:
    """Whether it is a Local or Wavelength Zone: any other is named by its region and one letter.

    >>> _is_apart("us-west-2a", "us-west-2"), _is_apart("us-west-2-lax-1a", "us-west-2")
    (False, True)
    """
    return zone.startswith(f"{region}-")


def _check_zones(named: Iterable[str], region: str) -> None:
    apart = sorted({each for each in named if _is_apart(each, region)})
    if apart:
        raise ProviderError(
            f"wanted zones at the prices of {region}, found {', '.join(apart)}: Local and "
            "Wavelength Zones are dearer "
            "than its price list says; name others (ec2.zones, ec2.subnets)"
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
    """Those of the names that EC2 knows: asked for by a filter, one that it does not know fails no
    others."""
    found: list[Kind] = []
    for start in range(0, len(names), _NAMES_A_FILTER):
        some = list(names[start : start + _NAMES_A_FILTER])
        pages = aws.reads.get_paginator("describe_instance_types").paginate(
            Filters=[{"Name": "instance-type", "Values": some}]
        )
        found += [_kind(raw) for page in pages for raw in page["InstanceTypes"]]
    return [
        each for each in found if each.node_type.name in names
    ]  # a filter reads * and ? as more than themselves


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
        others.add("GpuInfo")  # a fraction of a GPU (g6f): paid for, and counted as none
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
        architecture="arm64" if "arm64" in architectures else "x86_64",
        capacities=frozenset(
            _USAGE[use] for use in raw.get("SupportedUsageClasses", []) if use in _USAGE
        ),
        is_burstable=bool(raw.get("BurstablePerformanceSupported")),
        gpu_maker=gpus[0].get("Manufacturer") if gpus else None,
        accelerators=frozenset(others),
    )


def _precisions(name: str, gpus: Sequence[Mapping[str, Any]]) -> tuple[Precision, ...]:
    """What a type computes in: its GPUs by their model, else its processor by the generation that
    its name gives.

    >>> [_precisions(name, [])[-1].value for name in ("c6i.large", "c7g.large", "m7i-flex.large", "u-6tb1.metal")]
    ['fp32', 'bf16', 'bf16', 'fp32']
    """
    if gpus:
        return precisions_of_gpu(gpus[0]["Name"], gpus[0].get("Manufacturer", "NVIDIA"))
    generation = re.match(r"[a-z]+(\d+)", name)
    if generation and int(generation[1]) >= _BF16_SINCE:
        return WITH_BF16
    return FP32_ONLY


def _is_wanted(kind: Kind, requirements: Requirements | None) -> bool:
    """Requirements admit what the default images and wheels are for; a type that is named is taken
    as it is."""
    if requirements is None:
        return True
    is_plain = kind.architecture == "x86_64" and not kind.accelerators
    return is_plain and requirements.admit(kind.node_type, gpu_maker=kind.gpu_maker)


def _check_kinds(kinds: Mapping[str, Kind], settings: Ec2Settings) -> None:
    if settings.types and not kinds:
        raise ProviderError(
            "ec2.types: wanted node types that EC2 has in this region, found none of "
            f"{', '.join(settings.types)}; "
            "correct the names, or ec2.region"
        )
    if not 1 <= len(kinds) <= MOST_TYPES:
        raise ProviderError(
            f"ec2.requirements: wanted 1 to {MOST_TYPES} node types, found {len(kinds)} that meet "
            "them; "
            "narrow or widen them, or name types (ec2.types)"
        )
    arm = sorted(
        name
        for name, kind in kinds.items()
        if kind.architecture == "arm64" and kind.node_type.gpu_count
    )
    if arm:
        raise ProviderError(
            f"ec2.types: wanted GPUs beside x86_64 processors, found {', '.join(arm)} with arm64, "
            "for which no image "
            "with a driver is known here; name others"
        )


def _zones(aws: Aws, names: Sequence[str]) -> set[tuple[str, str]]:
    """Which type is sold in which zone."""
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
