"""How a node starts workers: as it is asked to, or on a lower tier, and why."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from elastic.agent.tiers import choose_way, is_fork_distrusted
from elastic.model import Outcome, ScriptError, Tier
from tests.agent.assignments import ONE


def way(*command: str, tier: Tier = Tier.T1) -> tuple[str, ...]:
    found = choose_way(replace(ONE, command=command, tier=tier))
    return (found.tier, found.mode, *found.arguments)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (["train.py", "--lr", "1"], ["T1", "--watched", "train.py", "--lr", "1"]),
        (["python3", "train.py"], ["T1", "--watched", "train.py"]),
        ([sys.executable, "train.py"], ["T1", "--watched", "train.py"]),
        (["-m", "mine.train", "-x"], ["T1", "--watched", "-m", "mine.train", "-x"]),
        (["--module", "mine.train"], ["T1", "--watched", "-m", "mine.train"]),
        (
            ["python", "-m", "elastic.workloads.esrgan"],
            ["T1", "--plain", "-m", "elastic.workloads.esrgan"],
        ),
        (
            ["/opt/other/bin/python3", "train.py"],
            ["T0", "--program", "/opt/other/bin/python3", "train.py"],
        ),
        (["/job/train.sh", "-x"], ["T0", "--program", "/job/train.sh", "-x"]),
    ],
)
def test_our_own_python_is_forked_for_and_every_other_program_is_not(
    command: list[str], wanted: list[str]
) -> None:
    assert list(way(*command)) == wanted


@pytest.mark.parametrize(
    ("head", "mode"),
    [
        (b"import torch\n", "--watched"),
        (b"#!/usr/bin/env python3\nimport torch\n", "--watched"),
        (b"#!/bin/sh\nexec true\n", "--program"),
        (b"\x7fELF\x02\x01\x01\0\0", "--program"),
    ],
)
def test_a_file_without_a_telling_name_is_looked_into(
    tmp_path: Path, head: bytes, mode: str
) -> None:
    (tmp_path / "train").write_bytes(head)
    assert way(str(tmp_path / "train"))[1] == mode


def test_a_file_that_is_not_there_fails_where_it_is_opened(tmp_path: Path) -> None:
    assert way(str(tmp_path / "train"))[:2] == ("T1", "--watched")


def test_what_is_asked_for_needs_no_word() -> None:
    assert choose_way(ONE).why == ""
    assert choose_way(replace(ONE, tier=Tier.T0)).why == ""


def test_a_program_is_told_how_it_is_stopped_and_counted() -> None:
    found = choose_way(replace(ONE, command=("/job/train.sh",)))
    assert found.is_foreign
    assert "/job/train.sh" in found.why
    assert "SIGTERM" in found.why


def test_workers_that_failed_before_their_first_turn_are_forked_no_longer() -> None:
    found = choose_way(ONE, distrusts_fork=True)
    assert (found.tier, found.mode) == (Tier.T0, "--watched")
    assert "T0" in found.why
    assert not found.is_foreign


def test_a_member_of_a_session_stays_one_however_it_is_started(tmp_path: Path) -> None:
    (tmp_path / "train").write_bytes(b"#!/bin/sh\n")
    session = replace(ONE, tier=Tier.T2)
    found = [
        choose_way(session),
        choose_way(session, distrusts_fork=True),
        choose_way(replace(session, command=(str(tmp_path / "train"),))),
    ]
    assert not any("T0" in way.why for way in found), "its job is on T2 still"
    assert [(way.tier, way.mode, way.is_forked) for way in found] == [
        (Tier.T2, "--watched", True),
        (Tier.T2, "--watched", False),
        (Tier.T2, "--program", False),
    ]


def test_workers_that_had_no_checkpoint_to_go_on_from_speak_against_no_fork() -> None:
    for were_refused in (True, False):
        is_distrusted = is_fork_distrusted(
            False,
            tier=Tier.T1,
            outcome=Outcome.FAILED,
            has_heard_workers=False,
            were_refused=were_refused,
        )
        assert is_distrusted is not were_refused


def test_t0_that_was_asked_for_needs_no_fork_to_distrust() -> None:
    assert choose_way(replace(ONE, tier=Tier.T0), distrusts_fork=True).why == ""


@pytest.mark.parametrize("before", [True, False])
def test_only_a_failure_before_the_first_turn_says_something_about_forks(before: bool) -> None:
    failed = Outcome.FAILED
    assert (
        is_fork_distrusted(before, tier=Tier.T1, outcome=failed, has_heard_workers=True) is before
    )
    assert (
        is_fork_distrusted(before, tier=Tier.T1, outcome=Outcome.DRAINED, has_heard_workers=False)
        is before
    )
    assert is_fork_distrusted(before, tier=Tier.T1, outcome=failed, has_heard_workers=False) is True
    missing = ScriptError(
        "ModuleNotFoundError", "ModuleNotFoundError: No module named 'a'", "train.py, line 1"
    )
    assert (
        is_fork_distrusted(
            before, tier=Tier.T1, outcome=failed, has_heard_workers=False, error=missing
        )
        is before
    )
    refused = ScriptError("exit 2", "train.py: error: no such option", "train.py, line 1", rank=0)
    assert (
        is_fork_distrusted(
            before, tier=Tier.T1, outcome=failed, has_heard_workers=False, error=refused
        )
        is before
    )
    for error in (
        replace(refused, rank=None),
        replace(refused, lines="Traceback: of what the script caught"),
    ):
        assert (
            is_fork_distrusted(
                before, tier=Tier.T1, outcome=failed, has_heard_workers=False, error=error
            )
            is True
        )
    assert (
        is_fork_distrusted(before, tier=Tier.T0, outcome=failed, has_heard_workers=False) is False
    )
    assert (
        is_fork_distrusted(before, tier=Tier.T2, outcome=failed, has_heard_workers=False)
        is not before
    )
    assert (
        is_fork_distrusted(before, tier=Tier.T2, outcome=failed, has_heard_workers=False)
        is not before
    )
