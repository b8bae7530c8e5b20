"""The messages between agent and daemon, as JSON: one dataclass each, the same at both ends.

An end ignores fields that it does not know: they come from a newer minor version. Values that
belong to the domain, such as how a generation ended, are in `elastic.model`, with their bounds. The
workers' messages are in `elastic.worker.messages`.
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
from elastic.model import Batch, Exit, Mode, NodeReport, Notice, RoundRegistration, Setup
from elastic.worker.messages import (
    BeginsMessage,
    CheckpointMessage,
    LastMessage,
    NoteMessage,
    SavedMessage,
    WindowMessage,
)

PROTOCOL = "3.3"
"""MAJOR.MINOR. A new field that the other end may ignore makes a new minor; whatever else changes,
a new major."""

Version = Annotated[str, Bound(max_length=16, pattern=r"^[0-9]+\.[0-9]+$")]

EventMessage: TypeAlias = Annotated[
    CheckpointMessage | LastMessage | NoteMessage | SavedMessage | BeginsMessage,
    Field(discriminator="kind"),
]


@dataclass(frozen=True, slots=True)
class Registration:
    """An agent's first message; `setup` is null if it was not measured."""

    protocol: Version
    join_token: Annotated[str, Bound(max_length=128)]
    instance_id: Name
    agent_version: Word
    pid: Integer
    hostname: Annotated[str, Bound(max_length=255)]
    setup: Setup | None = None


@dataclass(frozen=True, slots=True)
class Brings:
    """What a node prepares before it reports itself idle."""

    requirements: tuple[str, ...] = ()
    # The job's own shell commands.
    setup: tuple[str, ...] = ()
    # A bucket's location, or a folder of the node.
    data: str | None = None
    # The job's variables.
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Those of them whose values the node masks in all that it sends.
    secrets: tuple[str, ...] = ()
    # Variables that the node reads from SSM parameters of these names, and masks.
    secret_parameters: Mapping[str, str] = field(default_factory=dict)
    # The container image that workers run in; null: what the node has.
    image: str | None = None

    @property
    def has_any(self) -> bool:
        return bool(
            self.requirements or self.setup or self.data or self.secret_parameters or self.image
        )


@dataclass(frozen=True, slots=True)
class Registered:
    """The answer: which node the machine is, and the token it speaks with from now on, on this
    machine only.

    `command` is what the job will have it run; what that needs can be loaded before there is an
    assignment. It is empty where workers are not preloaded. `code` is the sum of
    the archive that it runs in, to be fetched from `/v1/agent/code`; null where the command names
    what the machine has.
    """

    protocol: Version
    node_id: Word
    node_token: str
    heartbeat_interval_s: Instant
    lease_s: Seconds
    # What the job will run, so that the node can load modules before it has an assignment. Empty
    # if workers do not inherit what is loaded (T0).
    command: tuple[str, ...] = ()
    # The checksum of the archive of the job's code, which `/v1/agent/code` serves. Null if the
    # command names what the machine has.
    code: str | None = None
    brings: Brings = field(default_factory=Brings)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What an agent reports about its node, with all that the daemon has not acknowledged yet.

    Its instants are those of its machine's clock, as `sent_at_s` is: where that is off, they are
    noted by the daemon's. When the machine goes is the cloud's word, and stays as it is. `round` is
    the newest of the session that the workers train in, `next_round` one that they are about to
    publish.
    """

    node_id: Word
    instance_id: Name
    sent_at_s: Number
    report: NodeReport
    exit: Exit | None = None
    notice: Notice | None = None
    # The newest round of the session in which the workers train.
    round: Count | None = None
    next_round: RoundRegistration | None = None
    windows: Annotated[tuple[WindowMessage, ...], Bound(max_length=5000)] = ()
    events: Annotated[tuple[EventMessage, ...], Bound(max_length=1000)] = ()
    protocol: Version = PROTOCOL


@dataclass(frozen=True, slots=True)
class Assignment:
    """One generation, as a node must run it."""

    job_id: str
    generation: GenerationNumber
    # The arguments after torchrun's own options.
    command: Annotated[tuple[str, ...], Bound(min_length=1)]
    nnodes_min: Positive
    nnodes_max: Positive
    # Workers on this node, each on `threads` threads.
    nproc_per_node: Positive
    threads: Positive
    # Workers of all nodes together.
    world_size: Positive
    rdzv_endpoint: str
    rdzv_id: str
    # The job's key and certificate, as PEM: the store, links and transfers accept no other proof.
    certificate: Annotated[str, Bound(max_length=8192)] = field(repr=False)
    drain_grace_s: Seconds
    checkpoint_dir: str
    artifact_dir: str
    # torchrun would restart a script without asking why it ended. The daemon asks first.
    max_restarts: Count = 0
    mode: Mode = Mode.RESTART
    preload: Flag = True
    interruptions_per_h: Seconds | None = None
    # That of the newest stored checkpoint. Null if there is none, or if the node has begun.
    stored_iteration: Count | None = None
    output_dir: str = ""
    # The globs of what is stored in `output_dir`; null for everything new.
    outputs: tuple[str, ...] | None = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    # What an iteration is, if the job says.
    batch: Batch | None = None
    # Marks of files that the script saved, with the iterations done by then. Empty once the node
    # has begun.
    saves: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.nnodes_min > self.nnodes_max:
            raise InvalidInput(
                f"wanted nnodes_min <= nnodes_max, got {self.nnodes_min} and {self.nnodes_max}"
            )


@dataclass(frozen=True, slots=True)
class HeartbeatReply:
    """The answer to a heartbeat: the highest number stored, and what the node must do.

    Without an assignment the node drains and waits; with `needs_signal` it ends its workers at
    once.
    """

    lease_s: Seconds
    acked_seq: Count = 0
    assignment: Assignment | None = None
    shutdown: Flag = False
    needs_signal: Flag = False


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Log lines of one node; `seq` counts the batches that were stored."""

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
    """The answer to a log batch: its number."""

    acked_seq: Positive


def require_same_major(theirs: str, *, who: str, own: str = PROTOCOL) -> None:
    """Raises InvalidInput if `who` speaks another major version than this end.

    >>> require_same_major("1.7", who="the agent", own="1.0")
    >>> require_same_major("2.0", who="the agent", own="1.0")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    elastic.errors.InvalidInput: protocol: wanted 1.x, but the agent speaks 2.0: ...
    """
    major = own.partition(".")[0]
    if theirs.partition(".")[0] != major:
        raise InvalidInput(
            f"protocol: wanted {major}.x, but {who} speaks {theirs}: install one release of "
            "elasticd on both",
            field="protocol",
        )
