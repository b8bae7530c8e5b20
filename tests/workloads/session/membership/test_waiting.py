"""What is said of a wait in vain."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from elastic.durations import MINUTE_S, SELDOM_S
from elastic.workloads.session import Session
from elastic.workloads.session.membership import SharedState
from elastic.workloads.session.membership.waiting import WaitLog, awaited
from elastic.workloads.session.rendezvous import View
from elastic.workloads.session.state import SessionTerms, State, StateReceiver
from tests.certificates import certificate, credential
from tests.workloads.session.meetings import met
from tests.workloads.session.member import BATCH, Task
from tests.workloads.session.running import JOB, wait_until
from tests.workloads.session.stores import serve_store, session_settings

TERMS = SessionTerms(12, None, 0, "shape")


class Unread(io.StringIO):
    """A pipe whose reader has ended."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def _closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [Unread(), _closed()])
def test_a_wait_that_nobody_can_be_told_of_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO
) -> None:
    waiting = WaitLog()
    monkeypatch.setattr(sys, "stderr", stream)
    for now_s in (100.0, 100.0 + SELDOM_S):
        waiting.goes_on("no store answers", now_s=now_s)


def test_a_long_wait_is_told_of_once_in_a_while() -> None:
    said: list[str] = []
    waiting = WaitLog(said.append)
    for now_s in (100.0, 100.0 + SELDOM_S - 0.1):
        waiting.goes_on("no store answers", now_s=now_s)
    assert not said
    for now_s in (
        100.0 + SELDOM_S,
        100.0 + 2 * SELDOM_S,
        100.0 + SELDOM_S + MINUTE_S,
        100.0 + SELDOM_S + MINUTE_S + 0.1,
    ):
        waiting.goes_on("no store answers", now_s=now_s)
    assert said == [
        f"session: no store answers; still trying after {waited}"
        for waited in ("10 s", "1 min 10 s")
    ]


def test_each_wait_begins_anew() -> None:
    said: list[str] = []
    waiting = WaitLog(said.append)
    waiting.goes_on("one", now_s=0.0)
    waiting.ends()
    waiting.goes_on("two", now_s=SELDOM_S)
    assert not said
    waiting.goes_on("two", now_s=2 * SELDOM_S)
    assert len(said) == 1 and "two" in said[0]


ME, OTHER = "me_1_0", "other_1_0"


@pytest.mark.parametrize(
    ("participants", "streams", "said"),
    [
        ((), False, "there is no member, and one of the 2 processes that wait must begin"),
        (("a", "b"), False, "none of 2 members has begun to send the state"),
        (("a", "b"), True, "has 1 of 3 units of the state that 2 members send it"),
        (("a", ME), False, "waiting to meet the other members of a round of 2"),
    ],
)
def test_a_newcomer_says_what_it_waits_for(
    participants: tuple[str, ...], streams: bool, said: str
) -> None:
    shared = SharedState(TERMS, is_entering=True)
    state = State(tuple((torch.zeros(1),) for _ in range(3)), lambda gradients, step: None)
    shared.receiver = receiver = StateReceiver(
        "127.0.0.1", state, job="job", credential=credential(), terms=TERMS, changed=lambda: None
    )
    receiver.is_streaming, receiver.units = streams, 1
    found = awaited(shared, View(1, participants, (ME, OTHER), is_closed=False), name=ME, units=3)
    receiver.close()
    assert found is not None and found.endswith(said)


def test_members_that_do_not_hold_a_batch_say_so_and_others_say_nothing() -> None:
    view, shared = View(1, (ME, OTHER), (), is_closed=False), SharedState(TERMS)
    for limits, said in [
        ((4, 5), "the members' memories hold 9 of a batch's 12 samples"),
        ((4, 8), None),
        ((None, 1), None),
    ]:
        shared.current = met(1, (ME, OTHER), 0, limits=limits)
        assert awaited(shared, view, name=ME, units=3) == said


@pytest.mark.slow
def test_a_newcomer_that_is_not_served_says_so_and_comes_in_when_it_is(tmp_path: Path) -> None:
    """The founder makes no turns at first: only between turns is state sent."""
    store = serve_store()
    task, address, errors = (
        Task(dtype=torch.float64, width=16),
        f"127.0.0.1:{store.port}",
        tmp_path / "errors",
    )
    goal = tmp_path / "goal"
    settings = session_settings(address, JOB, silence_s=5.0)
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ELASTICD_SESSION_STORE": address,
        "ELASTICD_CERTIFICATE": certificate(),
        "ELASTICD_JOB_ID": JOB,
        "ELASTICD_SESSION_SILENCE_S": "5",
    }
    command = [
        sys.executable,
        "-m",
        "tests.workloads.session.member",
        str(tmp_path / "log"),
        str(goal),
    ]
    with Session.join(
        task.units(), task.apply, batch=BATCH, settings=settings, numbers=1
    ) as session:
        with errors.open("wb") as output:
            newcomer = subprocess.Popen(command, env=environment, stderr=output)
        try:
            wait_until(
                lambda: "waiting to join" in errors.read_text(),
                "its words",
                tell=errors.read_text,
            )
            while session.round.world_size == 1:
                session.run(task.compute)
            partial = goal.with_suffix(".partial")
            partial.write_text(str(session.step + 3))
            partial.rename(goal)  # whole, for it is read at any time
            for _ in range(3):
                session.run(task.compute)
            assert newcomer.wait(30) == 0, errors.read_text()
        finally:
            newcomer.kill()
            newcomer.wait()
    assert errors.read_text().count("session: ") == 1


@pytest.mark.slow
def test_a_newcomer_that_finds_no_store_says_where_it_looks(tmp_path: Path) -> None:
    place, errors = tmp_path / "place", tmp_path / "errors"
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ELASTICD_SESSION_STORE": str(place),
        "ELASTICD_CERTIFICATE": certificate(),
    }
    command = [
        sys.executable,
        "-m",
        "tests.workloads.session.member",
        str(tmp_path / "log"),
        str(tmp_path / "goal"),
    ]
    with errors.open("wb") as output:
        member = subprocess.Popen(command, env=environment, stderr=output)
    try:
        wait_until(lambda: str(place) in errors.read_text(), "its words", tell=errors.read_text)
    finally:
        member.kill()
        member.wait()
    assert errors.read_text().count("the file that is to name the store is not there") == 1
