"""Ranks that learn of a drain at different turns stop at the same one."""

from __future__ import annotations

import random

import pytest

from elastic.worker.agreement import Agreement, default_store


class Store:
    """A store in memory that ends when a rank that serves it does."""

    def __init__(self) -> None:
        self.content: dict[str, str] = {}
        self.is_served = True

    def set(self, key: str, value: str) -> None:
        self._reach()
        self.content[key] = value

    def check(self, keys: list[str]) -> bool:
        self._reach()
        return all(key in self.content for key in keys)

    def get(self, key: str) -> bytes:
        self._reach()
        return self.content[key].encode()

    def _reach(self) -> None:
        if not self.is_served:
            raise RuntimeError("the store is gone")


@pytest.mark.parametrize("seed", range(200))
def test_ranks_that_meet_every_turn_stop_after_the_same_one(seed: int) -> None:
    chance = random.Random(seed)
    size = chance.randint(1, 5)
    store = Store()
    ranks = [Agreement(store, rank=rank, world_size=size, generation=1) for rank in range(size)]
    seen_at = [chance.randint(1, 6) for _ in ranks]
    ended: list[int] = [0] * size
    stopped: dict[int, int] = {}
    while len(stopped) < size:
        # A collective in each turn: nobody ends one that another has not begun.
        able = [rank for rank in range(size) if rank not in stopped and ended[rank] <= min(ended)]
        rank = chance.choice(able)
        ended[rank] += 1
        if ended[rank] >= seen_at[rank] and ranks[rank].is_over(ended[rank]):
            stopped[rank] = ended[rank]
            store.is_served = False
    assert len(set(stopped.values())) == 1
    assert next(iter(stopped.values())) == max(seen_at) + 2


def test_without_torch_there_is_nothing_to_agree_by() -> None:
    assert default_store() is None
