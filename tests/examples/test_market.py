"""The demo's market turns once, and only against a choice that has been made in full knowledge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elastic.cli.watch import Standing
from elastic.model import Offering
from elastic.pricing import read_trace
from examples.demo.house import HERE
from examples.demo.market import RISE, SETTLED_S, Market
from examples.demo.watching import NODE_TYPES, Sight, Witness

MEDIUM: dict[str, Any] = {"members": [[{"node_type": "medium", "capacity": "on-demand", "zone": "local"}, 1]]}
STANDING = Standing("demo", "running", "1 x medium on-demand", 9, 10, 1.0, 1.0, 0.1, 1.0, None)
SETTLED = Sight(
    job={"current_group": MEDIUM, "target_group": MEDIUM, "candidates": []},
    standing=STANDING,
    prices={"medium": 0.1},
    decisions=[],
    news=[],
)
KNOWING = Witness(measured=set(NODE_TYPES))


@pytest.fixture
def market(tmp_path: Path) -> Market:
    return Market.open(tmp_path / "prices.csv", opening_prices=HERE / "prices.csv")


def test_the_choice_becomes_dear_once_the_job_has_settled(market: Market) -> None:
    market.react(SETTLED, KNOWING, now_s=1000.0)
    assert len(read_trace(market.trace)) == len(NODE_TYPES)
    for now_s in (1000.0 + SETTLED_S, 2000.0, 3000.0):
        market.react(SETTLED, KNOWING, now_s=now_s)
    opening, (risen,) = read_trace(market.trace)[:-1], read_trace(market.trace)[-1:]
    assert {row.offering.node_type for row in opening} == set(NODE_TYPES)
    assert (risen.offering, risen.at_s) == (Offering("medium"), 1000.0 + SETTLED_S)
    assert risen.usd_per_h == pytest.approx(0.1 * RISE)


@pytest.mark.parametrize(
    ("sight", "witness"),
    [
        (SETTLED, Witness(measured={"medium"})),
        (replace(SETTLED, job={**SETTLED.job, "current_group": None}), KNOWING),
    ],
    ids=["not every type is measured", "the job trains nowhere"],
)
def test_prices_stand_while_the_job_has_not_settled(market: Market, sight: Sight, witness: Witness) -> None:
    for now_s in (1000.0, 2000.0):
        market.react(sight, witness, now_s=now_s)
    assert len(read_trace(market.trace)) == len(NODE_TYPES)


def test_an_interruption_begins_the_settling_anew(market: Market) -> None:
    moving = replace(SETTLED, job={**SETTLED.job, "current_group": None})
    market.react(SETTLED, KNOWING, now_s=1000.0)
    market.react(moving, KNOWING, now_s=1000.0 + SETTLED_S)
    market.react(SETTLED, KNOWING, now_s=1001.0 + SETTLED_S)
    assert len(read_trace(market.trace)) == len(NODE_TYPES)
