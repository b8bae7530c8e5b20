"""The mode that a job runs in."""

from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Mode, choose_mode, declared_mode, is_python


def test_the_default_is_the_best_that_the_command_supports() -> None:
    assert choose_mode(["/job/train.py"]) is Mode.RESTART
    assert choose_mode(["/job/train"]) is Mode.RESTART
    assert choose_mode(["/job/train.sh"]) is Mode.RESTART
    assert choose_mode(["/opt/other/bin/python3.12", "/job/train.py"]) is Mode.RESTART


def test_a_program_with_a_session_runs_in_it_and_another_does_not() -> None:
    module = ["-m", "elastic.workloads.somewhat"]
    assert choose_mode(module, supported=Mode.LIVE) is Mode.LIVE
    assert choose_mode(module, wanted=Mode.RESTART, supported=Mode.LIVE) is Mode.RESTART
    with pytest.raises(
        InvalidInput,
        match="wanted auto or restart for -m, which says that it supports no other; got live",
    ):
        choose_mode(module, wanted=Mode.LIVE, supported=Mode.RESTART)


def test_only_a_script_s_author_knows_whether_it_has_a_session() -> None:
    assert choose_mode(["/job/train.py"], wanted=Mode.LIVE) is Mode.LIVE
    with pytest.raises(
        InvalidInput, match=r"mode: wanted auto or restart for /job/train\.sh, .*; got live"
    ):
        choose_mode(["/job/train.sh"], wanted=Mode.LIVE)


@pytest.mark.parametrize(
    ("source", "mode"),
    [
        ("ELASTICD_MODE = 'live'", Mode.LIVE),
        ('import os\n\nELASTICD_MODE: str = "restart"\n', Mode.RESTART),
        ("x = 1\nprint('ELASTICD_MODE = live')  # ELASTICD_MODE = 'live'", None),
        ("def f():\n    ELASTICD_MODE = 'live'", None),
        ("a, ELASTICD_MODE = 'live', 'live'", None),
        ("ELASTICD_MODE: str", None),
        ("this is no Python", None),
        ("\0", None),
    ],
)
def test_a_script_says_in_a_line_of_its_own_which_mode_it_supports(
    source: str, mode: Mode | None
) -> None:
    assert declared_mode(source) is mode


@pytest.mark.parametrize("value", ["'T2'", "2", "mode()"])
def test_a_script_that_names_no_mode_is_told_so(value: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"ELASTICD_MODE: wanted restart or live in quotes, found"
    ):
        declared_mode(f"ELASTICD_MODE = {value}")


def test_only_the_file_tells_what_a_name_does_not() -> None:
    assert is_python(["/job/train"]) is None
