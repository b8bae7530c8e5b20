"""When the next checkpoint is due, by its cost and the risk of an interruption."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from elastic.durations import MINUTE_S


def best_interval_s(*, cost_s: float, interruptions_per_h: float) -> float:
    """Returns the seconds of training between checkpoints at which least time is lost.

    A checkpoint loses `cost_s`, and an interruption half an interval on average. So an hour loses
    3600 C / t + r t / 2 seconds, which is least at t = sqrt(2 C M). M = 3600 / r is the mean time
    between interruptions (J. W. Young, CACM 17(9), 1974; J. T. Daly, FGCS 22(3), 2006: its first
    order, good while C is far below M).

    >>> best_interval_s(cost_s=2.0, interruptions_per_h=1.0)
    120.0
    """
    return sqrt(2 * cost_s * 3600 / interruptions_per_h)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """When checkpoints are due.

    `most_iterations` is the limit between two; `interruptions_per_h` is None if unknown.
    """

    most_iterations: int
    interruptions_per_h: float | None = None

    def is_due(self, *, iterations: int, elapsed_s: float, cost_s: float | None) -> bool:
        """Whether a checkpoint is due, this long after the last one or the start.

        `cost_s` is what one costs training, None until one was made.

        >>> Rhythm(100, interruptions_per_h=1.0).is_due(iterations=7, elapsed_s=121.0, cost_s=2.0)
        True
        """
        if iterations >= self.most_iterations:
            return True
        if iterations < 1 or not self.interruptions_per_h:
            return False
        if cost_s is None:
            # The first checkpoint shows what one costs; until then nothing can be weighed.
            return elapsed_s >= MINUTE_S
        return elapsed_s >= best_interval_s(
            cost_s=cost_s, interruptions_per_h=self.interruptions_per_h
        )
