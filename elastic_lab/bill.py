"""Calculates what a lab's instances really cost, by EC2's own rules.

- A machine costs from running to shutting-down, 60 s at least (EC2 User Guide, "Billing by instance
  state").
- Each second has the price in force then (Overview of Amazon EC2 Spot Instances, "How Spot
  Instances Work").
- A spot instance that EC2 takes back in its first hour is free, but not its disk and address (EC2
  User Guide, "Billing for interrupted Spot Instances").
- A disk costs from its creation to its end, 60 s at least (EBS pricing).
- An address costs like its machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from elastic.durations import FREE_S, MINIMUM_BILLED_S
from elastic.model import Offering
from elastic_lab.prices import PriceBook

_HOURS_PER_MONTH = 730.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What is billed of one instance."""

    instance_id: str
    offering: Offering
    # From here on the disk is billed, even while the instance does not run.
    launched_at_s: float
    # Its times of running; the last one has no end while it runs.
    stretches: tuple[tuple[float, float | None], ...]
    disk_gib: float
    # None: it still exists.
    disk_until_s: float | None
    has_public_ipv4: bool
    # Whether the cloud took it back.
    was_interrupted: bool = False


@dataclass(frozen=True, slots=True)
class BillLine:
    """One instance on the bill."""

    instance_id: str
    offering: Offering
    launched_at_s: float
    running_s: float
    # With the minimum, so it may be more than it ran.
    billed_s: float
    compute_usd: float
    disk_usd: float
    public_ipv4_usd: float

    @property
    def usd(self) -> float:
        return self.compute_usd + self.disk_usd + self.public_ipv4_usd


@dataclass(frozen=True, slots=True)
class Tariff:
    """The prices beside those of instances, and the minimum that is billed."""

    ebs_usd_per_gib_month: float
    public_ipv4_usd_per_h: float
    minimum_billed_s: float = MINIMUM_BILLED_S


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
    billed_s = sum(max(end_s - start_s, tariff.minimum_billed_s) for start_s, end_s in ran)
    running_s = sum(end_s - start_s for start_s, end_s in ran)
    disk_s = (now_s if usage.disk_until_s is None else usage.disk_until_s) - usage.launched_at_s
    disk_usd_per_h = usage.disk_gib * tariff.ebs_usd_per_gib_month / _HOURS_PER_MONTH
    # Only the machine is free, not its disk and address.
    is_free = usage.was_interrupted and running_s < FREE_S
    return BillLine(
        instance_id=usage.instance_id,
        offering=usage.offering,
        launched_at_s=usage.launched_at_s,
        running_s=running_s,
        billed_s=billed_s,
        compute_usd=0.0
        if is_free
        else sum(_run_usd(usage.offering, book, *each, tariff) for each in ran),
        disk_usd=disk_usd_per_h * max(disk_s, tariff.minimum_billed_s) / 3600,
        public_ipv4_usd=tariff.public_ipv4_usd_per_h * billed_s / 3600
        if usage.has_public_ipv4
        else 0.0,
    )


def _run_usd(
    offering: Offering, book: PriceBook, from_s: float, to_s: float, tariff: Tariff
) -> float:
    """The cost of one run; what the minimum adds is charged at the price at its end."""
    short_s = max(tariff.minimum_billed_s - (to_s - from_s), 0.0)
    last_usd_per_h = book.usd_per_h(offering, at_s=to_s) or 0.0
    return book.cost_usd(offering, from_s=from_s, to_s=to_s) + last_usd_per_h * short_s / 3600
