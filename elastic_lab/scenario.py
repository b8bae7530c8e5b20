"""The scenario of a lab: the node types on sale, their prices, and everything that goes wrong.

Every `after_s`, `from_s` and `until_s` counts scenario seconds from the lab's start; `speed` of
them pass in a real one. Notices, delays and bills are in real seconds, since a node's own clock
measures them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from elastic.durations import GONE_LISTED_S, HISTORY_DAYS, MINIMUM_BILLED_S, NOTICE_S
from elastic.errors import InvalidInput, cannot_read
from elastic.faults import in_words
from elastic.model import Capacity

_STRICT = ConfigDict(extra="forbid")

Seconds = Annotated[FiniteFloat, Field(ge=0)]
Dollars = Annotated[FiniteFloat, Field(gt=0)]
Zone = Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d[a-z]$")]
Part = TypeVar("Part")


class GuestKind(StrEnum):
    """How an instance runs: `auto` is namespaces for root, else processes; `none` boots nothing."""

    AUTO = "auto"
    NAMESPACES = "namespaces"
    PROCESSES = "processes"
    NONE = "none"


class UserData(StrEnum):
    """What runs an instance's user data: the lab's own small init, or cloud-init."""

    SHELL = "shell"
    CLOUD_INIT = "cloud-init"


class Effect(StrEnum):
    """What happens to a call that meets a fault."""

    THROTTLE = "throttle"  # RequestLimitExceeded; nothing is done
    ERROR = "error"  # `code`; nothing is done
    LOSE = "lose"  # done, but the connection is cut before the answer
    DUPLICATE = "duplicate"  # the call arrives twice; the second answer is given


@dataclass(frozen=True, slots=True)
class LabType:
    """A node type on sale."""

    __pydantic_config__ = _STRICT
    on_demand_usd_per_h: Dollars
    # One price for all zones, or one for each zone with spot capacity.
    spot_usd_per_h: Dollars | Mapping[Zone, Dollars] | None = None
    # The quota of its instances in cores of this machine; None: no quota.
    cpu: Annotated[FiniteFloat, Field(gt=0, le=64)] | None = None
    # The vector units that torch may use there (its ATEN_CPU_CAPABILITY); None: all.
    cpu_capability: Literal["default", "avx2", "avx512"] | None = None


@dataclass(frozen=True, slots=True)
class PriceChange:
    """A new spot price of a node type, in one zone or in all of them."""

    __pydantic_config__ = _STRICT
    after_s: Seconds
    node_type: str
    spot_usd_per_h: Dollars
    zone: Zone | None = None


@dataclass(frozen=True, slots=True)
class ScriptedPrices:
    """Spot prices before the lab's start: seeded random steps around the first price."""

    __pydantic_config__ = _STRICT
    days: Annotated[int, Field(ge=0, le=int(HISTORY_DAYS))] = int(HISTORY_DAYS)
    changes_per_day: Annotated[FiniteFloat, Field(gt=0, le=48)] = 2.0
    volatility: Annotated[FiniteFloat, Field(ge=0, lt=1)] = 0.05
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CapacityWindow:
    """A time in which at most `available` matching instances may live; None matches anything."""

    __pydantic_config__ = _STRICT
    node_type: str | None = None
    zone: Zone | None = None
    capacity: Capacity | None = None
    from_s: Seconds = 0.0
    until_s: Seconds | None = None
    available: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A fault that calls meet in a time window."""

    __pydantic_config__ = _STRICT
    effect: Effect
    # None: any of EC2's.
    action: str | None = None
    # How many calls meet it; None: all.
    times: Annotated[int, Field(ge=1)] | None = None
    from_s: Seconds = 0.0
    until_s: Seconds | None = None
    code: str = "InternalError"
    message: str = "An internal error has occurred"


@dataclass(frozen=True, slots=True)
class Interruption:
    """The cloud takes back its oldest matching spot instances.

    As long as no instance matches, the interruption waits for one.
    """

    __pydantic_config__ = _STRICT
    after_s: Seconds
    node_type: str | None = None
    zone: Zone | None = None
    # How long before the end the notice comes; 0: without notice.
    notice_s: Seconds = NOTICE_S
    # How long before the notice a rebalance is recommended; None: never.
    rebalance_s: Seconds | None = None
    # How many are taken back; None: all.
    count: Annotated[int, Field(ge=1)] | None = 1


@dataclass(frozen=True, slots=True)
class SlowNode:
    """The `launch`-th instance of a node type, from 1, gets only `cpu_factor` of its quota."""

    __pydantic_config__ = _STRICT
    node_type: str
    launch: Annotated[int, Field(ge=1)]
    cpu_factor: Annotated[FiniteFloat, Field(gt=0, le=1)]


@dataclass(frozen=True, slots=True)
class LaunchFailure:
    """The `launch`-th instance of a node type, from 1, is ended by EC2 before it boots."""

    __pydantic_config__ = _STRICT
    node_type: str
    launch: Annotated[int, Field(ge=1)]
    code: str = "Client.InternalError"
    message: str = "Client error on launch"


@dataclass(frozen=True, slots=True)
class Partition:
    """A time in which matching instances have no network but, as on EC2, their metadata service."""

    __pydantic_config__ = _STRICT
    from_s: Seconds
    until_s: Seconds
    node_type: str | None = None
    zone: Zone | None = None


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which no AWS API answers: every connection is cut, and nothing is done."""

    __pydantic_config__ = _STRICT
    from_s: Seconds
    until_s: Seconds


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that a lab does by itself."""

    __pydantic_config__ = _STRICT
    node_types: Annotated[Mapping[str, LabType], Field(min_length=1)]
    name: str = "lab"
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")] = "us-east-1"
    zones: Annotated[tuple[Zone, ...], Field(min_length=1, max_length=8)] = (
        "us-east-1a",
        "us-east-1b",
    )
    speed: Annotated[FiniteFloat, Field(gt=0)] = 1.0
    machines: GuestKind = GuestKind.AUTO
    user_data: UserData = UserData.SHELL
    # Instances with cloud-init run on a copy of this file system.
    root: Path = Path("/")
    boot_delay_s: Seconds = 0.0
    # How long a new instance is visible only in its launch's answer.
    describe_delay_s: Seconds = 0.0
    # How long DescribeInstances shows terminated instances.
    forget_terminated_s: Annotated[FiniteFloat, Field(gt=0)] = GONE_LISTED_S
    ebs_usd_per_gib_month: Dollars = 0.08
    minimum_billed_s: Seconds = MINIMUM_BILLED_S
    public_ipv4_usd_per_h: Dollars = 0.005
    # The value of each of the account's quotas.
    vcpu_quota: Annotated[FiniteFloat, Field(ge=0)] = 256.0
    history: ScriptedPrices = ScriptedPrices()
    prices: tuple[PriceChange, ...] = ()
    capacity: tuple[CapacityWindow, ...] = ()
    faults: tuple[InjectedFault, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    # Whether the end of an interrupted machine is shown with its instant. EC2 does not show it.
    dates_interruptions: bool = True
    slow_nodes: tuple[SlowNode, ...] = ()
    launch_failures: tuple[LaunchFailure, ...] = ()
    partitions: tuple[Partition, ...] = ()
    outages: tuple[Outage, ...] = ()

    def __post_init__(self) -> None:
        for zone in self.zones:
            if zone[:-1] != self.region:
                raise InvalidInput(
                    f"zones: wanted zones of region {self.region}, found {zone}", field="zones"
                )
        # Every name must exist, and every time must end after it begins.
        for place, name in _named_types(self):
            _require_known(name, self.node_types, place)
        for place, zone in _named_zones(self):
            _require_known(zone, self.zones, place)
        for place, start_s, end_s in _named_windows(self):
            if end_s is not None and end_s <= start_s:
                raise InvalidInput(
                    f"{place}: wanted until_s after from_s, found from_s {start_s:g} and until_s "
                    f"{end_s:g}",
                    field=place,
                )


def parse_scenario(fields: Mapping[str, Any], *, source: str = "scenario") -> Scenario:
    """Makes a scenario of plain fields; raises InvalidInput, which names the wrong field."""
    return parse_part(Scenario, fields, source=source)


def read_scenario(path: Path) -> Scenario:
    """Reads a scenario from a YAML file."""
    try:
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(
            path,
            error,
            wanted="the YAML of a scenario",
            advice="examples/lab has some, and docs/reference/lab.md every field",
        ) from error
    except yaml.YAMLError as error:
        raise InvalidInput(f"{path}: wanted YAML, found {error}") from error
    if not isinstance(fields, dict):
        raise InvalidInput(
            f"{path}: wanted a mapping of fields such as node_types, found {type(fields).__name__}"
        )
    return parse_scenario({"name": path.stem, **fields}, source=str(path))


def parse_part(kind: type[Part], fields: Mapping[str, Any], *, source: str) -> Part:
    """Makes one of this module's values of plain fields; raises InvalidInput."""
    try:
        return TypeAdapter(kind).validate_python(dict(fields))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{source}: {path}: {in_words(first)}", field=path) from error
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}", field=error.field) from error


