"""A newcomer's `apply` is called where its script is: on the thread that joins, which hears what it
raises."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import cast

import pytest
import torch
from torch import Tensor

from elastic.workloads.session import Session, SessionEnded, SessionSettings
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.state import SessionTerms, State, StateReceiver
from elastic.workloads.session.transfer import TransferMessage, send
from tests.certificates import credential
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import wait_until
from tests.workloads.session.stores import serve_store, session_settings

pytestmark = pytest.mark.timeout(60)


class Refused(ValueError):
    """What a script's `apply` may raise: a kind that a torn message raises too."""


@contextmanager
def _training(settings: SessionSettings) -> Iterator[Callable[[], int]]:
    """Has a founder train on another thread; gives what tells its steps."""

    def train() -> None:
        task = Task(dtype=torch.float64, width=4, pause_s=0.002)
        with Session.join(
            task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
        ) as session:
            is_begun.set()
            while not is_over.is_set() or session.round.world_size > 1:
                session.run(task.compute)
                steps[0] = session.step

    is_begun, is_over, steps = threading.Event(), threading.Event(), [0]
    with ThreadPoolExecutor(1) as pool:
        founder = pool.submit(train)
        try:
            assert is_begun.wait(30)
            yield lambda: steps[0]
        finally:
            is_over.set()
        founder.result(timeout=30)


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    # A unit a step.
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0, chunk_bytes=1)
    store.close()


def test_what_a_newcomer_s_apply_raises_comes_out_of_join_and_the_members_go_on(
    settings: SessionSettings,
) -> None:
    task = Task(dtype=torch.float64, width=4)

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        raise Refused("a gradient is None")

    with _training(settings) as steps:
        with pytest.raises(Refused, match="a gradient is None"):
            Session.join(task.units(), apply, batch=BATCH, numbers=1, settings=settings)
        before = steps()
        wait_until(lambda: steps() > before + 5, "the founder's next steps")


def test_what_apply_has_left_half_moved_is_not_moved_once_more() -> None:
    def move() -> None:
        moved.append(1)
        raise Refused("at the second unit")

    moved: list[int] = []
    shared = SharedState(SessionTerms(12, None, 0, "shape"))
    shared.receiver = cast(
        StateReceiver,
        SimpleNamespace(is_due=True, move=move, adopted=None, is_streaming=True, ended_s=0.0),
    )
    with pytest.raises(Refused):
        shared.await_entry()
    with pytest.raises(SessionEnded, match="apply failed on gradients"):
        shared.await_entry()
    assert moved == [1]


def test_a_newcomer_s_apply_has_the_settings_of_the_thread_that_joins(
    settings: SessionSettings,
) -> None:
    task, threads = Task(dtype=torch.float64, width=4), set()

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        threads.add((threading.get_ident(), torch.is_grad_enabled(), None in gradients))
        task.apply(gradients, step)

    with (
        _training(settings),
        torch.set_grad_enabled(False),
        Session.join(task.units(), apply, batch=BATCH, numbers=1, settings=settings) as session,
    ):
        assert (threading.get_ident(), False, True) in threads, "it has followed some steps"
        session.leave()
        while session.is_member:
            session.run(lambda turn: [None] * len(task.parameters))
    assert {(thread, has_grad) for thread, has_grad, _ in threads} == {
        (threading.get_ident(), False)
    }


def test_state_that_apply_has_left_half_moved_is_torn() -> None:
    units, terms = ((torch.ones(3),), (torch.ones(3),)), SessionTerms(12, None, 0, "shape")

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        units[0][0].sub_(1.0)
        raise Refused("at the second unit")

    state = State(units, apply)
    receiver = StateReceiver(
        "127.0.0.1", state, job="job", credential=credential(), terms=terms, changed=lambda: None
    )
    receiver.start()
    with credential().connecting(
        socket.create_connection(("127.0.0.1", receiver.port))
    ) as connection:
        send(connection, TransferMessage("hello", {"job": "job", "step": 0, **terms.as_dict()}))
        send(
            connection,
            TransferMessage("chunk", {"first": 0, "last": 2, "step": 5}, state.pack(0, 2)),
        )
        wait_until(lambda: receiver.is_due, "the state")
        receiver.move()
        wait_until(lambda: receiver.is_complete and not receiver.is_torn, "the whole state")
        send(
            connection,
            TransferMessage("gradients", {"step": 5, "units": 2, "is_exact": False}, torch.ones(6)),
        )
        wait_until(lambda: receiver.is_due, "the gradients")
        with pytest.raises(Refused, match="at the second unit"):
            receiver.move()
        receiver.close()
        wait_until(lambda: not receiver.is_streaming, "the end of the stream")
    assert receiver.is_torn and receiver.step == 5
