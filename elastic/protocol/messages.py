"""What agent and daemon say to each other, as JSON: each message is one dataclass, the same at both
ends.

Fields that an end does not know are ignored: they are of a newer minor version. Values that the
domain has too, as how a generation ended, stand in `elastic.model`, with their bounds. What workers
say stands in `elastic.worker.messages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from pydantic import Field

from elastic.bounds import (
    Bound,
    Count,
    Flag,
    GenerationNumber,
    Instant,
    Integer,
    Name,
    Number,
    Positive,
    Seconds,
    Word,
)
from elastic.errors import InvalidInput
from elastic.log_line import LogPiece
from elastic.model import Batch, Exit, NodeReport, Notice, RoundRegistration, Setup, Tier
from elastic.worker.messages import (
    BeginsMessage,
    CheckpointMessage,
    LastMessage,
    NoteMessage,
    SavedMessage,
    WindowMessage,
)

# MAJOR.MINOR. A new field that the other end may ignore makes a new minor; whatever else changes, a
# new major.
PROTOCOL = "1.0"

Version = Annotated[str, Bound(max_length=16, pattern=r"^[0-9]+\.[0-9]+$")]

EventMessage: TypeAlias = Annotated[
    CheckpointMessage | LastMessage | NoteMessage | SavedMessage | BeginsMessage,
    Field(discriminator="kind"),
]


@dataclass(frozen=True, slots=True)
class Registration:
    """What an agent sends first; `setup` is null where it was not measured."""

    protocol: Version
    join_token: Annotated[str, Bound(max_length=128)]
    instance_id: Name
    agent_version: Word
    pid: Integer
    hostname: Annotated[str, Bound(max_length=255)]
    setup: Setup | None = None


@dataclass(frozen=True, slots=True)
class Brings:
    """What a node gets ready before it says that it is idle: packages, data, what the job sets up
    itself.

    `data` is a bucket's location or a folder of the node; `env` is the job's.
    """

    requirements: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    data: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_any(self) -> bool:
        return bool(self.requirements or self.setup or self.data)


@dataclass(frozen=True, slots=True)
class Registered:
    """The answer: which node the machine is, and the token it speaks with from now on, on this
    machine only.

    `command` is what the job will have it run; what that needs can be loaded before there is an
    assignment. It is empty where workers inherit nothing that is loaded (T0). `code` is the sum of
    the archive that it runs in, to be fetched from `/v1/agent/code`; null where the command names
    what the machine has.
    """

    protocol: Version
    node_id: Word
    node_token: str
    heartbeat_interval_s: Instant
    lease_s: Seconds
    command: tuple[str, ...] = ()
    code: str | None = None
    brings: Brings = field(default_factory=Brings)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What an agent says of its node, with all that the daemon has not acknowledged yet.

    Its instants are those of its machine's clock, as `sent_at_s` is: where that is off, they are
    noted by the daemon's. When the machine goes is the cloud's word, and stays as it is. `round` is
    the newest of the session that the workers train in, `claim` one that they are about to publish.
    """

    node_id: Word
    instance_id: Name
    sent_at_s: Number
    report: NodeReport
    exit: Exit | None = None
    notice: Notice | None = None
    round: Count | None = None
    claim: RoundRegistration | None = None
    windows: Annotated[tuple[WindowMessage, ...], Bound(max_length=5000)] = ()
    events: Annotated[tuple[EventMessage, ...], Bound(max_length=1000)] = ()
    protocol: Version = PROTOCOL


@dataclass(frozen=True, slots=True)
class Assignment:
    """One generation as a member is told to run it; `command` is the argv after torchrun's own
    options.

    `nproc_per_node` workers run on this very node, each on `threads` threads; `world_size` counts
    all members'. `stored_iteration` is that of the newest checkpoint that is stored, null if none
    is, or the node has begun. `outputs` are the globs of what is carried home to `output_dir`, null
    for everything new. `batch` is what an iteration is, if the job says. `saves` are marks of files
    that the script saved, each with the iterations done by then; none once the node has begun.
    `max_restarts` is torchrun's: it would start a script again without a look at why it ended, the
    daemon looks first.
    """

    job_id: str
    generation: GenerationNumber
    command: Annotated[tuple[str, ...], Bound(min_length=1)]
    nnodes_min: Positive
    nnodes_max: Positive
    nproc_per_node: Positive
    threads: Positive
    world_size: Positive
    rdzv_endpoint: str
    rdzv_id: str
    drain_grace_s: Seconds
    checkpoint_dir: str
    artifact_dir: str
    max_restarts: Count = 0
    tier: Tier = Tier.T1
    interruptions_per_h: Seconds | None = None
    stored_iteration: Count | None = None
    output_dir: str = ""
    outputs: tuple[str, ...] | None = ()
    env: Mapping[str, str] = field(default_factory=dict)
    batch: Batch | None = None
    saves: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.nnodes_min > self.nnodes_max:
            raise InvalidInput(
                f"wanted nnodes_min <= nnodes_max, got {self.nnodes_min} and {self.nnodes_max}"
            )


@dataclass(frozen=True, slots=True)
class HeartbeatReply:
    """The answer: the highest sequence number stored, and what the node shall do.

    Without an assignment it drains and waits, with `needs_signal` by ending its workers at once.
    """

    lease_s: Seconds
    acked_seq: Count = 0
    assignment: Assignment | None = None
    shutdown: Flag = False
    needs_signal: Flag = False


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Lines of one node's processes; `seq` counts the batches that were stored."""

    node_id: Word
    instance_id: Name
    seq: Positive
    streams: Annotated[tuple[LogPiece, ...], Bound(max_length=512)]

    def __post_init__(self) -> None:
        if any(bool(each.stage) != (each.generation == 0) for each in self.streams):
            raise InvalidInput(
                "generation: wanted 0 where a stage is named, and only there",
                field="streams.generation",
            )


@dataclass(frozen=True, slots=True)
class LogsStored:
    """The answer: the batch's number."""

    acked_seq: Positive


def require_same_major(theirs: str, *, who: str, own: str = PROTOCOL) -> None:
    """Raises InvalidInput where `who`, as the daemon or this node's agent, speaks another major
    version than this end.

    >>> require_same_major("1.7", who="the agent", own="1.0")
    >>> require_same_major("2.0", who="the agent", own="1.0")
    Traceback (most recent call last):
    elastic.errors.InvalidInput: protocol: wanted 1.x, but the agent speaks 2.0: install one release of elasticd on both
    """
    major = own.partition(".")[0]
    if theirs.partition(".")[0] != major:
        raise InvalidInput(
            f"protocol: wanted {major}.x, but {who} speaks {theirs}: install one release of "
            "elasticd on both",
            field="protocol",
        )
