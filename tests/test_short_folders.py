"""Folders of a test run, of which none may outlive it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.short_folders import short_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from tests.short_folders import short_folder
with short_folder(Path(sys.argv[1])) as folder:
    (folder / "left").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_goes_when_the_next_one_begins_and_what_is_in_use_stays(
    tmp_path: Path,
) -> None:
    with short_folder(tmp_path) as mine:
        subprocess.run([sys.executable, "-c", KILLED, tmp_path], check=False)
        assert len(list(tmp_path.glob("*/left"))) == 1
        with short_folder(tmp_path) as another:
            assert {path for path in tmp_path.iterdir() if path.is_dir()} == {mine, another}
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_temporary_files_of_all_tests_are_in_such_a_folder() -> None:
    folder = Path(tempfile.gettempdir())
    assert folder.with_name(f"{folder.name}.held").exists()
