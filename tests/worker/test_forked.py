"""A worker that torchrun forked behaves as one that python started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import elastic.worker
from tests.worker.conftest import IN_ALL, LEAVES_OPEN, AgentSocket, what_was_left

FORKED = Path(elastic.worker.__file__).with_name("forked.py")
# What torchrun does before it hands over: handlers of its own, a fork, run by path.
TORCHRUN = """
import os, runpy, signal, sys
signal.signal(signal.SIGTERM, lambda *_: print("torchrun's handler", flush=True))
pid = os.fork()
if pid == 0:
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
    os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
"""


# What stands in for the torch that torchrun has imported.
WITH_TORCH = """
import sys, types
torch = sys.modules["torch"] = types.ModuleType("torch")
torch.threads = 1
torch.set_num_threads = lambda threads: vars(torch).update(threads=threads)
"""


def run(
    folder: Path,
    script: str,
    *,
    way: tuple[str, ...] = ("--watched",),
    socket: str = "",
    before: str = "",
    **env: str,
) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(script)
    command = way if "-m" in way else (*way, str(folder / "train.py"))
    return subprocess.run(
        [sys.executable, "-c", before + TORCHRUN, str(FORKED), *command],
        env=os.environ | {"ELASTICD_SOCKET": socket, "PYTHONPATH": f"{folder}:{Path.cwd()}"} | env,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("", 0),
        ("raise SystemExit", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit(256 + 7)", 7),
        ("import sys; sys.exit('no data')", 1),
        ("1 / 0", 1),
        ("raise KeyboardInterrupt", 130),
    ],
)
def test_the_exit_code_is_python_s_own(tmp_path: Path, script: str, code: int) -> None:
    assert run(tmp_path, script).returncode == code


@pytest.mark.parametrize(
    ("said", "threads"),
    [("3", "3"), ("2,1", "2"), (" 2 , 1", "2"), ("", "1"), ("0", "1"), ("-1", "1"), ("all", "1")],
)
def test_torch_takes_the_threads_that_openmp_would_or_stays_as_it_is(
    tmp_path: Path, said: str, threads: str
) -> None:
    script = "import torch; print(torch.threads)"
    result = run(
        tmp_path, script, way=("--plain", "-m", "train"), before=WITH_TORCH, OMP_NUM_THREADS=said
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{threads}\n", "")


def test_what_goes_wrong_is_printed(tmp_path: Path) -> None:
    assert "no data" in run(tmp_path, "raise SystemExit('no data')").stderr
    said = run(tmp_path, "1 / 0").stderr.splitlines()
    assert said[0] == "Traceback (most recent call last):" and "train.py" in said[1], (
        "ours are left out"
    )
    assert said[-1] == "ZeroDivisionError: division by zero"


def test_a_signal_meets_no_handler_of_torchrun_s(tmp_path: Path) -> None:
    result = run(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert result.stdout == ""
    assert result.returncode == 256 - 15


def test_exit_functions_and_threads_are_waited_for(tmp_path: Path) -> None:
    script = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'at exit')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\n"
    )
    assert run(tmp_path, script).stdout == "thread\nat exit\n"


def test_the_last_window_and_word_reach_the_agent(
    tmp_path: Path, agent_socket: AgentSocket
) -> None:
    run(
        tmp_path,
        "from elastic.worker import paramount\nfor _ in range(5): paramount()",
        socket=str(agent_socket.path),
    )
    messages = agent_socket.received()
    assert sum(message.get("iterations", 0) for message in messages) == 5
    assert messages[-1]["kind"] == "finished"


def test_a_module_of_ours_runs_unwatched(tmp_path: Path, agent_socket: AgentSocket) -> None:
    result = run(
        tmp_path, "print(__name__)", way=("--plain", "-m", "train"), socket=str(agent_socket.path)
    )
    assert result.stdout == "__main__\n"
    assert agent_socket.received() == []


def test_a_script_may_choose_how_it_starts_processes(tmp_path: Path) -> None:
    assert run(tmp_path, "import multiprocessing as m; m.set_start_method('spawn')").returncode == 0


@pytest.mark.parametrize(
    "end", ["", "sys.exit(3)", "1 / 0", "import signal; signal.signal(15, lambda *_: names_them())"]
)
@pytest.mark.parametrize("way", [("--watched",), ("--watched", "-m", "train")])
def test_what_a_script_leaves_open_is_written_to_its_end(
    tmp_path: Path, way: tuple[str, ...], end: str
) -> None:
    run(tmp_path, LEAVES_OPEN.replace("sys.argv[1]", repr(str(tmp_path))) + end, way=way)
    assert what_was_left(tmp_path) == IN_ALL


def test_a_file_that_a_script_s_module_leaves_open_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "notes.py").write_text(
        f"file = open({str(tmp_path / 'notes')!r}, 'w'); file.write('noted')"
    )
    run(tmp_path, "import notes")
    assert (tmp_path / "notes").read_text() == "noted"


PIECES = """
import multiprocessing, sys
class Batch: pass
def child(queue): queue.put(Batch())
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    print(type(queue.get(timeout=20)).__module__)
    process.join()
"""


@pytest.mark.parametrize("way", [("--watched",), ("--watched", "-m", "train")])
def test_a_process_that_a_script_starts_may_send_it_objects_of_its_own_classes(
    tmp_path: Path, way: tuple[str, ...]
) -> None:
    done = run(tmp_path, PIECES, way=way, before="import multiprocessing\n")
    assert done.stdout.startswith("__m"), done.stderr
