"""Members whose state has come to differ find that out, and who of them is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

from elastic.workloads.session import Session, SessionEnded, SessionSettings
from elastic.workloads.session.rounds import Round
from elastic.workloads.session.state import State
from elastic.workloads.session.turns import ControlValues
from elastic.workloads.session.turns.control_values import EVERY, FIRST_STEPS, PIECE_BYTES, UNLIKE
from tests.workloads.session.meetings import met
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import assert_near, undisturbed
from tests.workloads.session.stores import serve_store, session_settings

TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def _apply(gradients: Sequence[Tensor | None], step: int) -> None:
    raise AssertionError("nobody trains here")


def _state(dtype: torch.dtype) -> State:
    large = torch.arange(3 * PIECE_BYTES // dtype.itemsize + 5).to(dtype)
    image = torch.ones(4, 3, 5, 5, dtype=dtype).to(memory_format=torch.channels_last)
    return State.of(
        [
            (large, torch.zeros(())),
            (image, torch.zeros(0)),
            (torch.ones(6, 4, dtype=dtype)[:, :2],),
        ],
        _apply,
    )


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_any_value_that_differs_is_found_in_one_round_of_steps(dtype: torch.dtype) -> None:
    state = _state(dtype)
    control, steps = ControlValues(state), range(0, 3 * 4 * EVERY, EVERY)
    usual = [control.fingerprint(step) for step in steps]
    for tensor in (each for unit in state.units for each in unit if each.numel()):
        for place in (0, tensor.numel() - 1):
            value = tensor.flatten()[place].item()
            at = torch.unravel_index(torch.tensor(place), tensor.shape)
            for other in (-value - 1, 2 * value + 4):
                tensor[at] = other
                assert [control.fingerprint(step) for step in steps] != usual
            tensor[at] = value
    assert [control.fingerprint(step) for step in steps] == usual


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_fingerprint_is_held_exactly_by_the_type_that_it_rides_in(dtype: torch.dtype) -> None:
    control = ControlValues(_state(dtype))
    for step in range(12):
        own = control.own(met(1, ("a", "b"), 1), offered=None, cost=0.0, step=step)
        assert own.to(dtype).tolist()[5] == control.fingerprint(step)


def test_states_are_compared_in_each_of_a_round_s_first_sums_then_now_and_then_or_when_asked() -> (
    None
):
    control = ControlValues(_state(torch.float32))

    def compared(round_: Round, steps: Sequence[int], *, is_due: bool = False) -> list[int]:
        told = {}
        for step in steps:
            for _ in range(2):  # what is not summed in the end counts on no rank
                told[step] = control.own(
                    round_, offered=None, cost=0.5, step=step, is_due=is_due
                ).tolist()
            control.compared([0.0] * 6 + [1.0] * 2, round_)
        assert all(each[:5] == [0.0, 0.0, 0.0, 0.5, 0.0] for each in told.values())
        assert len({tuple(each[6:]) for each in told.values()}) == 1
        assert all(each[5] >= 0 or each[5] == -1 - step for step, each in told.items())
        return [step for step, each in told.items() if each[5] >= 0]

    first, next_ = (met(number, ("a", "b"), 1) for number in (1, 2))
    steps = range(3, 3 + FIRST_STEPS)
    assert compared(first, steps) == list(steps)
    assert compared(first, range(20, 40)) == [24, 32]
    assert compared(first, [41], is_due=True) == [41]
    assert compared(next_, [42, 43]) == [42, 43]
    alone = control.own(met(3, ("a",), 0), offered=next_, cost=0.5, step=48)
    assert alone.tolist()[:3] == [-1.0, 0.5, -49.0]


@pytest.mark.parametrize(
    ("ahead", "is_agreed"),
    [([1, 1, 1], True), ([1, 0, 1], False), ([1, 2, 1], False), ([0, 0, 0], False)],
    ids=str,
)
def test_ranks_change_over_only_together_and_to_the_same_round(
    ahead: Sequence[float], is_agreed: bool
) -> None:
    told = [*ahead, 0.1, 0.2, 0.3, 7.0, 7.0, 7.0, 9.0, 9.0, 9.0]
    round_ = met(1, ("a", "b", "c"), 0)
    found = ControlValues(_state(torch.float32)).compared(told, round_)
    assert found == ([0.1, 0.2, 0.3], is_agreed, False, None)


def test_consecutive_steps_compare_other_units() -> None:
    prints = [ControlValues(_state(torch.float32)).fingerprint(step) for step in range(EVERY)]
    assert len(set(prints)) > len(prints) / 2


def _source(prints: Sequence[float], are_new: Sequence[bool]) -> int | None:
    """Gives the rank with whose state all are brought level, as each of them finds it; None where
    they are."""
    names = tuple("abcd"[: len(prints)])
    told = [0.0] * 2 * len(prints) + list(prints) + [1.0] * len(prints)
    rounds = [met(7, names, rank, are_new=tuple(are_new)) for rank in range(len(prints))]
    (source,) = {
        ControlValues(_state(torch.float32)).compared(told, each).source for each in rounds
    }
    return source


def test_right_is_what_most_of_those_have_who_were_there_before_whatever_their_rank() -> None:
    assert _source([5, 5, 5], [False, False, True]) is None
    assert _source([5, 5, 6], [False, False, True]) == 0
    assert _source([6, 5], [True, False]) == 1
    assert _source([6, 5, 6], [True, False, True]) == 1, "however many come with it"
    assert _source([6, 5, 5], [False] * 3) == 1, "among equals the most are right"
    assert _source([5, 6], [True, True]) == 0, "or the first rank"


@pytest.mark.parametrize(
    ("arithmetics", "is_exact"),
    [([9.0, 9.0], False), ([9.0, 8.0], True), ([9.0, UNLIKE], True), ([UNLIKE, UNLIKE], True)],
    ids=str,
)
def test_ranks_that_calculate_otherwise_or_are_followed_by_one_that_does_apply_in_exact_arithmetic(
    arithmetics: Sequence[float], is_exact: bool
) -> None:
    control, round_ = ControlValues(_state(torch.float32)), met(1, ("a", "b"), 1)
    for step in range(3 * FIRST_STEPS):
        own = control.own(
            round_, offered=None, cost=0.0, step=step, is_unlike=arithmetics[1] == UNLIKE
        )
        assert (own[7] == UNLIKE) == (arithmetics[1] == UNLIKE)
        told = control.compared([0.0] * 6 + list(arithmetics), round_)
        assert told.is_exact is is_exact
    step = 3 * FIRST_STEPS + 1
    is_compared = bool(control.own(round_, offered=None, cost=0.0, step=step)[5] >= 0)
    assert is_compared is is_exact, "unlike ranks compare their states at each step"


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    store.close()


@pytest.mark.timeout(60)
def test_a_newcomer_that_calculates_otherwise_is_out_and_the_members_lose_nothing(
    settings: SessionSettings,
) -> None:
    old, new = Task(dtype=torch.float64, width=16), Task(dtype=torch.float64, width=16)

    def otherwise(gradients: Sequence[Tensor | None], step: int) -> None:
        new.adam.step(gradients, lr=1e-2)

    def newcomer() -> str:
        with Session.join(
            new.units(), otherwise, batch=BATCH, numbers=1, settings=settings
        ) as session:
            try:
                while session.is_member:
                    session.run(new.compute)
                return "has left"
            except SessionEnded as ended:
                return str(ended)

    with (
        Session.join(old.units(), old.apply, batch=BATCH, numbers=1, settings=settings) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        coming = pool.submit(newcomer)
        worlds = set()
        while not coming.done() or session.round.world_size > 1:
            step = session.step
            assert session.run(old.compute) is not None and session.step == step + 1
            worlds.add(session.round.world_size)
        assert (
            "this process has other values than the session's members" in coming.result()
            and worlds == {1, 2}
        )
        assert (
            "Name in its unit every tensor that apply moves, also the optimizer's state. Load"
            in coming.result()
        )
        assert_near(session.snapshot().tensors[::4], undisturbed(session.step), tolerance=1e-12)
