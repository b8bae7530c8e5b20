"""A member that is alone, and has missed that the job went on without it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
import torch

from elastic.rendezvous import StoreServer
from elastic.workloads.session import Session
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.stores import serve_store, session_settings

pytestmark = pytest.mark.timeout(60)


def _store() -> StoreServer:
    return serve_store()


def _joined(place: Path, task: Task, *, step: int = 0) -> Session:
    settings = session_settings(str(place), job="job", silence_s=5.0)
    return Session.join(
        task.units(), task.apply, batch=BATCH, numbers=1, settings=settings, step=step
    )


def _task() -> Task:
    return Task(dtype=torch.float64, width=4, pause_s=0.005)


@contextmanager
def _left_out(
    folder: Path, *, has_heard: bool = True
) -> Iterator[tuple[Session, Task, Future[tuple[int, str]]]]:
    """Gives a lone member of round 1 some steps on, without a store, and what comes of the side
    that founds round 6 in a new one at step 1000; the first is told of that store before, or only
    as that side has ended its first turn."""
    place, other = folder / "place", folder / "other"
    first, is_over, is_begun = _store(), Event(), Event()
    place.write_text(f"127.0.0.1:{first.port}")
    task = _task()

    def train() -> tuple[int, str]:
        task = _task()
        with _joined(other, task, step=1000) as session:
            while not is_over.is_set() or session.round.world_size == 2:
                session.run(task.compute)
                is_begun.set()
            session.finish()
            return session.round.number, session.digest()

    with ThreadPoolExecutor(1) as pool:
        with _joined(place, task) as session:
            for _ in range(5):
                session.run(task.compute)
            place.write_text("")
            first.close()
            second = _store()
            for key in ("floor", "registered"):
                second.values.set(f"job/{key}", b"5")
            other.write_text(f"127.0.0.1:{second.port}")
            there = pool.submit(train)
            assert is_begun.wait(30)
            place.write_text(other.read_text())
            try:
                yield session, task, there
            finally:
                session.leave()
                is_over.set()
                while session.is_member and not there.done():
                    session.run(task.compute)
        assert there.result(timeout=30)[0] > 5
        second.close()


def _run_until(session: Session, task: Task, is_so: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < until_s
        session.run(task.compute)


def test_a_lone_member_that_the_job_has_gone_on_without_comes_in_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with _left_out(tmp_path) as (session, task, _):
        _run_until(session, task, lambda: session.round.number > 1)
        assert session.round.world_size == 2 and session.step >= 1000
    assert (
        capsys.readouterr().err.count("the others continue without this process after its step")
        == 1
    )


def test_it_ends_no_job_that_others_go_on_with(tmp_path: Path) -> None:
    """It comes to its last step before it has looked at the store again."""
    kept: list[int] = []
    with _left_out(tmp_path) as (session, _, there):
        assert not session.finish(lambda: kept.append(session.step))
        assert not kept and not there.done() and session.step >= 1000
