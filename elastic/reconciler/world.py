"""What the steps of one job follow from: the job, its target and its machines, as they stand at one
instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from elastic.durations import HEARTBEAT_S
from elastic.liveness import TimeBounds, silence_bounds
from elastic.model import Generation, Group, Job, Node, NodePhase, Offering

_EVERY_SECOND = silence_bounds(heartbeat_s=HEARTBEAT_S)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a job and its nodes may take to do what they should; in seconds.

    `register_s` is what a node may take to register, `lease_s` how long a silent one lives.
    `reaction_s` is what an instruction may take from being due to being heard on a node. A turn
    that is overdue for `standstill_s` is an alarm, unless that is 0. `silence` judges a node's
    silence.
    """

    register_s: float
    lease_s: float
    reaction_s: float
    standstill_s: float
    silence: TimeBounds = _EVERY_SECOND


@dataclass(frozen=True, slots=True)
class World:
    """One job and its machines as they stand at `now_s`. `nodes` holds those not yet proven gone,
    of any phase.

    `generation` is the one recorded last, `why` the reason of the decision that set the target,
    `listening_since_s` the instant from which on a node could be heard, `gaps` the instants that
    ended a time in which nobody was heard, and how much too long it was, `refused` what could not
    be had a moment ago and how many of it were too many; `may_launch` is False while nobody can
    tell what machines there are, or what is missing would not pay. `hung` is how many generations
    before this one stood still, since one made turns for long, `longest_pause_s` how long the job
    has paused between two turns of its own, None while nobody knows. `endpoint` is where the store
    of a session stands now, None where none is needed or none answers; `done_and_gone` are the
    generation's members whose machines are gone, and whose workers were done before.

    The last fields follow from the others: `active` is the generation that has not ended, `living`
    holds the nodes whose machines are neither gone nor on their way there, by their ids, `leaving`
    the ids of those that the cloud takes back, `members` those of the active generation.
    """

    now_s: float
    job: Job
    target: Group | None
    nodes: tuple[Node, ...]
    generation: Generation | None
    why: str
    timeouts: Timeouts
    drain_grace_s: float
    listening_since_s: float
    gaps: tuple[tuple[float, float], ...] = ()
    hung: int = 0
    longest_pause_s: float | None = None
    refused: Mapping[Offering, int] = field(default_factory=dict)
    may_launch: bool = True
    endpoint: str | None = None
    done_and_gone: frozenset[str] = frozenset()
    active: Generation | None = field(init=False, repr=False, compare=False)
    living: Mapping[str, Node] = field(init=False, repr=False, compare=False)
    leaving: frozenset[str] = field(init=False, repr=False, compare=False)
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
