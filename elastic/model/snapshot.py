"""All that a decision about one job may know: raw facts and the present instant, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from elastic.durations import (
    BOOT_PRIOR_S,
    COOLDOWN_S,
    MINIMUM_BILLED_S,
    PRICE_MAX_AGE_S,
    SPOT_PRICE_MAX_AGE_S,
    SWITCH_PAUSE_PRIOR_S,
    TICK_S,
    WIND_DOWN_S,
)
from elastic.model.job import Job
from elastic.model.measurement import Group, Series, Trained
from elastic.model.node import Boot, Node
from elastic.model.offering import Capacity, DoubtedPrice, NodeType, Offering, Price, Unavailable
from elastic.model.pool import Pool
from elastic.model.purse import Share


@dataclass(frozen=True, slots=True)
class Switch:
    """One change of group that was carried out."""

    to_group: Group
    # From the last step in the old group to the first step in the new one.
    pause_s: float
    # From the launch of the slowest new node to its joining; 0 if no node was new.
    boot_s: float
    ended_at_s: float


@dataclass(frozen=True, slots=True)
class Change:
    """A recorded decision that changed the target: what it left, where it went, when and why (its
    reason's code).

    The end of a job that has gone on since is one too: from it on there was no target.
    """

    at_s: float
    from_group: Group | None
    to_group: Group | None
    code: str


@dataclass(frozen=True, slots=True)
class Limits:
    """The operator's settings that decisions must keep."""

    # The least relative gain of a move (0.1 = 10 %).
    margin: float = 0.10
    # The least time between opposite changes.
    cooldown_s: float = COOLDOWN_S
    # The warm windows that end a trial.
    trial_windows: int = 8
    # The largest share of the job's expected cost that all trials together may take.
    trial_usd_share: float = 0.10
    # Assumed until it is measured, as is `boot_prior_s`.
    switch_pause_prior_s: float = SWITCH_PAUSE_PRIOR_S
    boot_prior_s: float = BOOT_PRIOR_S
    # Seconds of burn that are kept back from the budget to end in good order.
    wind_down_s: float = WIND_DOWN_S
    # A price that was observed longer ago is not used.
    price_max_age_s: float = PRICE_MAX_AGE_S
    # The same for spot, whose prices change by the hour.
    spot_price_max_age_s: float = SPOT_PRICE_MAX_AGE_S
    # The least that the provider bills for a launch.
    minimum_billed_s: float = MINIMUM_BILLED_S
    # Whether candidates are tried even if that is not expected to pay, within their share.
    trial_of_every: bool = False
    # How long an instruction may take to reach a node once it is due; None if not recorded.
    reaction_s: float | None = None
    # What a node's network charges for downloads.
    usd_per_gib_received: float = 0.0
    # How long it is until the next decision.
    tick_s: float = TICK_S

    def trust(self, price: Price, *, now_s: float) -> bool:
        """Whether a launch may rely on a price at `now_s`."""
        is_spot = price.offering.capacity is Capacity.SPOT
        return price.observed_at_s >= now_s - (
            self.spot_price_max_age_s if is_spot else self.price_max_age_s
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that one decision about one job was made from.

    The same snapshot always gives the same plan.
    """

    now_s: float
    job: Job
    # The group decided last; None before the first decision.
    target: Group | None
    # The group that trains now; None while none does.
    current: Group | None
    nodes: tuple[Node, ...]
    # Empty unless `is_catalog_known`.
    node_types: tuple[NodeType, ...]
    # The price in force of each candidate offering, and perhaps the one before it, so that a reason
    # can tell what changed. An offering without a price is absent.
    prices: tuple[Price, ...]
    series: tuple[Series, ...]
    switches: tuple[Switch, ...]
    changes: tuple[Change, ...]
    # The ledger's total for the job at `now_s`.
    spent_usd: float
    limits: Limits = Limits()
    # What cannot be bought now.
    unavailable: tuple[Unavailable, ...] = ()
    # Prices that are not believed, but would cost more if they were true.
    doubted: tuple[DoubtedPrice, ...] = ()
    # What the job would have cost more by them at `now_s`.
    doubted_usd: float = 0.0
    # False if the provider could not say what it sells.
    is_catalog_known: bool = True
    # Prices of what the job has or wants although it is no longer on offer: it is no candidate, but
    # still costs.
    withdrawn: tuple[Price, ...] = ()
    # The machines that joined last, of all jobs, newest first.
    boots: tuple[Boot, ...] = ()
    # What is known of spot pools' availability, over all jobs.
    pools: tuple[Pool, ...] = ()
    # How many offerings were left out before anything was weighed, by reason.
    pruned: Mapping[str, int] = field(default_factory=dict)
    # What this very decision has asked for without success, in that order: it was decided again
    # each time.
    refused: tuple[Offering, ...] = ()
    # What other jobs that ran the same program measured.
    earlier: tuple[Trained, ...] = ()
    # When `current` was told to start; None if that is not known.
    current_since_s: float | None = None
    # When its first machine was launched, the first one after it was resumed; None: not yet.
    started_at_s: float | None = None
    # When the hours next begin in which the job may start; None if it names none.
    opens_at_s: float | None = None
    # What the purse leaves it; None if it may have all that it wants.
    share: Share | None = None
