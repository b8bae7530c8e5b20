"""The cost of a node beside its machine: its disk, and its public address."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from elastic.model import Offering

HOURS_A_MONTH = 730.0  # AWS's own: 365 x 24 / 12 (EBS pricing page).


@dataclass(frozen=True, slots=True)
class Extras:
    """The sizes and prices of disks and addresses."""

    # By node type.
    disk_gib: Mapping[str, float]
    volume_usd_per_gib_month: float
    public_ipv4_usd_per_h: float
    # The zones whose nodes get an address.
    public_zones: Set[str] = frozenset()

    def usd_per_h(self, offering: Offering) -> float:
        """Dollars an hour that a node costs beside its machine.

        >>> Extras({"c5.large": 73}, 0.1, 0.005, {"a"}).usd_per_h(Offering("c5.large", zone="a"))
        0.015
        """
        disk_usd_per_h = (
            self.disk_gib[offering.node_type] * self.volume_usd_per_gib_month / HOURS_A_MONTH
        )
        return disk_usd_per_h + (
            self.public_ipv4_usd_per_h if offering.zone in self.public_zones else 0.0
        )
