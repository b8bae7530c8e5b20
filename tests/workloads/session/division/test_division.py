"""A rank that is so slow that the others are better off without its sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean

from hypothesis import given
from hypothesis import strategies as st

from elastic.workloads.session.division import Division, Pace
from elastic.workloads.session.division.shares import first_split, next_split, split
from tests.workloads.session.meetings import met

Costs = Callable[[int], Sequence[float]]


def _run(
    batch: int,
    costs: Costs,
    turns: int,
    *,
    told: Sequence[float] | None = None,
    new: Sequence[bool] = (),
) -> list[tuple[int, ...]]:
    """Gives the splits of so many turns, where `costs` gives the ranks' seconds a sample in
    each."""
    size = len(costs(0))
    known = list(told or [0.0] * size)
    are_new = tuple(new) or (False,) * size
    division = Division(
        batch, met(1, tuple(map(str, range(size))), 0, costs=known, are_new=are_new)
    )
    paces, found = [Pace() for _ in range(size)], []
    for turn in range(turns):
        found.append(division.now)
        measured = [
            cost * bool(share) for cost, share in zip(costs(turn), division.now, strict=True)
        ]
        known = [
            pace.after(cost) or old for pace, cost, old in zip(paces, measured, known, strict=True)
        ]
        division.turned(known)
    return found


def _lengths(splits: Sequence[Sequence[int]], costs: Costs) -> list[float]:
    return [
        max(share * cost for share, cost in zip(each, costs(turn), strict=True))
        for turn, each in enumerate(splits)
    ]


def _crippled_from(first: int, last: int = 10**9) -> Costs:
    return lambda turn: (1.0, 1.0, 8.0 if first <= turn < last else 1.0)


def test_one_that_is_crippled_has_no_sample_after_two_turns() -> None:
    costs = _crippled_from(20)
    found = _run(6, costs, 400)
    assert found[19] == (2, 2, 2) and found[22] == (3, 3, 0)
    lengths = _lengths(found, costs)
    assert lengths[22:26] == [3.0] * 4 and mean(lengths[22:]) < 1.05 * 3.0, "its trials become few"


def test_it_is_back_after_as_long_again_at_the_latest() -> None:
    for ill in (5, 20, 100):
        costs = _crippled_from(20, 20 + ill)
        found = _run(6, costs, 40 + 3 * ill)
        assert found[20 + 2 * ill + 10 :] == [(2, 2, 2)] * (10 + ill)


def test_one_odd_turn_leaves_nobody_out() -> None:
    costs = _crippled_from(20, 21)
    assert all(min(each) for each in _run(6, costs, 60))


def test_two_that_are_crippled_are_both_left_out() -> None:
    assert split(8, (1.0, 20.0, 1.0, 20.0)) == (4, 0, 4, 0)
    assert split(8, (1.0, 20.0, 1.0, 30.0), limits=(2, None, None, None)) == (2, 0, 6, 0)
    assert split(8, (1.0, 20.0, 1.0, 30.0), limits=(2, None, 2, None)) == (2, 3, 2, 1), (
        "the others have no room"
    )


def test_one_that_is_known_to_be_crippled_begins_without() -> None:
    assert first_split(6, (1.0, 1.0, 8.0), limits=(None,) * 3, are_new=(False,) * 3) == (3, 3, 0)
    found = _run(6, lambda _: (1.0, 1.0, 8.0), 40, told=(1.0, 1.0, 8.0))
    assert [turn for turn, each in enumerate(found) if each[2]] == [4, 13, 30]


def test_a_newcomer_has_its_first_sample_at_once() -> None:
    new = (False, False, True)
    assert _run(6, lambda _: (1.0, 1.0, 1.0), 3, told=(1.0, 1.0, 0.0), new=new)[1:] == [
        (3, 2, 1),
        (2, 2, 2),
    ]
    assert _run(6, lambda _: (1.0, 1.0, 1.0), 2, told=(1.0, 1.0, 1.0), new=new)[1] == (2, 2, 2)


@given(batch=st.integers(1, 60), costs=st.lists(st.floats(0.1, 50.0), min_size=1, max_size=8))
def test_leaving_ranks_out_never_takes_longer(batch: int, costs: list[float]) -> None:
    def duration_s(shares: Sequence[int]) -> float:
        return max(share * cost for share, cost in zip(shares, costs, strict=True))

    spared = split(batch, costs)
    assert sum(spared) == batch
    assert duration_s(spared) <= duration_s(split(batch, costs, spares=False))
    assert next_split(batch, spared, costs) == spared, "it stays as it is"
