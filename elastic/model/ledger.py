"""Where the dollars went: each stretch of each node's life at the price then in force."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from elastic.model.offering import DoubtedPrice, Offering, Price


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One node over one stretch at one price."""

    id: int
    job_id: str
    node_id: str
    offering: Offering
    price_id: int
    usd_per_h: float
    from_s: float
    # None while the stretch is still running.
    to_s: float | None
    # The least that the provider bills for a launch, less what the node's earlier rows have billed.
    minimum_s: float = 0.0
    # The part of `usd_per_h` for disk and address.
    extras_usd_per_h: float = 0.0
    # Whether the provider charges nothing for the machine, but only for disk and address.
    is_waived: bool = False

    def usd(self, now_s: float) -> float:
        """Dollars this row has cost by `now_s`.

        >>> from elastic.model.offering import Offering
        >>> row = LedgerRow(1, "j", "n", Offering("c5.xlarge"), 1, 0.36, from_s=0.0, to_s=None)
        >>> round(row.usd(100.0), 6)
        0.01
        """
        if self.to_s is None:
            end_s = now_s
        else:
            end_s = self.to_s
        if self.is_waived:
            usd_per_h = self.extras_usd_per_h
        else:
            usd_per_h = self.usd_per_h
        return usd_per_h * max(end_s - self.from_s, self.minimum_s) / 3600


@dataclass(frozen=True, slots=True)
class BillingPeriod:
    """What a provider bills of one machine."""

    # Since when it exists.
    from_s: float
    # Until when; None: still.
    to_s: float | None
    # The least that is billed of the machine.
    minimum_s: float = 0.0
    # Since when the machine is billed, apart from disk and address; None: all the time.
    billed_from_s: float | None = None
    # Whether the machine is not billed at all.
    is_waived: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a billing period that one price covers; the fields mean what they mean in
    `LedgerRow`."""

    price: Price
    from_s: float
    to_s: float | None
    minimum_s: float = 0.0
    is_waived: bool = False


def stretches(billing_period: BillingPeriod, prices: Sequence[Price]) -> tuple[Stretch, ...]:
    """Divides a billing period among the prices of its offering, none of its seconds missing, none
    twice.

    `prices` are in the order in which they hold; the first one also covers what was before it. What
    is billed beyond the end, for the minimum, is billed at the last price.

    >>> from elastic.model.offering import Offering
    >>> cheap, dear = (Price(n, Offering("s"), n / 10, at_s, at_s, "t") for n, at_s in ((1, 0.0),
    ...     (2, 45.0)))
    >>> [(each.price.id, each.from_s, each.to_s) for each in stretches(BillingPeriod(0.0, 90.0),
    ...     (cheap, dear))]
    [(1, 0.0, 45.0), (2, 45.0, 90.0)]
    """
    from_s = billing_period.from_s
    if billing_period.to_s is None:
        end_s = float("inf")
    else:
        end_s = max(billing_period.to_s, from_s)
    billed_from_s = min(max(billing_period.billed_from_s or from_s, from_s), end_s)
    cuts = {billed_from_s, *(price.valid_from_s for price in prices)}
    starts = [from_s, *sorted(cut for cut in cuts if from_s < cut < end_s)]
    ends: list[float | None] = [*starts[1:], None if billing_period.to_s is None else end_s]
    left_s = 0.0
    if starts[-1] >= billed_from_s:
        left_s = max(billing_period.minimum_s - (starts[-1] - billed_from_s), 0.0)
    return tuple(
        Stretch(
            price=_in_force(prices, start_s),
            from_s=start_s,
            to_s=end,
            minimum_s=left_s if index == len(starts) - 1 else 0.0,
            is_waived=billing_period.is_waived or start_s < billed_from_s,
        )
        for index, (start_s, end) in enumerate(zip(starts, ends, strict=True))
    )


def spent_usd(rows: tuple[LedgerRow, ...], now_s: float) -> float:
    """Dollars that all `rows` have cost by `now_s`."""
    return sum(row.usd(now_s) for row in rows)


def surcharge_usd(
    rows: Iterable[LedgerRow], doubted: Iterable[DoubtedPrice], now_s: float
) -> float:
    """Dollars that `rows` would have cost more by `now_s`, were the doubted prices true; a lower
    one takes nothing off.

    >>> from elastic.model.offering import Offering
    >>> row = LedgerRow(1, "j", "n", Offering("c5.xlarge"), 1, 0.36, from_s=0.0, to_s=None)
    >>> round(surcharge_usd([row], [DoubtedPrice(Offering("c5.xlarge"), 3.6, since_s=60.0)], 160.0),
    ...     6)
    0.09
    """
    dearer = {each.offering: each for each in doubted}
    usd = 0.0
    for row in rows:
        doubt = dearer.get(row.offering)
        if doubt is not None and not row.is_waived:
            lasts_s = (now_s if row.to_s is None else row.to_s) - max(row.from_s, doubt.since_s)
            usd += max(doubt.usd_per_h - row.usd_per_h, 0.0) * max(lasts_s, 0.0) / 3600
    return usd


def _in_force(prices: Sequence[Price], at_s: float) -> Price:
    return prices[max(bisect_right(prices, at_s, key=lambda price: price.valid_from_s) - 1, 0)]
