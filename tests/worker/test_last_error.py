"""What a script that fails leaves for its node's agent, beside torchrun's own error file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from elastic.worker.last_error import FILE_NAME, MAX_TRACEBACK


def left_by(folder: Path, text: str, *arguments: str) -> dict[str, Any] | None:
    """What a worker with this script has left, run as torchrun runs it."""
    (folder / "train.py").write_text(text)
    beside = folder / "attempt_0/1"
    beside.mkdir(parents=True)
    environment = os.environ | {
        "TORCHELASTIC_ERROR_FILE": str(beside / "error.json"),
        "RANK": "3",
        "PYTHONPATH": str(Path.cwd()),
    }
    command = [
        sys.executable,
        "-m",
        "elastic.worker.begin",
        "--watched",
        str(folder / "train.py"),
        *arguments,
    ]
    subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, timeout=30, check=False
    )
    path = beside / FILE_NAME
    return json.loads(path.read_text()) if path.exists() else None


def test_an_exception_is_left_with_its_last_frame_in_the_user_s_code(tmp_path: Path) -> None:
    left = left_by(tmp_path, "import json\ndef load():\n    json.loads('{')\nload()\n")
    assert left is not None
    assert (left["kind"], left["place"], left["rank"]) == (
        "json.decoder.JSONDecodeError",
        "train.py, line 3, in load",
        3,
    )
    assert left["text"].startswith("json.decoder.JSONDecodeError: Expecting property name")
    lines = left["lines"].splitlines()
    assert lines[0] == "Traceback (most recent call last):" and "train.py" in lines[1], (
        "ours are left out"
    )
    assert lines[-1].startswith("json.decoder.JSONDecodeError: ")


def test_a_long_story_is_cut_to_its_end(tmp_path: Path) -> None:
    left = left_by(tmp_path, "raise ValueError('\\n'.join(['no such file'] * 5000))\n")
    assert left is not None
    assert left["text"] == "ValueError: no such file"
    assert 0 < len(left["lines"]) <= MAX_TRACEBACK


def test_an_exit_by_number_is_left_as_one(tmp_path: Path) -> None:
    left = left_by(tmp_path, "import sys\nsys.exit(3)\n")
    assert left is not None
    assert (left["kind"], left["text"], left["place"], left["lines"]) == (
        "exit 3",
        "",
        "train.py, line 2, in <module>",
        "",
    )


def test_a_workload_that_refuses_its_options_leaves_no_place_of_ours(tmp_path: Path) -> None:
    left = left_by(
        tmp_path,
        "import runpy\nrunpy.run_module('elastic.workloads.esrgan', run_name='__main__')\n",
        "--x",
    )
    assert left is not None
    assert (left["kind"], left["place"]) == ("exit 2", "")


def test_a_script_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    assert left_by(tmp_path, "raise SystemExit(0)\n") is None
