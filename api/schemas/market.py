"""Node types, offerings, prices and the ledger on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Self

from pydantic import Field, FiniteFloat

from api.schemas.wire import Page, Wire
from elastic import model
from elastic.reconciler import Difference


class NodeTypeOut(Wire):
    """A kind of machine.

    `cpu` counts what its provider calls cores, `cores` physical ones. `precisions` are the number
    formats that it computes in.
    """

    name: str
    cpu: FiniteFloat
    cores: FiniteFloat
    memory_gib: FiniteFloat
    gpu_count: int
    gpu_model: str | None
    precisions: list[model.Precision]
    image: str | None = Field(
        None, description="The image of a machine bought now; null where there are no images."
    )


class CapOut(Wire):
    """One cap of the purse, as it stands in the present hour, day or month."""

    unit: model.CalendarUnit
    usd: FiniteFloat
    spent_usd: FiniteFloat = Field(description="What the ledger charges since that began.")
    committed_usd: FiniteFloat = Field(
        description="What the machines that run may still cost until they have ended in good order."
    )
    left_usd: FiniteFloat
    ends_at_s: FiniteFloat = Field(description="When the next one begins.")


class PurseJobOut(Wire):
    """One job that shares the purse."""

    job_id: str
    name: str
    priority: int
    phase: model.JobPhase
    burn_usd_per_h: FiniteFloat
    why: str | None = Field(
        description="Why it has no machines, or fewer than it wants; null if it has them."
    )


class PurseOut(Wire):
    """What all jobs together may cost, and have cost."""

    zone: str = Field(description="Whose days and months they are.")
    burn_usd_per_h: FiniteFloat
    rate_usd_per_h: FiniteFloat | None = Field(
        description="What all machines may cost an hour now, by the hour's cap; null without one."
    )
    caps: list[CapOut]
    jobs: list[PurseJobOut] = Field(description="Those that are not over, oldest first.")


class OfferingOut(Wire):
    """One way to buy one node type."""

    node_type: str
    capacity: model.Capacity
    zone: str


class UnavailableOut(Wire):
    """An offering of which `nodes` or more at once are not bought until then; 1: none at all."""

    offering: OfferingOut
    until_s: FiniteFloat
    why: model.Obstacle
    nodes: int


class PriceOut(Wire):
    """What an offering costs from `valid_from_s` on, in USD per hour.

    The extras, its disk and its address, are included.
    """

    id: int
    offering: OfferingOut
    usd_per_h: FiniteFloat
    extras_usd_per_h: FiniteFloat
    valid_from_s: FiniteFloat
    observed_at_s: FiniteFloat
    source: str


class MarketPrice(PriceOut):
    """A price, and whether its offering can be bought now.

    `is_stale`: observed too long ago for a launch to rely on it. `unavailable`: why and until when
    it is not bought, from the smallest number of nodes on. A larger number follows only if it is
    blocked for longer.
    """

    is_stale: bool
    unavailable: list[UnavailableOut]

    @classmethod
    def at(
        cls,
        price: model.Price,
        *,
        limits: model.Limits,
        blocks: Iterable[model.Unavailable],
        now_s: float,
    ) -> Self:
        """Converts a price, as things stand at `now_s`."""
        return cls(
            **dict(PriceOut.of(price)),
            is_stale=not limits.trust(price, now_s=now_s),
            unavailable=[
                UnavailableOut.of(each) for each in blocks if each.offering == price.offering
            ],
        )


class PastPriceOut(Wire):
    """What an offering cost from `valid_from_s` on; `observed_at_s` may be much later."""

    usd_per_h: FiniteFloat
    extras_usd_per_h: FiniteFloat
    valid_from_s: FiniteFloat
    observed_at_s: FiniteFloat
    source: str


class PriceHistoryOut(Wire):
    """One offering's prices between two instants, oldest first.

    The mean weights each price by how long it held.
    """

    offering: OfferingOut
    from_s: FiniteFloat
    to_s: FiniteFloat
    lowest_usd_per_h: FiniteFloat
    mean_usd_per_h: FiniteFloat
    highest_usd_per_h: FiniteFloat
    points: list[PastPriceOut]


class PriceHistories(Wire):
    """The price histories of a node type's offerings; those without any price are absent."""

    node_type: str
    items: list[PriceHistoryOut]


class LedgerRowOut(Wire):
    """One node for a time with one price; `usd` is its cost so far, `to_s` null while it runs.

    The price is named by its id, its source, and when it was observed. While `is_waived` the
    provider charges only the disk and the address, `extras_usd_per_h` of the price.
    """

    id: int
    job_id: str
    node_id: str
    offering: OfferingOut
    price_id: int
    price_source: str
    price_observed_at_s: FiniteFloat
    usd_per_h: FiniteFloat
    from_s: FiniteFloat
    to_s: FiniteFloat | None
    minimum_s: FiniteFloat
    extras_usd_per_h: FiniteFloat
    is_waived: bool
    usd: FiniteFloat

    @classmethod
    def at(cls, row: model.LedgerRow, price: model.Price, *, now_s: float) -> Self:
        """Converts a row at its price, with what it has cost by `now_s`."""
        return cls(
            id=row.id,
            job_id=row.job_id,
            node_id=row.node_id,
            offering=OfferingOut.of(row.offering),
            price_id=row.price_id,
            price_source=price.source,
            price_observed_at_s=price.observed_at_s,
            usd_per_h=row.usd_per_h,
            from_s=row.from_s,
            to_s=row.to_s,
            minimum_s=row.minimum_s,
            extras_usd_per_h=row.extras_usd_per_h,
            is_waived=row.is_waived,
            usd=row.usd(now_s),
        )


class LedgerPage(Page[LedgerRowOut]):
    """A page of the ledger; `total_usd` sums all its rows, not only this page's."""

    total_usd: FiniteFloat


class LedgerBy(StrEnum):
    """What the ledger is added up by: a type includes its capacity, days and months are UTC's."""

    JOB = "job"
    NODE = "node"
    TYPE = "type"
    ZONE = "zone"
    DAY = "day"
    MONTH = "month"


class LedgerTotal(Wire):
    """What one job, node or day has cost; `burn_usd_per_h` is the cost of its running nodes."""

    key: str
    usd: FiniteFloat
    burn_usd_per_h: FiniteFloat


class LedgerSummary(Wire):
    """The ledger added up; running nodes cost `burn_usd_per_h` more."""

    by: LedgerBy
    at_s: FiniteFloat
    items: list[LedgerTotal]
    total_usd: FiniteFloat
    burn_usd_per_h: FiniteFloat


class AuditFindingOut(Wire):
    """One machine for which ledger and cloud differ.

    `off_s` and `off_usd` are the ledger's values less the cloud's.
    """

    difference: Difference
    provider_id: str
    node_id: str | None
    found: str
    advice: str
    off_s: FiniteFloat | None
    off_usd: FiniteFloat | None


class AuditOut(Wire):
    """How many machines were compared, and where ledger and cloud differ."""

    at_s: FiniteFloat
    compared: int
    findings: list[AuditFindingOut]
