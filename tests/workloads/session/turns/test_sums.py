"""Ranks whose scripts make other sums than the others' end in their own words, and nobody else
does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from time import sleep
from typing import Any

import pytest
import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.session import Session, SessionEnded, SessionSettings, SessionStep
from elastic.workloads.session.turns.sums import FIRST_TURNS, Sum, odd
from tests.docs.pages import blocks
from tests.workloads.session.running import assert_near
from tests.workloads.session.stores import serve_store, session_settings

BATCH = 12
AHEAD = 30

Made = Callable[[SessionStep, int], Sequence[Tensor]]
"""Gives what a rank sums in a turn, so many turns after all had come together (before that: fewer
than 0)."""


def _ones(size: int = 3, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.ones(size, dtype=dtype)


class Fleet:
    """Members of one process each of which counts the turns in a weight, and sums what it is told
    to."""

    def __init__(self, settings: SessionSettings, *, turns: int = 0) -> None:
        self._settings, self._turns = settings, turns
        self.together: int | None = None  # the step after which that is counted as the first
        self.sessions: list[Session] = []

    def train(self, *made: Made) -> list[str | int]:
        """Has one after the other come in, and train until all have done their turns; gives by what
        each ended, or how many rounds there were since all were together."""
        with ThreadPoolExecutor(len(made)) as pool:
            ends: list[Future[str | int]] = []
            for index, each in enumerate(made):
                ends.append(pool.submit(self._member, each, len(made)))
                while len(self.sessions) == index and not ends[-1].done():
                    sleep(0.01)
            return [each.result(60) for each in ends]

    def _member(self, made: Made, size: int) -> str | int:
        weight = torch.zeros(100, dtype=torch.float64)

        def apply(gradients: Sequence[Tensor | None], step: int) -> None:
            (gradient,) = gradients
            if gradient is not None:
                weight.add_(gradient)

        def compute(turn: SessionStep) -> Sequence[Tensor]:
            if self.together is None and turn.world_size == size:
                self.together = turn.step + AHEAD
            sleep(0.002)  # one that trains alone leaves the others no time to come in
            for values in made(turn, -1 if self.together is None else turn.step - self.together):
                wanted = values * turn.world_size
                assert torch.equal(turn.all_reduce(values), wanted)
            return [torch.full_like(weight, len(turn.share) / turn.batch)]

        with Session.join([(weight,)], apply, batch=BATCH, settings=self._settings) as session:
            self.sessions.append(session)
            first = None
            while self.together is None or session.step < self.together + self._turns:
                try:
                    session.run(compute)
                except InvalidInput as error:
                    with pytest.raises(SessionEnded, match=r"turn.all_reduce no. "):
                        session.run(compute)  # a script that goes on all the same harms nobody
                    return str(error)
                first = (
                    session.round.number
                    if session.round.world_size == size and not first
                    else first
                )
            assert (weight - session.step).abs().max() < 1e-9, (
                "no turn is lost, and none done twice"
            )
            return session.round.number - (first or 0)


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    store.close()


def _same(turn: SessionStep, since: int) -> Sequence[Tensor]:
    return [_ones()]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (
            lambda turn, _: [_ones(3 if turn.share else 1)],
            "no. 1 of .* sum 3 float64 on cpu, this one 1 float64 on cpu",
        ),
        (
            lambda turn, _: [_ones()] if turn.share else [],
            "no. 1 of .* sum 3 float64 on cpu, this one only the gradie",
        ),
        (
            lambda turn, _: [_ones(3, torch.float32)],
            "no. 1 of .* sum 3 float64 on cpu, this one 3 float32 on cpu. Every",
        ),
        (
            lambda turn, _: [_ones(), _ones()],
            r"no. 2 of .* sum only the gradients \(\d+ float64 on cpu\), this one 3",
        ),
    ],
    ids=["another size", "none with an empty share", "another type", "one too many"],
)
def test_a_newcomer_that_sums_something_else_is_out_and_the_member_goes_on(
    settings: SessionSettings, made: Made, wanted: str
) -> None:
    fleet = Fleet(settings, turns=20)
    stays, goes = fleet.train(_same, made)
    assert isinstance(stays, int)
    assert isinstance(goes, str) and re.search(wanted, goes)


@pytest.mark.timeout(60)
def test_one_of_three_that_comes_to_sum_something_else_is_out_and_the_others_go_on(
    settings: SessionSettings,
) -> None:
    fleet = Fleet(settings, turns=20)
    members = fleet.train(
        *[
            lambda turn, since: [
                _ones(1 if since >= 0 and (turn.rank, turn.world_size) == (1, 3) else 3)
            ]
        ]
        * 3
    )
    out = [each for each in members if isinstance(each, str)]
    assert (
        len(out) == 1 and f"of step {fleet.together} " in out[0] and "this one 1 float64" in out[0]
    )


@pytest.mark.timeout(60)
def test_two_of_which_neither_is_odd_both_end(settings: SessionSettings) -> None:
    fleet = Fleet(settings, turns=20)
    members = fleet.train(
        *[lambda turn, since: [_ones(3)] * (1 + (since >= 0 and turn.rank == 1))] * 2
    )
    assert all(
        isinstance(each, str) and "turn.all_reduce no. 2 of step" in each for each in members
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("each", "lost"), [(7, 1), (10, 2)])
def test_sums_that_vary_alike_on_all_ranks_cost_fewer_and_fewer_turns(
    settings: SessionSettings, each: int, lost: int
) -> None:
    def now_and_then(turn: SessionStep, since: int) -> Sequence[Tensor]:
        return [_ones(), *[_ones(5, torch.float32)] * (since >= 0 and since % each == 0)]

    assert Fleet(settings, turns=6 * each).train(now_and_then, now_and_then) == [lost, lost]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kinds", [2, 3])
def test_turns_of_some_kinds_cost_none(settings: SessionSettings, kinds: int) -> None:
    def in_turns(turn: SessionStep, since: int) -> Sequence[Tensor]:
        return [_ones()] * (1 + (turn.step % kinds == 0))

    assert Fleet(settings, turns=30).train(in_turns, in_turns) == [0, 0]


class Count:
    """How many sums each rank makes in a turn, of the script's and of all others."""

    def __init__(self) -> None:
        self._begun: dict[tuple[int, int], list[int]] = {}

    def note(self, turn: SessionStep) -> None:
        """Notes what has been begun before this turn."""
        if (group := turn.round.group) is not None:
            self._begun.setdefault((turn.round.number, turn.rank), []).append(group.begun)

    def in_newest(self) -> list[list[int]]:
        """Gives it for all turns but the first of the newest round, as each of its ranks has
        counted it."""
        newest = max(number for number, _ in self._begun)
        begun = [each for (number, _), each in self._begun.items() if number == newest]
        return [[after - before for before, after in pairwise(each)][1:] for each in begun]


