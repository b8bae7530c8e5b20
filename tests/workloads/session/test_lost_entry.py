"""A newcomer that loses its first round as it meets the members, and has to come in anew."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from elastic.workloads.session import Session
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.rounds import Round
from elastic.workloads.session.turns import Buffers, Meeting, TooOld
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import wait_until
from tests.workloads.session.stores import serve_store, session_settings

MORE = 5


@pytest.mark.timeout(60)
def test_a_newcomer_that_is_too_old_for_its_first_round_comes_in_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The members went on by more than a step while it was met: here its first meeting is made to
    find that."""
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    begun, is_over, lost = threading.Event(), threading.Event(), list[int]()
    await_entry, end = SharedState.await_entry, Meeting.end

    def entry(self: SharedState) -> tuple[Round, bool] | None:
        found = await_entry(self)
        # It meets them at once, as one whose source had to let it go.
        return found and (
            found[0],
            False,
        )

    def ended(self: Meeting, buffers: Buffers) -> bool:
        if threading.current_thread() is threading.main_thread() and not lost:
            lost.append(1)
            raise TooOld("this process's state is too old to go on with")
        return end(self, buffers)

    monkeypatch.setattr(SharedState, "await_entry", entry)
    monkeypatch.setattr(Meeting, "end", ended)

    def train() -> str:
        task = Task(dtype=torch.float64, width=4, pause_s=0.005)
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
        ) as session:
            while not is_over.is_set() or session.round.world_size == 2:
                session.run(task.compute)
                begun.set()
            return session.digest()

    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(train)
        try:
            wait_until(begun.is_set, "the first member")
            task = Task(dtype=torch.float64, width=4, pause_s=0.005)
            with Session.join(
                task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
            ) as session:
                assert session.round.world_size == 2 and lost
                last = session.step + MORE
                while session.step < last:
                    session.run(task.compute)
                session.leave()
                while session.is_member:
                    session.run(task.compute)
        finally:
            is_over.set()
        assert there.result(timeout=30)
