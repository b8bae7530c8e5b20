"""What a generation's end is told as: a command that can never be run is for a person, a script
that failed is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent import describe_exit
from elastic.agent.ending import exit_of
from elastic.agent.ingest import WorkerReports
from elastic.agent.steering import RunningGeneration
from elastic.model import Exit, Outcome
from elastic.worker.hook import CANNOT_BEGIN
from tests.agent.conftest import World

SAID = f"{CANNOT_BEGIN}SyntaxError: '(' was never closed (/jobs/train.py, line 2)\n"


def ended(log: Path, text: str, *, heard: WorkerReports, exit_code: int = 1) -> Exit:
    log.write_text(text)
    return exit_of(
        RunningGeneration(1, 20.0),
        heard,
        exit_code=exit_code,
        workers=1,
        log_path=log,
        torchrun_dir=log.parent,
    )


def test_a_command_that_can_never_be_run_is_for_a_person(tmp_path: Path) -> None:
    log, heard = tmp_path / "g1.log", WorkerReports()
    failed = ended(
        log,
        f"{SAID}torch.distributed.elastic: failed (exitcode: 1) local_rank: 0 (pid: 7)\n",
        heard=heard,
    )
    assert failed.needs_person
    assert (
        describe_exit(failed)
        == "no worker could begin: SyntaxError: '(' was never closed (/jobs/train.py, line 2)"
    )
    assert not ended(log, SAID, heard=replace(heard, has_trained=True)).needs_person, (
        "it was there before"
    )
    assert not ended(log, "SyntaxError: invalid syntax\n", heard=heard).needs_person, (
        "of what it reads, perhaps"
    )
    assert ended(log, SAID, heard=heard, exit_code=0).outcome is Outcome.SUCCEEDED


def test_a_rank_that_misses_one_that_has_finished_names_that_as_its_error(tmp_path: Path) -> None:
    log = tmp_path / "g1.log"
    gone = (
        "Traceback (most recent call last):\n  no\n"
        "RuntimeError: pair.cc:553 Connection closed by peer [10.0.0.2]"
    )
    error = ended(
        log, gone, heard=WorkerReports(last_words=frozenset({"finished"}), has_trained=True)
    ).error
    assert error is not None
    assert (
        "still trained when other ranks had finished: they disagree on how much work there is"
        in str(error)
    )
    again = ended(
        log, gone, heard=WorkerReports(last_words=frozenset({"finished"}), has_trained=True)
    ).error
    assert again is not None and again.is_again(error)
    assert ended(log, gone, heard=WorkerReports(has_trained=True)).error is None


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("preload", [False, True])
def test_a_script_with_a_syntax_error_is_told_of_at_its_first_end(
    world: World, preload: bool
) -> None:
    world.node()
    path = world.script("import os\nprint(\n")
    world.assign(path, preload=preload)
    end = world.wait_for(lambda: world.daemon.exit_of(1))
    assert (end["outcome"], end["needs_person"]) == ("failed", True)
    last = end["log_tail"].rstrip().splitlines()[-1]
    assert last == f"elasticd: SyntaxError: '(' was never closed ({path}, line 2)"
