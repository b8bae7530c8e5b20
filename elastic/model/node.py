"""A node: one machine bought for one job, from the intent to buy it to the proof that it is
gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from elastic.bounds import (
    Amount,
    Bound,
    Count,
    Flag,
    GenerationNumber,
    Instant,
    Integer,
    Positive,
    Seconds,
    Share,
    ShortText,
    Text,
)
from elastic.errors import Conflict, InvalidInput
from elastic.liveness import LifeSign
from elastic.model.mode import Mode
from elastic.model.offering import Offering
from elastic.model.script_error import ScriptError
from elastic.model.workers import ONE_WORKER, Workers


@dataclass(frozen=True, slots=True)
class Setup:
    """What installing took on a machine: seconds, and bytes that it received meanwhile."""

    elapsed_s: Seconds
    received_bytes: Count


@dataclass(frozen=True, slots=True)
class Boot:
    """One machine's boot, of any job."""

    node_type: str
    # What the machine was made from; None if its provider has no images.
    image: str | None
    # From launch to joining, set-up included.
    boot_s: float
    # None if it was not reported.
    setup: Setup | None = None


@dataclass(frozen=True, slots=True)
class RoundRegistration:
    """A round that a member is about to publish, and of how many members it will have."""

    round: Positive
    members: Annotated[int, Bound(ge=0, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class Rounds:
    """What is on record of a job's rounds; 0 for none."""

    # The newest that members have trained in: a member that knows only an older one does not have
    # the job's state.
    newest: int = 0
    # The newest that was about to be published: no other may have its number.
    registered: int = 0
    # Whether members train on: then they fill a new store, and no newcomer may found a session in
    # it.
    is_held: bool = False


class NodePhase(StrEnum):
    """Where a node is in its life; `LEGAL_NODE_MOVES` says what may follow what."""

    INTENDED = "intended"
    BOOTING = "booting"
    JOINED = "joined"
    TERMINATING = "terminating"
    TERMINATED = "terminated"
    LOST = "lost"

    @property
    def is_gone(self) -> bool:
        """Proven to cost nothing any more."""
        return self in (NodePhase.TERMINATED, NodePhase.LOST)


LEGAL_NODE_MOVES: Mapping[NodePhase, frozenset[NodePhase]] = {
    NodePhase.INTENDED: frozenset({NodePhase.BOOTING, NodePhase.TERMINATING, NodePhase.TERMINATED}),
    NodePhase.BOOTING: frozenset({NodePhase.JOINED, NodePhase.TERMINATING, NodePhase.LOST}),
    NodePhase.JOINED: frozenset({NodePhase.TERMINATING, NodePhase.LOST}),
    NodePhase.TERMINATING: frozenset({NodePhase.TERMINATED}),
    NodePhase.TERMINATED: frozenset(),
    NodePhase.LOST: frozenset(),
}


def move_node(current: NodePhase, wanted: NodePhase) -> NodePhase:
    """Gives `wanted` if a node may go there from `current`; raises Conflict otherwise."""
    if wanted not in LEGAL_NODE_MOVES[current]:
        raise Conflict(f"a node that is {current} cannot become {wanted}")
    return wanted


class AgentState(StrEnum):
    """What an agent says it is doing.

    One that is `preparing` installs and fetches what its job brings, and runs nothing before that
    is done. One that is `warming` runs what it is assigned, but starts it late; one that is
    `saving` runs no workers any more, and stores what they left.
    """

    PREPARING = "preparing"
    WARMING = "warming"
    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    DRAINING = "draining"
    SAVING = "saving"
    EXITED = "exited"


class Outcome(StrEnum):
    """How a generation ended on a node."""

    SUCCEEDED = "succeeded"
    DRAINED = "drained"
    FAILED = "failed"


# How a log's last line begins where the agent adds why an end counts as a failure.
AGENT_SAYS = "elasticd: "


@dataclass(frozen=True, slots=True)
class Exit:
    """What a node last reported of a generation. `iteration` is where its workers were, if they
    said so.

    `needs_person` says that they could not begin, and cannot before a person acts. `error` is the
    error of their own program; None if they only followed others, or if it is not known.
    """

    generation: GenerationNumber
    outcome: Outcome
    exit_code: Integer
    iteration: Count | None = None
    log_tail: Annotated[str, Bound(max_length=20_000)] = ""
    needs_person: Flag = False
    error: ScriptError | None = None


class NoticeKind(StrEnum):
    """What a cloud may say of a machine's future: that it takes it back, or that it is likelier to
    than before."""

    INTERRUPTION = "interruption"
    REBALANCE = "rebalance"


# What EC2 may do with a spot machine, and the silence of those that do not say.
_OF_SPOT = frozenset(("", "terminate", "stop", "hibernate"))


@dataclass(frozen=True, slots=True)
class Notice:
    """What the cloud announced about a machine's end; `action` is its word: terminate, stop or
    hibernate. Slurm's are time limit, preemption and scancel.

    `at_s` is when the machine goes, None for a mere recommendation; `noticed_at_s` is when its
    agent read it. Raises InvalidInput for an interruption without an instant.
    """

    kind: NoticeKind
    noticed_at_s: Instant
    at_s: Instant | None = None
    action: Annotated[str, Bound(max_length=32)] = ""

    def __post_init__(self) -> None:
        if self.kind is NoticeKind.INTERRUPTION and self.at_s is None:
            raise InvalidInput(
                "at_s: an interruption notice says when the machine goes, got none", field="at_s"
            )

    @property
    def cause(self) -> str:
        """Why the machine goes, for people.

        >>> Notice(NoticeKind.INTERRUPTION, 0.0, 120.0, "terminate").cause
        'spot interruption'
        >>> Notice(NoticeKind.INTERRUPTION, 0.0, 120.0, "time limit").cause
        'time limit'
        """
        if self.action in _OF_SPOT:
            return "spot interruption"
        return self.action

    def supersedes(self, known: Notice | None) -> bool:
        """Whether it says something that `known` does not; no recommendation takes an announced end
        back."""
        if known is None:
            return True
        if known.kind is NoticeKind.INTERRUPTION and self.kind is NoticeKind.REBALANCE:
            return False
        return (self.kind, self.at_s, self.action) != (known.kind, known.at_s, known.action)


@dataclass(frozen=True, slots=True)
class Pulse:
    """What an agent reports of its workers' turns: the seconds since the last one, and the longest
    pause.

    Both are of its present generation. `learnt_s` is the longest pause that is known to be no end;
    None until turns have gone on for long enough.
    """

    still_s: Seconds
    longest_s: Seconds = 0.0
    learnt_s: Seconds | None = None

    @property
    def last_turn(self) -> LifeSign:
        """The same as `elastic.liveness` judges it: a job is given its own time for its pauses."""
        return LifeSign(self.still_s, self.longest_s)


@dataclass(frozen=True, slots=True)
class Preparing:
    """What a node prepares, such as `installing 3 requirements`, and for how long as of its last
    heartbeat.

    `failure` says why it cannot; empty if it can.
    """

    what: ShortText
    elapsed_s: Seconds
    failure: Text = ""


@dataclass(frozen=True, slots=True)
class NodeUsage:
    """How busy a node was lately.

    `cores` is how many its own processes used. The rest is the machine's: shares of its memory, of
    its GPUs and of their memory, and its network. What of GPUs is not known is null.
    """

    cores: Amount
    memory: Share
    received_bytes_per_s: Count
    sent_bytes_per_s: Count
    gpu: Share | None = None
    gpu_memory: Share | None = None


@dataclass(frozen=True, slots=True)
class NodeReport:
    """What an agent says of its node in each heartbeat, sent and stored as it stands here.

    A new field here needs a field of the same name in `Node`, and nothing else. `saving_s` is how
    long storing a last checkpoint takes; None if nothing has to be stored. `mode` and
    `is_preloaded` say how its workers were started, or were last. `pulse` is None before their
    first turn in this generation, `preparing` once the node is ready for its job.
    `disk_free_bytes` is the room on the disk of its work folder, where jobs write. `usage` is null
    until it was measured.
    """

    state: AgentState
    generation: Annotated[int, Bound(ge=0, lt=2**31)] | None = None
    saving_s: Seconds | None = None
    mode: Mode | None = None
    is_preloaded: Flag | None = None
    pulse: Pulse | None = None
    preparing: Preparing | None = None
    disk_free_bytes: Count | None = None
    usage: NodeUsage | None = None

    def after(self, node: Node) -> NodeReport:
        """The report as it is kept: an idle node's still says how its workers were started last."""
        if self.mode is not None:
            return self
        return replace(self, mode=node.mode, is_preloaded=node.is_preloaded)


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it stands. Instants are Unix seconds, and None while they have not happened.

    The fields of `NodeReport` are as in its last heartbeat.
    """

    id: str
    job_id: str
    offering: Offering
    phase: NodePhase
    # Its launch intent's.
    token: str
    intended_at_s: float
    # What the provider calls the machine.
    provider_id: str | None = None
    launched_at_s: float | None = None
    joined_at_s: float | None = None
    heartbeat_at_s: float | None = None
    terminated_at_s: float | None = None
    agent_state: AgentState | None = None
    agent_generation: int | None = None
    exit: Exit | None = None
    # Why it was bought; and why its provider ended it without being asked, if it says.
    reason: str = ""
    # What the cloud has announced about the machine's end; None if nothing.
    notice: Notice | None = None
    # When its provider was first seen to end the machine without being asked. It is of no use from
    # then on, and costs until it is gone.
    stopping_at_s: float | None = None
    saving_s: float | None = None
    mode: Mode | None = None
    is_preloaded: bool | None = None
    # How many generations in a row have failed on it.
    failures: int = 0
    pulse: Pulse | None = None
    # What it runs, decided when it was bought.
    workers: Workers = ONE_WORKER
    # What the machine was made from; None if its provider has no images.
    image: str | None = None
    # What installing took, by its own report.
    setup: Setup | None = None
    prepared_s: float | None = None
    preparing: Preparing | None = None
    disk_free_bytes: int | None = None
    usage: NodeUsage | None = None

    @property
    def is_warm(self) -> bool:
        """Whether its agent would start workers at once: it has spoken, and no longer loads what
        all of them need."""
        return self.agent_state not in (None, AgentState.PREPARING, AgentState.WARMING)

    @property
    def prepares_since_s(self) -> float | None:
        """Since when it gets ready what it does now; None where it gets nothing ready."""
        if self.preparing is None or self.heartbeat_at_s is None:
            return None
        return self.heartbeat_at_s - self.preparing.elapsed_s

    @property
    def leaves_at_s(self) -> float | None:
        """When the cloud takes the machine back, as announced; None if it has announced nothing of
        the kind."""
        notice = self.notice
        if notice is None or notice.kind is not NoticeKind.INTERRUPTION:
            return None
        return notice.at_s


def last_safe_instant(
    nodes: Iterable[Node], *, drain_grace_s: float, reaction_s: float
) -> float | None:
    """When a drain must be asked for at the latest, so that no iteration is lost; None if none of
    the nodes leaves.

    A drain may take all of its grace. Then an agent stores what it has, for as long as it says that
    takes. The request itself takes `reaction_s` to arrive. How long earlier drains took does not
    count, since the next one may be longer, and a later stop would win only some seconds of
    training for each machine.
    """
    ends = [
        node.leaves_at_s - (node.saving_s or 0.0) for node in nodes if node.leaves_at_s is not None
    ]
    if ends:
        return min(ends) - drain_grace_s - reaction_s
    return None


@dataclass(frozen=True, slots=True)
class Generation:
    """One membership of a job's group: a fencing token, recorded before any node learns of it."""

    job_id: str
    # It counts from 1.
    number: int
    node_ids: tuple[str, ...]
    rdzv_endpoint: str
    started_at_s: float
    # When its members were asked to stop at the next safe point.
    drain_at_s: float | None = None
    # When all of them had stopped.
    ended_at_s: float | None = None
    # Whether it waits for members without success: it will reach no safe point.
    hangs: bool = False
    # How many workers its members run together.
    world_size: int = 1
