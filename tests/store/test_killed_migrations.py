"""A process that is killed at any step of a migration leaves the old database or the new one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.store.past_databases import PAST

OLDEST = next(path for path in PAST if path.stem == "5cd19bd")
"""The one that is repaired, too, before it is migrated."""


LATER = [
    path for path in PAST if path.stem in ("28b25f2", "fea8dcf", "acaf34e", "884aad2", "d7dacc9")
]


def test_some_kills_leave_the_old_database_or_the_new(tmp_path: Path) -> None:
    _play(OLDEST, tmp_path, every=31)


@pytest.mark.slow
def test_a_kill_at_each_step_leaves_the_old_database_or_the_new(tmp_path: Path) -> None:
    _play(OLDEST, tmp_path, every=1)


@pytest.mark.slow
@pytest.mark.parametrize("past", LATER, ids=lambda path: path.stem)
def test_a_kill_at_every_fifth_step_does_so_from_later_releases(past: Path, tmp_path: Path) -> None:
    _play(past, tmp_path, every=5)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("past", LATER, ids=lambda path: path.stem)
def test_a_kill_at_each_step_does_so_from_later_releases(past: Path, tmp_path: Path) -> None:
    _play(past, tmp_path, every=1)


def _play(past: Path, folder: Path, *, every: int) -> None:
    module = "tests.store.dying_migration"
    command = [sys.executable, "-m", module, str(past), str(folder), str(every)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    kills = told["kills"]
    assert len(kills) >= (told["steps"] - 1) // every
    assert [each for each in kills if each["then"] not in ("old", "new")] == []
    assert [each for each in kills if each["later"] != "new"] == []
    if past == OLDEST and every == 1:
        assert told["steps"] > 100 and {each["then"] for each in kills} == {"old", "new"}
