"""A session's member under elasticd: what it says of its turns, and what it does once it is asked
to stop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from elastic.rendezvous import StoreServer
from elastic.worker.hook import Worker
from elastic.worker.place import WorkerPlace
from elastic.workloads.session import Attendance, Session
from elastic.workloads.session.rounds import Round
from tests.worker.conftest import AgentSocket
from tests.workloads.session.meetings import met
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.stores import session_settings

TIMEOUT_S = 60.0


class Node:
    """One node's end of it: a worker, the agent that hears it, and the file by which that asks it
    to stop."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.drain = folder / "drain"
        self.agent = AgentSocket(folder / "s")
        membership = WorkerPlace(
            generation=1, socket_path=str(self.agent.path), drain_file=str(self.drain)
        )
        self.worker = Worker(membership, started_at=0.0)
        self.said: list[dict[str, Any]] = []

    def listen(self) -> None:
        """Reads what has come: a socket's queue holds about ten datagrams."""
        self.said += self.agent.received()

    def close(self) -> None:
        self.worker.close()
        self.listen()
        self.agent.end()

    def words(self, kind: str) -> list[dict[str, Any]]:
        """What the agent has heard of this kind, once all has been said."""
        return [each for each in self.said if each["kind"] == kind]


@contextmanager
def _joined(
    store: StoreServer, task: Task, *, most_samples: int | None = None
) -> Iterator[Session]:
    settings = session_settings(
        f"127.0.0.1:{store.port}", "job", silence_s=5.0, most_samples=most_samples
    )
    with Session.join(
        task.units(), task.apply, batch=BATCH, numbers=1, settings=settings
    ) as session:
        yield session


def _task() -> Task:
    return Task(dtype=torch.float64, width=4)


def test_the_last_member_that_is_asked_to_stop_is_to_keep_what_the_job_has_come_to(
    store: StoreServer, tmp_path: Path
) -> None:
    task = _task()
    with (
        _joined(store, task) as session,
        closing(Node(tmp_path / "a")) as calm,
        closing(Node(tmp_path / "b")) as asked,
    ):
        attendance = Attendance(session, worker=calm.worker)
        for _ in range(3):
            session.run(task.compute)
            assert not attendance.turned(phase="gan")
        asked.drain.touch()
        attendance = Attendance(session, worker=asked.worker)
        session.run(task.compute)
        assert attendance.turned() and session.is_member and session.step == 4
    assert [(each["world_size"], each["round"]) for each in calm.words("joined")] == [(1, 1)]
    assert sum(each["iterations"] for each in calm.words("window")) == 3
    assert {each["phase"] for each in calm.words("window")} == {"gan"}
    assert [each["iteration"] for each in asked.words("window")] == [4]


def test_a_member_that_is_asked_to_stop_among_others_leaves_and_each_turn_is_told_of_once(
    store: StoreServer, tmp_path: Path
) -> None:
    founded, must_stop = threading.Event(), list[bool]()

    def found(node: Node) -> None:
        task = _task()
        with _joined(store, task) as session:
            attendance = Attendance(session, worker=node.worker)
            founded.set()
            while session.is_member:
                session.run(task.compute)
                must_stop.append(attendance.turned())
                node.listen()

    task = _task()
    with (
        closing(Node(tmp_path / "a")) as old,
        closing(Node(tmp_path / "b")) as new,
        ThreadPoolExecutor(1) as pool,
    ):
        founder = pool.submit(found, old)
        assert founded.wait(TIMEOUT_S)
        with _joined(store, task) as session:
            attendance = Attendance(session, worker=new.worker)
            old.drain.touch()
            # Until it has done a turn alone: before, it was for the other to tell.
            while (
                not founder.done() or session.turned_in is None or session.turned_in.world_size > 1
            ):
                session.run(task.compute)
                assert not attendance.turned()
                new.listen()
        founder.result()
    assert not any(must_stop), "others go on: what the job has come to is theirs to keep"
    turns = [[each["iterations"] for each in node.words("window")] for node in (old, new)]
    assert all(turns) and sum(map(sum, turns)) == session.step
    worlds = [
        list(dict.fromkeys(each["world_size"] for each in node.words("joined")))
        for node in (old, new)
    ]
    assert worlds == [[1, 2], [2, 1]]


@pytest.mark.timeout(30)
def test_who_waits_for_others_memory_is_told_to_stop(store: StoreServer, tmp_path: Path) -> None:
    task = _task()
    with (
        _joined(store, task, most_samples=BATCH - 1) as session,
        closing(Node(tmp_path / "a")) as node,
    ):
        attendance = Attendance(session, worker=node.worker)
        assert session.run(task.compute) is None and not attendance.turned()
        node.drain.touch()
        assert session.run(task.compute) is None and attendance.turned()
        assert session.is_member and session.step == 0
    assert not node.words("window")


@dataclass
class Told:
    """What of a session its attendance reads."""

    round: Round
    turned_in: Round | None = None
    step: int = 0
    is_member: bool = True
    must_stop: bool = False


def _round(number: int, *, rank: int, world_size: int) -> Round:
    return met(number, "abc"[:world_size], rank)


def test_a_turn_is_told_of_by_who_was_first_in_the_round_that_ran_it(tmp_path: Path) -> None:
    """One `run` may lose a member, turn without it, and let another in, who is first from then
    on."""
    both, alone = _round(1, rank=1, world_size=2), _round(2, rank=0, world_size=1)
    with closing(Node(tmp_path / "a")) as node:
        session: Any = Told(both)
        attendance = Attendance(session, worker=node.worker)
        session.turned_in, session.round, session.step = (
            alone,
            _round(3, rank=1, world_size=2),
            1,
        )
        assert not attendance.turned()
        session.turned_in, session.step = session.round, 2
        assert not attendance.turned(), "the first of round 3 tells of this one"
    assert [(each["iteration"], each["world_size"]) for each in node.words("window")] == [(1, 1)]
    assert [each["round"] for each in node.words("joined")] == [1, 2, 3]
