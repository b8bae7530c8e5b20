"""A newcomer that is told to leave before it was let in, or comes to a member that was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import torch
from torch import Tensor

from elastic.workloads.session import Session
from elastic.workloads.session.membership.shared_state import LEVEL_S
from elastic.workloads.session.rendezvous import StoreRendezvous
from elastic.workloads.session.rounds import Round
from elastic.workloads.session.state import Apply
from tests.certificates import certificate, credential
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import JOB, Member, wait_until
from tests.workloads.session.stores import serve_store, session_settings

TURNS_BEFORE = 3


def test_a_newcomer_that_is_ended_while_it_waits_leaves_nothing_and_no_member_notices(
    tmp_path: Path,
) -> None:
    """Its state comes a unit a turn, and the founder makes its turns here: fewer than there are
    units, it stays out."""
    store = serve_store()
    address, task = f"127.0.0.1:{store.port}", Task(dtype=torch.float64, width=16)
    assert len(task.units()) > TURNS_BEFORE + 1
    settings = session_settings(address, JOB, silence_s=5.0, chunk_bytes=1)
    lobby, met = (
        StoreRendezvous(address, JOB, "127.0.0.1", credential=credential()),
        list[tuple[int, Round | None]](),
    )

    def turn() -> None:
        session.run(task.compute)
        met.append((session.step, session.turned_in))

    def is_forgotten() -> bool:
        turn()
        return not lobby.look().waiting

    with Session.join(
        task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
    ) as session:
        newcomer = _newcomer(tmp_path, address)
        try:
            wait_until(
                lambda: len(lobby.look().waiting) == 1, "the newcomer", tell=newcomer.log.read_text
            )
            for _ in range(TURNS_BEFORE):
                turn()
            newcomer.kill(signal.SIGTERM)
            assert newcomer.process.wait(timeout=30) == -signal.SIGTERM
        finally:
            newcomer.process.kill()
        wait_until(is_forgotten, "the founder to be alone")
    assert [event["event"] for event in newcomer.events()] == ["warm"]
    assert not newcomer.log.with_suffix(".pt").exists()
    assert met == [(step, session.round) for step in range(1, len(met) + 1)]


def test_a_lone_member_that_is_to_leave_and_goes_on_leaves_to_whoever_comes() -> None:
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", JOB, silence_s=5.0)

    def newcomer() -> dict[int, str]:
        """Its state at each step: it may have made one more by itself when it sees that it is
        alone."""
        task = Task(dtype=torch.float64, width=16)
        with Session.join(
            task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
        ) as session:
            seen = {session.step: session.digest()}
            while session.round.world_size > 1:
                session.run(task.compute)
                seen[session.step] = session.digest()
            return seen

    task = Task(dtype=torch.float64, width=16, pause_s=0.005)
    with (
        Session.join(
            task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
        ) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        session.leave()
        for _ in range(20):
            session.run(task.compute)
        assert session.must_stop
        coming, until_s = pool.submit(newcomer), monotonic() + 30
        while session.is_member and monotonic() < until_s:
            session.run(task.compute)
        assert not session.is_member
        assert coming.result()[session.step] == session.digest()


def test_a_lone_member_that_must_leave_stays_if_the_newcomer_is_lost_before_the_last_step() -> None:
    """The state comes a unit a turn, so that the newcomer that is lost has to follow steps before
    it has all of it."""
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", JOB, silence_s=5.0, chunk_bytes=1)
    is_lost = Event()

    def joined(task: Task, apply: Apply) -> Session:
        return Session.join(task.units(), apply, batch=BATCH, settings=settings, numbers=1)

    def stand_still(gradients: Sequence[Tensor | None], step: int) -> None:
        sleep(2 * LEVEL_S)  # longer than members wait for one that is behind
        is_lost.set()
        raise InterruptedError

    def lost_newcomer() -> None:
        task = Task(dtype=torch.float64, width=16)
        with suppress(InterruptedError), joined(task, stand_still):
            pass

    def newcomer() -> dict[int, str]:
        task = Task(dtype=torch.float64, width=16)
        with joined(task, task.apply) as session:
            seen = {session.step: session.digest()}
            while session.round.world_size > 1:
                session.run(task.compute)
                seen[session.step] = session.digest()
            return seen

    task = Task(dtype=torch.float64, width=16, pause_s=0.005)
    with ThreadPoolExecutor(2) as pool, joined(task, task.apply) as session:
        session.leave()
        losing = pool.submit(lost_newcomer)
        while not losing.done():
            session.run(task.compute)
            assert session.is_member and session.must_stop
        assert is_lost.is_set()
        coming, until_s = pool.submit(newcomer), monotonic() + 30
        while session.is_member and monotonic() < until_s:
            session.run(task.compute)
        assert not session.is_member
        assert coming.result()[session.step] == session.digest()


def test_where_a_member_was_is_forgotten_once_it_is_gone() -> None:
    store = serve_store()
    settings, counts = (
        session_settings(f"127.0.0.1:{store.port}", JOB, silence_s=5.0),
        list[int](),
    )

    def newcomer() -> None:
        task = Task(dtype=torch.float64, width=4)
        with Session.join(
            task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
        ) as session:
            while session.is_member:
                session.run(task.compute)
                session.leave()

    def is_forgotten() -> bool:
        session.run(task.compute)
        counts.append(len(session._membership._addresses))  # noqa: SLF001 (nobody sees a leak)
        return coming.done() and not counts[-1]

    task = Task(dtype=torch.float64, width=4, pause_s=0.005)
    with (
        Session.join(
            task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
        ) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        coming = pool.submit(newcomer)
        wait_until(is_forgotten, "the newcomer to be forgotten")
    assert max(counts) == 1


def _newcomer(folder: Path, address: str) -> Member:
    log = folder / "newcomer.jsonl"
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ELASTICD_SESSION_STORE": address,
        "ELASTICD_CERTIFICATE": certificate(),
        "ELASTICD_JOB_ID": JOB,
    }
    command = [
        sys.executable,
        "-m",
        "tests.workloads.session.member",
        str(log),
        str(folder / "goal"),
    ]
    return Member(subprocess.Popen(command, env=environment), log)
