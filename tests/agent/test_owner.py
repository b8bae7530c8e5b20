"""What a job's owner is told of how the workers are run on a node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent.disk_outbox import DiskOutbox
from elastic.agent.owner import Owner
from elastic.agent.worker_start import choose_way
from elastic.protocol import NoteMessage
from tests.agent.assignments import ONE

KILLED = (
    "E1122 multiprocessing/api.py:836] failed (exitcode: -9) local_rank: 1 (pid: 7148) of fn: f\n"
)
ECHO = (
    "Traceback (most recent call last):\n"
    "RuntimeError: pair.cc:553 Connection closed by peer [10.0.0.2]\n"
)


@pytest.fixture
def disk_outbox(tmp_path: Path) -> Iterator[DiskOutbox]:
    with closing(DiskOutbox(tmp_path / "spool")) as result:
        yield result


def told(disk_outbox: DiskOutbox) -> list[str]:
    return [message.text for message in disk_outbox.batch() if isinstance(message, NoteMessage)]


def test_why_workers_are_started_otherwise_than_asked_for_is_told_once(
    disk_outbox: DiskOutbox,
) -> None:
    owner, way = Owner(disk_outbox), choose_way(replace(ONE, command=("train.sh",)))
    for _ in range(2):
        owner.hear_way(way)
    assert told(disk_outbox) == [way.why]


def test_each_new_start_of_the_workers_is_told_with_what_their_log_has_said_since(
    disk_outbox: DiskOutbox, tmp_path: Path
) -> None:
    owner, log = Owner(disk_outbox), tmp_path / "log"
    owner.hear_starts(1, log_path=log, is_alone=True)
    log.write_text("Traceback (most recent call last):\nValueError: no such folder: /data\n")
    for _ in range(2):
        owner.hear_starts(2, log_path=log, is_alone=True)
    with log.open("a") as file:
        file.write(KILLED)
    owner.hear_starts(3, log_path=log, is_alone=True)
    assert told(disk_outbox) == [
        "workers crashed, torchrun restarted them (1): ValueError: no such folder: /data",
        "workers crashed, torchrun restarted them (2): local rank 1 was killed by SIGKILL",
    ]


@pytest.mark.parametrize(
    ("said", "is_alone", "notes"),
    [(ECHO, False, 0), (ECHO, True, 1), (KILLED, False, 1), ("", True, 0)],
)
def test_a_node_that_only_echoes_another_s_failure_leaves_it_to_that_one_to_tell(
    disk_outbox: DiskOutbox, tmp_path: Path, said: str, is_alone: bool, notes: int
) -> None:
    owner, log = Owner(disk_outbox), tmp_path / "log"
    owner.hear_starts(1, log_path=log, is_alone=is_alone)
    log.write_text(said)
    owner.hear_starts(2, log_path=log, is_alone=is_alone)
    assert len(told(disk_outbox)) == notes


def test_the_next_generation_counts_its_own_starts(disk_outbox: DiskOutbox, tmp_path: Path) -> None:
    owner = Owner(disk_outbox)
    (tmp_path / "g1").write_text(KILLED)
    (tmp_path / "g2").write_text(KILLED)
    for starts, log in ((1, "g1"), (0, "g2"), (1, "g2")):
        owner.hear_starts(starts, log_path=tmp_path / log, is_alone=True)
    assert told(disk_outbox) == []


def test_a_generation_that_begins_before_the_first_look_at_it_is_told_of_from_its_log_s_start(
    disk_outbox: DiskOutbox, tmp_path: Path
) -> None:
    owner = Owner(disk_outbox)
    (tmp_path / "g1").write_text("x" * 300)
    for log in ("g1", "g2"):
        owner.hear_starts(1, log_path=tmp_path / log, is_alone=True)
    (tmp_path / "g2").write_text(KILLED + "all is well\n" * 50)
    owner.hear_starts(2, log_path=tmp_path / "g2", is_alone=True)
    assert told(disk_outbox) == [
        "workers crashed, torchrun restarted them (1): local rank 1 was killed by SIGKILL"
    ]


def test_a_line_that_was_begun_before_makes_no_cause_of_the_lines_after_it(
    disk_outbox: DiskOutbox, tmp_path: Path
) -> None:
    owner, log = Owner(disk_outbox), tmp_path / "log"
    log.write_text("loading data")
    owner.hear_starts(1, log_path=log, is_alone=True)
    with log.open("a") as file:
        file.write("\nepoch 1 loss 0.5\nepoch 2 loss 0.4\nKilled\n")
    owner.hear_starts(2, log_path=log, is_alone=True)
    assert told(disk_outbox) == []
