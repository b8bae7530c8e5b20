"""Sessions whose members are threads: quick, and exact about what is recorded, shared and
refused."""

from __future__ import annotations

import dataclasses
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.rendezvous import StoreServer
from elastic.workloads.session import Session, SessionEnded, SessionSettings, SessionStep
from elastic.workloads.session.rounds import RoundLost
from elastic.workloads.session.settings import FOUNDING_S
from tests.certificates import certificate
from tests.workloads.session.meetings import met
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import assert_near, undisturbed
from tests.workloads.session.stores import serve_store, session_settings


@pytest.fixture
def store() -> Iterator[StoreServer]:
    store = _store()
    yield store
    store.close()


def _store() -> StoreServer:
    return serve_store()


def _settings(
    store: StoreServer, *, most_samples: int | None = None, losses_per_h: float | None = None
) -> SessionSettings:
    address = f"127.0.0.1:{store.port}"
    return session_settings(
        address, "job", silence_s=5.0, most_samples=most_samples, losses_per_h=losses_per_h
    )


def test_one_member_trains_what_a_plain_loop_trains(store: StoreServer) -> None:
    task, recorded = Task(dtype=torch.float64, width=16), []
    store.values.set("job/floor", b"41")

    def record(number: int, members: Sequence[str]) -> None:
        recorded.append((number, len(members)))

    with Session.join(
        task.units(),
        task.apply,
        batch=BATCH,
        settings=_settings(store),
        numbers=1,
        on_round=record,
    ) as session:
        assert recorded == [(42, 1)], (
            "a round is newer than any that was ever recorded, and recorded first"
        )
        losses = [
            float(outcome.numbers) for _ in range(20) if (outcome := session.run(task.compute))
        ]
        assert session.step == 20 and session.round.number == 42 and session.is_first
        snapshot = session.snapshot()
        again = session.run(task.compute)
        session.finish()
    assert again is not None and float(again.numbers) < losses[0], (
        "of the same samples, all others came in between"
    )
    assert (snapshot.step, snapshot.round) == (20, 42)
    assert_near(snapshot.tensors[::4], undisturbed(20), tolerance=1e-15)
    with pytest.raises(SessionEnded, match="complete") as ended:
        Session.join(task.units(), task.apply, batch=BATCH, numbers=1, settings=_settings(store))
    assert ended.value.is_complete


def test_the_last_member_stays_though_it_asks_to_leave(store: StoreServer) -> None:
    task = Task(dtype=torch.float64, width=16, pause_s=0.01)
    with Session.join(
        task.units(), task.apply, batch=BATCH, numbers=1, settings=_settings(store)
    ) as session:
        session.leave()
        for _ in range(20):
            session.run(task.compute)
        assert session.is_member and session.step == 20


def test_sums_come_to_their_places_however_values_lie_in_memory(store: StoreServer) -> None:
    def lying() -> list[Tensor]:
        plain = torch.arange(12.0).reshape(3, 4)
        views = [
            plain.clone()[:, ::2],
            plain.clone()[1:, 1],
            plain.clone().t(),
            torch.complex(plain, plain).conj(),
        ]
        return [*views, plain.clone().requires_grad_()]

    found, worlds = {}, {}

    def member(index: int) -> None:
        task = Task(dtype=torch.float64, width=4)

        def compute(turn: SessionStep) -> Sequence[Tensor]:
            found[turn.world_size, index] = [turn.all_reduce(each) for each in lying()]
            worlds[turn.step, index] = (turn.world_size, 0)
            return task.compute(turn)

        with Session.join(
            task.units(), task.apply, batch=96, numbers=1, settings=_settings(store)
        ) as session:
            _train_until(session, compute, done.is_set)

    done = threading.Event()
    _run_members(2, member, worlds, done)
    for sums in (found[2, 0], found[2, 1]):
        assert all(
            torch.equal(each.detach(), 2 * own.detach())
            for each, own in zip(sums, lying(), strict=True)
        )


