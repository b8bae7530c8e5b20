"""The line of a log that says why workers failed is told from torchrun's account of it."""

from __future__ import annotations

import pytest

from elastic.agent import cause_in, describe_exit, is_echo
from elastic.model import AGENT_SAYS, Exit, Outcome

WORKER = """Traceback (most recent call last):
  File "train.py", line 3, in <module>
    torch.save(state, path)
RuntimeError: Parent directory /data does not exist.
"""
TORCHRUN = """E1121 08:25:39.611000 12199 elastic/multiprocessing/api.py:836] \
Traceback (most recent call last):
E1121 08:25:39.611000 12199 elastic/multiprocessing/api.py:836]     self._pc.join(-1)
Traceback (most recent call last):
  File "torchrun.py", line 92, in main
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
"""
PEER = """Traceback (most recent call last):
  File "train.py", line 13, in <module>
RuntimeError: pair.cc:553 Connection closed by peer [10.0.0.2]
"""


def test_the_workers_exception_is_told_and_torchruns_is_not() -> None:
    assert cause_in(WORKER + TORCHRUN) == "RuntimeError: Parent directory /data does not exist."


def test_ranks_in_front_of_lines_do_not_hide_it() -> None:
    ranked = "".join(f"[rank1]: {line}\n" for line in WORKER.splitlines())
    assert cause_in(ranked + TORCHRUN) == "RuntimeError: Parent directory /data does not exist."


def test_an_end_that_begins_within_a_traceback_still_tells() -> None:
    assert (
        cause_in(WORKER.split("\n", 1)[1]) == "RuntimeError: Parent directory /data does not exist."
    )


def test_a_file_that_is_no_python_is_named() -> None:
    read = """Traceback (most recent call last):
  File "/jobs/train.py", line 3, in <module>
    import helper
  File "/jobs/helper.py", line 1
    def f(:
          ^
SyntaxError: invalid syntax
"""
    assert cause_in(read + TORCHRUN) == "SyntaxError: invalid syntax (/jobs/helper.py, line 1)"
    assert cause_in(read + WORKER) == "RuntimeError: Parent directory /data does not exist."


def test_a_log_without_an_exception_tells_no_cause() -> None:
    assert cause_in("loss 0.5\nloss 0.4\n" + TORCHRUN) is None


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (
            "E1122 11:24:46 6999 elastic/multiprocessing/api.py:836] failed (exitcode: 7) "
            "local_rank: 0 (pid: 7148) of fn: run_script_path (start_method: fork)",
            "local rank 0 exited with 7; its last line: loss 0.5",
        ),
        (
            "E1122 11:24:46 6999 elastic/multiprocessing/api.py:1002] failed (exitcode: -9) "
            "local_rank: 3 (pid: 7148) of binary: /usr/bin/python3",
            "local rank 3 was killed by SIGKILL",
        ),
        ("failed (exitcode: -99) local_rank: 0 (pid: 1)", "local rank 0 was killed by signal 99"),
        (
            "usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --n",
            "train.py: error: unrecognized arguments: --n",
        ),
    ],
)
def test_an_end_without_an_exception_is_told_as_torchrun_or_a_parser_of_options_saw_it(
    line: str, cause: str
) -> None:
    assert cause_in(f"loss 0.5\n{line}\n{TORCHRUN}") == cause
    assert (
        cause_in(f"{WORKER}{line}\n{TORCHRUN}")
        == "RuntimeError: Parent directory /data does not exist."
    )
    said = describe_exit(Exit(1, Outcome.FAILED, 1, log_tail=f"loss 0.5\n{line}"))
    assert said == f"the workers exited with 1: {cause}"


def test_an_exit_by_number_is_told_with_what_the_worker_wrote_last() -> None:
    end = (
        "E1122 11:24:46.784000 6999 torch/distributed/elastic/multiprocessing/api.py:836] failed "
        "(exitcode: 2) local_rank: 0 (pid: 7) of fn: run_script_path"
    )
    log = f"loading\nno such split: valid2\n\n{end}\n{TORCHRUN}"
    assert cause_in(log) == "local rank 0 exited with 2; its last line: no such split: valid2"
    assert (
        cause_in(log.removeprefix("loading\nno such split: valid2\n"))
        == "local rank 0 exited with 2"
    )


def test_losing_a_peer_is_the_echo_of_another_failure() -> None:
    assert is_echo(PEER + TORCHRUN)
    assert not is_echo(WORKER + TORCHRUN)
    assert not is_echo("Killed")


def test_what_the_agent_added_at_the_end_comes_before_what_workers_raised() -> None:
    said = "the last checkpoint was not stored: no space left on the device"
    assert cause_in(f"{WORKER}{AGENT_SAYS}{said}\n") == said
