"""The tier that a job runs on."""

from __future__ import annotations

import pytest

from elastic.errors import InvalidInput
from elastic.model import Tier, choose_tier, is_python


def test_the_default_is_the_best_that_the_command_supports() -> None:
    assert choose_tier(["/job/train.py"]) is Tier.T1
    assert choose_tier(["/job/train"]) is Tier.T1
    assert choose_tier(["/job/train.sh"]) is Tier.T0
    assert choose_tier(["/opt/other/bin/python3.12", "/job/train.py"]) is Tier.T0


def test_a_lower_one_may_be_asked_for_and_a_higher_one_is_refused_with_why() -> None:
    assert choose_tier(["/job/train.py"], wanted=Tier.T0) is Tier.T0
    with pytest.raises(InvalidInput, match=r"tier: wanted auto or T0 for /job/train\.sh.*forked.*got T1"):
        choose_tier(["/job/train.sh"], wanted=Tier.T1)


def test_a_program_with_a_session_runs_in_it_where_that_is_asked_for_and_another_does_not() -> None:
    module = ["-m", "elastic.workloads.somewhat"]
    assert choose_tier(module, has_session=True) is Tier.T1
    assert choose_tier(module, wanted=Tier.T2, has_session=True) is Tier.T2
    with pytest.raises(InvalidInput, match="trains in no session; got T2"):
        choose_tier(module, wanted=Tier.T2, has_session=False)


def test_only_a_script_s_author_knows_whether_it_has_a_session() -> None:
    assert choose_tier(["/job/train.py"], wanted=Tier.T2) is Tier.T2
    with pytest.raises(InvalidInput, match=r"wanted auto or T0 for /job/train\.sh.*got T2"):
        choose_tier(["/job/train.sh"], wanted=Tier.T2)


def test_only_the_file_tells_what_a_name_does_not() -> None:
    assert is_python(["/job/train"]) is None
