"""The wire models: requests and answers as JSON, made from domain values, with finite numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.config import JsonDict

from api.job_document import Glob, Image, Text, Usd
from elastic import model, policy
from elastic.archive import SUM_PATTERN
from elastic.model import Missed, Mode, Obstacle, OnMiss
from elastic.policy import Lever
from elastic.pricing import Quarantined
from elastic.reconciler import AlarmKind, Difference
from elastic.store import Delivery

# What all of them share.

Item = TypeVar("Item")


class Wire(BaseModel):
    """A value as JSON shows it; its field names are the domain value's own."""

    model_config = ConfigDict(
        # JSON has no infinity and no NaN: a value that becomes one is a defect, found here.
        extra="forbid",
        frozen=True,
        from_attributes=True,
        allow_inf_nan=False,
    )

    @classmethod
    def of(cls, value: object) -> Self:
        """Converts the domain value that has the same fields."""
        return cls.model_validate(value)

    @classmethod
    def of_known(cls, value: object | None) -> Self | None:
        """Converts a value; None, which is unknown, stays None."""
        if value is None:
            return None
        return cls.of(value)


class Page(Wire, Generic[Item]):
    """One page of a list, newest first. `next_before` leads to the next page; null on the last."""

    items: list[Item]
    next_before: int | None = Field(
        None, description="Give it as `before` to read on; null on the last page."
    )


class FieldErrorOut(Wire):
    """One thing that is wrong with a request."""

    field: str
    message: str


class ProblemOut(Wire):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[FieldErrorOut] = Field(default_factory=list)


# Node types, offerings, prices and the ledger.


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


class DisbelievedPriceOut(Wire):
    """What the source of prices says now and the daemon does not believe, and why.

    The price before it, if there is one, stays in force. `usd_per_h` is null if it is no number.
    """

    offering: OfferingOut
    usd_per_h: FiniteFloat | None
    valid_from_s: FiniteFloat
    source: str
    why: str

    @classmethod
    def of_quarantined(cls, told: Quarantined) -> Self:
        quote = told.quote
        return cls(
            offering=OfferingOut.of(quote.offering),
            usd_per_h=told.usd_per_h,
            valid_from_s=quote.valid_from_s,
            source=quote.source,
            why=told.reason,
        )


class PricePage(Page[MarketPrice]):
    """A page of prices, and what was told last and is not believed."""

    disbelieved: list[DisbelievedPriceOut]


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


# Nodes, measurements and events.


class NodeOut(Wire):
    """One machine bought for one job; instants are null while they have not happened."""

    id: str
    job_id: str
    offering: OfferingOut
    phase: model.NodePhase
    intended_at_s: FiniteFloat
    provider_id: str | None
    launched_at_s: FiniteFloat | None
    joined_at_s: FiniteFloat | None
    heartbeat_at_s: FiniteFloat | None
    terminated_at_s: FiniteFloat | None
    agent_state: model.AgentState | None
    agent_generation: int | None
    exit: model.Exit | None
    reason: str
    notice: model.Notice | None
    mode: model.Mode | None
    is_preloaded: bool | None
    workers: model.Workers
    image: str | None
    setup: model.Setup | None
    prepared_s: FiniteFloat | None
    disk_free_bytes: int | None = Field(
        description="Room on the disk that its job writes to; null if unknown."
    )
    usage: model.NodeUsage | None = Field(
        description="How busy it was lately; null until it was measured."
    )
    unheard_s: FiniteFloat | None = Field(
        None,
        description="How long ago its last heartbeat was; null unless it has joined and sent one.",
    )


class GroupOut(Wire):
    """The nodes that train together, as pairs of an offering and how many of it."""

    members: list[tuple[OfferingOut, int]]


class Measurement(Wire):
    """A stored window, and the group that it measures."""

    id: int
    job_id: str
    group: GroupOut
    window: model.Window


class ThroughputPointOut(Wire):
    """Iterations per second in the time that begins at an instant; 0 if there were none.

    `training_phase` is the one that most of the iterations belong to.
    """

    at_s: FiniteFloat
    iterations_per_s: FiniteFloat
    training_phase: str