def test_shares_follow_speed_and_memory(store: StoreServer) -> None:
    costs_s, shares = (0.001, 0.001, 0.006), {}

    def member(index: int) -> None:
        task = Task(dtype=torch.float64, width=4)

        def compute(turn: SessionStep) -> Sequence[Tensor]:
            time.sleep(costs_s[index] * len(turn.share))
            shares[turn.step, index] = (turn.world_size, len(turn.share))
            return task.compute(turn)

        limited = _settings(store, most_samples=40) if index == 1 else _settings(store)
        with Session.join(
            task.units(), task.apply, batch=96, numbers=1, settings=limited
        ) as session:
            _train_until(session, compute, done.is_set)
            for _ in range(8):
                session.run(compute)

    done = threading.Event()
    _run_members(3, member, shares, done)
    last = max(
        step
        for step, _ in shares
        if all(shares.get((step, each), (0, 0))[0] == 3 for each in range(3))
    )
    found = [shares[last, index][1] for index in range(3)]
    assert sum(found) == 96 and found[1] <= 40
    assert found[2] < found[0] / 2, f"the slow one has {found[2]}, a fast one {found[0]}"


@pytest.mark.timeout(60)
def test_members_that_do_not_hold_a_batch_wait_for_more_and_may_leave(store: StoreServer) -> None:
    steps: list[int] = []
    is_alone = threading.Event()

    def member(*, is_first: bool) -> None:
        task, settings = (
            Task(dtype=torch.float64, width=4),
            _settings(store, most_samples=BATCH // 2),
        )
        with Session.join(
            task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
        ) as session:
            while is_first and session.round.world_size == 1:
                assert session.run(task.compute) is None
                is_alone.set()
            for _ in range(3):
                assert session.run(task.compute) is not None
            if is_first:
                session.leave()
            while session.is_member and session.round.world_size > 1:
                session.run(task.compute)
            assert session.is_member != is_first
            if not is_first:
                assert session.run(task.compute) is None
                session.leave()
                assert session.run(task.compute) is None and session.must_stop
            steps.append(session.step)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(member, is_first=True)
        assert is_alone.wait(60)
        pool.submit(member, is_first=False).result()
        first.result()
    assert len(set(steps)) == 1 and steps[0] >= 3


def test_each_turn_is_one_first_rank_s_to_tell_of_whoever_comes_and_leaves(
    store: StoreServer,
) -> None:
    both = threading.Event()
    shares: dict[tuple[int, int], tuple[int, int]] = {}
    first_of: list[int] = []

    def member(index: int) -> None:
        task = Task(dtype=torch.float64, width=4, pause_s=0.002)
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=_settings(store)
        ) as session:
            turns = 0
            while session.is_member and turns < 20:
                session.run(task.compute)
                if session.turned_in is not None and session.turned_in.rank == 0:
                    first_of.append(session.step)
                shares[session.step, index] = (session.round.world_size, 0)
                if both.is_set() and index == 0:
                    session.leave()
                turns += both.is_set() and session.round.world_size == 1

    _run_members(2, member, shares, both)
    assert sorted(first_of) == list(range(1, max(first_of) + 1))


def test_a_turn_whose_sum_the_first_rank_misses_is_still_its_to_tell_of(store: StoreServer) -> None:
    """The other one has the sum, and hands it on in the next round: the turn counts once."""
    both = threading.Event()
    shares: dict[tuple[int, int], tuple[int, int]] = {}
    first_of: list[int] = []
    missed: list[int] = []

    def member(index: int) -> None:
        task = Task(dtype=torch.float64, width=4, pause_s=0.002)
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=_settings(store)
        ) as session:
            last = session._sums.last  # noqa: SLF001 - a sum is lost nowhere else

            def missing_one(values: Tensor, aside: Tensor | None = None) -> None:
                last(values, aside)
                if both.is_set() and session.is_first and not missed:
                    missed.append(session.step + 1)
                    raise RoundLost("the sum did not arrive")

            session._sums.last = missing_one  # type: ignore[method-assign]  # noqa: SLF001
            turns = 0
            while turns < 20:
                session.run(task.compute)
                if session.turned_in is not None and session.turned_in.rank == 0:
                    first_of.append(session.step)
                shares[session.step, index] = (session.round.world_size, 0)
                turns += bool(missed)
            session.finish()

    _run_members(2, member, shares, both)
    assert missed
    assert sorted(first_of) == list(range(1, max(first_of) + 1))


