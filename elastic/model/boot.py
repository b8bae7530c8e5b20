"""How long a machine took from its launch to its agent's first word, and what of that was setting
it up."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.bounds import Count, Seconds


@dataclass(frozen=True, slots=True)
class Setup:
    """What installing took on a machine: seconds, and bytes that it received meanwhile."""

    elapsed_s: Seconds
    received_bytes: Count


@dataclass(frozen=True, slots=True)
class Boot:
    """One machine's boot, of any job."""

    node_type: str
    # What the machine was made from; None if its provider has no images.
    image: str | None
    # From launch to joining, set-up included.
    boot_s: float
    # None if it was not reported.
    setup: Setup | None = None
