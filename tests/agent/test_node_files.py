"""What an agent reads and writes in its folder."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from elastic.agent import logs, read_settings
from elastic.agent.files import read_json, write_json
from elastic.agent.lease import Lease, is_lease_over
from elastic.agent.memory import Memory, recall, remember
from elastic.errors import InvalidInput
from elastic.model import Exit, Outcome
from elastic.protocol import Assignment, HeartbeatReply, from_json, to_json
from tests.agent.assignments import ONE


def a_config(folder: Path, **fields: Any) -> Path:
    path = folder / "config.json"
    path.touch(mode=0o600)
    content = {
        "instance_id": "n1",
        "daemon_url": "http://127.0.0.1:1/",
        "join_token": "j",
        "work_dir": str(folder / "w"),
        "advertise_host": "127.0.0.1",
        "checkpoint_root": "/c",
        "artifact_root": "/a",
    }
    path.write_text(json.dumps(content | fields))
    return path


def test_settings_are_read_with_their_defaults(tmp_path: Path) -> None:
    settings = read_settings(a_config(tmp_path))
    assert (settings.cpu_quota, settings.lease_s, settings.daemon_url) == (
        None,
        600.0,
        "http://127.0.0.1:1",
    )


def test_settings_that_others_may_read_are_refused(tmp_path: Path) -> None:
    path = a_config(tmp_path)
    path.chmod(0o640)
    with pytest.raises(InvalidInput, match="chmod 600"):
        read_settings(path)


@pytest.mark.parametrize(
    "fault", [{"lease_s": 0}, {"cpu_quota": -1}, {"lease_s": "soon"}, {"env": 5}]
)
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, fault: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        read_settings(a_config(tmp_path, **fault))


@pytest.mark.parametrize("work_dir", ["/w", "/" + "long/" * 60 + "w"])
def test_all_sockets_of_a_node_are_in_its_work_folder(tmp_path: Path, work_dir: str) -> None:
    settings = read_settings(a_config(tmp_path, work_dir=work_dir))
    sockets = (settings.socket_path, settings.barrier_path, settings.rounds_path)
    assert [str(path) for path in sockets] == [
        f"{work_dir}/{name}.socket" for name in ("workers", "barrier", "rounds")
    ]


def test_a_file_is_replaced_as_a_whole_and_is_its_owner_s_only(tmp_path: Path) -> None:
    write_json(tmp_path / "f", {"a": 1})
    write_json(tmp_path / "f", {"a": 2})
    assert read_json(tmp_path / "f") == {"a": 2}
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600
    assert read_json(tmp_path / "none") is None


def test_an_agent_remembers_its_token_its_work_and_its_last_exit(tmp_path: Path) -> None:
    report = Exit(generation=1, outcome=Outcome.FAILED, exit_code=1, iteration=5, log_tail="x")
    memory = Memory("n1", "token", 1.0, running=ONE, last_exit=report)
    assert recall(tmp_path) is None
    remember(memory, tmp_path)
    again = recall(tmp_path)
    assert again is not None
    assert (again.node_token, again.last_exit) == ("token", report)
    assert again.running is not None
    assert again.running.generation == ONE.generation


def test_a_restart_does_not_lengthen_a_lease(tmp_path: Path) -> None:
    first = Lease(tmp_path, first_s=50.0)
    assert 0 < Lease(tmp_path, first_s=600.0).left_s <= 50.0
    first.renew(600.0, asked_at=time.monotonic())
    assert first.left_s > 500.0
    assert not is_lease_over(tmp_path)


def test_a_lease_counts_from_the_question(tmp_path: Path) -> None:
    lease = Lease(tmp_path, first_s=600.0)
    lease.renew(10.0, asked_at=time.monotonic() - 20.0)
    assert lease.is_over
    assert is_lease_over(tmp_path)


def test_a_log_s_end_starts_with_a_whole_line(tmp_path: Path) -> None:
    log = tmp_path / "g1.log"
    assert logs.tail(log) == ""
    log.write_text("first line\nsecond\nthird\n")
    assert logs.tail(log, size=15) == "second\nthird\n"
    assert logs.tail(log) == "first line\nsecond\nthird\n"


def test_of_a_log_that_grows_too_large_the_end_is_moved_aside_under_its_writer(
    tmp_path: Path,
) -> None:
    log = tmp_path / "g1.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"a" * 50 + b"x" * 50)
        logs.bound(log, max_bytes=100)
        assert log.stat().st_size == 100
        writer.write(b"y" * 50)
        logs.bound(log, max_bytes=100)
        writer.write(b"z")
    assert log.read_text() == "z"
    assert (tmp_path / "g1.log.1").read_text() == "x" * 50 + "y" * 50


def test_a_log_s_end_may_lie_in_what_was_moved_aside(tmp_path: Path) -> None:
    log = tmp_path / "g1.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"first line\nsecond\nthird\n")
        told_to = log.stat().st_size
        logs.bound(log, max_bytes=13)
        assert logs.tail(log, size=10) == "third\n"
        writer.write(b"fourth\n")
    assert logs.tail(log, size=21) == "second\nthird\nfourth\n"
    assert logs.tail(log, since=told_to) == "second\nthird\nfourth\n"
    assert logs.tail(log, since=3) == "", "the line began before"


def test_a_log_is_told_from_a_place_on_by_the_lines_that_begin_there(tmp_path: Path) -> None:
    log = tmp_path / "g1.log"
    log.write_text("loading\ndone\nbye")
    said = {since: logs.tail(log, since=since) for since in (3, 7, 8, 13, 16)}
    assert said == {3: "done\nbye", 7: "done\nbye", 8: "done\nbye", 13: "bye", 16: ""}


def test_a_log_that_a_full_disk_lets_nobody_copy_is_cut_all_the_same(tmp_path: Path) -> None:
    log = tmp_path / "g1.log"
    log.write_text("x" * 200)
    (tmp_path / "g1.log.1").symlink_to("/dev/full")
    logs.bound(log, max_bytes=100)
    assert log.stat().st_size == 0


TRACEBACK = "Traceback (most recent call last):\n{}\n"
TORCHRUN = (
    "E1122 multiprocessing/api.py:836] failed (exitcode: 1) local_rank: {} (pid: 7) of fn: train\n"
)


@pytest.mark.parametrize(
    ("torchrun", "first"),
    [
        (TORCHRUN.format(1), "rank 3"),
        (TORCHRUN.format(0), "rank 3"),
        ("", "rank 3"),
        (TORCHRUN.format(2), "rank 3"),
    ],
)
def test_of_several_workers_the_one_that_failed_of_itself_is_told(
    tmp_path: Path, torchrun: str, first: str
) -> None:
    log = tmp_path / "g1.log"
    log.write_text(torchrun)
    (tmp_path / "g1-l0-r2.log").write_text(
        "rank 2\n" + TRACEBACK.format("RuntimeError: Connection closed by peer")
    )
    (tmp_path / "g1-l1-r3.log").write_text(
        "rank 3\n" + TRACEBACK.format("ValueError: no such folder: /data")
    )
    (tmp_path / "g1-l2-r4.log").write_text(
        "rank 4\n" + TRACEBACK.format("RuntimeError: Broken pipe")
    )
    (tmp_path / "g10-l1-r3.log").write_text("another generation's\n")
    told = logs.last_words(log)
    assert told.startswith(first)
    assert told.endswith(f"ValueError: no such folder: /data\n{torchrun}")


def test_a_worker_that_was_killed_counts_before_those_whose_peer_it_was(tmp_path: Path) -> None:
    log = tmp_path / "g1.log"
    log.write_text("failed (exitcode: -9) local_rank: 1 (pid: 7) of fn: train\n")
    (tmp_path / "g1-l0-r0.log").write_text(
        TRACEBACK.format("RuntimeError: Connection closed by peer")
    )
    (tmp_path / "g1-l1-r1.log").write_text("step 5")
    assert logs.last_words(log) == f"step 5\n{log.read_text()}"


def test_only_what_came_since_is_told_of_workers_that_were_started_again(tmp_path: Path) -> None:
    log, worker = tmp_path / "g1.log", tmp_path / "g1-l0-r0.log"
    log.write_text("first start\n")
    worker.write_text(TRACEBACK.format("ValueError: first"))
    since = logs.sizes(log)
    with worker.open("a") as file:
        file.write(TRACEBACK.format("ValueError: second"))
    assert logs.last_words(log, since=since) == TRACEBACK.format("ValueError: second")


def test_a_generation_s_files_are_torchrun_s_and_its_workers_by_local_rank(tmp_path: Path) -> None:
    names = (
        "g2.log",
        "g2-l10-r1.log",
        "g2-l9-r0.log",
        "g2-l9-r0.log.1",
        "g1.log",
        "spawner.log",
        "g2-lx.log",
    )
    for name in names:
        (tmp_path / name).touch()
    found = [(each.path.name, each.local_rank, each.rank) for each in logs.log_files(tmp_path, [2])]
    assert found == [("g2.log", None, None), ("g2-l9-r0.log", 9, 0), ("g2-l10-r1.log", 10, 1)]
    assert logs.log_files(tmp_path / "none", [2]) == []


@pytest.mark.parametrize(
    "fault", [{"generation": "x"}, {"command": []}, {"nnodes_min": 2}, {"command": None}]
)
def test_an_assignment_that_makes_no_sense_is_refused(fault: dict[str, Any]) -> None:
    fields = to_json(ONE)
    assert from_json(Assignment, fields) == ONE
    with pytest.raises(InvalidInput):
        from_json(Assignment, fields | fault)


@pytest.mark.parametrize(
    "fields", [{}, {"acked_seq": 1, "lease_s": None, "assignment": None, "shutdown": False}]
)
def test_a_reply_that_is_none_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        from_json(HeartbeatReply, fields)
