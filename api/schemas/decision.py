"""Decisions on the wire, and all that they were made from."""

from __future__ import annotations

from pydantic import FiniteFloat

from api.schemas.fleet import GroupOut, NodeOut
from api.schemas.market import NodeTypeOut, PriceOut, UnavailableOut
from api.schemas.spec import JobState
from api.schemas.wire import Wire
from elastic import model
from elastic.policy import Lever


class IntervalOut(Wire):
    """An estimate with its 95 % interval; the bounds are null while there is too little to say."""

    value: FiniteFloat
    low: FiniteFloat | None
    high: FiniteFloat | None


class CandidateOut(Wire):
    """A group compared for the rest of the job; null is unmeasured or unpriced.

    `unavailable` is why the nodes it still needs cannot be bought now, null if they can. `workers`
    is what each of its nodes runs, with one entry per node type, by name.
    """

    group: GroupOut
    training_phase: str
    samples: int
    usd_per_h: FiniteFloat | None
    step_s: IntervalOut | None
    iterations_per_usd: IntervalOut | None
    effective_iterations_per_usd: FiniteFloat | None
    remaining_usd: FiniteFloat | None
    remaining_s: FiniteFloat | None
    unavailable: str | None
    workers: list[model.Workers]


class ReasonOut(Wire):
    """Why: a code for programs, a text for people, the numbers that decided."""

    code: str
    text: str
    numbers: dict[str, FiniteFloat]


class PlanOut(Wire):
    """The group that should train from now on (null: none), why, and all candidates.

    `left_out` says why node types cannot run the job. `pruned` counts the offerings that are not
    among the candidates, by reason; only the most promising ones are compared.
    """

    action: model.Action
    target: GroupOut | None
    reason: ReasonOut
    candidates: list[CandidateOut]
    limited_by: list[str]
    may_buy: bool
    left_out: dict[str, str]
    pruned: dict[str, int]


class DecisionOut(Wire):
    """A plan as recorded; `ticks` counts the holds for the same reason that share it.

    `plan` was made at `weighed_at_s`; later holds differ from it by little or nothing. `version` is
    that of the policy.
    """

    id: int
    job_id: str
    at_s: FiniteFloat
    last_at_s: FiniteFloat
    ticks: int
    policy: str
    version: int
    weighed_at_s: FiniteFloat
    plan: PlanOut


class SampleOut(Wire):
    """One warm window: its iterations and how long they took."""

    iterations: int
    elapsed_s: FiniteFloat
    ended_at_s: FiniteFloat


class SeriesOut(Wire):
    """The warm windows of one group in one training phase, oldest first."""

    group: GroupOut
    training_phase: str
    samples: list[SampleOut]


class SwitchOut(Wire):
    """A change of group that took place, and how long training paused for it."""

    to_group: GroupOut
    pause_s: FiniteFloat
    boot_s: FiniteFloat
    ended_at_s: FiniteFloat


class ChangeOut(Wire):
    """An earlier decision that changed the target."""

    at_s: FiniteFloat
    from_group: GroupOut | None
    to_group: GroupOut | None
    code: str


class LimitsOut(Wire):
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


class BootOut(Wire):
    """How a machine of any job booted recently."""

    node_type: str
    image: str | None
    boot_s: FiniteFloat
    setup: model.Setup | None


class ShareOut(Wire):
    """What the purse of all jobs left this one; `usd_per_h` is the most it may cost an hour."""

    usd_per_h: FiniteFloat
    wanted_usd_per_h: FiniteFloat
    free_usd_per_h: FiniteFloat
    change_usd: FiniteFloat
    purse_usd_per_h: FiniteFloat | None
    before: int
    before_usd_per_h: FiniteFloat
    unit: model.CalendarUnit
    ends_at_s: FiniteFloat
    left_usd: FiniteFloat
    done_per_usd: FiniteFloat | None


class SnapshotOut(Wire):
    """Everything that one decision was made from; `pruned` counts offerings left out, by reason."""

    now_s: FiniteFloat
    job: JobState
    target: GroupOut | None
    current: GroupOut | None
    nodes: list[NodeOut]
    node_types: list[NodeTypeOut]
    prices: list[PriceOut]
    series: list[SeriesOut]
    switches: list[SwitchOut]
    changes: list[ChangeOut]
    spent_usd: FiniteFloat
    limits: LimitsOut
    unavailable: list[UnavailableOut]
    boots: list[BootOut]
    pruned: dict[str, int]
    started_at_s: FiniteFloat | None
    opens_at_s: FiniteFloat | None
    share: ShareOut | None


class ExplainedDecision(DecisionOut):
    """A decision with its snapshot."""

    snapshot: SnapshotOut


class Replay(Wire):
    """The plan when it is decided again from the stored snapshot."""

    decision_id: int
    is_equal: bool
    plan: PlanOut


class ThresholdOut(Wire):
    """Where one lever makes a candidate win: at `wins_at`, and not yet at `loses_at`.

    From there it wins up to `wins_to`, and no more at `loses_beyond`. Both are null if it wins up
    to the last value tried. `now` is the value then, null if unknown. Prices are of one node, in
    USD an hour; paces are seconds an iteration; deadlines are hours from then on.
    """

    lever: Lever
    now: FiniteFloat | None
    wins_at: FiniteFloat
    loses_at: FiniteFloat
    wins_to: FiniteFloat | None
    loses_beyond: FiniteFloat | None


class WinsIfOut(Wire):
    """A candidate that was not chosen, and each single change that would have made it win."""

    group: GroupOut
    name: str
    thresholds: list[ThresholdOut]
    text: str


class WhatIf(Wire):
    """What would have changed a decision.

    Found by deciding again from its snapshot with one number changed.
    """

    decision_id: int
    losers: list[WinsIfOut]
