"""What a simulated script really does: its speed, and when it is done. No policy sees this."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from elastic.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Speeds:
    """Seconds an iteration by node type and number of nodes.

    Between two known sizes the step time is interpolated in logarithms. Beyond the largest known
    one, more nodes bring nothing.
    """

    known: Mapping[str, Mapping[int, float]]
    # For one node of any other type: then n nodes are n times as fast as one.
    default_s: float | None = None

    def step_s(self, node_types: tuple[tuple[str, int], ...]) -> float:
        """Seconds an iteration on a group. In a mix each node does as much as in a group of its own
        type.

        >>> speeds = Speeds({"small": {1: 1.0, 4: 0.25}})
        >>> [speeds.step_s((("small", count),)) for count in (1, 2, 4, 8)]
        [1.0, 0.5, 0.25, 0.25]
        """
        total = sum(count for _, count in node_types)
        per_s = sum(count / total / self._of(name, total) for name, count in node_types)
        return 1.0 / per_s

    def knows(self, node_type: str) -> bool:
        """Whether its speed is known."""
        return node_type in self.known or self.default_s is not None

    def _of(self, node_type: str, count: int) -> float:
        sizes = self.known.get(node_type)
        if not sizes:
            if self.default_s is None:
                raise InvalidInput(
                    f"speeds: {node_type}: wanted seconds an iteration on it, found none; add a "
                    "line"
                )
            return self.default_s / count
        counts = sorted(sizes)
        if count in sizes:
            return sizes[count]
        place = bisect_left(counts, count)
        if place == 0:
            return sizes[counts[0]]
        if place == len(counts):
            return sizes[counts[-1]]
        low = counts[place - 1]
        high = counts[place]
        share = math.log(count / low) / math.log(high / low)
        return math.exp((1 - share) * math.log(sizes[low]) + share * math.log(sizes[high]))


@dataclass(frozen=True, slots=True)
class Program:
    """The script of one job."""

    speeds: Speeds
    # It is done after so many, whatever the job's file says.
    iterations: int
    # The relative spread of a window's pace.
    noise: float = 0.02
    # The next ones: from a reply to the first step, to stop and save when asked, and between two
    # saves; a loss throws away what was done since the last one. Torch loads in 2 to 4 s, a large
    # script and its data in some more. Stops and saves take seconds
    # (benchmarks/checkpoint_pause.py), and a user's script saves every ten minutes or so.
    start_s: float = 20.0
    save_s: float = 2.0
    checkpoint_s: float = 600.0
