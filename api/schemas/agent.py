"""What agents and the daemon say to each other, as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from elastic.log_line import MAX_CHARACTERS
from elastic.model import (
    AgentState,
    Batch,
    NoticeKind,
    Outcome,
    Tier,
)
from elastic.worker.hook import MAX_NOTE_LENGTH
from elastic.worker.last_error import MAX_TEXT, MAX_TRACEBACK
from elastic.worker.recorder import MAX_PHASE_LENGTH

_MOST_OF_A_LINE = MAX_CHARACTERS + 100  # it says how much of it is missing


class Strict(BaseModel):
    """Refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid")


class SetupIn(Strict):
    """What installing took on a machine: seconds, and bytes received meanwhile."""

    elapsed_s: FiniteFloat = Field(ge=0)
    received_bytes: int = Field(ge=0, le=2**53)


class Registration(Strict):
    """What an agent says first; `setup` is null where nobody measured it."""

    join_token: str = Field(max_length=128)
    instance_id: str = Field(min_length=1, max_length=128)
    agent_version: str = Field(max_length=64)
    pid: int
    hostname: str = Field(max_length=255)
    setup: SetupIn | None = None


class BringsOut(BaseModel):
    """What a node gets ready before it says that it is idle: packages, data, what the job sets up itself."""

    requirements: list[str]
    setup: list[str]
    data: str | None
    env: dict[str, str]


class Registered(BaseModel):
    """What it gets: which node it is, and the token it speaks with from now on, on this machine only.

    `command` is what the job will have it run; what that needs can be loaded before there is an assignment. It is
    empty where workers inherit nothing that is loaded (T0). `code` is the sum of the archive that it runs in, to be
    fetched from `/v1/agent/code`; null where the command names what the machine has.
    """

    node_id: str
    node_token: str
    heartbeat_interval_s: float
    lease_s: float
    command: list[str]
    code: str | None
    brings: BringsOut


class WindowIn(BaseModel):
    """One window as the agent passes it on; fields that only the worker and its agent use are ignored."""

    model_config = ConfigDict(extra="ignore")

    seq: int = Field(ge=1, le=2**53)
    generation: int = Field(ge=1, lt=2**31)
    world_size: int = Field(ge=1, le=1_000_000)
    phase: str = Field(max_length=MAX_PHASE_LENGTH, pattern=r"^[A-Za-z0-9_.-]+$")
    iteration: int | None = Field(None, ge=0, le=2**53)
    iterations: int = Field(ge=1, le=2**31)
    elapsed_s: FiniteFloat = Field(gt=0)
    is_cold: bool
    ended_at_s: FiniteFloat = Field(gt=0)


class EventIn(BaseModel):
    """One thing that a worker reported; `kind` says which of the other fields are there.

    `saved` names a file's content by its `mark`; `begins` has in `text` the file that said where, if one did.
    """

    model_config = ConfigDict(extra="ignore")

    seq: int = Field(ge=1, le=2**53)
    kind: Literal["checkpoint", "finished", "drained", "note", "saved", "begins"]
    iteration: int | None = None
    mark: str = Field("", max_length=32)
    stops_when_asked: bool = True
    batch: Batch = Batch.JOB
    elapsed_s: FiniteFloat | None = None
    text: str = Field("", max_length=MAX_NOTE_LENGTH)
    at_s: FiniteFloat | None = None


class ErrorIn(Strict):
    """The error that ended a worker: the exception's type or how the process ended, one line, and where."""

    kind: str = Field(max_length=MAX_TEXT)
    text: str = Field(max_length=4 * MAX_TEXT)
    place: str = Field("", max_length=MAX_TEXT)
    lines: str = Field("", max_length=MAX_TRACEBACK)
    rank: int | None = Field(None, ge=0, le=1_000_000)
    at_s: FiniteFloat | None = None
    turns: int | None = None
    iteration: int | None = None


class ExitIn(Strict):
    """How a generation ended on the node; `error` is null where its workers only followed others."""

    generation: int = Field(ge=1, lt=2**31)
    outcome: Outcome
    exit_code: int
    iteration: int | None = None
    log_tail: str = Field("", max_length=20_000)
    needs_person: bool = False
    error: ErrorIn | None = None


