"""A session's end waits for its threads that may be in torch: one that comes out of it later aborts
the process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence
from time import monotonic

import pytest
import torch
from torch import Tensor

from elastic.durations import END_GRACE_S
from elastic.rendezvous import StoreServer
from elastic.workloads.session import Session
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.membership.newcomers import Reception
from elastic.workloads.session.membership.thread_group import ThreadGroup
from elastic.workloads.session.rendezvous import StoreRendezvous, View
from elastic.workloads.session.state import SessionTerms, State
from elastic.workloads.session.transfer import Room, receive
from tests.certificates import credential
from tests.workloads.session.meetings import met
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import wait_until
from tests.workloads.session.stores import session_settings

pytestmark = pytest.mark.timeout(60)

TERMS = SessionTerms(1, None, 0, "shapes")


def test_those_that_end_are_waited_for_and_nobody_for_ever() -> None:
    threads, is_over = ThreadGroup(), threading.Event()
    short, endless = (
        threading.Thread(target=time.sleep, args=(0.1,)),
        threading.Thread(target=is_over.wait),
    )
    began_s = monotonic()
    for each in (endless, short):
        threads.start(each)
    threads.join(timeout_s=0.5)
    assert not short.is_alive() and endless.is_alive() and monotonic() - began_s >= 0.5
    is_over.set()
    threads.join(timeout_s=30.0)
    assert not endless.is_alive()


def test_a_builder_that_waits_for_others_ends_with_its_session(store: StoreServer) -> None:
    address = f"127.0.0.1:{store.port}"
    others, task = frozenset(threading.enumerate()), Task(dtype=torch.float64, width=4)
    with Session.join(
        task.units(), task.apply, batch=BATCH, settings=session_settings(address, "job"), numbers=1
    ) as session:
        outside = StoreRendezvous(address, "job", "nowhere", credential=credential())
        seen = outside.look()
        # Of a round in which another one never answers.
        assert outside.publish(seen, (*seen.participants, "127.0.0.1_1_0"), number=seen.round + 1)
        builder = f"session-builder-{seen.round + 1}"
        wait_until(lambda: builder in {each.name for each in threading.enumerate()}, "a builder")
        session.run(task.compute)
    assert not [
        each.name for each in threading.enumerate() if each not in others and each.name == builder
    ]


def test_who_follows_has_a_while_to_take_what_was_queued() -> None:
    state, shared = State(((torch.ones(3),),), _leave), SharedState(TERMS)
    shared.current = met(1, ("a",), 0)
    reception = Reception(session_settings("127.0.0.1:1", "job"), state, shared)

    def follow() -> None:
        plain, _ = listener.accept()
        with credential().accepting(plain) as connection:
            receive(connection, Room())
            connection.sendall(b"0 0 0\n")
            while connection.recv(65536):
                pass
            time.sleep(END_GRACE_S / 10)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        newcomer = threading.Thread(target=follow)
        newcomer.start()
        here = listener.getsockname()[:2]
        reception.serve(
            "a", View(1, ("a",), ("newcomer_1_0",), is_closed=False), lambda name: (here, here)
        )
        (sender,) = shared.followed()
        wait_until(lambda: sender.is_received, "the newcomer's answer")
        shared.close()
        reception.end()
        assert not sender.is_alive()
        newcomer.join()


def _leave(gradients: Sequence[Tensor | None], step: int) -> None:
    pass
