"""How often a group is interrupted, as long as nothing better is known."""

from __future__ import annotations

import pytest

from elastic.model import Capacity, Offering, interruptions_per_h

SPOT, OWN = Offering("m5.large", Capacity.SPOT, "a"), Offering("m5.large", Capacity.ON_DEMAND, "a")


def test_any_node_s_loss_interrupts_the_whole_group() -> None:
    assert interruptions_per_h([SPOT, SPOT, OWN]) == pytest.approx(
        2 / 24 + interruptions_per_h([OWN])
    )
    assert interruptions_per_h([]) == 0


def test_a_node_of_one_s_own_fails_once_in_most_of_a_year() -> None:
    assert 1 / interruptions_per_h([OWN]) == pytest.approx(6334.4, abs=0.5)
