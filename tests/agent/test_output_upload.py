"""When workers may begin, when outputs are carried, and what is said where they cannot be."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from elastic.agent import describe_exit
from elastic.agent.ending import as_stored
from elastic.agent.output_upload import OutputUploadThread
from elastic.agent.outputs import OutputUploader, TooMuch
from elastic.agent.uploader import Uploaders, UploadVerdict
from elastic.errors import StorageUnavailable, Superseded
from elastic.model import Exit, Mode, Outcome
from elastic.protocol import Arrival
from tests.agent.assignments import ONE
from tests.agent.upload_threads import PATIENCE_S, verdict_of
from tests.workloads.session.running import wait_until

JOB = replace(ONE, outputs=None)
FIRST = Arrival(1, group_rank=0, groups=2, meeting="a:1")
SECOND = Arrival(1, group_rank=1, groups=2, meeting="a:1")


class FakeOutputs:
    """Takes the place of folders; each failure in `failures` is raised once by the next call."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.did: list[str] = []
        self.is_writer = False
        self.announced: set[str] = set()
        self.lone: tuple[str, ...] = ()
        self.unprintable: tuple[str, ...] = ()
        self.too_much: TooMuch | None = None
        self.carried = threading.Event()

    def lead(self, *, now_s: float, tell: Callable[[str], None]) -> None:
        self._fail()
        self.did.append("lead")
        self.is_writer = True

    def announce(self, meeting: str) -> None:
        self.did.append(f"announce {meeting}")

    def follow(self, meeting: str) -> bool:
        self._fail()
        if meeting in self.announced:
            self.did.append(f"follow {meeting}")
        return meeting in self.announced

    def join(self, session_round: int) -> None:
        self.is_writer = True

    def only_here(self, *, now_s: float) -> tuple[str, ...]:
        self._fail()
        return self.lone

    def carry(self, *, is_still: bool, session_round: int | None, now_s: float) -> bool:
        self._fail()
        self.did.append("carry the rest" if is_still else "carry")
        self.carried.set()
        return True

    def check(self) -> None:
        if self.too_much is not None:
            raise self.too_much

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)


class Desk:
    """A upload thread and what it has said."""

    def __init__(self, **options: float) -> None:
        self.outputs = FakeOutputs()
        self.said: list[dict[str, Any]] = []
        self.upload_thread = OutputUploadThread(
            load=lambda _: cast("OutputUploader", self.outputs),
            say=self.said.extend,
            wall_s=lambda: 1.0,
            **{"pause_s": 0.0, "look_s": 0.01, **options},
        )
        self.upload_thread.begin(JOB)

    def texts(self) -> str:
        return "\n".join(str(message["text"]) for message in self.said)

    def verdict(self) -> UploadVerdict:
        return verdict_of(self.upload_thread, 1)


@pytest.fixture
def desk() -> Iterator[Desk]:
    result = Desk()
    yield result
    result.upload_thread.stop()


def test_the_first_ranks_node_says_what_its_group_begins_with_once_a_start(desk: Desk) -> None:
    assert desk.upload_thread.fill(FIRST) is None
    assert desk.upload_thread.fill(FIRST) is None, "the second worker of the node"
    assert desk.upload_thread.fill(replace(FIRST, meeting="a:2")) is None
    assert desk.outputs.did == ["lead", "announce a:1", "lead", "announce a:2"]


def test_a_node_alone_needs_to_tell_nobody(desk: Desk) -> None:
    assert desk.upload_thread.fill(Arrival(1, meeting="a:1")) is None
    assert desk.outputs.did == ["lead"]


def test_another_node_waits_for_that_word() -> None:
    desk = Desk(fill_patience_s=0.0)
    why = desk.upload_thread.fill(SECOND)
    assert why is not None
    assert "the first rank's node has not announced the state that this group begins with" in why
    desk.upload_thread.begin(JOB)
    desk.outputs.announced.add("a:1")
    assert desk.upload_thread.fill(SECOND) is None
    assert desk.outputs.did == ["follow a:1"]


def test_a_job_whose_outputs_are_not_wanted_waits_for_nothing(desk: Desk) -> None:
    desk.upload_thread.begin(replace(JOB, outputs=()))
    assert desk.upload_thread.fill(SECOND) is None
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == UploadVerdict(is_durable=True)
    assert desk.outputs.did == []


def test_outputs_are_carried_while_workers_run_and_once_more_at_the_end(desk: Desk) -> None:
    desk.upload_thread.fill(FIRST)
    desk.upload_thread.start()
    assert desk.outputs.carried.wait(PATIENCE_S)
    desk.upload_thread.finish(1, is_clean=False)
    assert desk.verdict() == UploadVerdict(is_durable=True)
    assert desk.outputs.did[2] == "carry" and desk.outputs.did[-1] == "carry the rest"


def test_only_the_first_ranks_node_carries(desk: Desk) -> None:
    desk.outputs.announced.add("a:1")
    desk.upload_thread.fill(SECOND)
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == UploadVerdict(is_durable=True)
    assert desk.outputs.did == ["follow a:1"]