class AlarmOut(Wire):
    """Something that is wrong with the daemon, its cloud or a job, why, and since when.

    `job_id` and `node_id` are null where the trouble is not a job's, or not of one node.
    """

    kind: AlarmKind
    text: str
    since_s: FiniteFloat
    job_id: str | None = None
    node_id: str | None = None


class EventOut(Wire):
    """Something that happened; ids grow with time."""

    id: int
    at_s: FiniteFloat
    kind: str
    text: str
    job_id: str | None
    node_id: str | None
    numbers: dict[str, FiniteFloat]


class LogLineOut(Wire):
    """A line of a job's logs. `worker` is null for torchrun itself, `rank` where there is none.

    Lines that have not ended have id 0. `stage` is `installing` or `setup` while the node prepared
    itself, else empty. `source` names the process that wrote it, for people.
    """

    id: int
    at_s: FiniteFloat
    generation: int
    node_id: str
    worker: int | None
    rank: int | None
    source: str
    text: str
    stage: str


class LogLines(Wire):
    """An event of a stream of logs: new lines, and all that have not ended yet."""

    lines: list[LogLineOut]
    open: list[LogLineOut]


# A job's spec and state, as the domain holds them.


class ObjectiveIn(Wire):
    """What to maximise, within which limits; null is no limit, `deadline_s` an instant."""

    maximize: model.Goal
    deadline_s: FiniteFloat | None
    budget_usd: FiniteFloat | None
    max_usd_per_hour: FiniteFloat | None
    value_of_time_usd_per_h: FiniteFloat | None
    on_miss: model.OnMiss


class StartIn(Wire):
    """What must hold before machines are bought for a job that has none; null is no condition."""

    not_before_s: FiniteFloat | None
    hours: str | None
    usd_per_h_below: FiniteFloat | None


class TrainingPhaseIn(Wire):
    """A part of a job in which all iterations cost about the same."""

    name: str
    until_iteration: int | None


class JobSpecIn(Wire):
    """What was asked for, checked and completed; `command` is what follows torchrun's options."""

    name: str
    command: list[str]
    code: str | None
    env: dict[str, str]
    workload: str | None
    hyperparameters: dict[str, bool | int | FiniteFloat | str]
    nodes_min: int
    nodes_max: int
    nodes_wanted: int | None
    nproc_per_node: model.NprocPerNode
    global_batch: int | None
    iterations: int | None
    objective: ObjectiveIn
    node_types: list[str]
    capacity: model.CapacityChoice
    policy: str
    fixed_node_type: str | None
    phases: list[TrainingPhaseIn]
    drain_grace_s: FiniteFloat
    mode: model.Mode
    preload: bool
    most_samples: dict[str, int]
    precision: model.Precision | None
    max_restarts: int | None
    outputs: list[str] | None
    batch: model.Batch | None
    image: str | None
    requirements: list[str]
    setup: list[str]
    data: str | None
    secrets: list[str]
    secret_parameters: dict[str, str]
    notify: dict[str, list[model.Topic]] | None
    priority: int
    max_duration_s: FiniteFloat | None
    start: StartIn

    @model_validator(mode="before")
    @classmethod
    def _keeps_secrets(cls, spec: Any) -> Any:
        if isinstance(spec, model.JobSpec):
            return replace(spec, env=spec.shown_env)
        return spec


class JobState(Wire):
    """A job as a snapshot holds it."""

    id: str
    spec: JobSpecIn
    phase: model.JobPhase
    submitted_at_s: FiniteFloat
    version: int
    iteration: int
    training_phase: str | None
    finished_at_s: FiniteFloat | None
    ending: model.JobPhase | None
    message: str | None
    redone: int
    kept_iteration: int | None
    restarts_at_zero: bool
    stops_when_asked: bool | None
    batch: model.Batch | None
    error: model.ScriptError | None = Field(
        None, description="Why its program failed last; null once it has got beyond that."
    )


