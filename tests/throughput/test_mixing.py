from __future__ import annotations

import pytest

from elastic.throughput import NodeTypes, predict_mixed_step_s
from elastic.throughput.mixing import ASSUMED_LOSS

HALF: NodeTypes = (("half", 1),)
FULL: NodeTypes = (("full", 1),)
BOTH: NodeTypes = (("full", 1), ("half", 1))


def foretold(measured_s: dict[NodeTypes, float], types: NodeTypes) -> float:
    step_s = predict_mixed_step_s(measured_s, types)
    assert step_s is not None
    assert (step_s.low, step_s.high) == (None, None)
    return step_s.value


def test_speeds_add_up_less_what_meeting_is_assumed_to_cost() -> None:
    assert foretold({HALF: 0.4, FULL: 0.2}, BOTH) == pytest.approx(ASSUMED_LOSS / 7.5)


def test_a_type_counts_as_it_was_measured_at_that_size() -> None:
    two = {HALF: 0.4, (("half", 2),): 0.3, FULL: 0.2}
    assert foretold(two, (("full", 1), ("half", 2))) == pytest.approx(ASSUMED_LOSS / (5 + 1 / 0.3))


def test_a_type_measured_at_two_sizes_counts_as_it_scales() -> None:
    # 0.1 s that no node saves, and 0.3 s that they share: 0.175 s on four.
    scaling = {HALF: 0.4, (("half", 2),): 0.25, FULL: 0.2}
    assert foretold(scaling, (("full", 1), ("half", 4))) == pytest.approx(
        ASSUMED_LOSS / (5 + 1 / 0.175)
    )


def test_a_type_measured_at_one_size_counts_in_proportion_within_reach() -> None:
    assert foretold({HALF: 0.4, FULL: 0.2}, (("full", 1), ("half", 2))) == pytest.approx(
        ASSUMED_LOSS / 10
    )
    assert foretold({(("half", 4),): 0.1, FULL: 0.2}, BOTH) == pytest.approx(ASSUMED_LOSS / 7.5)
    assert predict_mixed_step_s({HALF: 0.4, FULL: 0.2}, (("full", 1), ("half", 3))) is None


def test_a_type_that_nobody_measured_alone_tells_nothing() -> None:
    assert predict_mixed_step_s({HALF: 0.4, BOTH: 0.2}, BOTH) is None


def test_the_loss_is_what_mixes_were_measured_to_lose_but_never_a_gain() -> None:
    alone = {HALF: 0.4, FULL: 0.2}
    more: NodeTypes = (("full", 1), ("half", 2))
    assert foretold(alone | {BOTH: 1.3 / 7.5}, more) == pytest.approx(1.3 / 10)
    assert foretold(alone | {BOTH: 0.9 / 7.5}, more) == pytest.approx(1.0 / 10)
