"""How a node starts workers: as it is asked to, or not preloaded, and why."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent.worker_start import choose_way, is_fork_distrusted
from elastic.model import Mode, Outcome, ScriptError
from tests.agent.assignments import ONE


def way(*command: str) -> tuple[bool, str, tuple[str, ...]]:
    found = choose_way(replace(ONE, command=command))
    return (found.is_preloaded, found.kind, found.arguments)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (["train.py", "--lr", "1"], (True, "--watched", ["train.py", "--lr", "1"])),
        (["python3", "train.py"], (True, "--watched", ["train.py"])),
        ([sys.executable, "train.py"], (True, "--watched", ["train.py"])),
        (["-m", "mine.train", "-x"], (True, "--watched", ["-m", "mine.train", "-x"])),
        (["--module", "mine.train"], (True, "--watched", ["-m", "mine.train"])),
        (
            ["python", "-m", "elastic.workloads.esrgan"],
            (True, "--plain", ["-m", "elastic.workloads.esrgan"]),
        ),
        (
            ["/opt/other/bin/python3", "train.py"],
            (False, "--program", ["/opt/other/bin/python3", "train.py"]),
        ),
        (["/job/train.sh", "-x"], (False, "--program", ["/job/train.sh", "-x"])),
    ],
)
def test_our_own_python_is_forked_for_and_every_other_program_is_not(
    command: list[str], wanted: tuple[bool, str, list[str]]
) -> None:
    is_preloaded, kind, arguments = way(*command)
    assert (is_preloaded, kind, list(arguments)) == wanted


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"import torch\n", "--watched"),
        (b"#!/usr/bin/env python3\nimport torch\n", "--watched"),
        (b"#!/bin/sh\nexec true\n", "--program"),
        (b"\x7fELF\x02\x01\x01\0\0", "--program"),
    ],
)
def test_a_file_without_a_telling_name_is_looked_into(
    tmp_path: Path, head: bytes, kind: str
) -> None:
    (tmp_path / "train").write_bytes(head)
    assert way(str(tmp_path / "train"))[1] == kind


def test_a_file_that_is_not_there_fails_where_it_is_opened(tmp_path: Path) -> None:
    assert way(str(tmp_path / "train"))[:2] == (True, "--watched")


def test_what_is_asked_for_needs_no_word() -> None:
    assert choose_way(ONE).why == ""
    assert choose_way(replace(ONE, preload=False)).why == ""


def test_a_program_is_told_how_it_is_stopped_and_counted() -> None:
    found = choose_way(replace(ONE, command=("/job/train.sh",)))
    assert found.is_foreign
    assert "/job/train.sh" in found.why
    assert "SIGTERM" in found.why


def test_workers_that_failed_before_their_first_turn_are_forked_no_longer() -> None:
    found = choose_way(ONE, distrusts_fork=True)
    assert (found.mode, found.is_preloaded, found.kind) == (Mode.RESTART, False, "--watched")
    assert "each is now started as a program of its own" in found.why
    assert not found.is_foreign


def test_a_member_of_a_session_stays_one_however_it_is_started(tmp_path: Path) -> None:
    (tmp_path / "train").write_bytes(b"#!/bin/sh\n")
    session = replace(ONE, mode=Mode.LIVE)
    found = [
        choose_way(session),
        choose_way(session, distrusts_fork=True),
        choose_way(replace(session, command=(str(tmp_path / "train"),))),
    ]
    assert [(way.mode, way.kind, way.is_preloaded) for way in found] == [
        (Mode.LIVE, "--watched", True),
        (Mode.LIVE, "--watched", False),
        (Mode.LIVE, "--program", False),
    ]


def test_workers_that_had_no_checkpoint_to_go_on_from_speak_against_no_fork() -> None:
    for were_refused in (True, False):
        is_distrusted = is_fork_distrusted(
            False,
            is_preloaded=True,
            outcome=Outcome.FAILED,
            has_heard_workers=False,
            were_refused=were_refused,
        )
        assert is_distrusted is not were_refused


def test_workers_that_are_not_to_be_preloaded_need_no_fork_to_distrust() -> None:
    assert choose_way(replace(ONE, preload=False), distrusts_fork=True).why == ""


@pytest.mark.parametrize("before", [True, False])
def test_only_a_failure_before_the_first_turn_says_something_about_forks(before: bool) -> None:
    failed = Outcome.FAILED
    assert (
        is_fork_distrusted(before, is_preloaded=True, outcome=failed, has_heard_workers=True)
        is before
    )
    assert (
        is_fork_distrusted(
            before, is_preloaded=True, outcome=Outcome.DRAINED, has_heard_workers=False
        )
        is before
    )
    assert (
        is_fork_distrusted(before, is_preloaded=True, outcome=failed, has_heard_workers=False)
        is True
    )
    missing = ScriptError(
        "ModuleNotFoundError", "ModuleNotFoundError: No module named 'a'", "train.py, line 1"
    )
    assert (
        is_fork_distrusted(
            before, is_preloaded=True, outcome=failed, has_heard_workers=False, error=missing
        )
        is before
    )
    refused = ScriptError("exit 2", "train.py: error: no such option", "train.py, line 1", rank=0)
    assert (
        is_fork_distrusted(
            before, is_preloaded=True, outcome=failed, has_heard_workers=False, error=refused
        )
        is before
    )
    for error in (
        replace(refused, rank=None),
        replace(refused, lines="Traceback: of what the script caught"),
    ):
        assert (
            is_fork_distrusted(
                before, is_preloaded=True, outcome=failed, has_heard_workers=False, error=error
            )
            is True
        )
    for is_preloaded in (True, False):
        is_distrusted = is_fork_distrusted(
            before, is_preloaded=is_preloaded, outcome=failed, has_heard_workers=False
        )
        assert is_distrusted is is_preloaded, "it is started the other way next"
    assert (
        is_fork_distrusted(before, is_preloaded=None, outcome=failed, has_heard_workers=False)
        is before
    ), "none were started"
