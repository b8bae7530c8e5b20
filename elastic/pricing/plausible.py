"""Decides which quotes to trust, since a wrong price moves real machines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from elastic.figures import price
from elastic.model import Offering
from elastic.pricing.base import Quote

# The largest change among 8,324 EC2 spot price events is 1.053-fold (benchmarks/price_jumps.py). A
# misplaced decimal point is 10-fold.
GREATEST_JUMP = 5.0


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A quote that is not trusted, and why."""

    quote: Quote
    reason: str

    @property
    def usd_per_h(self) -> float | None:
        """What was quoted; None if it is no number."""
        return self.quote.usd_per_h if math.isfinite(self.quote.usd_per_h) else None


@dataclass(frozen=True, slots=True)
class Sifted:
    """Trusted and other quotes, each in the order in which they came."""

    believed: tuple[Quote, ...]
    quarantined: tuple[Quarantined, ...]


def sift(
    quotes: Iterable[Quote],
    in_force: Mapping[Offering, float],
    *,
    greatest_jump: float = GREATEST_JUMP,
) -> Sifted:
    """Separates plausible quotes from the others.

    Each is compared with the last trusted one of its offering, at first with `in_force` (USD per
    hour). Without a price in force any positive price is plausible, and so is what a person set.

    >>> from elastic.model import Offering
    >>> small = Offering("small")
    >>> sifted = sift([Quote(small, 0.2, 0.0, "s"), Quote(small, 2.0, 1.0, "s")], {small: 0.1})
    >>> [quote.usd_per_h for quote in sifted.believed]
    [0.2]
    >>> sifted.quarantined[0].reason
    'wanted at most a 5-fold change, got $2.00/h after $0.20/h'
    """
    last_usd_per_h = dict(in_force)
    believed: list[Quote] = []
    quarantined: list[Quarantined] = []
    for quote in quotes:
        before = None if quote.is_configured else last_usd_per_h.get(quote.offering)
        reason = quote.doubt or why_implausible(
            quote.usd_per_h, before, greatest_jump=greatest_jump
        )
        if reason is None:
            last_usd_per_h[quote.offering] = quote.usd_per_h
            believed.append(quote)
        else:
            quarantined.append(Quarantined(quote, reason))
    return Sifted(tuple(believed), tuple(quarantined))


def why_implausible(
    usd_per_h: float, previous_usd_per_h: float | None, *, greatest_jump: float = GREATEST_JUMP
) -> str | None:
    """Why a price is not plausible after the previous one, if there was one; None if it is.

    >>> why_implausible(0.5, 0.1)
    >>> why_implausible(0.0, None)
    'wanted a positive, finite price, got 0.0 USD per hour'
    """
    reason = why_impossible(usd_per_h)
    if reason is not None or previous_usd_per_h is None:
        return reason
    # With a tolerance: 0.3 / 0.06 is exactly 5 on paper, and a little more in floating point.
    bound = greatest_jump * (1 + 1e-9)
    if max(usd_per_h / previous_usd_per_h, previous_usd_per_h / usd_per_h) > bound:
        found = f"{price(usd_per_h)}/h after {price(previous_usd_per_h)}/h"
        return f"wanted at most a {greatest_jump:g}-fold change, got {found}"
    return None


def why_impossible(usd_per_h: float) -> str | None:
    """Why no offering can cost that; None if one can.

    >>> why_impossible(-1.0)
    'wanted a positive, finite price, got -1.0 USD per hour'
    """
    if math.isfinite(usd_per_h) and usd_per_h > 0:
        return None
    return f"wanted a positive, finite price, got {usd_per_h} USD per hour"
