"""A worker that is a program of its own, as torchrun starts it without preloading."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from elastic.worker.hook import CANNOT_BEGIN
from tests.worker.conftest import AgentSocket


def run(*arguments: str, folder: Path, socket: str = "") -> subprocess.CompletedProcess[str]:
    return run_python("-m", "elastic.worker.begin", *arguments, folder=folder, socket=socket)


def run_python(*arguments: str, folder: Path, socket: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"ELASTICD_SOCKET": socket, "PYTHONPATH": f"{folder}:{Path.cwd()}"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def script(folder: Path, text: str, *, name: str = "train.py", mode: int = 0o600) -> str:
    path = folder / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_a_worker_writes_into_its_own_rank_s_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "ELASTICD_LOG": str(tmp_path / "g3"),
        "LOCAL_RANK": "1",
        "RANK": "5",
    }.items():
        monkeypatch.setenv(name, value)
    text = (
        "import os, sys\n"
        "print('out', flush=True)\n"
        "print('err', file=sys.stderr)\n"
        "os.system('echo child')\n"
        "1 / 0\n"
    )
    ended = run("--watched", script(tmp_path, text), folder=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
    written = (tmp_path / "g3-l1-r5.log").read_text()
    assert written.startswith("out\nerr\nchild\nTraceback") and written.endswith(
        "ZeroDivisionError: division by zero\n"
    )
    monkeypatch.setenv("ELASTICD_LOG", str(tmp_path / "no/such/folder/g3"))
    assert run("--watched", script(tmp_path, "print('here')"), folder=tmp_path).stdout == "here\n"


def test_a_script_is_watched(tmp_path: Path, agent_socket: AgentSocket) -> None:
    turns = "from elastic.worker import paramount\nfor _ in range(5): paramount()"
    assert (
        run(
            "--watched", script(tmp_path, turns), folder=tmp_path, socket=str(agent_socket.path)
        ).returncode
        == 0
    )
    messages = agent_socket.received()
    assert sum(message.get("iterations", 0) for message in messages) == 5
    assert messages[-1]["kind"] == "finished"


def test_an_exception_is_printed_from_the_script_on(tmp_path: Path) -> None:
    path = script(tmp_path, "import nothing_of_the_kind\n")
    said = run("--watched", path, folder=tmp_path).stderr.splitlines()
    assert said[0] == "Traceback (most recent call last):" and "train.py" in said[1], (
        "ours are left out"
    )
    assert said[-1] == "ModuleNotFoundError: No module named 'nothing_of_the_kind'"


def test_a_module_of_ours_is_not(tmp_path: Path, agent_socket: AgentSocket) -> None:
    script(tmp_path, "import sys; print(__name__, sys.argv[1])")
    result = run("--plain", "-m", "train", "x", folder=tmp_path, socket=str(agent_socket.path))
    assert result.stdout == "__main__ x\n"
    assert agent_socket.received() == []


def test_a_program_takes_the_process_over(tmp_path: Path) -> None:
    path = script(tmp_path, "#!/bin/sh\necho $1; exit 7\n", name="train.sh", mode=0o700)
    result = run("--program", path, "hello", folder=tmp_path)
    assert (result.stdout, result.returncode) == ("hello\n", 7)


@pytest.mark.parametrize(
    ("name", "mode", "told"),
    [("there.sh", 0o600, "chmod"), ("not-there.sh", None, "wanted a program")],
)
def test_a_program_that_cannot_be_run_is_told(
    tmp_path: Path, name: str, mode: int | None, told: str
) -> None:
    path = (
        tmp_path / name
        if mode is None
        else Path(script(tmp_path, "#!/bin/sh\n", name=name, mode=mode))
    )
    result = run("--program", str(path), folder=tmp_path)
    assert result.returncode == 1
    assert name in result.stderr
    assert told in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("torn.py", "SyntaxError: '(' was never closed ({path}, line 2)"),
        ("folder", "wanted a script: [Errno 21] Is a directory: '{path}'"),
        ("gone.py", "wanted a script: [Errno 2] No such file or directory: '{path}'"),
        ("torn.py/train.py", "wanted a script: [Errno 20] Not a directory: '{path}'"),
    ],
)
def test_a_script_that_can_never_begin_is_told_in_one_line(
    tmp_path: Path, name: str, told: str
) -> None:
    script(tmp_path, "import os\nprint(\n", name="torn.py")
    (tmp_path / "folder").mkdir()
    result = run("--watched", str(tmp_path / name), folder=tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == CANNOT_BEGIN + told.format(path=tmp_path / name)


@pytest.mark.parametrize(
    ("name", "is_hopeless"),
    [("gone", True), ("gone.train", True), ("there", False), ("own.train", False)],
)
def test_a_module_that_is_not_there_can_never_begin_but_one_may_lack_another(
    tmp_path: Path, name: str, is_hopeless: bool
) -> None:
    script(tmp_path, "import gone", name="there.py")
    (tmp_path / "own").mkdir()
    script(tmp_path, "import gone", name="own/__init__.py")
    result = run("--watched", "-m", name, folder=tmp_path)
    told = f"{CANNOT_BEGIN}wanted a module: no module named {name}"
    lacks = "ModuleNotFoundError: No module named 'gone'"
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (told if is_hopeless else lacks)


@pytest.mark.parametrize("number", [errno.EIO, errno.ETXTBSY, errno.EPERM])
@pytest.mark.parametrize("way", ["--watched", "--program"])
def test_a_failure_that_may_pass_is_raised_as_it_is(tmp_path: Path, way: str, number: int) -> None:
    fails = f"""
import os
from elastic.worker import begin, launch

def fail(*_):
    raise OSError({number}, "not now")

launch.open = os.execvp = fail
begin.begin(["{way}", "train"])
"""
    result = run_python("-c", fails, folder=tmp_path)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].endswith(f"[Errno {number}] not now")
    assert CANNOT_BEGIN not in result.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["--watched"], ["--plain", "train.py"], ["train.py", "x"]]
)
def test_anything_else_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    result = run(*arguments, folder=tmp_path)
    assert result.returncode == 1
    assert "wanted" in result.stderr
