"""Decisions on the wire, and all that they were made from."""

from __future__ import annotations

from pydantic import FiniteFloat

from api.schemas.fleet import Group, Node
from api.schemas.market import NodeType, Price, Unavailable
from api.schemas.spec import JobState
from api.schemas.wire import Wire
from elastic import model
from elastic.policy import Lever


class Interval(Wire):
    """An estimate with its 95 % interval; the bounds are null while there is too little to say."""

    value: FiniteFloat
    low: FiniteFloat | None
    high: FiniteFloat | None


class Candidate(Wire):
    """A group weighed for the rest of the job; null is unmeasured or unpriced.

    `unavailable` is why the nodes it still needs cannot be bought now, null if they can. `workers` is what each of its
    nodes runs, one entry for each of the group's node types, by name.
    """

    group: Group
    training_phase: str
    samples: int
    usd_per_h: FiniteFloat | None
    step_s: Interval | None
    iterations_per_usd: Interval | None
    effective_iterations_per_usd: FiniteFloat | None
    remaining_usd: FiniteFloat | None
    remaining_s: FiniteFloat | None
    unavailable: str | None
    workers: list[model.Workers]


class Reason(Wire):
    """Why: a code for programs, a text for people, the numbers that decided."""

    code: str
    text: str
    numbers: dict[str, FiniteFloat]


class Plan(Wire):
    """The group that should train from now on (null: none), why, and how every candidate compared.

    `left_out` says of node types why they cannot run the job. `pruned` counts the offerings that are not among the
    candidates, by why: only the most promising ones are weighed.
    """

    action: model.Action
    target: Group | None
    reason: Reason
    candidates: list[Candidate]
    limited_by: list[str]
    may_buy: bool
    left_out: dict[str, str]
    pruned: dict[str, int]


class Decision(Wire):
    """A plan as recorded; `ticks` counts the holds for the same reason that share it.

    `plan` was made at `weighed_at_s`; what later holds found differs from it by little or nothing. `version` is that of
    the policy.
    """

    id: int
    job_id: str
    at_s: FiniteFloat
    last_at_s: FiniteFloat
    ticks: int
    policy: str
    version: int
    weighed_at_s: FiniteFloat
    plan: Plan


class Sample(Wire):
    """One warm window: so many iterations in so many seconds."""

    iterations: int
    elapsed_s: FiniteFloat
    ended_at_s: FiniteFloat


class Series(Wire):
    """The warm windows of one group in one training phase, oldest first."""

    group: Group
    training_phase: str
    samples: list[Sample]


class Switch(Wire):
    """A change of group that was carried out, and how long training stood still for it."""

    to_group: Group
    pause_s: FiniteFloat
    boot_s: FiniteFloat
    ended_at_s: FiniteFloat


class Change(Wire):
    """An earlier decision that changed the target."""

    at_s: FiniteFloat
    from_group: Group | None
    to_group: Group | None
    code: str


class Limits(Wire):
    """The operator's settings that the decision kept."""

    margin: FiniteFloat
    cooldown_s: FiniteFloat
    trial_windows: int
    trial_usd_share: FiniteFloat
    switch_pause_prior_s: FiniteFloat
    boot_prior_s: FiniteFloat
    wind_down_s: FiniteFloat
    price_max_age_s: FiniteFloat
    spot_price_max_age_s: FiniteFloat
    minimum_billed_s: FiniteFloat
    trial_of_every: bool
    reaction_s: FiniteFloat | None
    usd_per_gib_received: FiniteFloat


class Boot(Wire):
    """How a machine booted lately, of whichever job."""

    node_type: str
    image: str | None
    boot_s: FiniteFloat
    setup: model.Setup | None


class Snapshot(Wire):
    """Everything that one decision was made from; `pruned` counts the offerings left out before, by why."""

    now_s: FiniteFloat
    job: JobState
    target: Group | None
    current: Group | None
    nodes: list[Node]
    node_types: list[NodeType]
    prices: list[Price]
    series: list[Series]
    switches: list[Switch]
    changes: list[Change]
    spent_usd: FiniteFloat
    limits: Limits
    unavailable: list[Unavailable]
    boots: list[Boot]
    pruned: dict[str, int]


class ExplainedDecision(Decision):
    """A decision with its snapshot."""

    snapshot: Snapshot


class Replay(Wire):
    """What the stored snapshot gives when it is decided again."""

    decision_id: int
    is_equal: bool
    plan: Plan


class Threshold(Wire):
    """Where one lever makes a candidate win: at `wins_at`, and not yet at `loses_at`, the next value that is shown.

    From there on it wins up to `wins_to`, and no more at `loses_beyond`; both are null where it wins up to the last
    value that was tried. `now` is what it was, null where that was not known. Prices are of one node, in USD an hour;
    paces are seconds an iteration; deadlines are hours from then on.
    """

    lever: Lever
    now: FiniteFloat | None
    wins_at: FiniteFloat
    loses_at: FiniteFloat
    wins_to: FiniteFloat | None
    loses_beyond: FiniteFloat | None


class WinsIf(Wire):
    """A candidate that was not chosen, and what alone would have had it chosen; `text` says it in words."""

    group: Group
    name: str
    thresholds: list[Threshold]
    text: str


class WhatIf(Wire):
    """What would have changed a decision, found by deciding again from its snapshot with one number altered."""

    decision_id: int
    losers: list[WinsIf]
