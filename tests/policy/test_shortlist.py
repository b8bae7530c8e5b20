"""What is weighed of a long catalogue, and what that costs."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from typing import Any

import pytest

from elastic import figures
from elastic.model import (
    Action,
    Capacity,
    CapacityChoice,
    NodeType,
    Objective,
    Obstacle,
    Offering,
    Precision,
    Price,
    Snapshot,
    Unavailable,
)
from elastic.policy import best_value, decide, guard, shortlist
from tests.builders import NOW_S, group, job, price, series, snapshot

_ZONES = ("zone-a", "zone-b", "zone-c")


def _catalogue(types: int, *, seed: int = 1, **rest: Any) -> Snapshot:
    """So many node types, on demand and as spot in three zones each."""
    chance = random.Random(seed)
    names = [f"type-{number:04}" for number in range(types)]
    node_types = tuple(NodeType(name, chance.choice([2, 4, 8, 16]), 8.0) for name in names)
    prices: list[Price] = []
    for node_type in node_types:
        usd_per_h = 0.04 * node_type.cpu * chance.uniform(0.8, 1.6)
        for capacity in Capacity:
            for zone in _ZONES:
                share = chance.uniform(0.3, 0.7) if capacity is Capacity.SPOT else 1.0
                sold = Offering(node_type.name, capacity, zone)
                prices.append(price(sold, usd_per_h * share, price_id=len(prices) + 1))
    return snapshot(**{"node_types": node_types, "prices": tuple(prices), **rest})


def _cheapest(seen: Snapshot, capacity: Capacity = Capacity.SPOT) -> Price:
    return min(
        (each for each in seen.prices if each.offering.capacity is capacity),
        key=lambda each: each.usd_per_h,
    )


def test_a_short_catalogue_stays_whole() -> None:
    seen = _catalogue(16)
    earlier = tuple(
        replace(each, id=each.id + 1000, valid_from_s=NOW_S - 9000) for each in seen.prices
    )
    seen = replace(seen, prices=seen.prices + earlier)
    assert shortlist(seen) is seen


def test_every_offering_is_a_candidate_or_counted_by_why_it_is_none() -> None:
    seen = _catalogue(300)
    plan = decide(seen)
    assert len(plan.candidates) < 120
    assert len(plan.candidates) + sum(plan.pruned.values()) == len(seen.prices)
    assert set(plan.pruned) == {"dearer_zone", "slower_for_more_money"}


def test_what_was_shortened_gives_the_same_plan() -> None:
    seen = _catalogue(300)
    short = shortlist(seen)
    assert shortlist(short) is short
    assert decide(short) == decide(seen)


def test_the_order_of_what_is_sold_never_matters() -> None:
    seen, chance = _catalogue(100), random.Random(7)
    shuffled = replace(
        seen,
        prices=tuple(chance.sample(seen.prices, len(seen.prices))),
        node_types=tuple(chance.sample(seen.node_types, len(seen.node_types))),
    )
    assert decide(shuffled) == decide(seen)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("measured", [0, 1, 3])
def test_what_is_decided_is_what_the_whole_catalogue_would_give(seed: int, measured: int) -> None:
    seen = _catalogue(60, seed=seed)
    chosen = random.Random(seed).sample(seen.node_types, measured)
    groups = [group(each.name, capacity=Capacity.SPOT, zone="zone-a") for each in chosen]
    windows = [
        series(each, 2.0 / node_type.cpu) for each, node_type in zip(groups, chosen, strict=True)
    ]
    held = groups[-1] if groups else None
    seen = replace(seen, series=tuple(windows), target=held, current=held)
    whole = guard(seen, best_value(seen))
    plan = decide(seen)
    assert plan.pruned
    assert (plan.action, plan.target, plan.reason.code) == (
        whole.action,
        whole.target,
        whole.reason.code,
    )


def test_what_the_job_has_had_or_measured_stays_in_every_zone() -> None:
    dear = NodeType("dear", 1, 1.0)
    sold = [Offering("dear", Capacity.SPOT, zone) for zone in _ZONES]
    seen = _catalogue(100)
    seen = replace(
        seen,
        node_types=(*seen.node_types, dear),
        prices=(
            *seen.prices,
            *(price(each, 9.0, price_id=9000 + n) for n, each in enumerate(sold)),
        ),
        series=(series(group("dear", capacity=Capacity.SPOT, zone="zone-b"), 1.0),),
    )
    assert set(sold) <= {each.group.members[0][0] for each in decide(seen).candidates}


def test_where_the_cheapest_cannot_be_bought_another_zone_is_weighed() -> None:
    seen = _catalogue(100)
    cheapest = _cheapest(seen)
    start = decide(seen)
    assert start.target is not None and start.target.members[0][0] == cheapest.offering
    blocks = tuple(
        Unavailable(replace(cheapest.offering, zone=zone), NOW_S + 300, Obstacle.CAPACITY)
        for zone in _ZONES[:2]
    )
    shown = {
        each.group.members[0][0]: each
        for each in decide(replace(seen, unavailable=blocks)).candidates
    }
    open_zone = replace(cheapest.offering, zone=_ZONES[2])
    assert open_zone in shown and shown[open_zone].unavailable is None


def test_what_costs_more_than_the_cap_is_counted_unless_all_do() -> None:
    seen = _catalogue(100, job=job(objective=Objective(max_usd_per_hour=0.05)))
    plan = decide(seen)
    assert plan.action is Action.START and plan.pruned["over_max_usd_per_hour"] > 100
    none = decide(replace(seen, job=job(objective=Objective(max_usd_per_hour=0.001))))
    assert (
        none.action is Action.HOLD and "every candidate costs more than the cap" in none.reason.text
    )
    assert f"{figures.price(_cheapest(seen).usd_per_h)}/h" in none.reason.text


def test_what_cannot_run_the_job_is_counted_and_a_few_are_named() -> None:
    seen = _catalogue(100, job=job(precision=Precision.BF16))
    plan = decide(seen)
    assert plan.action is Action.HOLD and plan.pruned == {"cannot_run_the_job": 600}
    assert 0 < len(plan.left_out) < 10


def test_stale_prices_and_what_is_not_admitted_are_no_candidates() -> None:
    seen = _catalogue(100, job=job(capacity=CapacityChoice.SPOT))
    old = tuple(
        replace(each, observed_at_s=NOW_S - 1e6) if each.offering.zone == "zone-a" else each
        for each in seen.prices
    )
    plan = decide(replace(seen, prices=old))
    assert plan.pruned["no_fresh_price"] == 100
    assert {each.group.members[0][0].capacity for each in plan.candidates} == {Capacity.SPOT}
    assert "zone-a" not in {each.group.members[0][0].zone for each in plan.candidates}


def test_the_work_of_a_decision_grows_with_the_catalogue_and_no_faster() -> None:
    """Calls of functions, counted: time would tell of the neighbours."""
    held = group("type-0000", capacity=Capacity.SPOT, zone="zone-a")
    few, many = (
        _calls(_catalogue(types, target=held, measured=[series(held, 0.5)]))
        for types in (400, 1600)
    )
    assert many < 4.5 * few
    assert (many - few) / (1200 * 6) < 15, "calls for each further offering"


def _calls(seen: Snapshot) -> int:
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    decide(seen)
    sys.setprofile(count)
    try:
        decide(seen)
    finally:
        sys.setprofile(None)
    return calls
