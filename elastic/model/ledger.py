"""Where the dollars went: each stretch of each node's life at the price then in force."""

from __future__ import annotations

from dataclasses import dataclass

from elastic.model.offering import Offering


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One node over one stretch at one price. `to_s` is None while the stretch is still running.

    `minimum_s` is the least that the provider bills for a launch, less what the node's earlier rows have billed.
    """

    id: int
    job_id: str
    node_id: str
    offering: Offering
    price_id: int
    usd_per_h: float
    from_s: float
    to_s: float | None
    minimum_s: float = 0.0

    def usd(self, now_s: float) -> float:
        """Dollars this row has cost by `now_s`.

        >>> from elastic.model.offering import Offering
        >>> row = LedgerRow(1, "j", "n", Offering("c5.xlarge"), 1, 0.36, from_s=0.0, to_s=None)
        >>> round(row.usd(100.0), 6)
        0.01
        """
        end_s = now_s if self.to_s is None else self.to_s
        return self.usd_per_h * max(end_s - self.from_s, self.minimum_s) / 3600


def spent_usd(rows: tuple[LedgerRow, ...], now_s: float) -> float:
    """Dollars that all `rows` have cost by `now_s`."""
    return sum(row.usd(now_s) for row in rows)