@pytest.mark.timeout(60)
def test_sums_are_compared_in_a_round_s_first_turns_alone(settings: SessionSettings) -> None:
    count = Count()

    def counted(turn: SessionStep, since: int) -> Sequence[Tensor]:
        count.note(turn)
        return [_ones()]

    assert Fleet(settings, turns=40).train(counted, counted) == [0, 0]
    for passed in count.in_newest():
        assert passed[: FIRST_TURNS - 1] == [4] * (FIRST_TURNS - 1), (
            "the script's own one and the gradients', twice"
        )
        assert set(passed[FIRST_TURNS - 1 :]) == {2}


@pytest.mark.timeout(60)
def test_sums_that_have_changed_once_are_compared_for_twice_as_many_turns_by_newcomers_too(
    settings: SessionSettings,
) -> None:
    count, paired = Count(), list[int]()

    def changed(turn: SessionStep, since: int) -> Sequence[Tensor]:
        count.note(turn)
        if turn.world_size == 2 and not paired:
            paired.append(turn.step)
        return [_ones()] * (1 + any(turn.step >= step + 2 * FIRST_TURNS for step in paired))

    members = Fleet(settings, turns=10).train(*[changed] * 3)
    assert all(isinstance(each, int) for each in members)
    passed = count.in_newest()
    assert len(passed) == 3
    for each in passed:
        assert each[: 2 * FIRST_TURNS - 1] == [6] * (2 * FIRST_TURNS - 1)
        assert set(each[2 * FIRST_TURNS - 1 :]) == {3}


@pytest.mark.timeout(60)
def test_the_page_s_way_to_sum_within_a_turn_trains_what_one_rank_trains(
    settings: SessionSettings,
) -> None:
    (block,) = [each for each in blocks("python") if "turn.summed(" in each.text]
    together: list[int] = []

    def script() -> dict[str, Any]:
        names: dict[str, Any] = {}
        exec(block.text, names)  # noqa: S102 (our own page)
        return names

    def member(names: dict[str, Any], steps: int | None) -> tuple[int, list[Tensor]]:
        parameters = names["parameters"]

        def apply(gradients: Sequence[Tensor | None], step: int) -> None:
            for parameter, gradient in zip(parameters, gradients, strict=True):
                if gradient is not None:
                    parameter.data.sub_(gradient, alpha=0.01)

        own = settings if steps is None else replace(settings, job="alone")
        units = [(each.detach(),) for each in parameters]
        with Session.join(units, apply, batch=BATCH, settings=own) as session:
            while session.step < (steps or math.inf) and not (
                steps is None and [session.step] == together
            ):
                if session.round.world_size == 2 and not together:
                    together.append(session.step + AHEAD)
                session.run(names["compute"])
                sleep(0.002)
        return session.step, [each.detach() for each in parameters]

    scripts = [
        script() for _ in range(3)
    ]  # by torch's one generator: not in several threads at once
    with ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(member, each, None) for each in scripts[:2]]
        (step, found), (_, other) = (each.result(60) for each in ends)
    _, wanted = member(scripts[2], step)
    assert all(torch.equal(one, another) for one, another in zip(found, other, strict=True))
    assert_near(found, wanted, tolerance=1e-4)


def test_a_turn_s_last_sum_is_told_by_what_it_may_differ_in() -> None:
    told = str(Sum(True, torch.float32, "cuda", 40))
    assert told == "only the gradients (40 float32 on cuda)"


def test_who_is_odd() -> None:
    one, three = Sum(False, torch.float64, "cpu", 1), Sum(False, torch.float64, "cpu", 3)
    last = Sum(True, torch.float64, "cpu", 3)
    assert odd([three, three, one], [False, False, True]) == {2}
    assert odd([three, one, one], [False, True, True]) == {1, 2}, "however many come with it"
    assert odd([one, three, three], [False, False, False]) == {0}, "among equals the most are right"
    assert odd([three, last, three, one], [False, False, True, True]) == {1, 3}
    assert odd([three, one], [False, False]) == odd([three, one], [True, True]) == {0, 1}
    assert odd([three, last, three, last], [False, False, True, True]) == {2, 3}, (
        "members may still agree without them"
    )
