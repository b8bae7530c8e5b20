"""The tier that a job runs on."""

from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Tier, choose_tier, declared_tier, is_python


def test_the_default_is_the_best_that_the_command_supports() -> None:
    assert choose_tier(["/job/train.py"]) is Tier.T1
    assert choose_tier(["/job/train"]) is Tier.T1
    assert choose_tier(["/job/train.sh"]) is Tier.T0
    assert choose_tier(["/opt/other/bin/python3.12", "/job/train.py"]) is Tier.T0


def test_a_lower_one_may_be_asked_for_and_a_higher_one_is_refused_with_why() -> None:
    assert choose_tier(["/job/train.py"], wanted=Tier.T0) is Tier.T0
    with pytest.raises(
        InvalidInput, match=r"tier: wanted auto or T0 for /job/train\.sh.*forked.*got T1"
    ):
        choose_tier(["/job/train.sh"], wanted=Tier.T1)


def test_a_program_with_a_session_runs_in_it_and_another_does_not() -> None:
    module = ["-m", "elastic.workloads.somewhat"]
    assert choose_tier(module, supported=Tier.T2) is Tier.T2
    assert choose_tier(module, wanted=Tier.T1, supported=Tier.T2) is Tier.T1
    with pytest.raises(
        InvalidInput,
        match="wanted auto or T0 or T1 for -m, the best that it says it supports; got T2",
    ):
        choose_tier(module, wanted=Tier.T2, supported=Tier.T1)


def test_only_a_script_s_author_knows_whether_it_has_a_session() -> None:
    assert choose_tier(["/job/train.py"], wanted=Tier.T2) is Tier.T2
    with pytest.raises(InvalidInput, match=r"wanted auto or T0 for /job/train\.sh.*got T2"):
        choose_tier(["/job/train.sh"], wanted=Tier.T2)


@pytest.mark.parametrize(
    ("source", "tier"),
    [
        ("ELASTICD_TIER = 'T2'", Tier.T2),
        ('import os\n\nELASTICD_TIER: str = "T0"\n', Tier.T0),
        ("x = 1\nprint('ELASTICD_TIER = T2')  # ELASTICD_TIER = 'T2'", None),
        ("def f():\n    ELASTICD_TIER = 'T2'", None),
        ("a, ELASTICD_TIER = 'T2', 'T2'", None),
        ("ELASTICD_TIER: str", None),
        ("this is no Python", None),
        ("\0", None),
    ],
)
def test_a_script_says_in_a_line_of_its_own_which_tier_it_supports(
    source: str, tier: Tier | None
) -> None:
    assert declared_tier(source) is tier


@pytest.mark.parametrize("value", ["'T3'", "2", "tier()"])
def test_a_script_that_names_no_tier_is_told_so(value: str) -> None:
    with pytest.raises(InvalidInput, match=r"ELASTICD_TIER: wanted T0, T1, T2 in quotes, found"):
        declared_tier(f"ELASTICD_TIER = {value}")


def test_only_the_file_tells_what_a_name_does_not() -> None:
    assert is_python(["/job/train"]) is None
