"""A store whose process is stopped: its kernel takes what is sent to it, and nobody answers."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from elastic.rendezvous import StoreClient, StoreLost, StoreServer
from elastic.workloads.session import Session
from elastic.workloads.session.rendezvous import StoreRendezvous
from tests.certificates import credential
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import Fleet, running_fleet, wait_until
from tests.workloads.session.stores import serve_store, session_settings

pytestmark = pytest.mark.timeout(120)

CALLS: list[Callable[[Any], Any]] = [
    lambda store: store.get("key", timeout_s=0.0),
    lambda store: store.has(["key"]),
    lambda store: store.compare_set("key", b"value", b"other"),
]


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    with running_fleet(tmp_path) as fleet:
        yield fleet


@pytest.fixture
def half_dead() -> Iterator[str]:
    """Gives the address of a store that is stopped once it has proven to be the job's."""

    def serve() -> None:
        first, _ = listener.accept()
        with credential().accepting(first):
            is_over.wait(60)

    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        is_over.set()
        thread.join()


@pytest.mark.slow
def test_no_call_waits_for_ever(fleet: Fleet) -> None:
    address = _address(fleet)
    stores = [StoreClient(address, credential(), timeout_s=0.5) for _ in CALLS]
    stores[0].set("key", b"value")
    assert [call(store) for call, store in zip(CALLS, stores, strict=True)] == [
        b"value",
        True,
        b"other",
    ]
    _stop(fleet)
    for call, store in zip(CALLS, stores, strict=True):
        with pytest.raises(StoreLost):
            call(store)
    with pytest.raises(StoreLost, match="no store answers"):
        StoreClient(address, credential(), timeout_s=0.5)


def test_one_that_stops_while_it_is_connected_to_is_given_up(half_dead: str) -> None:
    with pytest.raises(StoreLost, match="no store answers"):
        StoreClient(half_dead, credential(), timeout_s=0.2)


@pytest.mark.slow
def test_members_fill_its_successor_and_stay_there_when_it_is_back(fleet: Fleet) -> None:
    first, second = fleet.start(2)
    fleet.await_world([first, second])
    number, frozen = first.last["generation"], fleet.store
    assert frozen is not None
    _stop(fleet)
    try:
        fleet.start_store("held=1", f"floor={number}", f"registered={number}")
        (third,) = fleet.start()
        fleet.await_world([first, second, third])
        frozen.send_signal(signal.SIGCONT)
        second.kill()
        fleet.await_world([first, third])
        fleet.await_end([first, third])
        fleet.assert_identical()
    finally:
        frozen.kill()
        frozen.wait()


@pytest.mark.slow
def test_members_end_their_job_without_it(fleet: Fleet) -> None:
    members = fleet.start(2)
    fleet.await_world(members)
    _stop(fleet)
    fleet.await_end(members)
    assert all(member.has("finished") for member in members)


def test_a_member_leaves_a_store_that_its_file_names_no_more(
    store: StoreServer, tmp_path: Path
) -> None:
    """It may have been replaced while it was stopped, and be back."""
    other = serve_store()
    file = tmp_path / "store"
    file.write_text(f"127.0.0.1:{store.port}")
    task = Task(dtype=torch.float64, width=4, pause_s=0.002)
    with (
        Session.join(
            task.units(),
            task.apply,
            batch=BATCH,
            settings=session_settings(str(file), "job"),
            numbers=1,
        ) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        names = session.round.members
        file.write_text(f"127.0.0.1:{other.port}")
        there = StoreRendezvous(
            f"127.0.0.1:{other.port}", "job", "nowhere", credential=credential()
        )
        moving = pool.submit(
            wait_until, lambda: there.look().participants == names, "the member at the other store"
        )
        while not moving.done():
            session.run(task.compute)
        moving.result()


def _address(fleet: Fleet) -> str:
    return (fleet.folder / "store").read_text().strip()


def _stop(fleet: Fleet) -> None:
    assert fleet.store is not None
    fleet.store.send_signal(signal.SIGSTOP)
    # Until its last thread stands still.
    os.waitid(os.P_PID, fleet.store.pid, os.WSTOPPED | os.WNOWAIT)
