"""What a node costs beside its machine: its disk, and its public address."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

HOURS_A_MONTH = 730.0  # AWS's own: 365 x 24 / 12 (EBS pricing page).


@dataclass(frozen=True, slots=True)
class Extras:
    """The disk's size and list price, the list price of an address, and the zones whose nodes get one."""

    volume_gib: float
    volume_usd_per_gib_month: float
    public_ipv4_usd_per_h: float
    public_zones: Set[str] = frozenset()

    def usd_per_h(self, zone: str) -> float:
        """Dollars an hour that a node in the zone costs beside its machine.

        >>> Extras(73, 0.1, 0.005, {"a"}).usd_per_h("a")
        0.015
        """
        disk_usd_per_h = self.volume_gib * self.volume_usd_per_gib_month / HOURS_A_MONTH
        return disk_usd_per_h + (self.public_ipv4_usd_per_h if zone in self.public_zones else 0.0)
