"""What the agent makes of the workers' datagrams."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.ingest import WARM_UP_ITERATIONS, Ingest
from elastic.protocol import NoteMessage, WindowMessage, fault_of
from elastic.worker.hook import Worker
from elastic.worker.place import WorkerPlace

WINDOW: dict[str, Any] = {
    "kind": "window",
    "worker": "w",
    "rank": 0,
    "world_size": 1,
    "generation": 1,
    "phase": "main",
    "iteration": 5,
    "iterations": 2,
    "elapsed_s": 0.5,
    "is_cold": False,
    "ended_at_s": 1.7e9,
}


class Desk:
    """An ingest with its outbox on disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "s"
        self.disk_outbox = DiskOutbox(folder / "spool")
        self.rounds: list[int] = []
        self.ingest = Ingest(self.path, disk_outbox=self.disk_outbox, saw_round=self.rounds.append)
        self.ingest.listen_to(1)
        self.ingest.start()

    def worker(self, *, rank: int = 0, generation: int = 1) -> Worker:
        membership = WorkerPlace(
            rank=rank,
            local_rank=rank,
            world_size=2,
            generation=generation,
            socket_path=str(self.path),
            batch="job",
        )
        result = Worker(membership, started_at=0.0)
        result.begin()
        return result

    def kept(self) -> list[str]:
        """What goes to the daemon, but for where each worker began."""
        self.ingest.settle()
        return [message.kind for message in self.disk_outbox.batch() if message.kind != "begins"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    result = Desk(tmp_path)
    yield result
    result.ingest.stop()
    result.disk_outbox.close()


def test_the_words_of_rank_zero_go_to_the_disk_outbox_and_all_last_words_are_heard(
    desk: Desk,
) -> None:
    for rank in (0, 1):
        with closing(desk.worker(rank=rank)) as worker:
            worker.turn(7, "main")
            worker.say("note", text="hello")
            worker.say_last("drained", 7)
    assert desk.kept() == ["window", "note", "drained"]
    heard = desk.ingest.reports()
    assert (heard.last_words, heard.last_word_ranks, heard.iteration) == (
        frozenset({"drained"}),
        2,
        7,
    )


def test_what_a_worker_says_before_it_is_a_member_does_not_make_it_one(desk: Desk) -> None:
    with closing(desk.worker()) as worker:
        worker.say("note", text="loading")
        desk.ingest.settle()
        heard = desk.ingest.reports()
        assert (heard.any_word, heard.has_joined, desk.rounds) == (True, False, [])
        worker.regroup(rank=1, world_size=2, number=5)
        desk.ingest.settle()
        assert desk.ingest.reports().has_joined
    assert set(desk.rounds) == {5}
    desk.ingest.listen_to(2)
    assert not desk.ingest.reports().has_joined


@pytest.mark.parametrize("word", ["window", "warm-up", "finished", "drained"])
def test_who_tells_of_turns_beyond_a_warm_up_or_of_the_end_has_trained(
    desk: Desk, word: str
) -> None:
    with closing(desk.worker()) as worker:
        worker.say("note", text="loading")
        desk.ingest.settle()
        assert not desk.ingest.reports().has_trained
        if word in ("window", "warm-up"):
            for turn in range(WARM_UP_ITERATIONS + (word == "window")):
                worker.turn(1000 + turn, "main")
        else:
            worker.say_last(word, 0)
    desk.ingest.settle()
    assert desk.ingest.reports().has_trained == (word in ("window", "finished"))
    desk.ingest.listen_to(2)
    assert not desk.ingest.reports().has_trained


@pytest.mark.parametrize("is_anew", [False, True], ids=["in a row", "in two starts"])
def test_an_optimizer_s_steps_beyond_a_warm_up_are_training_and_those_of_two_starts_are_not_one(
    desk: Desk, is_anew: bool
) -> None:
    worker = desk.worker()
    for step in range(WARM_UP_ITERATIONS + 1):
        if step == WARM_UP_ITERATIONS:
            worker.recorder.flush()
            desk.ingest.settle()
            assert not desk.ingest.reports().has_trained
            if is_anew:
                worker.close()
                worker = desk.worker()
        worker.count(None, "main")
    worker.close()
    desk.ingest.settle()
    assert desk.ingest.reports().has_trained is not is_anew


def test_a_wish_for_a_signal_stays_on_the_node(desk: Desk) -> None:
    with closing(desk.worker(rank=1)) as worker:
        worker.tell_agent("needs_signal")
    assert desk.kept() == []
    assert desk.ingest.reports().needs_signal


@pytest.mark.parametrize("rank", [0, 1])
def test_last_words_before_a_restart_of_the_workers_do_not_count(desk: Desk, rank: int) -> None:
    with closing(desk.worker(rank=rank)) as first:
        first.turn(1, "main")
        first.say_last("finished", 1)
    with closing(desk.worker(rank=rank)):
        desk.ingest.settle()
        heard = desk.ingest.reports()
    assert (heard.starts, heard.last_words, heard.left) == (2, frozenset(), 0)


def test_the_workers_of_one_start_speak_for_their_node_together(desk: Desk) -> None:
    for start in (1, 2):
        with closing(desk.worker(rank=1)) as early:
            early.say_last("finished", 1)
        with closing(desk.worker(rank=0)):
            desk.ingest.settle()
            heard = desk.ingest.reports()
        assert (heard.starts, heard.last_word_ranks, heard.left) == (start, 1, 1)
    desk.ingest.settle()
    assert desk.ingest.reports().left == 2
    desk.ingest.listen_to(2)
    assert (desk.ingest.reports().starts, desk.ingest.reports().left) == (0, 0)


def test_any_rank_s_first_turn_is_a_word_of_its_own(desk: Desk) -> None:
    with closing(desk.worker(rank=1)) as worker:
        desk.ingest.settle()
        assert not desk.ingest.reports().any_word, "it may load for long, and fail before it turns"
        worker.turn(1, "main")
        assert desk.kept() == []
        assert desk.ingest.reports().any_word


def test_an_earlier_generation_counts_as_progress_but_does_not_speak_for_the_present(
    desk: Desk,
) -> None:
    with closing(desk.worker(generation=1)) as old:
        desk.ingest.listen_to(2)
        old.turn(1, "main")
        old.say_last("drained", 1)
    assert desk.kept() == ["window", "drained"]
    assert desk.ingest.reports().last_words == frozenset()


def test_leftovers_are_taken_in_once(desk: Desk) -> None:
    left = desk.path.with_name("s.left-w")
    left.write_text(json.dumps(WINDOW) + "\n" + json.dumps(WINDOW) + "\nhalf a li")
    desk.ingest.take_leftovers()
    desk.ingest.take_leftovers()
    assert desk.kept() == ["window", "window"]
    assert not left.exists()


@pytest.mark.parametrize(
    "fault",
    [
        {"elapsed_s": float("nan")},
        {"elapsed_s": 0},
        {"elapsed_s": "0.5"},
        {"iterations": 0},
        {"iterations": True},
        {"iteration": -1},
        {"iteration": 1.5},
        {"phase": "a b"},
        {"phase": ""},
        {"phase": None},
        {"is_cold": 1},
        {"generation": None},
        {"ended_at_s": float("inf")},
        {"kind": "confetti"},
    ],
)
def test_what_the_daemon_would_refuse_does_not_reach_it(fault: dict[str, Any]) -> None:
    assert fault_of(WINDOW, absent=("seq",)) is None
    assert fault_of(WINDOW | fault, absent=("seq",)) is not None


def test_a_message_that_does_not_fit_is_dropped_counted_and_told(desk: Desk) -> None:
    left = desk.path.with_name("s.left-w")
    bad = [json.dumps(WINDOW | {"world_size": 2_000_000})] * 3
    left.write_text("\n".join([json.dumps(WINDOW), *bad, json.dumps(WINDOW)]) + "\n")
    desk.ingest.take_leftovers()
    messages = desk.disk_outbox.batch()
    assert [message.kind for message in messages if message.kind != "note"] == ["window", "window"]
    notes = [message.text for message in messages if isinstance(message, NoteMessage)]
    assert [text.partition(".")[0][-8:] for text in notes] == ["1 so far", "2 so far"]
    assert "window: world_size: wanted at most 1000000, got 2000000" in notes[0]
    assert desk.disk_outbox.dropped == 3


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b'{"kind": 5}', b"null"])
def test_junk_on_the_socket_is_dropped(desk: Desk, data: bytes) -> None:
    with closing(desk.worker()) as worker:
        assert worker._outbox._socket is not None  # noqa: SLF001 (junk has no public way in)
        worker._outbox._socket.sendto(data, str(desk.path))  # noqa: SLF001
        worker.turn(1, "main")
    assert desk.kept() == ["window"]


