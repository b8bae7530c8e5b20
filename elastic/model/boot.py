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
    """One machine's boot, of whichever job. `boot_s` counts from launch to joining, set-up
    included.

    `image` is what it was made from, None where its provider has none; `setup` is None where it was
    not reported.
    """

    node_type: str
    image: str | None
    boot_s: float
    setup: Setup | None = None
