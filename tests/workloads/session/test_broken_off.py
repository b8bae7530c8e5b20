"""Turns that an error or a signal breaks off at any place: the script may go on, and nobody's
weights are wrong."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.rendezvous import StoreServer
from elastic.workloads.session import Session, SessionEnded, SessionSettings, SessionStep
from elastic.workloads.session.membership import EndOfJob
from elastic.workloads.session.rounds import Gloo, Round, RoundLost
from elastic.workloads.session.state import State
from elastic.workloads.session.turns import Buffers, ControlValues, Meeting, RankValues
from elastic.workloads.session.turns.control_values import FIRST_STEPS
from tests.workloads.session.meetings import met
from tests.workloads.session.running import wait_until
from tests.workloads.session.stores import serve_store, session_settings

BATCH = 4
MORE = 20


class Broken(Exception):
    """What breaks a turn off, and what the script goes on after."""


@dataclass
class Counting:
    """Trains weights that come to numbers known beforehand, in exact arithmetic; a turn of it is
    broken off at `place`, once two members train."""

    place: str | None
    done: threading.Event
    parameters: list[Tensor] = field(
        default_factory=lambda: [torch.zeros(4, dtype=torch.float64) for _ in range(3)]
    )
    session: Session | None = None

    def at(self, place: str) -> None:
        session = self.session
        if (
            place == self.place
            and session is not None
            and session.round.world_size == 2
            and session.step > 20
        ):
            self.place = None
            raise Broken(place)

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        for index, (parameter, gradient) in enumerate(zip(self.parameters, gradients, strict=True)):
            assert gradient is not None
            parameter.add_(gradient)
            if index == 1:
                self.at("apply")

    def compute(self, turn: SessionStep) -> Sequence[Tensor]:
        time.sleep(0.005)
        self.at("compute")
        own = torch.full((4,), float(sum(turn.places())), dtype=torch.float64)
        whole = turn.all_reduce(own.clone())
        self.at("between sums")
        assert whole[0] == sum(range(turn.step * BATCH, (turn.step + 1) * BATCH))
        turn.numbers = torch.tensor([float(self.done.is_set())])
        return [own] * 3

    def trains(self, settings: SessionSettings) -> int:
        """Trains on, whatever a turn raises, until some turns after one was broken off; gives the
        steps done."""
        goal = math.inf
        units = [(parameter,) for parameter in self.parameters]
        with Session.join(
            units, self.apply, batch=BATCH, numbers=1, settings=settings
        ) as self.session:
            while self.session.step < goal:
                try:
                    outcome = self.session.run(self.compute)
                except Broken:
                    self.done.set()
                    continue
                if goal == math.inf and outcome is not None and outcome.numbers == 2.0:  # both know
                    goal = outcome.step + MORE
            self.session.finish()
            return self.session.step

    def assert_exact(self, steps: int) -> None:
        count = steps * BATCH
        assert [each.tolist() for each in self.parameters] == [[count * (count - 1) / 2] * 4] * 3


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    store.close()


def _train(settings: SessionSettings, tasks: Sequence[Counting]) -> None:
    with ThreadPoolExecutor(2) as pool:
        steps = [
            each.result(timeout=60.0)
            for each in [pool.submit(task.trains, settings) for task in tasks]
        ]
    for task, count in zip(tasks, steps, strict=True):
        task.assert_exact(count)
    assert tasks[0].place is None and steps[0] == steps[1]


def _tasks(place: str) -> list[Counting]:
    done = threading.Event()
    return [Counting(place, done), Counting(None, done)]


@pytest.mark.parametrize("place", ["compute", "between sums", "apply"])
def test_a_turn_that_is_broken_off_is_done_again_and_adds_up(
    settings: SessionSettings, place: str
) -> None:
    _train(settings, _tasks(place))


def test_a_turn_that_is_broken_off_while_others_are_waited_for_adds_up_too(
    settings: SessionSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = Gloo.wait

    def waited(group: Gloo, work: Any) -> None:
        wait(group, work)
        for task in tasks:
            if task.session is not None and task.session.round.group is group:
                task.at("wait")

    tasks = _tasks("wait")
    monkeypatch.setattr(Gloo, "wait", waited)
    _train(settings, tasks)


def test_a_second_break_while_members_meet_again_adds_up_too(
    settings: SessionSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, compared = Meeting.end, ControlValues.compared

    def compares(control: ControlValues, told: list[float], round_: Round) -> RankValues:
        session = tasks[0].session
        is_late = session is not None and session.step > 20
        if round_.rank == 0 and round_.world_size == 2 and is_late and not breaks:
            breaks.append("once it was summed, and before it was applied")
            raise Broken(breaks[-1])
        return compared(control, told, round_)

    def ends(meeting: Meeting, buffers: Buffers) -> bool:
        if len(breaks) == 1:  # the others hand on the last sums here, to whoever lacks them
            breaks.append("in the meeting")
            tasks[0].place = None
            raise Broken(breaks[-1])
        return end(meeting, buffers)

    breaks: list[str] = []
    tasks = _tasks("never")
    monkeypatch.setattr(ControlValues, "compared", compares)
    monkeypatch.setattr(Meeting, "end", ends)
    _train(settings, tasks)
    assert len(breaks) == 2


def test_an_orderly_end_that_is_broken_off_is_an_end_all_the_same(
    settings: SessionSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lingers(end: EndOfJob) -> None:
        raise KeyboardInterrupt

    task = Counting(None, threading.Event())
    units = [(parameter,) for parameter in task.parameters]
    session = Session.join(units, task.apply, batch=BATCH, numbers=1, settings=settings)
    monkeypatch.setattr(EndOfJob, "linger", lingers)
    with pytest.raises(KeyboardInterrupt):
        session.close()
    wait_until(lambda: not session._membership.links.is_alive(), "nobody takes it for a member")  # noqa: SLF001


def test_whoever_is_alone_ends_where_its_state_was_half_moved(settings: SessionSettings) -> None:
    task = Counting(None, threading.Event())
    calls = 0

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            task.parameters[0].add_(1.0)
            raise Broken("half way")
        task.apply(gradients, step)

    units = [(parameter,) for parameter in task.parameters]
    with Session.join(units, apply, batch=BATCH, numbers=1, settings=settings) as session:
        session.run(task.compute)
        session.run(task.compute)
        with pytest.raises(Broken):
            session.run(task.compute)
        with pytest.raises(InvalidInput, match="snapshot: wanted the state after a whole turn"):
            session.snapshot()
        for _ in range(2):
            with pytest.raises(SessionEnded, match="apply failed"):
                session.run(task.compute)


@pytest.mark.parametrize("has_store", [True, False], ids=["with a store", "without one"])
@pytest.mark.timeout(60)
def test_who_is_to_leave_and_holds_half_a_state_is_gone_at_once(
    tmp_path: Path, *, has_store: bool
) -> None:
    place, stores = tmp_path / "place", list[StoreServer]()
    settings, done = session_settings(str(place), "job", silence_s=5.0), threading.Event()
    stays, leaves = Counting(None, done), Counting("apply", done)

    def begin_store() -> None:
        stores.append(serve_store())
        place.write_text(f"127.0.0.1:{stores[0].port}")

    def run_until(session: Session, task: Counting, is_so: Callable[[], bool]) -> None:
        while not is_so():
            session.run(task.compute)

    def goes_on() -> int:
        with _joined(stays, settings) as session:
            run_until(session, stays, lambda: done.is_set() and session.round.world_size == 1)
            return session.step

    begin_store()
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(goes_on)
        with _joined(leaves, settings) as leaves.session:
            with pytest.raises(Broken):
                run_until(leaves.session, leaves, lambda: False)
            if not has_store:
                place.write_text("")
                stores.clear()
            leaves.session.leave()
            assert leaves.session.run(leaves.compute) is None
            assert not leaves.session.is_member, "nor is it sent the state anew"
        if not has_store:
            begin_store()
        done.set()
        stays.assert_exact(there.result(timeout=30))


def _joined(task: Counting, settings: SessionSettings) -> Session:
    units = [(parameter,) for parameter in task.parameters]
    return Session.join(units, task.apply, batch=BATCH, numbers=1, settings=settings)


def test_sums_of_different_steps_are_none() -> None:
    state = State.of([(torch.zeros(4),)], lambda gradients, step: None)
    here, there = met(1, ("a", "b"), 0), met(1, ("a", "b"), 1)
    control, others = ControlValues(state), ControlValues(state)
    for step in range(FIRST_STEPS):
        sums = control.own(here, offered=None, cost=0.0, step=step) + others.own(
            there, offered=None, cost=0.0, step=step
        )
        control.compared(sums.tolist(), here)
        others.compared(sums.tolist(), there)
    for ahead in (0, 1):
        step = 3 * FIRST_STEPS + 1
        sums = control.own(here, offered=None, cost=0.0, step=step)
        sums = sums + others.own(there, offered=None, cost=0.0, step=step + ahead)
        if not ahead:
            control.compared(sums.tolist(), here)
            continue
        with pytest.raises(RoundLost, match="different steps"):
            control.compared(sums.tolist(), here)


def test_who_ends_by_an_error_keeps_nobody_waiting_as_one_would_that_ends_in_order(
    settings: SessionSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lingered: list[str] = []
    monkeypatch.setattr(EndOfJob, "linger", lambda end: lingered.append("a while"))
    task = Counting(None, threading.Event())

    def ended(error: Exception | None) -> None:
        units = [(parameter,) for parameter in task.parameters]
        with Session.join(units, task.apply, batch=BATCH, numbers=1, settings=settings) as session:
            session.run(task.compute)
            if error is not None:
                raise error

    with pytest.raises(Broken):
        ended(Broken("in the script"))
    assert lingered == []
    ended(None)
    assert lingered == ["a while"]