# Decisions, and all that they were made from.


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


# Messages to people.


class NotificationOut(Wire):
    """A message to one recipient, and whether it has arrived."""

    id: int
    topic: str
    recipient: str
    title: str
    text: str
    job_id: str | None
    made_at_s: FiniteFloat
    delivery: Delivery
    tries: int
    next_at_s: FiniteFloat | None = Field(description="When it is tried again; null: it is not.")
    sent_at_s: FiniteFloat | None
    error: str | None = Field(description="Why the last try failed; null if none did.")


class RecipientOut(Wire):
    """A name to which messages go. The address is not shown, because it may hold a secret."""

    name: str
    topics: list[model.Topic] = Field(
        description="What its messages are about, unless a job says otherwise; empty: no messages."
    )


class NotifyTest(Wire):
    """Whether a message that was sent just now was taken."""

    recipient: str
    error: str | None = Field(description="Why it was not taken; null: it was.")


# Held jobs.


class HeldMachine(Wire):
    """A machine of a job that the database does not know."""

    provider_id: str
    node_id: str
    offering: OfferingOut
    launched_at_s: FiniteFloat


class HeldJobOut(Wire):
    """A job that the database does not know; what is on record of it is null if nothing is."""

    job_id: str
    name: str
    is_on_record: bool = Field(description="Without a record it cannot be adopted.")
    is_heard: bool = Field(description="Whether its machines know this daemon's secret.")
    recorded_at_s: FiniteFloat | None
    iteration: int | None
    machines: list[HeldMachine]
    ends_by_s: FiniteFloat | None = Field(
        description="When its machines have saved and ended by themselves; null if none lives."
    )
    least_usd: FiniteFloat | None = Field(
        description="What it had cost, at least, beside the machines that live."
    )
    most_usd: FiniteFloat | None


class Settled(Wire):
    """The job that was adopted, or ended."""

    job_id: str


# The way in to a node.

# The person, as the event shows it: a name, an at sign and a computer's name.
_By = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f]*$")]
# Linux takes at most 128 KiB a word (execve(2)); what people type is much shorter.
_Word = Annotated[str, StringConstraints(max_length=4096, pattern=r"^[^\x00]*$")]


class EnterIn(Wire):
    """The person that enters a node, and the command to run there; a shell if there is none."""

    model_config = ConfigDict(strict=True)

    by: _By
    command: list[_Word] = Field(default_factory=list, max_length=256)


class WayInOut(Wire):
    """How to enter a node. `elasticd node ssh` knows what to run for each of the means."""

    means: model.Means
    target: str
    folder: str
    marks: dict[str, str]
    boot_id: str
    machine: str
    cgroup: str
    ssh_config: str
    known_hosts: str
    region: str


class EntryOut(Wire):
    """An entry that has begun: its number, for the end of it, and the way in."""

    entry: int
    node_id: str
    job_id: str
    way: WayInOut


class LeaveIn(Wire):
    """How an entry ended: with an exit code, or null and why it was closed."""

    model_config = ConfigDict(strict=True)

    entry: Annotated[int, Field(ge=1, le=2**53)]
    exit_code: Annotated[int, Field(ge=0, le=255)] | None = None
    because: Annotated[str, StringConstraints(max_length=500)] = ""


class LeaveOut(Wire):
    """An entry that is on record as ended."""

    entry: int
    node_id: str


# Jobs, their plans, their costs and their reports.


