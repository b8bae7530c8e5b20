"""Who of a job's nodes is cut off while others are heard, and whose workers have stopped making
turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from elastic.figures import duration
from elastic.model import PARAMOUNT_LINES, AgentState, Generation, Mode, Node, NodePhase, Pulse
from elastic.model.node import HANGS_S
from elastic.reconciler.world import World, lives

_GOES_ON_S = 10.0
"""A member that made a turn within so long, or twice the longest pause so far, goes on."""

_PAUSES = 3.0
"""A turn is overdue after so many times the longest pause so far; after twice that more is done
than to tell of it."""

_RESTART, _FIRST, _FIRST_OF_ALL, _MOST_DOUBLINGS = 10.0, 2.0, 5.0, 4
"""Of the patience after which it is told that a job stands still: when it starts again, how long a
first turn may take after that, and where none stood still before; and how often a patience doubles.
"""


_UNKNOWN_S = 5.0
"""While nothing is known of a job, for its first minute or so, a pause like that would be no
surprise."""

_NEWS = 1.1
"""A longest pause is learnt where it is so many times what was known: each time costs a commit."""

_SOON_S = 5.0
"""Who will hang so soon is looked at again until then."""


_UNSEEN = f"if the script trains, let it say so: {PARAMOUNT_LINES}"


@dataclass(frozen=True, slots=True)
class Idle:
    """What is paid and makes no turns: all of a job, or one node of it; and why somebody should be
    told."""

    text: str
    node_id: str | None = None


def why_begin_anew(world: World, active: Generation) -> str | None:
    """Why members of no session, all of whom are heard, start again: none of them makes
    turns.

    Each time that did not help, the next one is twice as far off.
    """
    members = _members(world, active)
    # It may load for as long as it has to.
    is_new = not world.hung and not _has_turned(world, active)
    if (
        world.job.spec.mode is Mode.LIVE
        or is_new
        or any(is_silent(node, world) for node in members)
    ):
        return None
    still_s = _still_s(world, active, members, times=_RESTART * _growth(world))
    return (
        None if still_s is None else f"no turn for {duration(still_s)}: the same nodes start again"
    )


def idle(world: World) -> tuple[Idle, ...] | None:
    """Everything of the job whose next turn is long overdue; None where nobody can tell that or
    that turns are made."""
    active = world.active
    if not world.timeouts.standstill_s:
        return ()
    if active is None or active.drain_at_s is not None:
        return None
    silent = [node.id for node in _members(world, active) if is_silent(node, world)]
    heard = [node for node in _members(world, active) if node.id not in silent]
    if (still_s := _still_s(world, active, heard)) is not None:
        unheard = f"; {', '.join(sorted(silent))} cannot be heard" if silent else ""
        if not world.job.iteration and not _has_turned(world, active):
            return (Idle(f"no optimizer step was seen in {duration(still_s)}: {_UNSEEN}{unheard}"),)
        return (Idle(f"no turn for {duration(still_s)}{unheard}"),)
    if not _turns_are_made(world, active, heard):
        return None
    return tuple(
        Idle(
            f"{node.id} has made no turn for {duration(node.pulse.still_s)}, while others go on",
            node.id,
        )
        for node in outside(world, active)
        if node.pulse is not None
    )


def _turns_are_made(world: World, active: Generation, members: Sequence[Node]) -> bool:
    """Whether all members make turns, or in a session some; what a node that was cut off had sent
    may come in late."""
    are_made = [not _is_overdue(each, world) for each in _pulses(world, active, members)]
    return any(are_made) if world.job.spec.mode is Mode.LIVE else bool(are_made) and all(are_made)


def outside(world: World, active: Generation, *, times: float = 1.0) -> list[Node]:
    """Members of a session who train with nobody, by their agents' word, while others do; for
    `times` the usual."""
    heard = [node for node in _members(world, active) if not is_silent(node, world)]
    go_on = any(not each.has_stopped(least_s=_GOES_ON_S) for each in _pulses(world, active, heard))
    if world.job.spec.mode is not Mode.LIVE or not world.timeouts.standstill_s or not go_on:
        return []
    inside = [node for node in heard if node.agent_state is AgentState.RUNNING]
    return [
        node
        for node in inside
        for each in _pulses(world, active, [node])
        if _is_overdue(
            replace(each, longest_s=max(each.longest_s, _longest_s(node))), world, times=times
        )
    ]


def cut_off(world: World) -> frozenset[str]:
    """Ids of nodes that have been silent for a while, though others of the job are heard; none in a
    session.

    There the members find out by themselves, and train on.
    """
    return _silent_for(world, _patience_s(world))


def may_be_cut_off(world: World) -> bool:
    """Whether that will be known in a moment: some stand still, or will, and another has missed a
    heartbeat or two."""
    missed, lost = _silent_for(world, _recently_s(world)), cut_off(world)
    is_known = missed == lost and _wait_s(world) is not None
    return bool(missed) and not is_known and _wait_s(world, soon_s=_SOON_S) is not None


def newly_learnt_s(world: World) -> float | None:
    """The longest pause of the job's own, where that is not on record yet: one that every member
    has reported.

    Who was cut off tells of none: it knows that it was.
    """
    learnt_s, known_s = _learnt_s(world), world.longest_pause_s
    return (
        learnt_s
        if learnt_s is not None and (known_s is None or learnt_s > _NEWS * known_s)
        else None
    )


def is_silent(node: Node, world: World) -> bool:
    """Whether it has missed several heartbeats."""
    return _silence_s(node, world) > world.timeouts.silence_s


def is_out_of_reach(world: World, node: Node, *, since_s: float) -> bool:
    """Whether it is cut off, and was before this instant: it has not heard what was said then."""
    return node.id in cut_off(world) and (node.heartbeat_at_s or 0.0) <= since_s


def waits_in_vain(world: World, active: Generation, members: Sequence[Node | None]) -> str | None:
    """Why `members`, at work, would wait for ever, where enough of them are left to go on without
    who is cut off.

    A node that is cut off from the daemon alone trains on, and so do the others.
    """
    missed = _silent_for(world, max(_patience_s(world), _missed_s(world)))
    lost = sorted(missed.intersection(node.id for node in members if node is not None))
    heard = [node for node in members if node is not None and node.id not in lost]
    if not lost or len(heard) < world.job.spec.nodes_min:
        return None
    if _hang(world, active, heard):
        return f"{', '.join(lost)} cannot be heard, and the others stand still"
    return (
        f"{', '.join(lost)} cannot be heard, and no turn was made yet"
        if _begin(world, active, heard)
        else None
    )


def _begin(world: World, active: Generation, members: Sequence[Node]) -> bool:
    """Whether these have begun a generation in which nobody has made a turn yet, so that none is
    lost with it.

    A script that tells of none in a whole lease may make turns all the same.
    """
    have_begun = all(node.agent_generation == active.number for node in members) and _are_to_turn(
        members
    )
    return (
        have_begun
        and not _has_turned(world, active)
        and world.now_s - active.started_at_s < world.timeouts.lease_s
    )


def _hang(
    world: World, active: Generation, members: Sequence[Node], *, soon_s: float = 0.0
) -> bool:
    """Whether no member's workers make turns any more, by the word of those whose agents know of
    any.

    With `soon_s` also whether they will be found to hang so soon, unless they make one.
    """
    pulses = _pulses(world, active, members)
    if soon_s:
        pulses = [
            replace(each, still_s=each.still_s + soon_s * (each.still_s >= HANGS_S))
            for each in pulses
        ]
    return bool(pulses) and all(each.hangs for each in pulses) and _are_to_turn(members)


def _pulses(world: World, active: Generation, members: Sequence[Node]) -> list[Pulse]:
    """What the agents said last of turns in this generation, with the longest pause that is the
    job's own.

    What was said to an earlier daemon says nothing of now.
    """
    pause_s = _pause_s(world, active)
    return [
        replace(node.pulse, longest_s=pause_s)
        for node in members
        if node.pulse is not None
        and node.agent_generation == active.number
        and (node.heartbeat_at_s or 0.0) >= world.listening_since_s
    ]


def _has_turned(world: World, active: Generation) -> bool:
    """Whether any member has reported a turn in this generation, to any daemon."""
    return any(
        node.pulse and node.agent_generation == active.number for node in _members(world, active)
    )


def _pause_s(world: World, active: Generation) -> float:
    """The job's longest pause: what is known of it, or all members of this generation have seen.

    In a pause of the script's own all of them pause; a member that was cut off does not report a
    pause that a link's failure made.
    """
    seen_s = min((each.longest_s for each in _told(world, active)), default=0.0)
    known_s = [each for each in (world.longest_pause_s, _learnt_s(world)) if each is not None]
    return max([*(known_s or [_UNKNOWN_S]), seen_s])


def _learnt_s(world: World) -> float | None:
    """The longest pause that every member of the generation tells of, once all know of theirs."""
    told_s = [] if world.active is None else [each.learnt_s for each in _told(world, world.active)]
    known_s = [each for each in told_s if each is not None]
    return min(known_s) if known_s and len(known_s) == len(told_s) else None


def _told(world: World, active: Generation) -> list[Pulse]:
    """What agents tell of this generation's turns, of nodes that make any; nothing where a member
    is gone."""
    members = _members(world, active)
    own = [
        node.pulse
        for node in members
        if node.pulse is not None and node.agent_generation == active.number
    ]
    return own if len(members) == len(active.node_ids) else []


def _longest_s(node: Node) -> float:
    return 0.0 if node.pulse is None else node.pulse.longest_s


def _silent_for(world: World, patience_s: float) -> frozenset[str]:
    if world.job.spec.mode is Mode.LIVE:
        return frozenset()
    speakers = [node for node in world.nodes if _has_spoken(node)]
    silent = {node.id for node in speakers if _silence_s(node, world) > patience_s}
    return frozenset(silent) if len(silent) < len(speakers) else frozenset()


def _patience_s(world: World) -> float:
    """How long a node may say nothing: not for long while others wait for turns, or have just been
    ended for that.

    Of two that were cut off at once one is silent for as long as the other stands still. Who was
    heard for long after that may be slow, such as at its first checkpoint, and others may wait for
    it.
    """
    if world.generation is not None and world.generation.hangs:
        return min(world.timeouts.missed_s, world.timeouts.silence_s)
    still_s, silence_s = _wait_s(world), world.timeouts.silence_s
    return silence_s if still_s is None else max(_missed_s(world), min(still_s / 2, silence_s))


def _missed_s(world: World) -> float:
    """How long the node that others wait for may be silent at least.

    Each generation of late that was ended for this doubles it: a pause with a silence of its own is
    given its time.
    """
    return world.timeouts.missed_s * _growth(world)


def _growth(world: World) -> float:
    return 2.0 ** min(world.hung, _MOST_DOUBLINGS)


def _wait_s(world: World, *, soon_s: float = 0.0) -> float | None:
    """For how long those members who were heard just now hang, or will `soon_s` from now; None if
    they do not."""
    if world.active is None:
        return None
    heard = [
        node
        for node in _members(world, world.active)
        if _silence_s(node, world) <= _recently_s(world)
    ]
    is_waiting = _hang(world, world.active, heard, soon_s=soon_s)
    return min(each.still_s for each in _pulses(world, world.active, heard)) if is_waiting else None


def _recently_s(world: World) -> float:
    """A node that was silent for longer has missed a heartbeat."""
    return world.timeouts.missed_s / 2


def _silence_s(node: Node, world: World) -> float:
    """How long it has said nothing, less what nobody was heard for meanwhile."""
    since_s = max(node.heartbeat_at_s or 0.0, world.listening_since_s)
    return (
        world.now_s
        - since_s
        - sum(lasted_s for ended_s, lasted_s in world.gaps if ended_s > since_s)
    )


def _still_s(
    world: World, active: Generation, members: Sequence[Node], *, times: float = 1.0
) -> float | None:
    """For how long no member has made a turn, if that is too long.

    The first one may take long; less so after a generation that stood still.
    """
    pulses = _pulses(world, active, members)
    if (
        not world.timeouts.standstill_s
        or not _are_to_turn(members)
        or (not pulses and _has_turned(world, active))
    ):
        return None
    if not pulses:
        patience_s = (
            max(times, _FIRST if world.hung else _FIRST_OF_ALL) * world.timeouts.standstill_s
        )
        since_s = max(active.started_at_s, world.listening_since_s)
        return age_s if (age_s := world.now_s - since_s) > patience_s else None
    is_over = all(_is_overdue(each, world, times=times) for each in pulses)
    return min(each.still_s for each in pulses) if is_over else None


def _are_to_turn(members: Sequence[Node]) -> bool:
    """Whether none of them is done, or stores what it has come to: the others may wait for that."""
    return all(node.agent_state in (AgentState.STARTING, AgentState.RUNNING) for node in members)


def _is_overdue(pulse: Pulse, world: World, *, times: float = 1.0) -> bool:
    return pulse.has_stopped(
        least_s=times * world.timeouts.standstill_s, times=_PAUSES * min(times, 2.0)
    )


def _members(world: World, active: Generation) -> list[Node]:
    return [node for node_id in active.node_ids if (node := world.member(node_id)) is not None]


def _has_spoken(node: Node) -> bool:
    return node.phase is NodePhase.JOINED and lives(node) and node.agent_state is not None
