"""What offerings cost before: prices of the past, and what of them a person asks for first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from elastic.model.offering import Offering, require_positive


@dataclass(frozen=True, slots=True)
class PastPrice:
    """What an offering cost from `valid_from_s` on, until the next one: the whole node, as in
    `Price`.

    Unlike a `Price` it may have been read long after that, so no ledger cites it.
    """

    offering: Offering
    usd_per_h: float
    valid_from_s: float
    # When it was read.
    observed_at_s: float
    source: str
    extras_usd_per_h: float = 0.0

    def __post_init__(self) -> None:
        require_positive(self.usd_per_h, f"{self.offering}: price in USD per hour")


@dataclass(frozen=True, slots=True)
class PriceHistory:
    """One offering's prices from `from_s` to `to_s`, oldest first."""

    offering: Offering
    from_s: float
    to_s: float
    lowest_usd_per_h: float
    # Each price counts for as long as it held.
    mean_usd_per_h: float
    highest_usd_per_h: float
    # The first one came into force at `from_s` or after it.
    points: tuple[PastPrice, ...]

    def at(self, at_s: float) -> float | None:
        """USD per hour at an instant; None before the first price."""
        past = bisect_right(self.points, at_s, key=lambda each: each.valid_from_s)
        if past:
            return self.points[past - 1].usd_per_h
        return None


def histories(
    prices: Iterable[PastPrice], *, from_s: float, to_s: float
) -> tuple[PriceHistory, ...]:
    """Gives the history of each offering that had a price between the instants, in the order of the
    offerings.

    >>> from elastic.model.offering import Offering
    >>> told = ((0.4, 0.0), (0.1, 150.0))
    >>> dear, cheap = (PastPrice(Offering("c5.large"), usd, at_s, 200.0, "told") for usd,
    ...     at_s in told)
    >>> (found,) = histories([cheap, dear], from_s=100.0, to_s=200.0)
    >>> found.lowest_usd_per_h, found.mean_usd_per_h, found.highest_usd_per_h
    (0.1, 0.25, 0.4)
    """
    known = sorted(
        (each for each in prices if each.valid_from_s <= to_s),
        key=lambda each: (each.offering, each.valid_from_s),
    )
    return tuple(
        _history(offering, _within(tuple(points), from_s), from_s, to_s)
        for offering, points in groupby(known, key=lambda each: each.offering)
    )


def _within(points: Sequence[PastPrice], from_s: float) -> tuple[PastPrice, ...]:
    past = [each for each in points if each.valid_from_s <= from_s]
    return (*past[-1:], *points[len(past) :])


def _history(
    offering: Offering, points: tuple[PastPrice, ...], from_s: float, to_s: float
) -> PriceHistory:
    prices = [each.usd_per_h for each in points]
    starts = [max(each.valid_from_s, from_s) for each in points]
    lasts_s = [end - start for start, end in pairwise((*starts, to_s))]
    whole_s = sum(lasts_s)
    if whole_s:
        mean = sum(usd * lasted for usd, lasted in zip(prices, lasts_s, strict=True)) / whole_s
    else:
        mean = prices[-1]
    return PriceHistory(offering, from_s, to_s, min(prices), mean, max(prices), points)