def _whole(value: object) -> object:
    """JSON has one sort of number: 2.0 is 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


MOST_NODES = 1024
NodeCount = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=MOST_NODES)]


class ProgressOut(Wire):
    """How far a job is: `iterations` is the total, `eta_s` the seconds left; null is unknown.

    `unit` says what one iteration is, once that is known.
    """

    iteration: int
    iterations: int | None
    unit: str | None
    fraction: FiniteFloat | None
    iterations_per_s: FiniteFloat | None
    eta_s: FiniteFloat | None


class RefusedPoolOut(Wire):
    """An offering that the job may use but cannot get now; `text` says so in words.

    `refusals` and `since_s` count from the first refusal in a row; 0 and null where they are not
    kept, as for on-demand.
    """

    offering: OfferingOut
    why: Obstacle
    refusals: int
    since_s: FiniteFloat | None
    asked_again_s: FiniteFloat | None = Field(
        description="At the earliest; null: at the next tick."
    )
    text: str


class WaitingOut(Wire):
    """Since when a job has had no node, and what was refused."""

    since_s: FiniteFloat
    pools: list[RefusedPoolOut] = Field(
        description="What it may use; the one that is asked again first comes first."
    )


class JobOut(JobState):
    """A job as it stands: its spec, progress, nodes, cost and candidates."""

    is_final: bool = Field(
        description="Whether it is over; one that did not succeed may be resumed."
    )
    progress: ProgressOut
    current_group: GroupOut | None = Field(
        description="The group that trains now; null while none does."
    )
    target_group: GroupOut | None = Field(description="The group decided last.")
    waits_because: str | None = Field(
        None, description="Why it has no node now, by the newest decision; null while it has."
    )
    waiting: WaitingOut | None = Field(
        None,
        description="Since when it has had no node, and which pools refused it; null while it has "
        "one.",
    )
    preparing: list[str] = Field(
        default_factory=list,
        description="What its nodes prepare before they can train, and for how long.",
    )
    alarms: list[str] = Field(
        default_factory=list,
        description="What is wrong with it now, such as that it makes no turns.",
    )
    attention: str | None = Field(
        None,
        description="Why a person should look at it: it failed, or is at risk. Null if all is "
        "well, and once a newer job has its name.",
    )
    warnings: list[str] = Field(
        default_factory=list,
        description="What to know of its progress, such as that a move restarts it.",
    )
    notes: list[str] = Field(
        default_factory=list,
        description="What its nodes and its script said last, such as that a file is not uploaded, "
        "and what its budget does not buy.",
    )
    running_mode: Mode | None = Field(
        description="The mode that its nodes last reported; null if none has reported one."
    )
    is_preloaded: bool | None = Field(
        description="Whether all workers were forked from a process with torch loaded, as its "
        "nodes last reported; null if none has."
    )
    spent_usd: FiniteFloat
    files_at: str | None = Field(
        None, description="Its checkpoints and artifacts: a folder, or a place in a bucket."
    )
    candidates: list[CandidateOut] = Field(
        description="How the newest decision compared the groups. What remains is as of now; null "
        "once the job is over."
    )


class PricedPlan(Wire):
    """What a job would begin with, and what is known of it; nothing has been submitted."""

    spec: JobSpecIn
    plan: PlanOut = Field(description="What the first tick would decide.")
    prices: list[PriceOut]
    candidates: list[CandidateOut] = Field(
        description="Every group, with the rates of the run named in `measured_by`."
    )
    forecast: ForecastOut
    measured_by: str | None = Field(
        description="The earlier job of the same name and command whose rates are shown."
    )
    why_precision: str = Field(
        description="Why elasticd chose the spec's precision; empty where its author did."
    )
    notes: list[str] = Field(description="What is likely to go wrong, and how to fix it.")


class FinishOut(Wire):
    """The rest of a job on one group: seconds until it is done and dollars in all.

    Both have 95 % intervals. `is_measured` is false where the pace is only expected, by other sizes
    or types. `chance_late` is the chance to miss the deadline by the pace alone; null without a
    deadline, or where a spot node may be lost.
    """

    group: GroupOut
    lasts_s: IntervalOut
    usd: IntervalOut
    usd_per_h: FiniteFloat
    is_measured: bool
    chance_late: FiniteFloat | None
    objection: str | None = Field(description="Why the job may not run there; null if it may.")


class MissOut(Wire):
    """A goal that will probably be missed, by how much, and what would be enough."""

    kind: Missed
    text: str
    is_certain: bool = Field(
        description="Whether not even the fast and cheap end of what is known is enough."
    )


class ForecastOut(Wire):
    """When the job would be done and for how much on each group; empty if no pace is known."""

    at_s: FiniteFloat = Field(
        description="From when times count, in Unix seconds: now, to the last whole iteration. "
        "Prices and paces are those of the newest decision."
    )
    finishes: list[FinishOut] = Field(
        description="Every group of which something is known, the cheapest first."
    )
    frontier: list[FinishOut] = Field(
        description="The cheapest for each finish time, the cheapest first."
    )
    best: FinishOut | None = Field(
        description="The cheapest that meets all goals even at its slow and expensive end."
    )
    misses: list[MissOut] = Field(description="The goals that none meets.")
    left_s: FiniteFloat | None = Field(
        description="Seconds until the deadline; null where there is none."
    )
    budget_usd: FiniteFloat | None


class PricedScaling(Wire):
    """A job's nodes before and after scaling, and their cost an hour; nothing has been changed."""

    group: GroupOut | None = Field(
        description="The nodes that are paid now; null while there are none."
    )
    usd_per_h: FiniteFloat | None = Field(
        description="What they cost; null if a price is not known."
    )
    target_group: GroupOut | None = Field(description="What the next tick would decide on.")
    target_usd_per_h: FiniteFloat | None = Field(
        description="What that costs; null if a price is not known."
    )
    why: str = Field(description="The reason of that decision.")
    redone: int = Field(
        description="Iterations made so far that the move repeats, as far as is known."
    )
    redone_usd: FiniteFloat | None = Field(description="What that costs; null if no pace is known.")
    begins_at_zero: bool = Field(
        description="Whether those made until the move come on top: the script begins at 0."
    )


