"""Who of a job's nodes is cut off while others are heard, and whose workers have stopped making turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elastic.model import AgentState, Generation, Node, NodePhase, Pulse, Tier
from elastic.reconciler.world import World, lives

_GOES_ON_S = 10.0
"""Whoever made a turn within so long, or twice the longest pause so far, goes on."""

_PAUSES = 3.0
"""A turn is overdue after so many times the longest pause so far; after twice that more is done than to tell of it."""

_RESTART, _FIRST, _MOST_DOUBLINGS = 10.0, 2.0, 4
"""Of the patience after which it is told that a job stands still: when it begins anew, and how long a first turn may
take after that; and how often the former doubles."""


@dataclass(frozen=True, slots=True)
class Idle:
    """What is paid and makes no turns: all of a job, or one node of it; and why somebody should be told."""

    text: str
    node_id: str | None = None


def why_begin_anew(world: World, active: Generation) -> str | None:
    """Why members of no session, all of whom are heard, are to begin anew: none of them makes turns.

    Each time that did not help, the next one is twice as far off.
    """
    members = _members(world, active)
    if world.job.spec.tier is Tier.T2 or any(is_silent(node, world) for node in members):
        return None
    still_s = _still_s(world, active, members, times=_RESTART * 2.0 ** min(world.hung, _MOST_DOUBLINGS))
    return None if still_s is None else f"no turn for {still_s:.0f} s: the same nodes begin anew"


def idle(world: World) -> tuple[Idle, ...]:
    """Everything of the job whose next turn is long overdue."""
    active = world.active
    if active is None or active.drain_at_s is not None:
        return ()
    silent = [node.id for node in _members(world, active) if is_silent(node, world)]
    heard = [node for node in _members(world, active) if node.id not in silent]
    if (still_s := _still_s(world, active, heard)) is not None:
        unheard = f"; {', '.join(sorted(silent))} cannot be heard" if silent else ""
        return (Idle(f"no turn for {still_s:.0f} s{unheard}"),)
    return tuple(
        Idle(f"{node.id} has made no turn for {node.pulse.still_s:.0f} s, while others go on", node.id)
        for node in outside(world, active)
        if node.pulse is not None
    )


def outside(world: World, active: Generation, *, times: float = 1.0) -> list[Node]:
    """Members of a session who train with nobody, by their agents' word, while others do; for `times` the usual."""
    heard = [node for node in _members(world, active) if not is_silent(node, world)]
    go_on = any(not each.has_stopped(least_s=_GOES_ON_S) for each in pulses_of(heard, active))
    if world.job.spec.tier is not Tier.T2 or not world.standstill_s or not go_on:
        return []
    inside = [node for node in heard if node.agent_state is AgentState.RUNNING]
    return [node for node in inside if any(_is_overdue(each, world, times=times) for each in pulses_of([node], active))]


def cut_off(world: World) -> frozenset[str]:
    """Ids of nodes that have been silent for a while, though others of the job are heard; none in a session.

    There the members find out by themselves, and train on.
    """
    return _silent_for(world, _patience_s(world))


def may_be_cut_off(world: World) -> bool:
    """Whether that will be known in a moment: some stand still, and another has missed a heartbeat or two."""
    return _wait_s(world) is not None and _silent_for(world, _recently_s(world)) > cut_off(world)


def is_silent(node: Node, world: World) -> bool:
    """Whether it has missed several heartbeats."""
    return _silence_s(node, world) > world.silence_s


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
    return bool(pulses) and all(each.hangs for each in pulses) and _are_to_turn(members)


def pulses_of(members: Sequence[Node], active: Generation) -> list[Pulse]:
    """What the agents said last of turns in this generation."""
    return [node.pulse for node in members if node.pulse is not None and node.agent_generation == active.number]


def _silent_for(world: World, patience_s: float) -> frozenset[str]:
    if world.job.spec.tier is Tier.T2:
        return frozenset()
    speakers = [node for node in world.nodes if _has_spoken(node)]
    silent = {node.id for node in speakers if _silence_s(node, world) > patience_s}
    return frozenset(silent) if len(silent) < len(speakers) else frozenset()


def _patience_s(world: World) -> float:
    """How long a node may say nothing: not for long while others wait for turns, or have just been ended for that.

    Of two that were cut off at once one is silent for as long as the other stands still. Who was heard for long after
    that may be slow, such as at its first checkpoint, and others may wait for it.
    """
    if world.generation is not None and world.generation.hangs:
        return min(world.missed_s, world.silence_s)
    still_s = _wait_s(world)
    return world.silence_s if still_s is None else min(max(world.missed_s, still_s / 2), world.silence_s)


def _wait_s(world: World) -> float | None:
    """For how long those members who were heard just now hang; None if they do not."""
    if world.active is None:
        return None
    heard = [node for node in _members(world, world.active) if _silence_s(node, world) <= _recently_s(world)]
    pulses = pulses_of(heard, world.active)
    return min(each.still_s for each in pulses) if hang(heard, world.active) else None


def _recently_s(world: World) -> float:
    """Whoever was silent for longer has missed a heartbeat."""
    return world.missed_s / 2


def _silence_s(node: Node, world: World) -> float:
    return world.now_s - max(node.heartbeat_at_s or 0.0, world.listening_since_s)


def _still_s(world: World, active: Generation, members: Sequence[Node], *, times: float = 1.0) -> float | None:
    """For how long no member has made a turn, if that is too long.

    The first one may take long, and is waited for; but not after a generation that stood still.
    """
    pulses = pulses_of(members, active)
    if not world.standstill_s or not _are_to_turn(members) or (not pulses and not world.hung):
        return None
    if not pulses:
        since_s = max(active.started_at_s, world.listening_since_s)
        return age_s if (age_s := world.now_s - since_s) > max(times, _FIRST) * world.standstill_s else None
    is_over = all(_is_overdue(each, world, times=times) for each in pulses)
    return min(each.still_s for each in pulses) if is_over else None


def _are_to_turn(members: Sequence[Node]) -> bool:
    """Whether none of them is done, or stores what it has come to: the others may wait for that."""
    return all(node.agent_state in (AgentState.STARTING, AgentState.RUNNING) for node in members)


def _is_overdue(pulse: Pulse, world: World, *, times: float = 1.0) -> bool:
    return pulse.has_stopped(least_s=times * world.standstill_s, times=_PAUSES * min(times, 2.0))


def _members(world: World, active: Generation) -> list[Node]:
    return [node for node_id in active.node_ids if (node := world.member(node_id)) is not None]


def _has_spoken(node: Node) -> bool:
    return node.phase is NodePhase.JOINED and lives(node) and node.agent_state is not None
