"""Jobs, their plans, their costs and their reports on the wire."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, FiniteFloat, model_validator
from pydantic.config import JsonDict

from api.job_document import Glob, Image, Text, Usd
from api.schemas.decision import CandidateOut, DecisionOut, IntervalOut, PlanOut
from api.schemas.fleet import EventOut, GroupOut
from api.schemas.market import OfferingOut, PriceOut
from api.schemas.spec import JobSpecIn, JobState
from api.schemas.wire import Wire
from elastic import policy
from elastic.archive import SUM_PATTERN
from elastic.model import Missed, Mode, Obstacle, OnMiss


def _whole(value: object) -> object:
    """JSON has one sort of number: 2.0 is 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


NodeCount = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=1024)]


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
        description="What its nodes and its script said last, such as that a file is not uploaded.",
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
        description="How the newest decision compared the groups."
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
        description="As of when, in Unix seconds: prices and paces are those of then."
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


NodesWanted = Annotated[
    NodeCount | Literal["auto"] | None,
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
