"""Whether a job's script runs and makes no turn that elasticd sees, and what its owner can do about
it."""

from __future__ import annotations

from collections.abc import Iterable

from elastic.durations import STANDSTILL_S
from elastic.model.job import Job
from elastic.model.node import AgentState, Generation, Node
from elastic.model.progress import PARAMOUNT_LINES


def unseen_of(
    job: Job, generation: Generation | None, nodes: Iterable[Node], *, now_s: float
) -> tuple[str, ...]:
    """Says how a script makes itself seen that has run for a minute, and of which no iteration was
    ever seen."""
    # A script may load for a while before its first turn; a later word costs somebody who waits for
    # progress more.
    if (
        job.phase.is_final
        or job.iteration
        or generation is None
        or now_s - generation.started_at_s < STANDSTILL_S
    ):
        return ()
    if generation.drain_at_s is not None or generation.ended_at_s is not None:
        return ()
    members = [
        node
        for node in nodes
        if node.id in generation.node_ids and node.agent_generation == generation.number
    ]
    is_running = any(
        node.agent_state in (AgentState.STARTING, AgentState.RUNNING) for node in members
    )
    if not is_running or any(node.pulse is not None for node in members):
        return ()
    return (
        "no iteration was seen in its first minute. If the script trains already, let it say so: "
        f"{PARAMOUNT_LINES}",
    )