_OfTypes = PriceChange | CapacityWindow | Interruption | SlowNode | LaunchFailure | Partition
_OfZones = PriceChange | CapacityWindow | Interruption | Partition
_Windows = CapacityWindow | InjectedFault | Partition | Outage


def _named_types(scenario: Scenario) -> list[tuple[str, str]]:
    parts: Mapping[str, tuple[_OfTypes, ...]] = {
        "prices": scenario.prices,
        "capacity": scenario.capacity,
        "interruptions": scenario.interruptions,
        "slow_nodes": scenario.slow_nodes,
        "launch_failures": scenario.launch_failures,
        "partitions": scenario.partitions,
    }
    return [
        (f"{name}.{index}.node_type", each.node_type)
        for name, group in parts.items()
        for index, each in enumerate(group)
        if each.node_type is not None
    ]


def _named_zones(scenario: Scenario) -> list[tuple[str, str]]:
    parts: Mapping[str, tuple[_OfZones, ...]] = {
        "prices": scenario.prices,
        "capacity": scenario.capacity,
        "interruptions": scenario.interruptions,
        "partitions": scenario.partitions,
    }
    named = [
        (f"{name}.{index}.zone", each.zone)
        for name, group in parts.items()
        for index, each in enumerate(group)
        if each.zone is not None
    ]
    for name, node_type in scenario.node_types.items():
        if isinstance(node_type.spot_usd_per_h, Mapping):
            named += [
                (f"node_types.{name}.spot_usd_per_h", zone) for zone in node_type.spot_usd_per_h
            ]
    return named


def _named_windows(scenario: Scenario) -> list[tuple[str, float, float | None]]:
    parts: Mapping[str, tuple[_Windows, ...]] = {
        "capacity": scenario.capacity,
        "faults": scenario.faults,
        "partitions": scenario.partitions,
        "outages": scenario.outages,
    }
    return [
        (f"{name}.{i}", each.from_s, each.until_s)
        for name, group in parts.items()
        for i, each in enumerate(group)
    ]


def _require_known(name: str, known: Mapping[str, object] | tuple[str, ...], place: str) -> None:
    if name not in known:
        raise InvalidInput(f"{place}: wanted one of {', '.join(known)}, found {name}", field=place)