def _any_of(*names: str) -> JsonDict:
    """What a schema says of fields of which at least one must be given."""
    return {
        "anyOf": [
            {"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in names
        ]
    }


def _in_one_sentence(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """Checks a number of nodes or `auto`: pydantic would name a fault for each of the two."""
    try:
        return check(value)
    except ValidationError:
        raise ValueError(f"wanted 1 to {MOST_NODES}, or auto; got {value!r:.60}") from None


NodesWanted = Annotated[
    NodeCount | Literal["auto"] | None,
    WrapValidator(_in_one_sentence),
    Field(
        description="Train on exactly this many nodes, within the job's bounds; `auto` leaves it "
        "to the policy.",
    ),
]
NodeTypeWanted = Annotated[
    str | None, Field(min_length=1, max_length=63, description="Stay on this node type.")
]
BudgetWanted = Annotated[
    Usd | None,
    Field(description="Most that the whole job may cost, what it has cost included."),
]
DeadlineWanted = Annotated[
    str | None,
    Field(
        max_length=64,
        description="When to be done: ISO 8601 with a zone, or a time from now such as `6h`, "
        "`1d12h`.",
    ),
]


PriorityWanted = Annotated[
    int | None,
    Field(
        ge=-1000, le=1000, description="Where the purse of all jobs is short, higher come first."
    ),
]


class _Wanted(Wire):
    """A request of which no field need be given, but one of them."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        names = list(type(self).model_fields)
        if all(getattr(self, name) is None for name in names):
            listed = f"{', '.join(names[:-1])} or {names[-1]}"
            raise ValueError(f"wanted {listed}; got none of them")
        return self


class ScaleIn(_Wanted):
    """What to train on from now on: a number of nodes, a node type, or both."""

    model_config = ConfigDict(json_schema_extra=_any_of("nodes", "node_type"))

    nodes: NodesWanted = None
    node_type: NodeTypeWanted = None


class LimitIn(_Wanted):
    """Within which limits to go on: a budget, a deadline, a priority, or some of them."""

    model_config = ConfigDict(json_schema_extra=_any_of("budget_usd", "deadline", "priority"))

    budget_usd: BudgetWanted = None
    deadline: DeadlineWanted = None
    priority: PriorityWanted = None


class ChangeIn(LimitIn, ScaleIn):
    """What to change of a job that goes on: its nodes, its limits, or both."""

    model_config = ConfigDict(
        json_schema_extra=_any_of("nodes", "node_type", "budget_usd", "deadline", "priority")
    )

    @property
    def scales(self) -> bool:
        """Whether it says what `:scale` takes."""
        return any(getattr(self, name) is not None for name in ScaleIn.model_fields)

    @property
    def limits(self) -> bool:
        """Whether it says what `:limit` takes."""
        return any(getattr(self, name) is not None for name in LimitIn.model_fields)


class ResumeIn(Wire):
    """The limits within which a job goes on; what is left out stays as it was."""

    model_config = ConfigDict(strict=True)

    budget_usd: BudgetWanted = None
    deadline: DeadlineWanted = None
    on_miss: OnMiss | None = Field(
        None,
        strict=False,
        description="What to do once the deadline or the budget is certain to be missed.",
    )
    code: str | None = Field(
        None,
        pattern=SUM_PATTERN,
        description="The sum of the archive that it runs in from now on, stored by a PUT before.",
    )
    image: Image | None = Field(
        None, description="The container image that workers run in from now on."
    )
    requirements: list[Text] | None = Field(
        None,
        max_length=1024,
        description="What pip installs on each node from now on, in place of what it did.",
    )
    outputs: list[Glob] | None = Field(
        None,
        max_length=256,
        description="Globs of the files that are uploaded from now on; an empty list: none.",
    )
    setup: list[Text] | None = Field(
        None,
        max_length=64,
        description="Lines that a shell runs on each node from now on, in place of those it ran.",
    )
    nodes_min: NodeCount | None = Field(None, description="Fewest nodes that may train.")
    nodes_max: NodeCount | None = Field(None, description="Most nodes that may train.")


class CostPoint(Wire):
    """Dollars a job had cost by an instant."""

    at_s: FiniteFloat
    usd: FiniteFloat


class NodeCost(Wire):
    """What one node cost, by the ledger."""

    node_id: str
    offering: OfferingOut
    seconds: FiniteFloat
    usd: FiniteFloat


class FixedChoiceOut(Wire):
    """What the iterations done would have cost on one group alone, at its measured rates.

    `estimated_phases` are those it was not measured in; their rates are scaled from other groups'.
    """

    group: GroupOut
    usd: FiniteFloat
    lasts_s: FiniteFloat
    estimated_phases: list[str]


class UseOut(Wire):
    """The part of a job's dollars that went to one use."""

    name: policy.Use
    usd: FiniteFloat


class Artifact(Wire):
    """A file that the job wrote for people."""

    name: str
    bytes: int
    modified_at_s: FiniteFloat
    href: str


class OutputFile(Wire):
    """A file that the job's workers wrote beside their code, as last uploaded."""

    path: str
    bytes: int
    sha256: str
    modified_at_s: FiniteFloat = Field(description="When the script last wrote to it.")
    carried_at_s: FiniteFloat = Field(
        description="When the newest outputs were uploaded, this one among them."
    )
    href: str


class Report(Wire):
    """A job's closing report: what its dollars bought, and what alternatives would have cost."""

    job_id: str
    name: str
    phase: str
    iterations_done: int
    elapsed_s: FiniteFloat
    spent_usd: FiniteFloat
    iterations_per_usd: FiniteFloat | None
    nodes: list[NodeCost]
    uses: list[UseOut] = Field(description="Where every dollar went; they add up to `spent_usd`.")
    fixed: list[FixedChoiceOut] = Field(description="Every group measured, cheapest first.")
    first_fixed: FixedChoiceOut | None = Field(
        description="The group that trained first, on which it would be without any move."
    )
    warnings: list[str] = Field(
        description="What to know of its progress, such as what had to be repeated."
    )
    best_fixed: FixedChoiceOut | None
    worst_fixed: FixedChoiceOut | None
    decisions: list[DecisionOut]
    notes: list[EventOut]
    artifacts: list[Artifact]
    quality: dict[str, bool | int | FiniteFloat | str | None] = Field(
        description="What the job's report.json says."
    )
