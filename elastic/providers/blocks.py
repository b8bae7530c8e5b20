"""What cannot be bought for a while: one list for every provider's refusals and for machines that never joined."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from elastic.model import Obstacle, Offering, Unavailable

FIRST_S = 180.0
LONGEST_S = 1800.0


@dataclass(frozen=True, slots=True)
class _Block:
    unavailable: Unavailable
    lasts_s: float


class Blocks:
    """Which offerings are left alone, in memory only: a new daemon may try them all again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: dict[Offering, _Block] = {}

    def block(
        self,
        offering: Offering,
        why: Obstacle = Obstacle.CAPACITY,
        *,
        first_s: float = FIRST_S,
        longest_s: float = LONGEST_S,
        now_s: float,
    ) -> float:
        """Leaves an offering alone for `first_s`, twice as long as the last time; gives the instant of its release."""
        with self._lock:
            last = self._blocks.get(offering)
            # Left alone for longer than the longest block: what was refused then says nothing of now.
            is_again = last is not None and now_s <= last.unavailable.until_s + longest_s
            lasts_s = min(max(first_s, 2 * last.lasts_s if last is not None and is_again else first_s), longest_s)
            self._blocks[offering] = _Block(Unavailable(offering, now_s + lasts_s, why), lasts_s)
            return now_s + lasts_s

    def release(self, offering: Offering) -> None:
        """There was one to be had; whether it will ever join is another question."""
        with self._lock:
            found = self._blocks.get(offering)
            if found is not None and found.unavailable.why is not Obstacle.FAILED_TO_JOIN:
                del self._blocks[offering]

    def of(self, offering: Offering, *, now_s: float) -> Unavailable | None:
        """Why and until when none of this offering is bought; None if it may be."""
        return next((each for each in self.listed(now_s=now_s) if each.offering == offering), None)

    def listed(self, *, now_s: float) -> tuple[Unavailable, ...]:
        """All that is left alone now, in the order of the offerings."""
        with self._lock:
            found = [each.unavailable for each in self._blocks.values()]
        return tuple(sorted((each for each in found if each.until_s > now_s), key=lambda each: each.offering))
