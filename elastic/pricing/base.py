"""The port that every source of prices implements; its docstrings are the contract."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from elastic.model import Offering


@dataclass(frozen=True, slots=True)
class Quote:
    """What a source says an offering costs. It becomes a price once it was found plausible."""

    offering: Offering
    usd_per_h: float
    valid_from_s: float
    source: str
    # Why the source itself does not trust it; None if it does.
    doubt: str | None = None
    # When the source read it; None: just now.
    observed_at_s: float | None = field(default=None, compare=False)
    # The part of it for the node's disk and address.
    extras_usd_per_h: float = 0.0
    # Whether it stands in the settings. Then it is meant, even if it is far from the price before.
    is_configured: bool = False


class PriceSource(Protocol):
    """Says what offerings cost."""

    name: str

    def refresh(self, now_s: float) -> tuple[Quote, ...]:
        """Every quote in force at `now_s`, and those that came and went since the last call.

        Oldest first. So an unchanged price is confirmed each time, and the ledger misses no change.
        The first call gives what came since an earlier daemon read the source, or only what is in
        force if there was none. An offering without a price is absent.

        Raises PriceUnavailable if the source does not answer.
        """
        ...


class PriceArchive(Protocol):
    """Remembers what machines cost before this daemon first asked."""

    name: str
    days: float

    def pages(self, node_type: str, *, from_s: float, to_s: float) -> Iterator[tuple[Quote, ...]]:
        """Prices of a type's machines, without extras: from that at `from_s` up to `to_s`.

        Newest first. Each page is one request, made when the page is wanted. The source of prices
        with the same `name` has what came since. Raises PriceUnavailable, also between pages.
        """
        ...
