"""What can be bought: node types, the offerings that sell them, their prices."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from elastic.errors import InvalidInput


class Precision(StrEnum):
    """What forward and backward passes compute in; weights and updates are fp32 in all of them.

    bf16 has the range of fp32 and fewer digits. fp16 has more digits and little range: its losses
    need a scale.
    """

    FP32 = "fp32"
    BF16 = "bf16"
    FP16 = "fp16"


class Capacity(StrEnum):
    """How a node is bought."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"

    # Offerings are the keys of every look-up: an enumeration's own hash is a call into Python for
    # each.
    __hash__ = str.__hash__


@dataclass(frozen=True, slots=True)
class NodeType:
    """A kind of machine."""

    name: str
    # In what its provider calls cores (0.5 = half a core). A cloud counts hardware threads, mostly
    # two to a core.
    cpu: float
    memory_gib: float
    gpu_count: int = 0
    gpu_model: str | None = None
    # None if that is the same.
    physical_cores: float | None = None
    # The number formats that its GPUs, or else its cores, have arithmetic for.
    precisions: tuple[Precision, ...] = (Precision.FP32,)
    # What a machine bought now would be made from; None if its provider has none, or does not know
    # yet.
    image: str | None = None
    # The share of its spot machines that the cloud took back within a month, by the cloud's word: 0
    # (below 5 %), 1 (5-10), 2 (10-15), 3 (15-20) or 4 (above 20). None if it says nothing.
    advisor_bucket: int | None = None

    @property
    def cores(self) -> float:
        """The cores that compute: two threads on one core do hardly more arithmetic than one."""
        if self.physical_cores is None:
            return self.cpu
        return self.physical_cores

    def __post_init__(self) -> None:
        if not self.name:
            raise InvalidInput("a node type needs a name, got an empty one")
        require_positive(self.cpu, f"{self.name}: cpu")
        require_positive(self.memory_gib, f"{self.name}: memory_gib")
        require_positive(self.cores, f"{self.name}: physical_cores")


@dataclass(frozen=True, slots=True, order=True)
class Offering:
    """One way to buy one node type: in this zone, as this capacity. It is the key that prices and
    nodes share."""

    node_type: str
    capacity: Capacity = Capacity.ON_DEMAND
    zone: str = "local"

    def __str__(self) -> str:
        return f"{self.node_type} {self.capacity} {self.zone}"


@dataclass(frozen=True, slots=True)
class Price:
    """What an offering costs from `valid_from_s` on, until a later price of the same offering."""

    id: int
    offering: Offering
    # The whole node: the machine, its disk and its address.
    usd_per_h: float
    valid_from_s: float
    observed_at_s: float
    source: str
    # The part of it for disk and address.
    extras_usd_per_h: float = 0.0

    def __post_init__(self) -> None:
        require_positive(self.usd_per_h, f"{self.offering}: price in USD per hour")


@dataclass(frozen=True, slots=True)
class DoubtedPrice:
    """A price that is not believed, though it may be true."""

    offering: Offering
    # The whole node.
    usd_per_h: float
    since_s: float


class Obstacle(StrEnum):
    """Why an offering is left alone for a while."""

    CAPACITY = "capacity"
    QUOTA = "quota"
    FORBIDDEN = "forbidden"
    LAUNCH_FAILED = "launch_failed"
    FAILED_TO_JOIN = "failed_to_join"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Unavailable:
    """An offering that was refused or taken back lately, or whose machine never joined."""

    offering: Offering
    # None is bought until then.
    until_s: float
    why: Obstacle
    # How many new ones at once are too many: fewer may be bought.
    nodes: int = 1

    def __post_init__(self) -> None:
        if self.nodes < 1:
            raise InvalidInput(
                f"{self.offering}: the nodes that cannot be bought must be 1 or more, got "
                f"{self.nodes}"
            )


def longest_block(
    blocks: Iterable[Unavailable], offering: Offering, nodes: int, *, now_s: float
) -> Unavailable | None:
    """What keeps `nodes` new ones of an offering from being bought at `now_s`, for the longest
    time; None if nothing.

    >>> four = Unavailable(Offering("c5.large"), 60.0, Obstacle.CAPACITY, nodes=4)
    >>> [longest_block([four], four.offering, nodes, now_s=0.0) is four for nodes in (2, 4, 5)]
    [False, True, True]
    """
    standing = (
        each
        for each in blocks
        if each.offering == offering and each.nodes <= nodes and each.until_s > now_s
    )
    return max(standing, key=lambda each: each.until_s, default=None)


def require_positive(value: float, what: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InvalidInput(f"{what} must be positive and finite, got {value}")
