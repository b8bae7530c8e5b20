"""What an agent sends of its workers' logs: every line once, within a bound, whatever lines
hold."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from elastic.agent.log_stream import BURST_BYTES, BYTES_PER_S, COUNTED_BYTES, MOST_LINES, LogStream
from elastic.agent.logs import MAX_LOG_BYTES
from elastic.log_line import LogPiece


class Daemon:
    """Keeps batches as it is told to answer them."""

    def __init__(self) -> None:
        self.answer: bool | None = True
        self.batches: list[Mapping[str, Any]] = []
        self.heard: Callable[[], object] = lambda: None

    def __call__(self, seq: int, pieces: Sequence[LogPiece]) -> bool | None:
        if self.answer:
            self.batches.append(
                {
                    "seq": seq,
                    "streams": [asdict(each) | {"lines": [*each.lines]} for each in pieces],
                }
            )
            self.heard()
        return self.answer

    @property
    def lines(self) -> list[str]:
        return [
            line
            for batch in self.batches
            for stream in batch["streams"]
            for line in stream["lines"]
        ]

    @property
    def last(self) -> dict[str, Any]:
        return dict(self.batches[-1]["streams"][-1])


class Hands:
    """A stream, what it reads, and the time."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.daemon = Daemon()
        self.now_s = 0.0
        self.stream = LogStream(folder, send=self.daemon, now_s=lambda: self.now_s, **options)
        self.stream.begin(1)

    def write(self, data: bytes, *, name: str = "g1-l0-r0.log") -> None:
        with (self.folder / name).open("ab") as file:
            file.write(data)

    def look(self, **options: Any) -> bool:
        self.now_s += 1.0
        return self.stream.look(**options)


@pytest.fixture
def hands(tmp_path: Path) -> Hands:
    return Hands(tmp_path)


def test_lines_are_sent_once_with_the_generation_and_rank_that_wrote_them(hands: Hands) -> None:
    hands.write(b"torchrun\n", name="g1.log")
    hands.write(b"first\nsecond\n", name="g1-l1-r5.log")
    assert hands.look()
    assert not hands.look(), "there is nothing new"
    hands.write(b"third\n", name="g1-l1-r5.log")
    hands.look()
    assert hands.daemon.lines == ["torchrun", "first", "second", "third"]
    labels = [
        (each["generation"], each["worker"], each["rank"])
        for each in hands.daemon.batches[0]["streams"]
    ]
    assert labels == [(1, None, None), (1, 1, 5)]
    assert [batch["seq"] for batch in hands.daemon.batches] == [1, 2]


def test_what_the_daemon_did_not_take_is_sent_again_as_it_was_and_what_it_refuses_is_not(
    hands: Hands,
) -> None:
    hands.write(b"a\n")
    hands.daemon.answer = None
    assert not hands.look()
    hands.write(b"b\n")
    hands.daemon.answer = True
    assert hands.look() and hands.look()
    assert [(batch["seq"], batch["streams"][0]["lines"]) for batch in hands.daemon.batches] == [
        (1, ["a"]),
        (2, ["b"]),
    ]
    hands.write(b"c\n")
    hands.daemon.answer = False
    hands.look()
    hands.daemon.answer = True
    hands.write(b"d\n")
    hands.look()
    assert hands.daemon.lines == ["a", "b", "d"]
    assert hands.daemon.batches[-1]["seq"] == 4


def test_an_agent_that_starts_again_goes_on_where_the_last_one_stood(tmp_path: Path) -> None:
    first = Hands(tmp_path)
    first.write(b"a\n")
    first.look()
    first.write(b"b\n")
    second = Hands(tmp_path)
    second.look()
    assert (second.daemon.lines, second.daemon.batches[0]["seq"]) == (["b"], 2)


def test_a_progress_bar_is_one_line_that_changes(hands: Hands) -> None:
    for percent in range(0, 100, 10):
        hands.write(f"\rtraining: {percent}%".encode())
        if percent % 20 == 0:
            hands.look()
            assert (hands.daemon.last["lines"], hands.daemon.last["open"]) == (
                [],
                f"training: {percent}%",
            )
    hands.write(b"\rtraining: 100%\nepoch done\r\n")
    hands.look()
    assert (hands.daemon.lines, hands.daemon.last["open"]) == (
        ["training: 100%", "epoch done"],
        None,
    )


def test_a_bar_that_returns_after_each_drawing_is_one_line_too(hands: Hands) -> None:
    hands.write(b"10%\r")
    hands.look()
    hands.write(b"20%\r")
    hands.look()
    assert hands.daemon.last["open"] == "20%"
    hands.write(b"done\n")
    hands.look()
    assert hands.daemon.lines == ["done"]


def test_a_line_is_whole_when_its_generation_is_over(hands: Hands) -> None:
    hands.write(b"Killed")
    hands.look()
    assert (hands.daemon.lines, hands.daemon.last["open"]) == ([], "Killed")
    hands.stream.begin(2)
    hands.write(b"next\nand", name="g2-l0-r0.log")
    hands.look()
    hands.look(is_last=True)
    assert hands.daemon.lines == ["Killed", "next", "and"]