def test_turns_of_a_session_belong_to_its_newest_generation_and_are_rates_once_all_are_there(
    desk: Desk,
) -> None:
    desk.ingest.serve(3, world_size=2)
    with closing(desk.worker()) as worker:
        for turn in (1, 2):
            worker.turn(turn, "main")
        worker.recorder.flush()
        desk.ingest.settle()
        worker.regroup(rank=0, world_size=1)
        for turn in (3, 4):
            worker.turn(turn, "main")
    desk.ingest.settle()
    windows = [
        message for message in desk.disk_outbox.batch() if isinstance(message, WindowMessage)
    ]
    assert {message.generation for message in windows} == {3}
    assert [(message.world_size, message.is_cold) for message in windows] == [
        (2, True), (2, False), (1, True), (1, True),
    ]  # fmt: skip
    assert desk.ingest.reports().any_word


def test_a_generation_that_is_begun_anew_speaks_for_itself_again(desk: Desk) -> None:
    desk.ingest.serve(3, world_size=2)
    desk.ingest.listen_to(4)
    with closing(desk.worker(generation=4)) as worker:
        worker.turn(1, "main")
    desk.ingest.settle()
    assert {
        each.generation for each in desk.disk_outbox.batch() if isinstance(each, WindowMessage)
    } == {4}


