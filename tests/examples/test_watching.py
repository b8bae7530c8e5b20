"""The demo's witness takes nothing for the promised move but a move that the price change
caused."""

from __future__ import annotations

from typing import Any

import pytest

from examples.demo.watching import NODE_TYPES, Witness


def report(*left_at_usd_per_h: float) -> dict[str, Any]:
    """A report of moves away from groups at these prices."""
    plans = [
        {"action": "move", "reason": {"numbers": {"usd_per_h_from": each}}}
        for each in left_at_usd_per_h
    ]
    return {"phase": "succeeded", "decisions": [{"plan": plan} for plan in plans]}


@pytest.fixture
def witness() -> Witness:
    return Witness(
        prices={"c5.large": {0.075}, "c5.xlarge": {0.125, 0.5}},
        choices=["c5.xlarge", "c5.large"],
        measured=set(NODE_TYPES),
    )


def test_a_move_away_from_the_risen_price_keeps_the_promise(witness: Witness) -> None:
    assert list(witness.broken_promises(report(0.075, 0.5))) == []


def test_a_move_of_before_the_rise_does_not(witness: Witness) -> None:
    (broken,) = witness.broken_promises(report(0.125))
    assert (
        broken == "the price change should have moved the job; it trained on c5.xlarge -> c5.large"
    )


def test_without_a_change_there_is_nothing_to_move_on() -> None:
    witness = Witness(prices={"c5.large": {0.075}}, measured=set(NODE_TYPES))
    assert list(witness.broken_promises(report(0.075))) == ["a price should have changed, none did"]
