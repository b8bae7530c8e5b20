"""The port that every source of prices implements; these docstrings are its contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from elastic.model import Offering


@dataclass(frozen=True, slots=True)
class Quote:
    """What a source says an offering costs from `valid_from_s` on. It is not a price before it was
    found plausible.

    `extras_usd_per_h` is the part of it that the node's disk and address make. `doubt` is why the
    source itself does not believe it (None: it does). `observed_at_s` is when the source heard it,
    if that was not just now. `is_configured`: it stands in the settings, and is meant
    however far it is from the price before.
    """

    offering: Offering
    usd_per_h: float
    valid_from_s: float
    source: str
    doubt: str | None = None
    observed_at_s: float | None = field(default=None, compare=False)
    extras_usd_per_h: float = 0.0
    is_configured: bool = False


class PriceSource(Protocol):
    """Says what offerings cost."""

    name: str

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        """Every quote in force at `now_s`, and before it those that came and went since the last
        call; oldest first.

        So a price that does not change is confirmed each time, and a ledger misses none that did.
        The first call gives what came since the instant up to which the source was heard before, or
        only what is in force if it never was. An offering that has no price yet is absent.

        Raises PriceUnavailable if the source does not answer.
        """
        ...


class PriceArchive(Protocol):
    """Remembers what machines cost before anybody here asked."""

    name: str
    days: float

    def pages(self, node_type: str, *, from_s: float, to_s: float) -> Iterator[tuple[Quote, ...]]:
        """What machines of a type alone cost, in force at `from_s` and changed up to `to_s`, newest
        first.

        Each page is one question, asked when the page is wanted. The source of prices of the same
        `name` tells what came since. Raises PriceUnavailable, between pages too.
        """
        ...
