"""The words of a training script, with and without elasticd around it."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from elastic.durations import WINDOW_S
from elastic.worker.hook import Worker
from elastic.worker.place import WorkerPlace
from tests.worker.conftest import AgentSocket

LOOP = """
from elastic.worker import checkpointed, drained, finished, note, paramount
note("features are seeded random")
for done in range(1, 6):
    if paramount(done, phase="gan"):
        checkpointed(done, elapsed_s=0.25)
        drained(done)
        break
else:
    finished(5)
"""


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ELASTICD_")}
    return subprocess.run(
        [sys.executable, "-c", script],
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@contextmanager
def a_worker(
    agent_socket: AgentSocket, *, rank: int = 0, drain_file: Path | None = None
) -> Iterator[Worker]:
    membership = WorkerPlace(
        rank=rank,
        world_size=2,
        generation=3,
        socket_path=str(agent_socket.path),
        drain_file=str(drain_file) if drain_file else None,
    )
    with closing(Worker(membership, started_at=0.0)) as worker:
        yield worker


def test_a_script_works_without_elasticd() -> None:
    result = run(LOOP)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_every_turn_and_word_of_a_short_process_arrives(
    agent_socket: AgentSocket,
) -> None:
    run(LOOP, ELASTICD_SOCKET=str(agent_socket.path), ELASTICD_GENERATION="4")
    messages = agent_socket.received()
    assert [m["kind"] for m in messages] == ["note", "window", "window", "finished"]
    assert sum(m.get("iterations", 0) for m in messages) == 5
    assert {m["generation"] for m in messages} == {4}
    assert [m["seq"] for m in messages] == [2, 3, 6, 7], (
        "it says itself that it begins, turns, and where"
    )


def test_every_rank_tells_its_agent_when_it_begins_makes_its_first_turn_and_leaves(
    agent_socket: AgentSocket,
) -> None:
    run(LOOP, ELASTICD_SOCKET=str(agent_socket.path), RANK="5", LOCAL_RANK="1", WORLD_SIZE="6")
    messages = agent_socket.received(of_life=True)
    assert [(m["kind"], m["rank"]) for m in messages] == [("began", 5), ("turns", 5), ("left", 5)]
    assert messages[0]["local_rank"] == 1


def test_a_program_that_a_worker_starts_does_not_begin_in_its_place(
    agent_socket: AgentSocket,
) -> None:
    script = (
        "import subprocess, sys\n"
        + LOOP
        + "\nnotes = 'import elastic.worker as w; w.note(1 * str())'"
        + "\nsubprocess.run([sys.executable, '-c', notes])"
    )
    run(script, ELASTICD_SOCKET=str(agent_socket.path))
    assert [m["kind"] for m in agent_socket.received(of_life=True)] == ["began", "turns", "left"]


def test_a_process_that_no_agent_listens_to_is_no_worker_of_one_that_it_starts(
    agent_socket: AgentSocket,
) -> None:
    script = (
        "import os, subprocess, sys, elastic.worker as w\n"
        f"w.paramount()\nos.environ['ELASTICD_SOCKET'] = {str(agent_socket.path)!r}\n"
        "subprocess.run([sys.executable, '-c', 'import elastic.worker as w; w.paramount()'])"
    )
    run(script)
    assert [m["kind"] for m in agent_socket.received(of_life=True)] == ["began", "turns", "left"]


def test_a_worker_asked_to_stop_learns_it_at_its_next_turn(
    agent_socket: AgentSocket, tmp_path: Path
) -> None:
    (tmp_path / "drain").touch()
    run(
        LOOP,
        ELASTICD_SOCKET=str(agent_socket.path),
        ELASTICD_DRAIN_FILE=str(tmp_path / "drain"),
    )
    messages = agent_socket.received()
    assert [(m["kind"], m.get("iteration")) for m in messages[1:]] == [
        ("window", 1),
        ("checkpoint", 1),
        ("drained", 1),
    ]


def test_only_rank_zero_tells_turns_but_every_rank_its_last_word(
    agent_socket: AgentSocket,
) -> None:
    with a_worker(agent_socket, rank=1) as other:
        other.turn(1, "main")
        other.say("note", text="said by all")
        other.say_last("drained", 1)
    assert [(m["kind"], m["rank"]) for m in agent_socket.received()] == [("drained", 1)]


def test_every_rank_says_again_and_again_that_its_turns_go_on(
    agent_socket: AgentSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0
    with a_worker(agent_socket, rank=1) as other, monkeypatch.context() as patch:
        patch.setattr("elastic.worker.hook.time.perf_counter", lambda: now_s)
        for turn in range(4):
            now_s = turn * 0.6 * WINDOW_S
            other.turn(turn, "main")
    assert [m["kind"] for m in agent_socket.received(of_life=True)].count("turns") == 2


def test_the_drain_file_is_looked_for_at_intervals(
    agent_socket: AgentSocket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elastic.worker.hook.GLANCE_S", 3600.0)
    drain_file = tmp_path / "drain"
    with a_worker(agent_socket, drain_file=drain_file) as worker:
        assert not worker.turn(1, "main")
        drain_file.touch()
        assert not worker.turn(2, "main")
        assert worker.is_asked_to_stop


def test_a_worker_once_asked_to_stop_stays_asked(agent_socket: AgentSocket, tmp_path: Path) -> None:
    drain_file = tmp_path / "drain"
    drain_file.touch()
    with a_worker(agent_socket, drain_file=drain_file) as worker:
        assert worker.turn(1, "main")
        drain_file.unlink()
        assert worker.turn(2, "main")


def test_the_first_turn_includes_the_start_of_the_process(agent_socket: AgentSocket) -> None:
    script = "import time; time.sleep(0.2)\nfrom elastic.worker import paramount; paramount(1)"
    run(script, ELASTICD_SOCKET=str(agent_socket.path))
    (window,) = agent_socket.received()
    assert 0.2 <= window["elapsed_s"] < 10.0


def test_a_fork_does_not_speak_for_its_parent(agent_socket: AgentSocket) -> None:
    script = (
        "import os, elastic.worker as w\n"
        "w.paramount(1); w.paramount(2)\n"
        "if os.fork() == 0: raise SystemExit\n"
        "os.wait()"
    )
    run(script, ELASTICD_SOCKET=str(agent_socket.path))
    assert sum(m["iterations"] for m in agent_socket.received()) == 2


IN_FORKS = """
import multiprocessing, os
import elastic.worker.hook as hook
os.chdir({folder!r})
hook.worker().saves.watch()
def train(fold):
    for _ in range(3):
        hook.worker().count(None, "main")
    {then}
