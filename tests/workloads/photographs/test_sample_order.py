"""The order of samples: the job's own, never the fleet's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from elastic.workloads.photographs import draw, share


@given(batch=st.integers(0, 200), world_size=st.integers(1, 9))
def test_shares_cover_the_batch_exactly_once_and_differ_by_one_at_most(
    batch: int, world_size: int
) -> None:
    shares = [share(batch, rank=rank, world_size=world_size) for rank in range(world_size)]
    assert [place for part in shares for place in part] == list(range(batch))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_an_epoch_visits_every_item_once() -> None:
    assert sorted(draw(position, items=7, seed=3).item for position in range(7, 14)) == list(
        range(7)
    )


def test_epochs_and_seeds_shuffle_differently() -> None:
    def order(seed: int, epoch: int) -> list[int]:
        return [draw(epoch * 50 + place, items=50, seed=seed).item for place in range(50)]

    assert order(0, 0) != order(0, 1)
    assert order(0, 0) != order(1, 0)
    assert order(0, 0) == order(0, 0)


@given(position=st.integers(0, 10**9), seed=st.integers(0, 2**31 - 1))
def test_a_draw_is_a_function_of_its_position(position: int, seed: int) -> None:
    drawn = draw(position, items=11, seed=seed)
    assert drawn == draw(position, items=11, seed=seed)
    assert 0 <= drawn.top < 1 and 0 <= drawn.left < 1
