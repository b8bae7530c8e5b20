"""Which error is the same again, and when a job has gone on beyond it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import ScriptError

RAISED = ScriptError(
    "ValueError", "ValueError: no", "train.py, line 3, in load", turns=30, iteration=130
)
KILLED = ScriptError("SIGKILL", "local rank 0 was killed by SIGKILL", turns=30, iteration=130)


@pytest.mark.parametrize(
    ("later", "is_again"),
    [
        (replace(RAISED, text="ValueError: other words", turns=900, iteration=1_000), True),
        (replace(RAISED, place="train.py, line 4, in load"), False),
        (replace(RAISED, kind="KeyError"), False),
        (KILLED, False),
    ],
)
def test_the_same_type_at_the_same_frame_is_the_same_error(
    later: ScriptError, is_again: bool
) -> None:
    assert later.is_again(RAISED) is is_again


@pytest.mark.parametrize(
    ("turns", "iteration", "is_again"),
    [(28, 500, True), (300, 134, True), (300, 500, False), (None, None, False)],
)
def test_without_a_frame_it_is_the_same_at_about_the_same_iteration(
    turns: int | None, iteration: int | None, is_again: bool
) -> None:
    assert replace(KILLED, turns=turns, iteration=iteration).is_again(KILLED) is is_again


def test_a_job_is_beyond_its_error_once_it_is_past_what_a_kill_may_leave_untold() -> None:
    assert [KILLED.is_past(each) for each in (130, 135, 136)] == [False, False, True]
    assert [replace(KILLED, turns=1000).is_past(each) for each in (230, 231)] == [False, True]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RAISED, "ValueError: no (train.py, line 3, in load)"),
        (KILLED, "local rank 0 was killed by SIGKILL"),
        (ScriptError("MemoryError", "MemoryError"), "out of memory: MemoryError"),
        (
            ScriptError(
                "torch.OutOfMemoryError",
                "torch.OutOfMemoryError: CUDA out of memory.",
                "a.py, line 1, in f",
            ),
            "out of memory: torch.OutOfMemoryError: CUDA out of memory. (a.py, line 1, in f)",
        ),
        (
            ScriptError("RuntimeError", "RuntimeError: DefaultCPUAllocator: can't allocate memory"),
            "out of memory: RuntimeError: DefaultCPUAllocator: can't allocate memory",
        ),
    ],
)
def test_it_is_told_in_one_sentence_and_want_of_memory_as_such(
    error: ScriptError, said: str
) -> None:
    assert str(error) == said
