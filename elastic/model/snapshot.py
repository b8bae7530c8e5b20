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
from elastic.model.boot import Boot
from elastic.model.job import Job
from elastic.model.measurement import Group, Series, Trained
from elastic.model.node import Node
from elastic.model.offering import Capacity, DoubtedPrice, NodeType, Offering, Price, Unavailable
from elastic.model.pool import Pool


@dataclass(frozen=True, slots=True)
class Switch:
    """One change of group that was carried out: how long training stood still, and what starting
    the new nodes took.

    `pause_s`: last step in the old group to first step in the new one. `boot_s`: launch of the
    slowest new node to its joining (0 when no node was new).
    """

    to_group: Group
    pause_s: float
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
    """The operator's settings that decisions must keep.

    `margin`: least relative gain of a move (0.1 = 10 %). `cooldown_s`: least time between opposite
    changes. `trial_windows`: warm windows that end a trial. `trial_usd_share`: the greatest share
    of the job's expected cost that all trials together may cost; `trial_of_every`: within it,
    candidates are tried even where that is not expected to pay. `switch_pause_prior_s`,
    `boot_prior_s`: assumed until measured. `wind_down_s`: seconds of burn kept back from the budget
    to end in good order. `price_max_age_s`: a price observed longer ago is no price. A spot price
    changes by the hour and is none after `spot_price_max_age_s`. `minimum_billed_s`: the least that
    the provider bills for a launch. `reaction_s`: how long an instruction may take to reach a node
    once it is due; None where that was not recorded. `usd_per_gib_received`: what a node's network
    charges for what it fetches. `tick_s`: how long it is until the next decision.
    """

    margin: float = 0.10
    cooldown_s: float = COOLDOWN_S
    trial_windows: int = 8
    trial_usd_share: float = 0.10
    switch_pause_prior_s: float = SWITCH_PAUSE_PRIOR_S
    boot_prior_s: float = BOOT_PRIOR_S
    wind_down_s: float = WIND_DOWN_S
    price_max_age_s: float = PRICE_MAX_AGE_S
    spot_price_max_age_s: float = SPOT_PRICE_MAX_AGE_S
    minimum_billed_s: float = MINIMUM_BILLED_S
    trial_of_every: bool = False
    reaction_s: float | None = None
    usd_per_gib_received: float = 0.0
    tick_s: float = TICK_S

    def trust(self, price: Price, *, now_s: float) -> bool:
        """Whether a launch may rely on a price at `now_s`."""
        is_spot = price.offering.capacity is Capacity.SPOT
        return price.observed_at_s >= now_s - (
            self.spot_price_max_age_s if is_spot else self.price_max_age_s
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything one decision about one job was made from; the same snapshot always gives the same
    plan.

    `target` is the group decided last (None before the first decision), `current` the group that
    trains now (None while none does). `prices` holds the price in force of each candidate offering,
    and may hold the one before it, so that a reason can tell what changed; an offering without one
    is absent. `withdrawn` holds the prices of what the job has or wants though it is no longer on
    offer: it is no candidate, and goes on costing. `spent_usd` is the ledger's total for the job at
    `now_s`. `unavailable` lists what cannot be bought now. `doubted` holds prices that are not
    believed but would cost more if they were true, `doubted_usd` what the job would have cost more
    by them at `now_s`. `boots` are the machines that joined last, newest first, whatever job they
    were bought for. `pools` is what is known of spot pools' availability, over all jobs. `refused`
    is what this very decision has asked for and not got, in that order: it was decided again each
    time. `pruned` counts the offerings that were left out of it, by why, before anything was
    weighed. `earlier` is what other jobs that ran the same program measured. Unless
    `is_catalog_known`, the provider could not tell what is sold: `node_types` is empty then.
    """

    now_s: float
    job: Job
    target: Group | None
    current: Group | None
    nodes: tuple[Node, ...]
    node_types: tuple[NodeType, ...]
    prices: tuple[Price, ...]
    series: tuple[Series, ...]
    switches: tuple[Switch, ...]
    changes: tuple[Change, ...]
    spent_usd: float
    limits: Limits = Limits()
    unavailable: tuple[Unavailable, ...] = ()
    doubted: tuple[DoubtedPrice, ...] = ()
    doubted_usd: float = 0.0
    is_catalog_known: bool = True
    withdrawn: tuple[Price, ...] = ()
    boots: tuple[Boot, ...] = ()
    pools: tuple[Pool, ...] = ()
    pruned: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[Offering, ...] = ()
    earlier: tuple[Trained, ...] = ()