class NoticeIn(Strict):
    """What the cloud has told the machine of its end; `at_s`, when it goes, is null for a mere recommendation."""

    kind: NoticeKind
    noticed_at_s: FiniteFloat = Field(gt=0)
    at_s: FiniteFloat | None = Field(None, gt=0)
    action: str = Field("", max_length=32)

    @model_validator(mode="after")
    def _an_interruption_has_an_instant(self) -> Self:
        if self.kind is NoticeKind.INTERRUPTION and self.at_s is None:
            raise ValueError("at_s: wanted the instant at which the machine goes")
        return self


class ClaimIn(Strict):
    """A round of the session that a worker is about to publish."""

    round: int = Field(ge=1, lt=2**53)
    members: int = Field(ge=0, le=1_000_000)


class PulseIn(Strict):
    """How long ago the workers' last turn was, and their longest pause between two in this generation.

    `learnt_s` is the longest that is known to be their own, null until turns have gone on for a minute.
    """

    still_s: FiniteFloat = Field(ge=0)
    longest_s: FiniteFloat = Field(ge=0)
    learnt_s: FiniteFloat | None = Field(None, ge=0)


class PreparingIn(Strict):
    """What a node gets ready, and for how long; `failure` says why it cannot, empty if it can."""

    what: str = Field(max_length=300)
    elapsed_s: FiniteFloat = Field(ge=0)
    failure: str = Field("", max_length=2000)


class Heartbeat(Strict):
    """What an agent says of itself, with all that the daemon has not acknowledged yet.

    Its instants are those of its machine's clock, as `sent_at_s` is: where that is off, they are noted by the daemon's.
    When the machine goes is the cloud's word, and stays as it is.
    """

    node_id: str = Field(max_length=64)
    instance_id: str = Field(min_length=1, max_length=128)
    sent_at_s: FiniteFloat
    state: AgentState
    generation: int | None = Field(None, ge=0, lt=2**31)
    exit: ExitIn | None = None
    notice: NoticeIn | None = None
    saving_s: FiniteFloat | None = Field(None, ge=0)
    tier: Tier | None = None
    round: int | None = Field(None, ge=0, lt=2**53)
    claim: ClaimIn | None = None
    pulse: PulseIn | None = None
    preparing: PreparingIn | None = None
    windows: list[WindowIn] = Field(default_factory=list, max_length=5000)
    events: list[EventIn] = Field(default_factory=list, max_length=1000)


class LogStreamIn(Strict):
    """What one process wrote since the last batch. `worker` is null for torchrun itself; `open` has not ended yet.

    Of what a node gets ready before its first generation, `stage` says what it is, and `generation` is 0.
    """

    generation: int = Field(ge=0, lt=2**31)
    stage: Literal["", "installing", "setup"] = ""
    worker: int | None = Field(None, ge=0, lt=4096)
    rank: int | None = Field(None, ge=0, lt=2**31)
    dropped: int = Field(0, ge=0, le=2**53)
    lines: list[Annotated[str, Field(max_length=_MOST_OF_A_LINE)]] = Field(default_factory=list, max_length=10_000)
    open: str | None = Field(None, max_length=_MOST_OF_A_LINE)

    @model_validator(mode="after")
    def _what_comes_first_has_a_stage(self) -> Self:
        if bool(self.stage) != (self.generation == 0):
            raise ValueError("generation: wanted 0 where a stage is named, and only there")
        return self


class LogBatch(Strict):
    """Lines of one node's processes; `seq` counts the batches that were stored."""

    node_id: str = Field(max_length=64)
    instance_id: str = Field(min_length=1, max_length=128)
    seq: int = Field(ge=1, le=2**53)
    streams: list[LogStreamIn] = Field(max_length=512)


class LogsStored(BaseModel):
    """The answer: the batch's number."""

    acked_seq: int


class AssignmentOut(BaseModel):
    """One generation as its members are told to run it."""

    job_id: str
    generation: int
    command: list[str]
    env: dict[str, str]
    nnodes_min: int
    nnodes_max: int
    nproc_per_node: int
    threads: int
    world_size: int
    rdzv_endpoint: str
    rdzv_id: str
    drain_grace_s: float
    checkpoint_dir: str
    artifact_dir: str
    output_dir: str
    outputs: list[str] | None
    max_restarts: int
    tier: Tier
    interruptions_per_h: float | None
    stored_iteration: int | None
    batch: Batch | None
    saves: dict[str, int]


class WordOut(BaseModel):
    """The reply: the highest sequence number stored, and the word."""

    acked_seq: int
    lease_s: float
    assignment: AssignmentOut | None
    shutdown: bool
    needs_signal: bool
