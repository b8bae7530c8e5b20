"""What the steps of one job follow from: the job, its target and its machines at one instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from elastic.durations import HEARTBEAT_S
from elastic.liveness import TimeBounds, silence_bounds
from elastic.model import Generation, Group, Job, Node, NodePhase, Offering

_EVERY_SECOND = silence_bounds(heartbeat_s=HEARTBEAT_S)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a job and its nodes may take for what they should do, in seconds."""

    # For a new node to register.
    register_s: float
    # How long a silent node lives.
    lease_s: float
    # From when an instruction is due until it arrives on a node.
    reaction_s: float
    # A turn that is overdue for this long is an alarm; 0 means never.
    standstill_s: float
    # The bounds that judge a node's silence.
    silence: TimeBounds = _EVERY_SECOND


@dataclass(frozen=True, slots=True)
class World:
    """One job and its machines as they stand at `now_s`; the last fields follow from the others."""

    now_s: float
    job: Job
    target: Group | None
    # Those that are not yet proven gone, in any phase.
    nodes: tuple[Node, ...]
    # The generation recorded last.
    generation: Generation | None
    # The reason of the decision that set the target.
    why: str
    timeouts: Timeouts
    drain_grace_s: float
    # Since when heartbeats can arrive.
    listening_since_s: float
    # Times in which no heartbeat could arrive: when each ended, and by how much it was too long.
    gaps: tuple[tuple[float, float], ...] = ()
    # How many generations in a row before this one stood still.
    hung: int = 0
    # How long the job pauses between two turns of its own; None if not known.
    longest_pause_s: float | None = None
    # What was refused a moment ago, and from how many nodes on.
    refused: Mapping[Offering, int] = field(default_factory=dict)
    # Until when nodes' machines waited in a queue, by the nodes' ids: they could not boot before.
    queued_until_s: Mapping[str, float] = field(default_factory=dict)
    # False while the machines or the catalogue are not known, or if a purchase would not pay.
    may_launch: bool = True
    # Where the store of a session is now; None if none is needed, or none answers.
    endpoint: str | None = None
    # Members of the generation whose machines are gone, and whose workers were done before.
    done_and_gone: frozenset[str] = frozenset()
    # The generation, if it has not ended.
    active: Generation | None = field(init=False, repr=False, compare=False)
    # Nodes by id whose machines are neither gone nor on their way there.
    living: Mapping[str, Node] = field(init=False, repr=False, compare=False)
    # Ids of nodes that the cloud takes back.
    leaving: frozenset[str] = field(init=False, repr=False, compare=False)
    # The living nodes of the active generation.
    members: tuple[Node, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        has_ended = self.generation is None or self.generation.ended_at_s is not None
        if has_ended:
            active = None
        else:
            active = self.generation
        living = {node.id: node for node in self.nodes if lives(node)}
        leaving = frozenset(node.id for node in self.nodes if node.leaves_at_s is not None)
        node_ids: tuple[str, ...] = ()
        if active is not None:
            node_ids = active.node_ids
        object.__setattr__(self, "active", active)
        object.__setattr__(self, "living", living)
        object.__setattr__(self, "leaving", leaving)
        object.__setattr__(
            self, "members", tuple(living[each] for each in node_ids if each in living)
        )


def lives(node: Node) -> bool:
    """Whether its machine is neither gone nor on its way there."""
    is_ending = node.phase in (NodePhase.TERMINATING, NodePhase.TERMINATED, NodePhase.LOST)
    return not is_ending and node.stopping_at_s is None