for fold in range(2):
    process = multiprocessing.get_context("fork").Process(target=train, args=(fold,))
    process.start()
    process.join()
"""


def test_a_script_that_trains_in_one_fork_after_another_counts_on(
    agent_socket: AgentSocket, tmp_path: Path
) -> None:
    then = "hook.worker().tell_beginning(stops_when_asked=False)"
    run(
        IN_FORKS.format(folder=str(tmp_path), then=then),
        ELASTICD_SOCKET=str(agent_socket.path),
    )
    windows = agent_socket.received()
    assert [(m["iteration"], m["iterations"]) for m in windows] == [(1, 1), (3, 2), (4, 1), (6, 2)]
    assert len({m["worker"] for m in windows}) == 2, "the numbers of their messages begin at 1"
    assert [m["iteration"] for m in agent_socket.beginnings] == [0], "nothing is done again"


def test_what_a_fork_that_trains_saves_is_known(agent_socket: AgentSocket, tmp_path: Path) -> None:
    then = "open(f'{fold}.bin', 'wb').write(b'weights' + bytes(1 + fold))"
    run(
        IN_FORKS.format(folder=str(tmp_path), then=then),
        ELASTICD_SOCKET=str(agent_socket.path),
    )
    assert [m["iteration"] for m in agent_socket.received() if m["kind"] == "saved"] == [3, 6]


def test_what_a_fork_saves_while_its_parent_trains_on_is_known(
    agent_socket: AgentSocket, tmp_path: Path
) -> None:
    script = f"""
import os
import elastic.worker.hook as hook
os.chdir({str(tmp_path)!r})
worker = hook.worker()
for _ in range(3):
    worker.count(None, "main")
if os.fork() == 0:
    open("saved.bin", "wb").write(b"weights" + bytes(1))
    worker.saves.saved("saved.bin")
    os._exit(0)
os.wait()
worker.count(None, "main")
"""
    run(script, ELASTICD_SOCKET=str(agent_socket.path), ELASTICD_SAVES=str(tmp_path / "marks"))
    first, saved, last = agent_socket.received()
    assert (first["iteration"], saved["iteration"], last["iteration"]) == (1, 3, 4)
    assert saved["kind"] == "saved" and saved["worker"] != last["worker"] == first["worker"]
    assert (tmp_path / "marks").read_text().endswith(" 3\n")


def test_a_fork_that_reads_a_save_before_it_trains_begins_there(
    agent_socket: AgentSocket, tmp_path: Path
) -> None:
    content = b"weights" + bytes(1)
    (tmp_path / "saved.bin").write_bytes(content)
    (tmp_path / "marks").write_text(f"{len(content):x}-{zlib.crc32(content):08x} 40\n")
    script = IN_FORKS.format(folder=str(tmp_path), then="pass").replace(
        "def train(fold):", "def train(fold):\n    open('saved.bin', 'rb').close()"
    )
    run(script, ELASTICD_SOCKET=str(agent_socket.path), ELASTICD_SAVES=str(tmp_path / "marks"))
    assert [m["iteration"] for m in agent_socket.received()] == [41, 43, 44, 46]


def test_only_the_rank_that_is_first_now_speaks_of_turns(agent_socket: AgentSocket) -> None:
    membership = WorkerPlace(rank=0, world_size=1, generation=1, socket_path=str(agent_socket.path))
    with closing(Worker(membership, started_at=0.0)) as worker:
        worker.regroup(rank=1, world_size=2)
        worker.turn(5, "main")
        worker.regroup(rank=0, world_size=2)
        worker.regroup(rank=0, world_size=2)
        worker.turn(6, "main")
    messages = agent_socket.received()
    assert [(m["kind"], m["rank"], m["world_size"]) for m in messages] == [
        ("joined", 1, 2), ("joined", 0, 2), ("window", 0, 2),
    ]  # fmt: skip
    assert messages[-1]["iteration"] == 6
    assert messages[-1]["is_cold"]


def test_each_word_of_a_session_s_member_names_its_round(agent_socket: AgentSocket) -> None:
    membership = WorkerPlace(rank=0, world_size=1, generation=1, socket_path=str(agent_socket.path))
    with closing(Worker(membership, started_at=0.0)) as worker:
        for number in (4, 5):
            worker.regroup(rank=0, world_size=2, number=number)
            worker.turn(number, "main")
    assert [(m["kind"], m["round"]) for m in agent_socket.received()] == [
        ("joined", 4), ("window", 4), ("joined", 5), ("window", 5),
    ]  # fmt: skip