def test_the_pulse_is_that_of_any_rank_and_begins_anew_with_its_workers(desk: Desk) -> None:
    desk.ingest.settle()
    assert desk.ingest.reports().pulse is None, "none has made a turn"
    with closing(desk.worker(rank=1)) as worker:
        worker.turn(1, "main")
        desk.ingest.settle()
        time.sleep(0.2)
        worker.tell_agent("turns")
        desk.ingest.settle()
        time.sleep(0.1)
        pulse = desk.ingest.reports().pulse
    assert pulse is not None
    assert 0.1 <= pulse.still_s < 5.0
    desk.ingest.listen_to(2)
    assert desk.ingest.reports().pulse is None, "another generation has its own"


def test_a_window_that_a_worker_sends_as_it_ends_is_no_turn(desk: Desk) -> None:
    with closing(desk.worker()) as worker:
        worker.turn(1, "main")
        desk.ingest.settle()
        time.sleep(0.2)
        worker.recorder.turn(2, "main")
    desk.ingest.settle()
    assert "window" in desk.kept()
    pulse = desk.ingest.reports().pulse
    assert pulse is not None and pulse.still_s > 0.15


def test_a_pause_while_the_daemon_did_not_answer_is_not_told(desk: Desk) -> None:
    with closing(desk.worker(rank=1)) as worker:
        for is_answered in (True, False):
            worker.tell_agent("turns")
            desk.ingest.settle()
            begun_at = time.monotonic()
            time.sleep(0.3)
            worker.tell_agent("turns")
            desk.ingest.settle()
            if not is_answered:
                desk.ingest.was_unanswered(since=begun_at)
            pulse = desk.ingest.reports().pulse
            assert pulse is not None
            assert (pulse.longest_s >= 0.3) == is_answered
            desk.ingest.listen_to(1)
