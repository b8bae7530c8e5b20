"""What is due for a job that trains in a session: its generations follow one another while the
workers go on."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.agent.cause import cause_in
from elastic.model import AgentState, Exit, Generation, Node, NodePhase, Outcome

MOST_FAILURES = 2
RUNNING_STILL = frozenset(
    {AgentState.STARTING, AgentState.RUNNING, AgentState.DRAINING, AgentState.SAVING}
)


def next_members(
    active: Generation,
    *,
    alive: Sequence[Node],
    wanted: Sequence[Node],
    is_ready: bool,
    must_go: Sequence[Node],
) -> tuple[Node, ...] | None:
    """Gives the members of the generation to record next; None while there is nothing to change.

    `alive` are the present members that live, `wanted` who is to train in the end, `is_ready`
    whether all of those are there and warm, `must_go` the members whose machines are about to be
    taken back. Newcomers come in before anybody leaves: the first to leave may be the last to
    hold what was trained.
    """
    inside = {node.id for node in alive}
    newcomers = [node for node in wanted if node.id not in inside]
    if newcomers and is_ready:
        return (*alive, *newcomers)
    staying = [node for node in wanted if node.id in inside]
    if (
        is_ready
        and len(staying) < len(alive)
        and all(has_come_in(node, active) for node in staying)
    ):
        return tuple(staying)
    rest = tuple(node for node in alive if node not in must_go)
    if rest and len(rest) < len(active.node_ids):
        return rest
    return None


def has_come_in(node: Node, active: Generation) -> bool:
    """Whether its workers have said, as members of this generation, that they are in the
    session."""
    return node.agent_state is AgentState.RUNNING and node.agent_generation == active.number


def loses_all(active: Generation, following: Sequence[Node]) -> bool:
    """Whether a generation would leave behind the nodes that hold what was trained: none of its
    nodes has come in yet.

    They could wait for ever to be brought up to date; started again, they go on from the newest
    checkpoint.
    """
    goes_on = {node.id for node in following}
    has_holder = any(
        node.agent_state in RUNNING_STILL - {AgentState.STARTING} for node in following
    )
    return not has_holder and any(node_id not in goes_on for node_id in active.node_ids)


def goes_on(alive: Sequence[Node]) -> bool:
    """Whether somebody trains: what fails on another node is then that node's trouble, not the
    script's."""
    return any(node.agent_state is AgentState.RUNNING for node in alive)


def is_hopeless(ended: Exit | None, node: Node) -> bool:
    """Whether its workers have just failed, and had failed before, while others go on: it is to be
    replaced.

    After the first time they join again: an agent may start them otherwise then.
    """
    return ended is not None and ended.outcome is Outcome.FAILED and node.failures >= MOST_FAILURES


def why_hopeless(node: Node) -> str:
    """Why a node is given up."""
    if node.exit is None:
        said = None
    else:
        said = cause_in(node.exit.log_tail)
    return f"its workers failed {node.failures} times in a row while others went on" + (
        f": {said}" if said else ""
    )


def all_are_heard(active: Generation, nodes: Sequence[Node], *, since_s: float) -> bool:
    """Whether every member that lives has said since this instant which round it is in.

    A new store is told the newest one: with less, a member that was cut off could fill it with an
    older one.
    """
    members = [
        node for node in nodes if node.id in active.node_ids and node.phase is NodePhase.JOINED
    ]
    return all((node.heartbeat_at_s or 0.0) > since_s for node in members)


def is_leaving(node: Node, active: Generation | None, *, patience_s: float, now_s: float) -> bool:
    """Whether a node that the newest generation has left out is still to acknowledge that its
    workers have left."""
    if active is None or node.agent_state not in RUNNING_STILL:
        return False
    return now_s <= active.started_at_s + patience_s
