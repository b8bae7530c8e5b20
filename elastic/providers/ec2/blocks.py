"""Offerings that were refused lately are left alone for a while: longer, the oftener they are refused."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from elastic.model import Offering

FIRST_S = 180.0
LONGEST_S = 1800.0


@dataclass(frozen=True, slots=True)
class _Block:
    until_s: float
    lasts_s: float


class Blocks:
    """Which offerings are blocked, in memory only: a new daemon may try them all again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks: dict[Offering, _Block] = {}

    def block(self, offering: Offering, *, now_s: float, at_least_s: float = FIRST_S) -> float:
        """Blocks an offering for 3 to 30 min, twice as long as the last time; gives the instant of its release."""
        with self._lock:
            last = self._blocks.get(offering)
            # Left alone for longer than the longest block: what was refused then says nothing of now.
            is_again = last is not None and now_s < last.until_s + LONGEST_S
            lasts_s = max(at_least_s, 2 * last.lasts_s if last is not None and is_again else FIRST_S)
            block = _Block(now_s + min(lasts_s, LONGEST_S), min(lasts_s, LONGEST_S))
            self._blocks[offering] = block
            return block.until_s

    def release(self, offering: Offering) -> None:
        """There was one to be had."""
        with self._lock:
            self._blocks.pop(offering, None)

    def blocked(self, now_s: float) -> Mapping[Offering, float]:
        """What is blocked, each until when."""
        with self._lock:
            return {each: block.until_s for each, block in self._blocks.items() if block.until_s > now_s}
