"""Nodes, measurements and events on the wire."""

from __future__ import annotations

from pydantic import Field, FiniteFloat

from api.schemas.market import OfferingOut
from api.schemas.wire import Wire
from elastic import model
from elastic.reconciler import AlarmKind


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
