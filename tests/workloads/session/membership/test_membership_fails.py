"""A membership thread that fails, and what it calls that fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elastic.rendezvous import StoreServer
from elastic.workloads.session import Session, SessionEnded
from elastic.workloads.session.membership import OnRound
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.stores import session_settings

pytestmark = pytest.mark.timeout(60)


def _joined(store: StoreServer, task: Task, *, on_round: OnRound | None = None) -> Session:
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    return Session.join(
        task.units(),
        task.apply,
        batch=BATCH,
        settings=settings,
        numbers=1,
        on_round=on_round,
    )


def _task() -> Task:
    return Task(dtype=torch.float64, width=4, pause_s=0.002)


def _break(session: Session, *, is_link: bool) -> None:
    """Has the store, or a member, say next what nobody understands."""

    def fail(*_: object) -> None:
        raise KeyError("no such field")

    membership = session._membership  # noqa: SLF001 (what it means cannot be had from outside)
    rendezvous = membership._rendezvous  # noqa: SLF001
    assert rendezvous is not None
    if is_link:
        membership.links._judge = fail  # type: ignore[method-assign, assignment]  # noqa: SLF001
    else:
        rendezvous.look = fail  # type: ignore[method-assign, assignment]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize(("is_alone", "is_link"), [(True, False), (False, False), (False, True)])
def test_who_has_no_membership_any_more_does_not_train_on_and_the_others_do(
    store: StoreServer, is_alone: bool, is_link: bool
) -> None:
    both, ends, steps = threading.Barrier(2), list[str](), list[int]()

    def member(*, breaks: bool) -> None:
        task = _task()
        with _joined(store, task) as session:
            while not is_alone and session.round.world_size == 1:
                session.run(task.compute)
            if not is_alone:
                both.wait(30)
            if breaks:
                _break(session, is_link=is_link)
            until_s = time.monotonic() + 20
            try:
                while session.round.world_size == 2 or is_alone:
                    assert time.monotonic() < until_s, "it trains on"
                    session.run(task.compute)
                steps.append(session.step)
            except SessionEnded as ended:
                ends.append(str(ended))

    with ThreadPoolExecutor(2) as pool:
        for each in [
            pool.submit(member, breaks=breaks) for breaks in ([True] if is_alone else [True, False])
        ]:
            each.result()
    assert ends == ["membership has failed: KeyError('no such field')"] and len(steps) == (
        not is_alone
    )


@pytest.mark.parametrize(
    "error", [OSError("the database is locked"), SystemExit("the database is locked")]
)
def test_a_record_that_fails_puts_the_change_off_and_nobody_stops(
    store: StoreServer, error: BaseException
) -> None:
    recorded: list[int] = []
    refused: list[int] = []

    def record(number: int, members: Sequence[str]) -> None:
        if len(members) == 2 and len(refused) < 3:
            refused.append(number)
            raise error
        recorded.append(number)

    def newcomer() -> int:
        task = _task()
        with _joined(store, task) as session:
            return session.round.world_size

    task = _task()
    with _joined(store, task, on_round=record) as session, ThreadPoolExecutor(1) as pool:
        coming = pool.submit(newcomer)
        while not coming.done():
            session.run(task.compute)
        assert coming.result() == 2
    assert refused == [2, 2, 2] and recorded[:2] == [1, 2]
