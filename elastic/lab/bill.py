"""The ground truth of what a lab's instances cost: every second at the price in force, 60 of them at least."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from elastic.lab.prices import PriceBook
from elastic.model import Offering

MINIMUM_BILLED_S = 60.0
"""Of instances, public addresses and disks alike (aws.amazon.com/ec2/pricing/on-demand, aws.amazon.com/ebs/pricing)."""
_HOURS_PER_MONTH = 730.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What is billed of one instance. `stretches` are its times of running, `until` None while it still runs.

    The disk is billed from the launch until `disk_until_s` (None: it still exists), running or not, for 60 s at least.
    """

    instance_id: str
    offering: Offering
    launched_at_s: float
    stretches: tuple[tuple[float, float | None], ...]
    disk_gib: float
    disk_until_s: float | None
    has_public_ipv4: bool


@dataclass(frozen=True, slots=True)
class BillLine:
    """One instance on the bill; `running_s` is what it ran, `billed_s` what is charged."""

    instance_id: str
    offering: Offering
    launched_at_s: float
    running_s: float
    billed_s: float
    compute_usd: float
    disk_usd: float
    public_ipv4_usd: float

    @property
    def usd(self) -> float:
        return self.compute_usd + self.disk_usd + self.public_ipv4_usd


@dataclass(frozen=True, slots=True)
class Tariff:
    """What the account pays beside the instances themselves."""

    ebs_usd_per_gib_month: float
    public_ipv4_usd_per_h: float


@dataclass(frozen=True, slots=True)
class Bill:
    """All instances there ever were, oldest first."""

    at_s: float
    lines: tuple[BillLine, ...]

    @property
    def usd(self) -> float:
        return sum(line.usd for line in self.lines)


def make_bill(usages: Iterable[Usage], book: PriceBook, tariff: Tariff, *, now_s: float) -> Bill:
    """Charges each instance for its time until `now_s`."""
    return Bill(at_s=now_s, lines=tuple(_line(usage, book, tariff, now_s) for usage in usages))


def _line(usage: Usage, book: PriceBook, tariff: Tariff, now_s: float) -> BillLine:
    ran = [(start_s, now_s if end_s is None else end_s) for start_s, end_s in usage.stretches]
    billed = [(start_s, max(end_s, start_s + MINIMUM_BILLED_S)) for start_s, end_s in ran]
    billed_s = sum(end_s - start_s for start_s, end_s in billed)
    disk_until_s = now_s if usage.disk_until_s is None else usage.disk_until_s
    disk_s = max(disk_until_s - usage.launched_at_s, MINIMUM_BILLED_S)
    return BillLine(
        instance_id=usage.instance_id,
        offering=usage.offering,
        launched_at_s=usage.launched_at_s,
        running_s=sum(end_s - start_s for start_s, end_s in ran),
        billed_s=billed_s,
        compute_usd=sum(book.cost_usd(usage.offering, from_s=start_s, to_s=end_s) for start_s, end_s in billed),
        disk_usd=usage.disk_gib * tariff.ebs_usd_per_gib_month / _HOURS_PER_MONTH * disk_s / 3600,
        public_ipv4_usd=tariff.public_ipv4_usd_per_h * billed_s / 3600 if usage.has_public_ipv4 else 0.0,
    )
