"""How a global batch is divided among ranks of unequal speed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elastic.workloads.session.division import Pace, slice_of
from elastic.workloads.session.division.shares import next_split, split

COSTS = st.lists(st.one_of(st.just(0.0), st.floats(1e-5, 10.0)), min_size=1, max_size=9)


@given(batch=st.integers(1, 200), costs=COSTS)
def test_covers_the_batch_exactly_and_leaves_nobody_out(batch: int, costs: list[float]) -> None:
    found = split(batch, costs, spares=False)
    assert sum(found) == batch == sum(split(batch, costs))
    assert min(found) >= (1 if batch >= len(costs) else 0)
    places = [place for rank in range(len(costs)) for place in slice_of(found, rank)]
    assert places == list(range(batch))


@given(batch=st.integers(20, 400), costs=st.lists(st.floats(0.5, 4.0), min_size=1, max_size=6))
def test_takes_hardly_longer_than_the_ideal(batch: int, costs: list[float]) -> None:
    ideal_s = batch / sum(1 / cost for cost in costs)
    duration_s = max(share * cost for share, cost in zip(split(batch, costs), costs, strict=True))
    assert duration_s <= ideal_s + max(costs)


@given(batch=st.integers(3, 24), costs=st.lists(st.floats(0.5, 8.0), min_size=3, max_size=3))
def test_no_other_split_is_done_sooner(batch: int, costs: list[float]) -> None:
    def duration_s(shares: Sequence[int]) -> float:
        return max(share * cost for share, cost in zip(shares, costs, strict=True))

    others = [(a, b, batch - a - b) for a in range(1, batch - 1) for b in range(1, batch - a)]
    assert duration_s(split(batch, costs)) <= min(map(duration_s, others)) * (1 + 1e-9)


def test_gives_an_unmeasured_rank_the_usual_share() -> None:
    assert split(12, (1.0, 0.0, 1.0)) == (4, 4, 4)


def test_respects_what_fits_a_ranks_memory() -> None:
    assert split(12, (1.0, 1.0, 1.0), limits=(None, 2, None)) == (5, 2, 5)
    with pytest.raises(ValueError, match="does not fit"):
        split(12, (1.0, 1.0), limits=(2, 3))


def test_keeps_a_split_that_is_nearly_as_good() -> None:
    assert next_split(48, (24, 24), (1.0, 1.02)) == (24, 24)
    assert next_split(48, (24, 24), (1.0, 0.0)) == (24, 24), "nothing is known of the second yet"
    assert next_split(48, (24, 24), (1.0, 3.0)) == (36, 12)


@given(
    batch=st.integers(6, 200),
    costs=st.lists(st.floats(0.5, 2.0), min_size=2, max_size=5),
    data=st.data(),
)
def test_moves_wherever_that_gains_enough(
    batch: int, costs: list[float], data: st.DataObject
) -> None:
    others = data.draw(st.lists(st.floats(0.5, 2.0), min_size=len(costs), max_size=len(costs)))
    now, better = split(batch, others), split(batch, costs)

    def duration_s(shares: Sequence[int]) -> float:
        return max(share * cost for share, cost in zip(shares, costs, strict=True))

    gain = duration_s(now) / duration_s(better)
    if gain > 1.05 + 1e-9:
        assert next_split(batch, now, costs) == better
    elif gain < 1.05 - 1e-9 and all(
        2 * share > wanted + 1 for share, wanted in zip(now, better, strict=True)
    ):
        assert next_split(batch, now, costs) == now


def test_tries_a_newcomer_with_a_few_samples_however_many_the_others_are() -> None:
    for others in (1, 2, 30):
        costs = [1.0] * others + [0.0]
        now = (*split(960, costs[:-1]), 0)
        tried = next_split(960, now, costs)
        assert 0 < tried[-1] <= 960 / (others + 1) / 2
        assert max(tried[:-1]) <= max(now)
        assert next_split(960, tried, [1.0] * (others + 1))[-1] == pytest.approx(
            960 / (others + 1), abs=1
        )


def test_lets_the_first_measurement_count_in_full_and_an_odd_one_by_half() -> None:
    pace = Pace()
    assert [pace.after(cost_s) for cost_s in (2.0, 4.0, 3.0)] == [2.0, 3.0, 3.0]


@pytest.mark.parametrize("cost_s", [8.0, 0.5])
def test_believes_a_change_of_pace_at_its_second_turn(cost_s: float) -> None:
    pace = Pace()
    for _ in range(10):
        pace.after(2.0)
    assert pace.after(cost_s) == (2.0 + cost_s) / 2
    assert pace.after(cost_s * 1.1) == pytest.approx(cost_s * 1.05)
