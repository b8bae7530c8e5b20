"""The order of samples: a function of the seed and the position alone, on any fleet."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample of the job's endless sequence: an item, and where to cut it."""

    item: int
    # Fractions of the room that the cut leaves.
    top: float
    left: float
    is_mirrored: bool


def draw(position: int, *, items: int, seed: int) -> Draw:
    """Gives the `position`-th sample of the job: every epoch is a new shuffle of all items."""
    epoch, place = divmod(position, items)
    # A text as seed gives the same numbers on every platform.
    chance = random.Random(f"crop {seed} {position}")
    return Draw(
        _shuffled(items, seed, epoch)[place],
        chance.random(),
        chance.random(),
        chance.random() < 0.5,
    )


def share(batch_size: int, *, rank: int, world_size: int) -> range:
    """Returns `rank`'s places in the global batch, if all compute equally many, give or take one.

    Shares are contiguous, cover the batch exactly once and may be empty.

    >>> [list(share(5, rank=rank, world_size=2)) for rank in (0, 1)]
    [[0, 1], [2, 3, 4]]
    """
    return range(batch_size * rank // world_size, batch_size * (rank + 1) // world_size)


@lru_cache(maxsize=4)
def _shuffled(items: int, seed: int, epoch: int) -> tuple[int, ...]:
    order = list(range(items))
    random.Random(f"epoch {seed} {epoch}").shuffle(order)
    return tuple(order)
