"""The demo's market turns once, and only against a choice that has been made in full knowledge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.cli.watch import WatchedJob
from examples.demo.market import RISE, SETTLED_S, Market
from examples.demo.watching import NODE_TYPES, Sight, Witness

CHOICE = NODE_TYPES[1]
GROUP: dict[str, Any] = {
    "members": [[{"node_type": CHOICE, "capacity": "spot", "zone": "us-east-1a"}, 1]]
}
STANDING = WatchedJob("demo", "running", f"1 x {CHOICE} spot", 9, 10, 1.0, 1.0, 0.1, 1.0, None)
SETTLED = Sight(
    job={"current_group": GROUP, "target_group": GROUP, "candidates": []},
    standing=STANDING,
    prices={CHOICE: 0.1},
    decisions=[],
    news=[],
)
KNOWING = Witness(measured=set(NODE_TYPES))


class Exchange:
    """Where prices are changed: remembers what it was asked for."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, float]] = []
        self.market = Market(
            lambda node_type: 0.1, lambda node_type, price: self.changes.append((node_type, price))
        )


@pytest.fixture
def exchange() -> Exchange:
    return Exchange()


def test_the_choice_becomes_dear_once_the_job_has_settled(exchange: Exchange) -> None:
    exchange.market.react(SETTLED, KNOWING, now_s=1000.0)
    assert exchange.changes == []
    for now_s in (1000.0 + SETTLED_S, 2000.0, 3000.0):
        exchange.market.react(SETTLED, KNOWING, now_s=now_s)
    assert exchange.changes == [(CHOICE, 0.1 * RISE)]


@pytest.mark.parametrize(
    ("sight", "witness"),
    [
        (SETTLED, Witness(measured={CHOICE})),
        (replace(SETTLED, job={**SETTLED.job, "current_group": None}), KNOWING),
    ],
    ids=["not every type is measured", "the job trains nowhere"],
)
def test_prices_stand_while_the_job_has_not_settled(
    exchange: Exchange, sight: Sight, witness: Witness
) -> None:
    for now_s in (1000.0, 2000.0):
        exchange.market.react(sight, witness, now_s=now_s)
    assert exchange.changes == []


def test_an_interruption_begins_the_settling_anew(exchange: Exchange) -> None:
    moving = replace(SETTLED, job={**SETTLED.job, "current_group": None})
    exchange.market.react(SETTLED, KNOWING, now_s=1000.0)
    exchange.market.react(moving, KNOWING, now_s=1000.0 + SETTLED_S)
    exchange.market.react(SETTLED, KNOWING, now_s=1001.0 + SETTLED_S)
    assert exchange.changes == []
