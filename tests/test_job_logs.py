"""What is kept of jobs' logs: lines in their order, each once, within a bound, until the job is
forgotten."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from elastic.errors import StoreUnavailable
from elastic.job_logs import JobLogs, open_job_logs
from elastic.log_line import LogPiece
from tests.full_disk import a_full_disk


def piece(
    *lines: str, generation: int = 1, worker: int | None = 0, rank: int | None = 0, dropped: int = 0
) -> LogPiece:
    return LogPiece(generation, worker, rank, lines, dropped=dropped)


def texts(logs: JobLogs, job_id: str = "j", *, limit: int = 1000, **wanted: object) -> list[str]:
    return [line.text for line in logs.lines(job_id, limit=limit, **wanted)]  # type: ignore[arg-type]


def test_lines_are_given_in_order_by_rank_by_node_from_a_line_on_or_the_last_ones() -> None:
    logs = JobLogs()
    logs.add("j", "n1", [piece("a", "b"), piece("c", worker=1, rank=1)], seq=1, now_s=5.0)
    logs.add("j", "n2", [piece("d", rank=2, generation=2)], seq=1, now_s=6.0)
    logs.add("other", "n3", [piece("e")], seq=1, now_s=6.0)
    assert texts(logs) == ["a", "b", "c", "d"]
    assert texts(logs, limit=2) == ["c", "d"]
    assert texts(logs, rank=1) == ["c"]
    assert texts(logs, node_id="n1", rank=0) == ["a", "b"]
    assert texts(logs, generation=2) == ["d"]
    second = logs.lines("j", limit=1000)[1]
    assert (second.generation, second.node_id, second.worker, second.rank, second.at_s) == (
        1,
        "n1",
        0,
        0,
        5.0,
    )
    assert texts(logs, after=second.id, limit=1) == ["c"]
    assert logs.ranks("j") == (2,), "of the newest generation"


def test_a_batch_that_comes_twice_is_kept_once_across_restarts(tmp_path: Path) -> None:
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [piece("a")], seq=1, now_s=0.0)
    logs.close()
    logs = open_job_logs(tmp_path)
    for seq in (1, 2, 2):
        logs.add("j", "n1", [piece(f"batch {seq}")], seq=seq, now_s=0.0)
    assert texts(logs) == ["a", "batch 2"]
    assert stat.S_IMODE(os.stat(tmp_path / "logs.db").st_mode) == 0o600
    logs.close()


def test_a_line_that_has_not_ended_is_replaced_and_stored_once_it_has() -> None:
    logs = JobLogs()
    for seq, bar in enumerate((" 10%", " 20%"), start=1):
        logs.add("j", "n1", [LogPiece(1, 0, 0, (), open=bar)], seq=seq, now_s=0.0)
    assert [line.text for line in logs.open_lines("j")] == [" 20%"]
    assert logs.open_lines("j", rank=1) == ()
    logs.add("j", "n1", [piece("100%")], seq=3, now_s=0.0)
    assert (logs.open_lines("j"), texts(logs)) == ((), ["100%"])
    assert logs.changes == 3


def test_what_a_node_left_out_is_said_where_it_would_stand() -> None:
    logs = JobLogs()
    logs.add("j", "n1", [piece("a")], seq=1, now_s=0.0)
    logs.add("j", "n1", [piece("z", dropped=99_000)], seq=2, now_s=0.0)
    assert texts(logs) == ["a", "... 99,000 lines left out: a node sent too many ...", "z"]


def test_a_node_cannot_store_what_acts_on_a_terminal() -> None:
    logs = JobLogs()
    logs.add(
        "j",
        "n1",
        [LogPiece(1, 0, 0, ("\x1b[2Jgone\x07",), open="\x1b]0;title\x07x")],
        seq=1,
        now_s=0.0,
    )
    assert texts(logs) == ["gone\\x07"]
    assert [line.text for line in logs.open_lines("j")] == ["x"]


def test_the_process_that_wrote_most_gives_way_first() -> None:
    logs = JobLogs(job_bytes=20_000)
    logs.add("j", "n1", [piece("the traceback", worker=1, rank=1)], seq=1, now_s=0.0)
    for seq in range(2, 50):
        logs.add("j", "n1", [piece(*("x" * 36 for _ in range(10)))], seq=seq, now_s=0.0)
    assert texts(logs, rank=1) == ["the traceback"]
    kept = len(texts(logs))
    assert 150 < kept <= 200
    assert logs.cut("j") == 481 - kept


def test_half_is_for_the_generation_that_runs_and_of_earlier_ones_the_oldest_gives_way() -> None:
    logs = JobLogs(job_bytes=20_000)
    for generation in (1, 2, 3):
        for number in range(10):
            lines = piece(*("x" * 36 for _ in range(8)), generation=generation)
            logs.add("j", "n1", [lines], seq=10 * generation + number, now_s=0.0)
    kept = {generation: len(texts(logs, generation=generation)) for generation in (1, 2, 3)}
    assert kept[3] == 80
    assert kept[2] == 80
    assert kept[1] < 40


def test_all_jobs_together_are_bounded_too() -> None:
    logs = JobLogs(all_bytes=3_000)
    for number in range(4):
        logs.add(
            f"j{number}",
            "n1",
            [piece(*("x" * 36 for _ in range(10)))],
            seq=number + 1,
            now_s=float(number),
        )
    assert logs.jobs() == ("j1", "j2", "j3")


def test_nothing_is_left_of_a_job_that_is_forgotten(tmp_path: Path) -> None:
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [piece(*("x" * 1000 for _ in range(1000)))], seq=1, now_s=0.0)
    logs.add("k", "n2", [piece("stays")], seq=1, now_s=0.0)
    logs.forget("j")
    assert (logs.jobs(), texts(logs), texts(logs, "k"), logs.cut("j")) == (("k",), [], ["stays"], 0)
    logs.close()
    assert (tmp_path / "logs.db").stat().st_size < 200_000


def test_a_damaged_file_is_set_aside_and_the_daemon_starts(tmp_path: Path) -> None:
    (tmp_path / "logs.db").write_bytes(b"this was a database" * 1000)
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [piece("again")], seq=1, now_s=0.0)
    assert texts(logs) == ["again"]
    logs.close()
    assert (tmp_path / "logs.damaged").exists()


def test_a_batch_that_finds_the_disk_full_is_refused_and_stored_when_it_comes_again(
    tmp_path: Path,
) -> None:
    logs = open_job_logs(tmp_path)
    lines = ["a" * 1_000] * 100
    batch = [piece(*lines)]
    with a_full_disk(60_000), pytest.raises(StoreUnavailable, match="jobs' logs"):
        logs.add("j", "n1", batch, seq=1, now_s=0.0)
    assert texts(logs) == []
    logs.add("j", "n1", batch, seq=1, now_s=0.0)
    assert texts(logs) == lines
    logs.close()


def test_a_sound_file_on_a_full_disk_is_not_taken_for_a_damaged_one(tmp_path: Path) -> None:
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [piece("kept")], seq=1, now_s=0.0)
    logs.close()
    with a_full_disk(0), pytest.raises(StoreUnavailable, match=r"logs\.db.* full\?"):
        open_job_logs(tmp_path)
    logs = open_job_logs(tmp_path)
    assert texts(logs) == ["kept"]
    logs.close()


def test_the_file_is_sound_after_its_daemon_was_killed(tmp_path: Path) -> None:
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [piece("a")], seq=1, now_s=0.0)
    # As a daemon finds it that starts while nobody has closed it.
    other = sqlite3.connect(tmp_path / "logs.db")
    assert other.execute("SELECT text FROM lines").fetchall() == [("a",)]
    other.close()
    logs.close()


def test_a_file_from_before_stages_is_read_on(tmp_path: Path) -> None:
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [piece("a")], seq=1, now_s=0.0)
    logs.close()
    with sqlite3.connect(tmp_path / "logs.db") as db:
        db.execute("ALTER TABLE streams DROP COLUMN stage")
    db.close()
    logs = open_job_logs(tmp_path)
    logs.add("j", "n1", [LogPiece(1, None, None, ("b",), stage="setup")], seq=2, now_s=0.0)
    assert [line.source for line in logs.lines("j", limit=9)] == ["rank 0", "setup on n1"]
