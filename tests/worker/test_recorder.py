"""Windows cover every turn exactly once, whatever the agent's socket does."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.worker.outbox import MAX_WAITING
from elastic.worker.recorder import Recorder
from tests.worker.conftest import AgentSocket


class Stopwatch:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Loop:
    """A training loop on a clock of its own."""

    def __init__(self, agent_socket: AgentSocket) -> None:
        self.watch = Stopwatch()
        self.outbox = agent_socket.outbox(rank=0)
        self.recorder = Recorder(
            self.outbox,
            started_at=self.watch.now,
            monotonic=self.watch,
            wall_s=lambda: 1e9,
        )
        self.done = 0

    def run(self, turns: int, *, each_s: float, phase: str = "main") -> None:
        for _ in range(turns):
            self.watch.now += each_s
            self.done += 1
            self.recorder.turn(self.done, phase)


@pytest.fixture
def loop(agent_socket: AgentSocket) -> Loop:
    return Loop(agent_socket)


def turns_in(messages: list[dict[str, Any]]) -> int:
    return sum(message["iterations"] for message in messages)


def test_the_first_turn_is_a_cold_window_from_the_process_start(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    loop.run(1, each_s=7.0)
    (window,) = agent_socket.received()
    assert window["is_cold"]
    assert (window["iterations"], window["iteration"], window["elapsed_s"]) == (
        1,
        1,
        7.0,
    )


def test_a_window_closes_when_it_spans_half_a_second(loop: Loop, agent_socket: AgentSocket) -> None:
    loop.run(1, each_s=1.0)
    agent_socket.received()
    loop.run(7, each_s=0.125)
    (window,) = agent_socket.received()
    assert (window["iterations"], window["iteration"], window["elapsed_s"]) == (
        4,
        5,
        0.5,
    )
    assert not window["is_cold"]


def test_a_new_phase_closes_the_window_and_starts_with_a_cold_turn(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    loop.run(3, each_s=0.125, phase="pixel")
    loop.run(5, each_s=0.25, phase="gan")
    windows = agent_socket.received()
    assert [(w["phase"], w["iterations"], w["is_cold"]) for w in windows] == [
        ("pixel", 1, True),
        ("pixel", 2, False),
        ("gan", 1, True),
        ("gan", 2, False),
        ("gan", 2, False),
    ]


def test_an_instant_between_two_turns_is_in_exactly_one_window(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    loop.run(50, each_s=0.0625, phase="pixel")
    loop.run(50, each_s=0.125, phase="gan")
    loop.recorder.flush()
    windows = agent_socket.drain(loop.outbox)
    assert turns_in(windows) == 100
    assert sum(w["elapsed_s"] for w in windows) == pytest.approx(50 * 0.0625 + 50 * 0.125)


def test_a_full_socket_makes_the_window_grow_and_loses_nothing(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    loop.run(4000, each_s=0.5)  # far more windows than a socket's queue holds, and nobody reads
    first = agent_socket.received()
    assert turns_in(first) < 4000
    loop.run(2, each_s=0.5)
    loop.recorder.flush()
    assert turns_in(first + agent_socket.drain(loop.outbox)) == 4002


def test_an_agent_that_comes_back_hears_what_happened_without_it(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    loop.run(3, each_s=0.5)
    before = agent_socket.received()
    agent_socket.close()
    loop.run(20, each_s=0.5)
    agent_socket.reopen()
    loop.run(2, each_s=0.5)
    loop.recorder.flush()
    messages = before + agent_socket.drain(loop.outbox)
    assert turns_in(messages) == 25
    assert [m["seq"] for m in messages] == list(range(1, len(messages) + 1))


def test_phases_that_alternate_unheard_are_merged_within_a_bound(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    agent_socket.close()
    for _ in range(MAX_WAITING):
        loop.run(2, each_s=0.25, phase="a")
        loop.run(2, each_s=0.25, phase="b")
    agent_socket.reopen()
    loop.recorder.flush()
    messages = agent_socket.drain(loop.outbox)
    assert turns_in(messages) == 4 * MAX_WAITING
    assert len(messages) <= MAX_WAITING


def test_what_is_held_can_be_taken_back(loop: Loop, agent_socket: AgentSocket) -> None:
    loop.recorder.hold(for_s=2.0)
    loop.run(3, each_s=0.5)
    loop.recorder.discard()
    loop.run(1, each_s=0.5)
    (window,) = agent_socket.received()
    assert (window["iterations"], window["elapsed_s"], window["is_cold"]) == (
        1,
        2.0,
        True,
    )


def test_what_is_held_goes_out_when_its_time_is_over(loop: Loop, agent_socket: AgentSocket) -> None:
    loop.recorder.hold(for_s=2.0)
    loop.run(3, each_s=0.5)
    assert agent_socket.received() == []
    loop.run(1, each_s=0.5)
    assert turns_in(agent_socket.received()) == 4


def test_after_a_restart_the_next_turn_is_cold_and_holds_nothing_of_the_time_before(
    loop: Loop, agent_socket: AgentSocket
) -> None:
    loop.run(3, each_s=0.1)
    loop.watch.now += 7.0
    loop.recorder.restart()
    loop.run(1, each_s=0.2)
    loop.run(2, each_s=0.1)
    loop.recorder.flush()
    messages = agent_socket.drain(loop.outbox)
    assert turns_in(messages) == 6
    assert [(m["iterations"], m["is_cold"], round(m["elapsed_s"], 3)) for m in messages[-2:]] == [
        (1, True, 0.2), (2, False, 0.2),
    ]  # fmt: skip
