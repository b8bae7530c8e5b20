"""Lists what is not bought for a while, after refusals or machines that never joined."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from elastic.durations import LONGEST_BLOCK_S
from elastic.model import Obstacle, Offering, Unavailable, longest_block

# A first block lasts three minutes: EC2's capacity seldom returns sooner.
FIRST_S = 180.0


@dataclass(frozen=True, slots=True)
class _Block:
    unavailable: Unavailable
    lasts_s: float

    @property
    def key(self) -> tuple[Offering, int, Obstacle]:
        return self.unavailable.offering, self.unavailable.nodes, self.unavailable.why


class Blocks:
    """The offerings that are not bought now, each from a number of nodes on."""

    # In memory only: a new daemon may try all of them again. Two machines may be available where
    # four are not, so each number that was refused has its own block, which covers larger numbers.

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
        longest_s: float = LONGEST_BLOCK_S,
        now_s: float,
    ) -> float:
        """Blocks `nodes` or more of an offering for `first_s`, or for twice the last time.

        Returns the instant of the release. A block of fewer nodes counts as a last time, too.
        """
        with self._lock:
            # A block that ended longer ago than the longest block says nothing about now.
            recent = [
                each for each in self._of(offering) if now_s <= each.unavailable.until_s + longest_s
            ]
            last_s = max(
                (each.lasts_s for each in recent if each.unavailable.nodes <= nodes), default=0.0
            )
            lasts_s = min(max(first_s, 2 * last_s), longest_s)
            self._put(_Block(Unavailable(offering, now_s + lasts_s, why, nodes), lasts_s))
            return now_s + lasts_s

    def limit(self, offering: Offering, nodes: int, *, for_s: float, now_s: float) -> None:
        """Blocks more than so many nodes of an offering, unless that many are blocked already.

        A smaller group can still begin.
        """
        if self.of(offering, nodes=nodes + 1, now_s=now_s) is None:
            self.block(offering, nodes=nodes + 1, first_s=for_s, longest_s=for_s, now_s=now_s)

    def release(self, offering: Offering) -> None:
        """Removes the offering's blocks, except those for machines that never joined."""
        with self._lock:
            self._forget(offering)

    def sold(self, offering: Offering, nodes: int) -> None:
        """Notes that `nodes` of an offering were bought, so that blocks now cover fewer.

        If four were refused and two were sold, two more would be refused.
        """
        with self._lock:
            for each in self._forget(offering):
                left = each.unavailable.nodes - nodes
                if left > 0:
                    self._put(replace(each, unavailable=replace(each.unavailable, nodes=left)))

    def of(self, offering: Offering, *, nodes: int = 1, now_s: float) -> Unavailable | None:
        """Why and until when `nodes` of this offering are not bought; None if they may be."""
        return longest_block(self.listed(now_s=now_s), offering, nodes, now_s=now_s)

    def listed(self, *, now_s: float) -> tuple[Unavailable, ...]:
        """All blocks in force, by offering, the fewest nodes first.

        A larger number is listed only if it is blocked for longer than the smaller one.
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
        """Drops the blocks that a purchase disproves, and returns them.

        A purchase does not prove that a machine will join.
        """
        dropped = [
            each
            for each in self._of(offering)
            if each.unavailable.why is not Obstacle.FAILED_TO_JOIN
        ]
        for each in dropped:
            del self._blocks[each.key]
        return dropped
