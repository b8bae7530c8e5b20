"""What is due for a job in a session: its generations change while its workers continue."""

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
    """Gives the members of the generation to record next; None if there is nothing to change.

    `alive` are the present members that live. `wanted` are the nodes that should train in the end.
    `is_ready` says whether all of those are there and warm. `must_go` are the members whose
    machines are about to be taken back. Newcomers join before any member leaves, because the first
    to leave may be the last that has the trained state.
    """
    inside = {node.id for node in alive}
    # First all newcomers join, then those that are no longer wanted leave.
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
    # Members whose machines are about to go leave at once, and those that are gone are left out.
    rest = tuple(node for node in alive if node not in must_go)
    if rest and len(rest) < len(active.node_ids):
        return rest
    return None


def has_come_in(node: Node, active: Generation) -> bool:
    """Whether its workers have reported, as members of this generation, that they are in the
    session."""
    return node.agent_state is AgentState.RUNNING and node.agent_generation == active.number


def loses_all(active: Generation, following: Sequence[Node]) -> bool:
    """Whether a generation would leave behind the nodes that have the trained state.

    That is so if none of its nodes is in the session yet. They could wait for ever to be sent the
    state. If they start again instead, they continue from the newest checkpoint.
    """
    goes_on = {node.id for node in following}
    has_holder = any(
        node.agent_state in RUNNING_STILL - {AgentState.STARTING} for node in following
    )
    return not has_holder and any(node_id not in goes_on for node_id in active.node_ids)


def goes_on(alive: Sequence[Node]) -> bool:
    """Whether some member trains: then a failure on another node is that node's trouble, not the
    script's."""
    return any(node.agent_state is AgentState.RUNNING for node in alive)


def is_hopeless(ended: Exit | None, node: Node) -> bool:
    """Whether a node must be replaced: its workers failed again while others went on.

    After the first failure they join again, because an agent may then start them another way.
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
    """Whether every living member has reported, since this instant, which round it is in.

    A new store is given the newest one. With less, a member that was cut off could fill it with an
    older one.
    """
    members = [
        node for node in nodes if node.id in active.node_ids and node.phase is NodePhase.JOINED
    ]
    return are_heard(members, since_s=since_s)


def are_heard(nodes: Sequence[Node], *, since_s: float) -> bool:
    """Whether each of these nodes has reported since this instant."""
    return all((node.heartbeat_at_s or 0.0) > since_s for node in nodes)


def is_leaving(node: Node, newest: Generation | None, *, patience_s: float, now_s: float) -> bool:
    """Whether a node that the newest generation left out has yet to confirm that its workers have
    left.

    It holds whether that generation still runs or not: a job may end just after a node left.
    """
    if newest is None or node.id in newest.node_ids or node.agent_state not in RUNNING_STILL:
        return False
    return now_s <= newest.started_at_s + patience_s
