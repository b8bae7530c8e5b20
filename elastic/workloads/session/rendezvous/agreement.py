"""Decides how membership must change, from what one member sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

# The gradients' buffers have room for four numbers of each: 32 KiB in float64.
MAX_MEMBERS = 1024


class Move(StrEnum):
    """What a member does about membership."""

    HOLD = "hold"
    PUBLISH = "publish"
    REJOIN = "rejoin"


@dataclass(frozen=True, slots=True)
class MemberView:
    """What one member sees: the store's round and its members, and what it knows itself."""

    me: str
    round: int
    participants: Sequence[str]
    # The newest round that this process was a member of, and its members.
    known: int
    known_members: Sequence[str]
    # The newest round that any member trained in, as reported to a store that lost its memory.
    floor: int = 0
    # The newest number that was given out.
    registered: int = 0
    # The members of the round that this process trains in, or trained in last.
    trained: Sequence[str] = ()
    is_leaving: bool = False
    # Whether the newest round cannot go on although no member is gone.
    is_stuck: bool = False
    # Members known to be dead or silent.
    gone: frozenset[str] = field(default_factory=frozenset)
    # Newcomers that wait with complete state.
    arrived: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class AgreedMove:
    """A move, and the members and number of the round to publish."""

    move: Move
    members: tuple[str, ...] = ()
    number: int = 0


HOLD = AgreedMove(Move.HOLD)


def decide(sight: MemberView) -> AgreedMove:
    """Returns what a member must do next.

    A store that knows less than a member has lost its memory. The member then publishes its own
    round again as the next one, unless a newer round was recorded than it ever saw. It does the
    same if its round was emptied, because it is alive. A member that a newer round left out joins
    again.
    """
    if sight.round < sight.known:
        if sight.known < sight.floor:
            return AgreedMove(Move.REJOIN)
        return _next(sight, sight.known_members)
    if sight.round == sight.known and not sight.participants:
        # A newcomer that reached no member assumed that all are dead, and has founded nothing yet.
        return _next(sight, sight.known_members)
    if sight.me not in sight.participants:
        if sight.is_leaving:
            return HOLD
        return AgreedMove(Move.REJOIN)
    is_changed = (
        _leaves(sight, sight.participants) or sight.is_stuck or sight.gone & set(sight.participants)
    )
    is_joined = bool(_admitted(sight, sight.participants))
    if is_changed or is_joined:
        return _next(sight, sight.participants)
    return HOLD


def _leaves(sight: MemberView, base: Sequence[str]) -> bool:
    """Whether this member may leave as it asked.

    It may not before another member that stays has trained with it: the state would be lost with
    it. A newcomer may be lost before it has all of the state.
    """
    return sight.is_leaving and bool(
        set(base).intersection(sight.trained) - sight.gone - {sight.me}
    )


def _admitted(sight: MemberView, base: Sequence[str]) -> set[str]:
    """Returns the newcomers that join now; those without room keep waiting."""
    # Sorted, so that every member admits the same newcomers.
    staying = set(base) - sight.gone
    return set(sorted(sight.arrived - sight.gone - staying)[: max(0, MAX_MEMBERS - len(staying))])


def _next(sight: MemberView, base: Sequence[str]) -> AgreedMove:
    # A member that must leave stays until another member has the state.
    without = sight.gone | ({sight.me} if _leaves(sight, base) else set())
    members = tuple(sorted((set(base) | _admitted(sight, base)) - without))
    return AgreedMove(
        Move.PUBLISH, members, max(sight.round, sight.known, sight.floor, sight.registered) + 1
    )