def test_a_newcomer_founds_nothing_in_a_store_that_members_have_yet_to_fill(tmp_path: Path) -> None:
    """Its members have lost the store, train on, and find the next one only after the newcomer
    has."""
    place, first = tmp_path / "place", _store()
    place.write_text(f"127.0.0.1:{first.port}")
    found = session_settings(str(place), job="job", silence_s=5.0)
    old, new = Task(dtype=torch.float64, width=4), Task(dtype=torch.float64, width=4)

    def newcomer(second: StoreServer) -> tuple[int, int, int]:
        with Session.join(
            new.units(), new.apply, batch=BATCH, numbers=1, settings=_settings(second)
        ) as session:
            began = session.step
            session.run(new.compute)
            return session.round.number, session.round.world_size, began

    with (
        Session.join(old.units(), old.apply, batch=BATCH, numbers=1, settings=found) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        place.write_text("")
        first.close()
        second = _store()
        second.values.set("job/held", b"1")
        coming = pool.submit(newcomer, second)
        until_s = time.monotonic() + 3 * FOUNDING_S
        _train_until(session, old.compute, lambda: time.monotonic() > until_s and session.step > 5)
        before = session.step
        place.write_text(f"127.0.0.1:{second.port}")
        _train_until(session, old.compute, coming.done)
    number, world_size, began = coming.result()
    assert (number > 1, world_size) == (True, 2) and began >= before


@pytest.mark.parametrize(
    ("other", "width", "wanted"),
    [
        ({"batch": 2 * BATCH}, 16, f"batch: wanted {BATCH}, .* got {2 * BATCH}"),
        ({"steps": 50}, 16, "steps: wanted 100, .* got 50"),
        ({"numbers": 0}, 16, "numbers: wanted 1, .* got 0"),
        ({"terms": "lr 1e-2"}, 16, "terms: wanted lr 1e-3, .* got lr 1e-2"),
        ({}, 4, "shape: wanted"),
    ],
)
def test_who_cannot_train_with_the_members_is_told_why_and_they_do_not_notice(
    store: StoreServer, other: dict[str, Any], width: int, wanted: str
) -> None:
    usual: dict[str, Any] = {"batch": BATCH, "steps": 100, "numbers": 1, "terms": "lr 1e-3"}
    old, new = Task(dtype=torch.float64, width=16), Task(dtype=torch.float64, width=width)

    def newcomer() -> str:
        try:
            Session.join(
                new.units(), new.apply, settings=_settings(store), **{**usual, **other}
            ).close()
        except InvalidInput as error:
            return str(error)
        return "let in"

    with (
        Session.join(old.units(), old.apply, settings=_settings(store), **usual) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        coming = pool.submit(newcomer)
        _train_until(session, old.compute, coming.done)
        for _ in range(20):
            session.run(old.compute)
        assert re.match(wanted, coming.result())
        assert (session.round.number, session.round.world_size) == (1, 1)
        assert_near(session.snapshot().tensors[::4], undisturbed(session.step), tolerance=1e-12)


def test_says_which_setting_is_missing() -> None:
    with pytest.raises(InvalidInput, match="ELASTICD_SESSION_STORE"):
        SessionSettings.from_environment({})
    told = {
        "ELASTICD_SESSION_STORE": "127.0.0.1:1",
        "ELASTICD_CERTIFICATE": certificate(),
        "ELASTICD_SESSION_LOSSES_PER_H": "0.125",
    }
    assert SessionSettings.from_environment(told).losses_per_h == 0.125
    assert (
        SessionSettings.from_environment({**told, "ELASTICD_SESSION_LOSSES_PER_H": ""}).losses_per_h
        is None
    )


def test_a_round_is_interrupted_as_often_as_its_members_are_lost(store: StoreServer) -> None:
    losses_per_h = (0.25, 0.5)
    both = threading.Event()
    shares: dict[tuple[int, int], tuple[int, int]] = {}
    found: dict[tuple[int, int], float | None] = {}

    def member(index: int) -> None:
        task = Task(dtype=torch.float64, width=4, pause_s=0.002)
        settings = _settings(store, losses_per_h=losses_per_h[index])
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
        ) as session:
            turns = 0
            while session.is_member and turns < 5:
                session.run(task.compute)
                world_size = session.round.world_size
                shares[session.step, index] = (world_size, 0)
                if session.is_member:
                    found[index, world_size] = session.round.interruptions_per_h
                if both.is_set() and index == 0:
                    session.leave()
                turns += both.is_set() and world_size == 1

    _run_members(2, member, shares, both)
    assert (found[0, 2], found[1, 2], found[1, 1]) == (0.75, 0.75, 0.5)


def test_nobody_knows_how_often_a_round_is_interrupted_of_which_one_member_does_not() -> None:
    members = ("a", "b")
    assert met(1, members, 0, losses_per_h=(0.25, None)).interruptions_per_h is None
    assert met(1, members, 0).interruptions_per_h is None


def test_nobody_is_thrown_back_without_a_word(store: StoreServer) -> None:
    old, new = Task(dtype=torch.float64, width=16), Task(dtype=torch.float64, width=16)
    before = torch.cat([each.detach().reshape(-1) for each in new.parameters])

    def newcomer() -> str:
        settings = _settings(store)
        with pytest.raises(InvalidInput) as refused:
            Session.join(
                new.units(), new.apply, batch=BATCH, numbers=1, settings=settings, step=10**6
            )
        return str(refused.value)

    with (
        Session.join(
            old.units(), old.apply, batch=BATCH, numbers=1, settings=_settings(store)
        ) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        coming = pool.submit(newcomer)
        _train_until(session, old.compute, coming.done)
        assert re.match(
            r"step: wanted .* members .\d+ steps., got one after 1000000",
            coming.result(),
        )
        assert session.round.world_size == 1
    assert torch.equal(before, torch.cat([each.detach().reshape(-1) for each in new.parameters]))


@pytest.mark.parametrize("first", [0, 150])
def test_of_all_who_come_in_time_the_one_with_the_most_steps_founds(
    store: StoreServer, first: int
) -> None:
    def member(step: int) -> tuple[int, int]:
        task = Task(dtype=torch.float64, width=4, pause_s=0.002)
        settings = dataclasses.replace(_settings(store), founding_s=3.0)
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=settings, step=step
        ) as session:
            # A turn together: one that is only about to come in would be left out where it is late.
            while session.turned_in is None or session.turned_in.world_size == 1:
                session.run(task.compute)
            assert session.step >= 150
            assert session.finish(lambda: None)
            return session.round.world_size, session.step

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(member, first)]
        time.sleep(0.6)
        running.append(pool.submit(member, 150 - first))
        found = [each.result(timeout=60) for each in running]
    assert found[0] == found[1]


def _train_until(
    session: Session,
    compute: Callable[[SessionStep], Sequence[Tensor]],
    is_done: Callable[[], bool],
) -> None:
    while not is_done():
        session.run(compute)


def _run_members(
    count: int,
    member: Callable[[int], None],
    seen: dict[tuple[int, int], tuple[int, int]],
    done: threading.Event,
) -> None:
    """Runs members as threads; lets them end a few turns after all have trained together."""
    with ThreadPoolExecutor(count) as pool:
        running = [pool.submit(member, index) for index in range(count)]
        deadline_s = time.monotonic() + 60
        while not any(world == count for world, _ in list(seen.values())):
            assert time.monotonic() < deadline_s and not any(each.done() for each in running)
            time.sleep(0.05)
        done.set()
        for each in running:
            each.result(timeout=60)