def test_bytes_that_are_no_text_are_written_out_and_endless_lines_are_cut(hands: Hands) -> None:
    hands.write(b"\xff\xfe\x00 binary\n" + "ü".encode() * 100_000)
    hands.look()
    hands.write(b"x" * 100_000 + b"\nnext\n")
    hands.look()
    first, second, third = hands.daemon.lines
    assert first == "\\xff\\xfe\\x00 binary"
    assert second.startswith("üüü") and second.endswith(" characters more)") and len(second) < 4_100
    assert third == "next"


def test_a_script_that_prints_without_end_is_bounded_and_what_is_left_out_is_counted(
    hands: Hands,
) -> None:
    line = b"y" * 99 + b"\n"
    written = 0
    for _ in range(10):
        hands.write(line * 100_000)
        written += 100_000
        hands.look()
    sent = len(hands.daemon.lines)
    dropped = sum(
        stream["dropped"] for batch in hands.daemon.batches for stream in batch["streams"]
    )
    assert sent + dropped == written
    assert 100 * sent <= BURST_BYTES + 10 * BYTES_PER_S
    assert sent > 9 * BYTES_PER_S / 100, "it uses what it may"


def test_of_many_short_lines_only_so_many_are_sent(hands: Hands) -> None:
    hands.write(b"\n" * 400_000 + b"last\n")
    hands.look()
    assert (len(hands.daemon.lines), hands.daemon.last["dropped"]) == (
        MOST_LINES,
        400_001 - MOST_LINES,
    )
    assert hands.daemon.lines[-1] == "last"


def test_the_busy_worker_leaves_room_for_the_others(hands: Hands) -> None:
    hands.write(b"x" * 99 + b"\n", name="g1-l0-r0.log")
    hands.write((b"y" * 99 + b"\n") * 100_000, name="g1-l1-r1.log")
    hands.look()
    assert [
        (len(each["lines"]) > 0, each["dropped"] > 0) for each in hands.daemon.batches[0]["streams"]
    ] == [
        (True, False),
        (True, True),
    ]


def test_files_are_cut_where_they_grow_too_large_and_no_line_goes_uncounted(hands: Hands) -> None:
    line = b"z" * 999 + b"\n"
    hands.write(line * 10)
    hands.look()
    hands.write(line * (MAX_LOG_BYTES // 1000))
    hands.stream.bound(1)
    assert (hands.folder / "g1-l0-r0.log").stat().st_size == 0
    assert (hands.folder / "g1-l0-r0.log.1").stat().st_size <= MAX_LOG_BYTES
    hands.write(b"after\n")
    hands.look()
    assert (hands.daemon.last["lines"], hands.daemon.last["dropped"]) == (
        ["after"],
        MAX_LOG_BYTES // 1000,
    )


def test_lines_beyond_what_is_counted_are_estimated(hands: Hands) -> None:
    lines = 3 * COUNTED_BYTES // 100
    hands.write((b"y" * 99 + b"\n") * lines)
    hands.look()
    assert len(hands.daemon.lines) + hands.daemon.last["dropped"] == pytest.approx(lines, rel=0.01)


def test_a_session_s_workers_write_for_the_generation_and_under_the_rank_that_they_have_now(
    tmp_path: Path,
) -> None:
    hands = Hands(tmp_path, session_ranks=lambda: {0: 7})
    hands.stream.serve(1)
    hands.write(b"a\n")
    hands.look()
    hands.stream.serve(4)
    hands.write(b"b\n")
    hands.look()
    streams = [batch["streams"][0] for batch in hands.daemon.batches]
    assert [(each["generation"], each["rank"], each["lines"]) for each in streams] == [
        (1, 7, ["a"]),
        (4, 7, ["b"]),
    ]


def test_lines_are_sent_at_once_when_their_workers_have_ended(hands: Hands) -> None:
    is_sent = threading.Event()
    hands.daemon.heard = is_sent.set
    hands.stream.start()
    hands.write(b"why\n")
    hands.stream.hurry()
    assert is_sent.wait(10)
    hands.stream.stop()
    assert hands.daemon.lines == ["why"]


def test_it_is_behind_until_all_lines_of_ended_workers_are_sent(hands: Hands) -> None:
    def is_behind() -> bool:
        return hands.stream.is_behind

    hands.stream.hurry()
    assert not is_behind(), "nobody sends"
    may_answer, is_asked = threading.Event(), threading.Event()

    def heard() -> None:
        is_asked.set()
        may_answer.wait(10)

    hands.daemon.heard = heard
    hands.stream.start()
    hands.write(b"why\n")
    hands.stream.hurry()
    assert is_asked.wait(10)
    assert is_behind()
    hands.write(b"because\n")
    may_answer.set()
    while is_behind():
        threading.Event().wait(0.01)
    assert hands.daemon.lines == ["why", "because"]
    hands.stream.stop()


def test_the_last_lines_are_sent_before_the_thread_ends(hands: Hands) -> None:
    hands.stream.start()
    hands.write(b"bye")
    hands.stream.stop()
    assert hands.daemon.lines == ["bye"]


def test_what_breaks_a_look_keeps_no_agent_from_ending(hands: Hands) -> None:
    hands.write(b"a\n")
    (hands.folder / "g1-l1-r1.log").mkdir()  # cannot be read
    hands.stream.start()
    hands.stream.stop()
    assert hands.daemon.lines == []
