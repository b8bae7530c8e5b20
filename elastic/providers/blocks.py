"""What cannot be bought for a while: one list for every provider's refusals and for machines that
never joined."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from elastic.model import Obstacle, Offering, Unavailable, longest_block

FIRST_S = 180.0
LONGEST_S = 1800.0


@dataclass(frozen=True, slots=True)
class _Block:
    unavailable: Unavailable
    lasts_s: float

    @property
    def key(self) -> tuple[Offering, int, Obstacle]:
        return self.unavailable.offering, self.unavailable.nodes, self.unavailable.why


class Blocks:
    """Which offerings are left alone, from how many nodes on; in memory only: a new daemon may try
    them all again.

    Who was refused four machines at once may still have two, so each count that was refused has a
    block of its own, which stands for every greater one too.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: dict[tuple[Offering, int, Obstacle], _Block] = {}

    def block(
        self,
        offering: Offering,
        why: Obstacle = Obstacle.CAPACITY,
        *,
        nodes: int = 1,
        first_s: float = FIRST_S,
        longest_s: float = LONGEST_S,
        now_s: float,
    ) -> float:
        """Leaves `nodes` or more of an offering alone for `first_s`, or for twice as long as the
        last time.

        Gives the instant of their release. What refused fewer the last time refused so many too.
        """
        with self._lock:
            # Left alone for longer than the longest block: what was refused then says nothing of
            # now.
            recent = [
                each for each in self._of(offering) if now_s <= each.unavailable.until_s + longest_s
            ]
            last_s = max(
                (each.lasts_s for each in recent if each.unavailable.nodes <= nodes), default=0.0
            )
            lasts_s = min(max(first_s, 2 * last_s), longest_s)
            self._put(_Block(Unavailable(offering, now_s + lasts_s, why, nodes), lasts_s))
            return now_s + lasts_s

    def release(self, offering: Offering) -> None:
        """Any number may be asked for again; whether a machine of it will ever join is another
        question."""
        with self._lock:
            self._forget(offering)

    def sold(self, offering: Offering, nodes: int) -> None:
        """So many were to be had after all, and of what was refused so many fewer are left.

        Whoever was refused four and then got two would be refused two more.
        """
        with self._lock:
            for each in self._forget(offering):
                left = each.unavailable.nodes - nodes
                if left > 0:
                    self._put(replace(each, unavailable=replace(each.unavailable, nodes=left)))

    def of(self, offering: Offering, *, nodes: int = 1, now_s: float) -> Unavailable | None:
        """Why and until when so many of this offering are not bought; None if they may be."""
        return longest_block(self.listed(now_s=now_s), offering, nodes, now_s=now_s)

    def listed(self, *, now_s: float) -> tuple[Unavailable, ...]:
        """All that is left alone now, in the order of the offerings, of each the fewest nodes
        first.

        A greater number is listed apart only where it is left alone for longer than the smaller
        one.
        """
        with self._lock:
            found = [
                each.unavailable
                for each in self._blocks.values()
                if each.unavailable.until_s > now_s
            ]
        listed: list[Unavailable] = []
        for each in sorted(found, key=lambda each: (each.offering, each.nodes, -each.until_s)):
            if (
                not listed
                or listed[-1].offering != each.offering
                or listed[-1].until_s < each.until_s
            ):
                listed.append(each)
        return tuple(listed)

    def _of(self, offering: Offering) -> list[_Block]:
        return [each for each in self._blocks.values() if each.unavailable.offering == offering]

    def _put(self, block: _Block) -> None:
        self._blocks[block.key] = block

    def _forget(self, offering: Offering) -> list[_Block]:
        """Drops what buying one disproves; a machine that never joined is none of it. Gives what
        was dropped."""
        dropped = [
            each
            for each in self._of(offering)
            if each.unavailable.why is not Obstacle.FAILED_TO_JOIN
        ]
        for each in dropped:
            del self._blocks[each.key]
        return dropped
