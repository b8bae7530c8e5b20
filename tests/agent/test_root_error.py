"""The error that ended a generation is the first worker's own, whatever the others wrote after
it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from elastic.agent import only_follows
from elastic.agent.root_error import root_error
from elastic.model import Exit, Outcome, ScriptError
from elastic.protocol import from_json
from elastic.worker.last_error import FILE_NAME

ECHO = ("RuntimeError", "RuntimeError: pair.cc:553 Connection closed by peer [10.0.0.2]")
KILLED = """
E1122 multiprocessing/api.py:836] failed (exitcode: 1) local_rank: 0 (pid: 7147) of fn: train
Failures:
[1]:
  time      : 2026-11-23_15:00:00
  host      : here
  rank      : 1 (local_rank: 1)
  exitcode  : -9 (pid: 7148)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 7148
"""
FIRST = (
    "E1122 multiprocessing/api.py:836] failed (exitcode: {}) local_rank: 1 (pid: 7148) of "
    "binary: x\n"
)


def test_the_error_is_plain_as_a_log_is(tmp_path: Path) -> None:
    leave(tmp_path, 0, "RuntimeError", "RuntimeError: boom \x1b[31mred\x07", at_s=1.0)
    found = root_error(tmp_path, 1, log_tail="")
    assert found is not None
    assert found.text == found.lines == "RuntimeError: boom red\\x07"


def test_an_error_of_many_control_characters_stays_within_its_bounds(tmp_path: Path) -> None:
    leave(tmp_path, 0, "RuntimeError", "\x07" * 1000, at_s=1.0)
    found = root_error(tmp_path, 1, log_tail="")
    assert found is not None
    assert from_json(ScriptError, asdict(found)) == found


def leave(
    folder: Path, rank: int, kind: str, text: str, *, at_s: float, generation: int = 1
) -> None:
    place = folder / f"job-1-g{generation}_xyz/attempt_0/{rank}"
    place.mkdir(parents=True)
    said = {
        "kind": kind,
        "text": text,
        "place": "train.py, line 3",
        "lines": text,
        "rank": rank,
        "at_s": at_s,
    }
    (place / FILE_NAME).write_text(json.dumps(said))


def test_the_first_error_of_its_own_is_the_root(tmp_path: Path) -> None:
    leave(tmp_path, 0, *ECHO, at_s=1.0)
    leave(tmp_path, 1, "KeyError", "KeyError: 'y'", at_s=3.0)
    leave(tmp_path, 2, "KeyError", "KeyError: 'x'", at_s=2.0)
    leave(tmp_path, 3, "OSError", "OSError: of another generation", at_s=0.0, generation=2)
    assert root_error(tmp_path, 1, log_tail="") == ScriptError(
        "KeyError", "KeyError: 'x'", "train.py, line 3", "KeyError: 'x'", rank=2, at_s=2.0
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [ECHO, ("torch.distributed.DistStoreError", "torch.distributed.DistStoreError: no answer")],
)
def test_workers_that_only_followed_others_tell_that_alone(
    tmp_path: Path, kind: str, text: str
) -> None:
    leave(tmp_path, 0, kind, text, at_s=1.0)
    log = f"Traceback (most recent call last):\n{text}\n{FIRST.format(1)}"
    error = root_error(tmp_path, 1, log_tail=log)
    assert error == ScriptError(kind, text, "train.py, line 3", text, rank=0, at_s=1.0)
    assert only_follows(Exit(1, Outcome.FAILED, 1, error=error))
    assert root_error(tmp_path / "none", 1, log_tail=log) is None


def test_a_worker_that_was_killed_is_the_root_of_what_the_others_say(tmp_path: Path) -> None:
    leave(tmp_path, 0, *ECHO, at_s=1.0)
    error = root_error(tmp_path, 1, log_tail=KILLED)
    assert error == ScriptError(
        "SIGKILL", "local rank 1 was killed by SIGKILL, as Linux does when memory runs out"
    )


def test_those_that_torchrun_ends_beside_one_that_failed_are_not(tmp_path: Path) -> None:
    assert root_error(tmp_path, 1, log_tail=FIRST.format(-15)) is None


def test_a_program_that_leaves_no_file_is_told_by_its_log(tmp_path: Path) -> None:
    trace = "Traceback (most recent call last):\n  File 'a.py'\nImportError: no x"
    error = root_error(tmp_path, 1, log_tail=f"loss 1\n{trace}\n{FIRST.format(1)}")
    assert error == ScriptError("ImportError", "ImportError: no x", lines=trace)
    silent = root_error(tmp_path, 1, log_tail=FIRST.format(3))
    assert silent == ScriptError("exit 3", "local rank 1 exited with 3")


def test_a_broken_file_and_half_a_character_harm_nobody(tmp_path: Path) -> None:
    leave(tmp_path, 0, "OSError", "OSError: \udcff.png", at_s=1.0)
    (tmp_path / "job-1-g1_xyz/attempt_0/1").mkdir()
    (tmp_path / f"job-1-g1_xyz/attempt_0/1/{FILE_NAME}").write_text("{")
    error = root_error(tmp_path, 1, log_tail="")
    assert error is not None and error.text == "OSError: ?.png"


def test_an_exit_after_an_exception_that_the_script_caught_keeps_its_traceback(
    tmp_path: Path,
) -> None:
    leave(tmp_path, 0, "exit 1", "", at_s=1.0)
    trace = "Traceback (most recent call last):\n  File 'a.py'\nValueError: no x"
    error = root_error(tmp_path, 1, log_tail=f"loss 1\n{trace}\n{FIRST.format(1)}")
    assert error is not None and (error.kind, error.text, error.lines) == (
        "exit 1",
        "ValueError: no x",
        trace,
    )


def test_an_exit_by_number_is_told_with_what_the_log_says(tmp_path: Path) -> None:
    leave(tmp_path, 0, "exit 2", "", at_s=1.0)
    error = root_error(tmp_path, 1, log_tail="train.py: error: unrecognized arguments: --epoch\n")
    assert error is not None and error.text == "train.py: error: unrecognized arguments: --epoch"