def test_files_that_no_other_node_holds_are_told_once_though_storage_was_away(desk: Desk) -> None:
    desk.outputs.announced.add("a:1")
    desk.upload_thread.fill(SECOND)
    desk.outputs.failures = [StorageUnavailable("gone")]
    desk.outputs.lone = ("ckpt/__1_0.distcp", "ckpt/__1_1.distcp")
    desk.upload_thread.start()
    wait_until(lambda: "ckpt/__1_0.distcp and 1 more" in desk.texts(), "it is told", timeout_s=30.0)
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == UploadVerdict(is_durable=True)
    assert desk.texts().count("distcp") == 1


def test_files_whose_names_cannot_be_listed_are_told_once(desk: Desk) -> None:
    desk.outputs.unprintable = ("bad\udcff.bin", "new\nline.txt")
    desk.upload_thread.fill(FIRST)
    desk.upload_thread.start()
    wait_until(lambda: desk.outputs.did.count("carry") > 1, "it is carried", timeout_s=30.0)
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.verdict() == UploadVerdict(is_durable=True)
    assert desk.texts().count("bad\\udcff.bin and 1 more: an output's name must be") == 1


def test_what_was_not_carried_in_time_is_said_and_passes_for_no_success(desk: Desk) -> None:
    desk.upload_thread.fill(FIRST)
    # Its thread does not run: storage that never answers.
    desk.upload_thread.finish(1, is_clean=True)
    assert desk.upload_thread.verdict(1, patience_s=PATIENCE_S) is None
    verdict = desk.upload_thread.verdict(1, patience_s=0.0)
    assert verdict is not None and not verdict.is_durable
    assert "the newest outputs are not stored" in desk.texts()
    ended = as_stored(Exit(1, Outcome.SUCCEEDED, 0), verdict)
    assert (ended.outcome, ended.needs_person) == (Outcome.FAILED, False)


def test_storage_that_is_away_for_a_moment_costs_only_that(desk: Desk) -> None:
    desk.outputs.failures = [StorageUnavailable("the disk is full")]
    assert desk.upload_thread.fill(FIRST) is None
    assert "the working folder waits to be filled: the disk is full" in desk.texts()


def test_too_much_drains_the_job_and_ends_it_with_what_to_do(desk: Desk) -> None:
    desk.upload_thread.fill(FIRST)
    uploader = Uploaders(desk.upload_thread)
    desk.outputs.failures = [TooMuch("6 GiB of new files: name the files to store")] * 1000
    desk.upload_thread.start()
    pause = threading.Event()
    for _ in range(3000):
        if uploader.must_drain:
            break
        pause.wait(0.01)
    assert uploader.must_drain
    uploader.finish(1, is_clean=True)
    ended = as_stored(Exit(1, Outcome.DRAINED, 0), desk.verdict())
    assert (ended.outcome, ended.needs_person) == (Outcome.FAILED, True)
    assert describe_exit(ended) == "6 GiB of new files: name the files to store", (
        "its workers had begun"
    )
    assert len(desk.said) == 1, "it is said once"


def test_what_is_too_much_is_seen_long_before_the_next_carry() -> None:
    desk = Desk(pause_s=600.0, watch_s=0.01)
    desk.upload_thread.fill(FIRST)
    desk.upload_thread.start()
    assert not desk.upload_thread.must_drain
    desk.outputs.too_much = TooMuch("10,100 new files: name the files to store")
    wait_until(lambda: desk.upload_thread.must_drain, "the job is ended")
    desk.upload_thread.finish(1, is_clean=True)
    desk.upload_thread.stop()
    assert desk.texts() == "the job is ended: 10,100 new files: name the files to store"


def test_a_generation_that_is_over_carries_nothing_more(desk: Desk) -> None:
    desk.upload_thread.fill(FIRST)
    desk.outputs.failures = [Superseded("generation 2 has committed")]
    desk.upload_thread.start()
    desk.upload_thread.finish(1, is_clean=True)
    verdict = desk.verdict()
    assert (verdict.is_durable, verdict.why) == (False, "generation 2 has committed")


def test_in_a_session_a_node_carries_once_the_first_rank_is_there(desk: Desk) -> None:
    desk.upload_thread.begin(replace(JOB, mode=Mode.LIVE))
    desk.outputs.is_writer = False
    desk.upload_thread.start()
    assert not desk.outputs.carried.wait(0.05)
    desk.upload_thread.hears({"kind": "window", "generation": 1, "rank": 0, "round": 3})
    assert desk.outputs.carried.wait(PATIENCE_S)


def test_the_longest_of_both_is_what_saving_takes(desk: Desk) -> None:
    class Slow(Uploaders):
        @property
        def saving_s(self) -> float | None:
            return 7.0

    assert Uploaders().saving_s is None
    assert Uploaders(Slow(), desk.upload_thread).saving_s == 7.0
