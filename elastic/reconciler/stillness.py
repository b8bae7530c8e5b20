"""Who of a job's nodes is cut off while others are heard, and whose workers have stopped making turns."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.model import Generation, Node, NodePhase, Pulse, Tier
from elastic.reconciler.world import World, lives

HANGS_S = 10.0
"""No turn for so long, nor for twice the longest pause so far: who trains with a node that is cut off hangs."""

_MOST_S = 300.0
"""A pause that was as long as this, or longer, says nothing of the next one: half of the default lease."""


def cut_off(world: World) -> frozenset[str]:
    """Ids of nodes that have been silent for a while, though others of the job are heard; none in a session.

    There the members find out by themselves, and train on.
    """
    if world.job.spec.tier is Tier.T2:
        return frozenset()
    speakers = [node for node in world.nodes if _has_spoken(node)]
    silent = {node.id for node in speakers if is_silent(node, world)}
    return frozenset(silent) if len(silent) < len(speakers) else frozenset()


def is_silent(node: Node, world: World) -> bool:
    """Whether it has missed several heartbeats."""
    return world.now_s - max(node.heartbeat_at_s or 0.0, world.listening_since_s) > world.silence_s


def is_out_of_reach(world: World, node: Node, *, since_s: float) -> bool:
    """Whether it is cut off, and was before this instant: it has not heard what was said then."""
    return node.id in cut_off(world) and (node.heartbeat_at_s or 0.0) <= since_s


def waits_in_vain(world: World, active: Generation, members: Sequence[Node | None]) -> str | None:
    """Why `members`, at work, would wait for ever, where enough of them are left to go on without who is cut off.

    A node that is cut off from the daemon alone trains on, and so do the others.
    """
    lost = sorted(cut_off(world).intersection(active.node_ids))
    heard = [node for node in members if node is not None and node.id not in lost]
    if not lost or len(heard) < world.job.spec.nodes_min or not hang(heard, active):
        return None
    return f"{', '.join(lost)} cannot be heard, and the others stand still"


def hang(members: Sequence[Node], active: Generation) -> bool:
    """Whether no member's workers make turns any more, by the word of those whose agents know of any."""
    pulses = pulses_of(members, active)
    return bool(pulses) and all(each.has_stopped(least_s=HANGS_S, most_s=_MOST_S) for each in pulses)


def pulses_of(members: Sequence[Node], active: Generation) -> list[Pulse]:
    """What the agents said last of turns in this generation."""
    return [node.pulse for node in members if node.pulse is not None and node.agent_generation == active.number]


def _has_spoken(node: Node) -> bool:
    return node.phase is NodePhase.JOINED and lives(node) and node.agent_state is not None
