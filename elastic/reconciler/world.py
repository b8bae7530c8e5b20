"""What the steps of one job follow from: the job, its target and its machines, as they stand at one
instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from elastic.model import Generation, Group, Job, Node, NodePhase, Offering
from elastic.reconciler.timeouts import Timeouts


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

    @property
    def active(self) -> Generation | None:
        """The generation that has not ended."""
        ended = self.generation is None or self.generation.ended_at_s is not None
        return None if ended else self.generation

    def member(self, node_id: str) -> Node | None:
        """A member of the generation, if it still lives."""
        return next((node for node in self.nodes if node.id == node_id and lives(node)), None)


def lives(node: Node) -> bool:
    """Whether its machine is neither gone nor on its way there."""
    is_ending = node.phase in (NodePhase.TERMINATING, NodePhase.TERMINATED, NodePhase.LOST)
    return not is_ending and node.stopping_at_s is None
