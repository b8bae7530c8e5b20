"""What is known of a spot pool's availability: how long it was available, how long it was not, and
what it is now."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from elastic.durations import LONGEST_BLOCK_S
from elastic.model.offering import Capacity, Offering

# Where each age bucket of a spell begins, in seconds. A spell is a stretch of time in one state.
AGES_S = (0.0, 600.0, 1800.0, 3600.0, 7200.0, 14_400.0, 28_800.0, 86_400.0)

_NONE = (0.0,) * len(AGES_S)


@dataclass(frozen=True, slots=True)
class Spells:
    """Spells of one state, by age: the seconds spent at each age, and how many spells ended there.

    `ended[i] / seconds[i]` is the rate at which a spell of age bucket `i` ends. Counts may be
    fractions: a prior is a spell that was not seen whole.
    """

    seconds: tuple[float, ...] = _NONE
    ended: tuple[float, ...] = _NONE

    def add(self, from_age_s: float, to_age_s: float, *, has_ended: bool) -> Spells:
        """The same with what was seen of one more spell, from one age to another.

        >>> Spells().add(0.0, 900.0, has_ended=True).seconds[:3]
        (600.0, 300.0, 0.0)
        >>> Spells().add(0.0, 900.0, has_ended=True).ended[:3]
        (0.0, 1.0, 0.0)
        """
        seconds = list(self.seconds)
        ended = list(self.ended)
        for place, begin_s in enumerate(AGES_S):
            if place + 1 < len(AGES_S):
                end_s = AGES_S[place + 1]
            else:
                end_s = float("inf")
            seconds[place] += max(0.0, min(to_age_s, end_s) - max(from_age_s, begin_s))
        if has_ended:
            ended[age_bucket(to_age_s)] += 1.0
        return replace(self, seconds=tuple(seconds), ended=tuple(ended))


# A refusal says nothing any more after this: no launch asks by then.
ASKED_WITHIN_S = 2 * LONGEST_BLOCK_S


@dataclass(frozen=True, slots=True)
class Pool:
    """One spot offering's history, over all jobs.

    Only what was seen counts: a launch that was granted or refused, a node that was held or taken
    back. A pool is up from a grant until a node is taken back. It is down from then, or from a
    refusal, until the next grant. Several nodes at the same time are one spell, and so are refusals
    that follow one another. If we end its last node ourselves, or no launch asks any more, the
    spell was not seen whole: its seconds count, but no end.
    """

    offering: Offering
    # Spells of being up that are over.
    up: Spells = Spells()
    # Spells of being down that are over.
    down: Spells = Spells()
    # Its present state; None if that is not known.
    is_up: bool | None = None
    # When the present spell began.
    since_s: float | None = None
    # When a state was last seen.
    seen_s: float | None = None
    # How many there were in the present spell.
    refusals: int = 0

    def granted(self, at_s: float) -> Pool:
        """The same once a launch was granted.

        >>> pool = Pool(Offering("c5.large")).refused(0.0).refused(300.0).granted(900.0)
        >>> pool.is_up, pool.since_s, pool.down.seconds[:2], pool.down.ended[:2]
        (True, 900.0, (600.0, 300.0), (0.0, 1.0))
        """
        known = self.as_of(at_s)
        if known.is_up:
            return replace(known, seen_s=at_s)
        return replace(_over(known, at_s, has_ended=True), is_up=True, since_s=at_s, seen_s=at_s)

    def refused(self, at_s: float) -> Pool:
        """The same once a launch was refused for want of capacity; what is held stays up."""
        known = self.as_of(at_s)
        if known.is_up:
            return known
        since_s = known.since_s
        if known.is_up is None:
            since_s = at_s
        return replace(
            known, is_up=False, since_s=since_s, seen_s=at_s, refusals=known.refusals + 1
        )

    def taken_back(self, at_s: float) -> Pool:
        """The same once a node was taken back; those that follow it belong to the same end."""
        if not self.is_up:
            return self
        return replace(_over(self, at_s, has_ended=True), is_up=False, since_s=at_s, seen_s=at_s)

    def let_go(self, at_s: float) -> Pool:
        """The same once we ended the last node of it."""
        if self.is_up:
            return replace(_over(self, at_s, has_ended=False), seen_s=at_s)
        return self

    def as_of(self, now_s: float) -> Pool:
        """The same at an instant: what was refused too long ago is not known to be down any more.

        >>> pool = Pool(Offering("c5.large")).refused(0.0).refused(1200.0).as_of(7200.0)
        >>> pool.is_up, pool.down.seconds[:3], sum(pool.down.ended)
        (None, (600.0, 600.0, 0.0), 0.0)
        """
        if self.is_up is not False or now_s - (self.seen_s or 0.0) <= ASKED_WITHIN_S:
            return self
        return _over(self, self.seen_s or 0.0, has_ended=False)


def age_bucket(age_s: float) -> int:
    """The bucket of `AGES_S` that an age falls into.

    >>> age_bucket(0.0), age_bucket(599.0), age_bucket(600.0), age_bucket(1e9)
    (0, 0, 1, 7)
    """
    return max(bisect_right(AGES_S, age_s) - 1, 0)


def _over(pool: Pool, at_s: float, *, has_ended: bool) -> Pool:
    """The pool without a present spell: that has lasted until `at_s`."""
    if pool.is_up is None or pool.since_s is None:
        return pool
    age_s = max(at_s - pool.since_s, 0.0)  # a cloud's clock may be a little behind ours
    rest = replace(pool, is_up=None, since_s=None, refusals=0)
    if pool.is_up:
        return replace(rest, up=pool.up.add(0.0, age_s, has_ended=has_ended))
    return replace(rest, down=pool.down.add(0.0, age_s, has_ended=has_ended))


# Losses a node and hour; of a group, any node's loss interrupts all.
LOSSES_PER_NODE_H: Mapping[Capacity, float] = {
    # 419 unplanned interruptions in 54 days of 16,384 GPUs, 8 a node (The Llama 3 Herd of Models,
    # arXiv:2407.21783).
    Capacity.ON_DEMAND: 419 / (54 * 24 * 16_384 / 8),
    # Clouds publish only how many of a market's nodes are taken back within a month. Chosen with
    # care for scarce ones, which go within a day; what it decides goes with its square root.
    Capacity.SPOT: 1 / 24,
}


def interruptions_per_h(offerings: Iterable[Offering]) -> float:
    """Gives how often an hour a group of nodes of these offerings is interrupted, on average.

    >>> round(1 / interruptions_per_h([Offering("small", Capacity.SPOT)] * 2))
    12
    """
    return sum(LOSSES_PER_NODE_H[each.capacity] for each in offerings)
