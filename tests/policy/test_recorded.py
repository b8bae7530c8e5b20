"""A run of the demo as its daemon recorded it, decided again: the same snapshots give the same
plans, bit for bit."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from elastic.model import Action, Plan, Snapshot
from elastic.policy import decide

_RECORDED = json.loads(
    gzip.decompress((Path(__file__).parent / "recorded" / "demo.json.gz").read_bytes())
)
_SNAPSHOT, _PLAN = TypeAdapter(Snapshot), TypeAdapter(Plan)
DECISIONS = [
    (
        _SNAPSHOT.validate_json(json.dumps(each["snapshot"])),
        _PLAN.validate_json(json.dumps(each["plan"])),
    )
    for each in _RECORDED
]


@pytest.mark.parametrize("number", range(len(DECISIONS)))
def test_the_demos_decision_is_made_again(number: int) -> None:
    snapshot, plan = DECISIONS[number]
    assert decide(snapshot) == plan


def test_the_recorded_demo_started_tried_another_and_moved_when_a_price_rose() -> None:
    changes = [
        (plan.action, plan.reason.code) for _, plan in DECISIONS if plan.action is not Action.HOLD
    ]
    assert changes[:2] == [(Action.START, "start"), (Action.TRIAL, "trial")]
    assert (Action.MOVE, "price") in changes
