"""Which sample comes when: a pure function of the seed and of the samples seen so far, whatever the fleet."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample of the job's endless sequence: which item, and where to cut it (fractions of the room there is)."""

    item: int
    top: float
    left: float
    is_mirrored: bool


def draw(position: int, *, items: int, seed: int) -> Draw:
    """Gives the `position`-th sample of the job: every epoch is a new shuffle of all items."""
    epoch, place = divmod(position, items)
    chance = random.Random(f"crop {seed} {position}")
    return Draw(_shuffled(items, seed, epoch)[place], chance.random(), chance.random(), chance.random() < 0.5)


def share(batch_size: int, *, rank: int, weights: Sequence[float]) -> range:
    """Gives the places in the global batch that `rank` computes, in proportion to `weights` (one for each rank).

    Shares are contiguous, cover the batch exactly once and may be empty.

    >>> [list(share(5, rank=r, weights=(1, 1))) for r in (0, 1)]
    [[0, 1], [2, 3, 4]]
    >>> [len(share(48, rank=r, weights=(4, 4, 1))) for r in range(3)]
    [21, 21, 6]
    """
    bounds = [0, *(int(batch_size * part / sum(weights)) for part in accumulate(weights))]
    bounds[-1] = batch_size
    return range(bounds[rank], bounds[rank + 1])


@lru_cache(maxsize=4)
def _shuffled(items: int, seed: int, epoch: int) -> tuple[int, ...]:
    order = list(range(items))
    random.Random(f"epoch {seed} {epoch}").shuffle(order)
    return tuple(order)
