"""How members end a job together, and how the last one is told to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elastic.rendezvous import StoreServer
from elastic.workloads.session import Attendance, Session, SessionEnded
from elastic.workloads.session.rounds import RoundLost
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.stores import session_settings

TIMEOUT_S = 60.0


def _joined(store: StoreServer, task: Task) -> Session:
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    return Session.join(task.units(), task.apply, batch=BATCH, settings=settings, numbers=1)


def _task() -> Task:
    return Task(dtype=torch.float64, width=4)


def _two(store: StoreServer, member: Callable[[Session, Task], None]) -> None:
    """Runs two members as threads, each from where both have trained together."""
    both = threading.Barrier(2)

    def run() -> None:
        task = _task()
        with _joined(store, task) as session:
            while session.round.world_size == 1:
                session.run(task.compute)
                time.sleep(0.01)
            both.wait(TIMEOUT_S)
            member(session, task)

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(run), pool.submit(run)]:
            each.result(timeout=TIMEOUT_S)


def test_nobody_ends_before_the_first_rank_has_kept_the_state(store: StoreServer) -> None:
    said: list[str] = []

    def keep() -> None:
        time.sleep(0.5)
        said.append("kept")

    def member(session: Session, task: Task) -> None:
        session.run(task.compute)
        assert session.finish(keep) and session.is_member
        said.append("complete")

    _two(store, member)
    assert said == ["kept", "complete", "complete"]
    with pytest.raises(SessionEnded) as ended:
        _joined(store, _task())
    assert ended.value.is_complete


def test_where_the_first_rank_dies_while_it_keeps_the_state_the_next_one_keeps_it(
    store: StoreServer,
) -> None:
    kept: list[int] = []
    ends: list[bool] = []

    def member(session: Session, task: Task) -> None:
        was_first = session.is_first

        def keep() -> None:
            if was_first:
                raise OSError("the disk is full")
            kept.append(session.step)

        session.run(task.compute)
        steps = session.step
        if was_first:
            with pytest.raises(OSError, match="full"):
                session.finish(keep)
        else:
            ends.append(session.finish(keep))
            assert kept == [steps]

    _two(store, member)
    assert ends == [True]


@pytest.mark.parametrize("is_first_longer", [False, True])
def test_who_goes_on_where_others_end_is_told_so_and_they_end(
    store: StoreServer, is_first_longer: bool
) -> None:
    ends: list[tuple[str, int]] = []

    def member(session: Session, task: Task) -> None:
        is_longer = session.is_first == is_first_longer
        session.run(task.compute)
        last = session.step
        if is_longer:
            with pytest.raises(
                SessionEnded, match=f"over after step {last}, but this one continues"
            ) as ended:
                session.run(task.compute)
            assert not ended.value.is_complete and session.step == last
        else:
            assert session.finish(lambda: ends.append(("kept", session.step)))
            ends.append(("complete", session.step - last))

    _two(store, member)
    assert [end for end, _ in ends] == ["kept", "complete"] and ends[-1][1] == 0


def test_who_comes_late_to_the_jobs_end_is_waited_for(store: StoreServer) -> None:
    said: list[str] = []

    def member(session: Session, task: Task) -> None:
        session.run(task.compute)
        if session.is_first:
            time.sleep(1.0)
            said.append("late")
        assert session.finish(lambda: said.append("kept"))
        said.append("complete")

    _two(store, member)
    assert said == ["late", "kept", "complete", "complete"]


def test_a_member_that_missed_the_last_sum_does_no_turn_too_many(store: StoreServer) -> None:
    """It is handed the sums of the member that has them, which waits for it at the end."""
    ends: list[tuple[int, str]] = []
    kept: list[int] = []

    def member(session: Session, task: Task) -> None:
        session.run(task.compute)
        last = session.step + 1
        group = session.round.group
        assert group is not None
        if not session.is_first:
            wait = group.wait

            def lose(work: object) -> None:
                wait(work)
                group.cut()
                raise RoundLost("as when a peer has died just now")

            group.wait = lose  # type: ignore[method-assign]  # a connection's end in the worst instant
        outcome = session.run(task.compute)
        assert outcome is not None and outcome.step == session.step == last
        assert session.finish(lambda: kept.append(session.step))
        ends.append((session.step, session.digest()))

    _two(store, member)
    assert len(ends) == 2 and len(set(ends)) == 1 and set(kept) == {ends[0][0]}


def test_who_has_left_says_nothing_of_the_jobs_end(store: StoreServer) -> None:
    found: list[bool] = []

    def member(session: Session, task: Task) -> None:
        if session.is_first:
            session.leave()
        while session.is_member and session.round.world_size > 1:
            session.run(task.compute)
        if not session.is_member:
            found.append(session.finish())
            found.append(session.finish(lambda: None))

    _two(store, member)
    assert found == [False, False]
    with _joined(store, _task()) as session:
        assert session.is_member


def test_the_last_member_that_asks_to_leave_is_told_to_stop(store: StoreServer) -> None:
    """No agent is there: a signal's handler has called `leave`."""
    task = _task()
    with _joined(store, task) as session:
        attendance = Attendance(session)
        session.run(task.compute)
        assert not attendance.turned()
        session.leave()
        session.run(task.compute)
        assert attendance.turned() and session.must_stop and session.is_member


def test_a_member_among_others_that_asks_to_leave_is_not_told_to_stop(store: StoreServer) -> None:
    told: list[bool] = []

    def member(session: Session, task: Task) -> None:
        is_leaver = session.is_first
        if is_leaver:
            session.leave()
        while session.is_member and session.round.world_size > 1:
            told.append(session.must_stop)
            session.run(task.compute)
        told.append(session.must_stop)
        assert session.is_member != is_leaver

    _two(store, member)
    assert not any(told)
