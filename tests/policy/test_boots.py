from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import Action, Boot, Setup, Snapshot
from elastic.policy import decide
from elastic.policy.switch_cost import boot_s, received_gib, slowest_s
from tests.builders import group, limits, node, node_type, prices, snapshot, switch
from tests.policy.switching import FULL, HALF, from_half

TYPES = tuple(replace(node_type(f"local.{name}", 1.0), image="new") for name in ("half", "full"))
# $0.01 and $0.02 a second.
PRICES = prices({"local.half": 36.0, "local.full": 72.0})
GIB = 2**30


def booted(
    *seconds: float, of: str = "local.full", image: str | None = "new", gib: float | None = None
) -> list[Boot]:
    setup = None if gib is None else Setup(1.0, round(gib * GIB))
    return [Boot(of, image, each, setup) for each in seconds]


def learnt(*boots: list[Boot], **more: Any) -> Snapshot:
    world = snapshot(target=HALF, prices=PRICES, node_types=TYPES)
    return replace(world, boots=tuple(each for some in boots for each in some), **more)


def test_the_boots_of_a_type_from_its_present_image_tell_best() -> None:
    world = learnt(
        booted(20, 30, 40),
        booted(5, image="old"),
        booted(6, of="local.half"),
        booted(7, of="other", image="other"),
    )
    assert boot_s(world, "local.full", 1) == 30


def test_a_type_that_never_booted_is_taken_to_boot_as_others_do_from_its_image() -> None:
    assert (
        boot_s(
            learnt(booted(50, of="local.half"), booted(5, of="other", image="old")), "local.full", 1
        )
        == 50
    )


def test_a_new_image_is_taken_to_boot_as_the_last_one_did_until_it_has() -> None:
    assert (
        boot_s(
            learnt(booted(44, image="old"), booted(7, of="other", image="other")), "local.full", 1
        )
        == 44
    )


def test_a_types_own_boots_tell_more_than_those_of_another_from_a_new_image() -> None:
    assert (
        boot_s(learnt(booted(7, of="other"), booted(*[44] * 16, image="old")), "local.full", 1)
        == 44
    )


def test_where_nothing_tells_nothing_is_learnt() -> None:
    assert boot_s(learnt(booted(7, of="other", image="other")), "local.full", 1) is None
    assert received_gib(learnt(booted(7)), "local.full") == 0


def test_only_the_newest_boots_count() -> None:
    assert boot_s(learnt(booted(*[30] * 16, *[300] * 100)), "local.full", 1) == 30


def test_more_machines_are_waited_for_until_the_slowest() -> None:
    assert slowest_s([30.0], 8) == 30.0
    waits = [slowest_s([30.0, 31.0, 32.0, 90.0], nodes) for nodes in (1, 2, 8, 1000)]
    assert waits == sorted(waits)
    assert waits[0] == 31.5
    assert waits[-1] == pytest.approx(90.0, abs=0.2)


def test_a_move_counts_the_learnt_boot_of_what_it_adds_whatever_this_job_has_seen() -> None:
    world = learnt(
        booted(40), booted(400, of="local.half"), switches=(switch(FULL, pause_s=5.0, boot_s=10.0),)
    )
    way = from_half(world)
    assert way.switch_usd == pytest.approx(0.02 * 40 + 0.03 * 5)


def test_a_move_counts_what_this_jobs_nodes_took_to_prepare_on_top_of_the_boot() -> None:
    ready = tuple(
        node(number=number, prepared_s=took_s) for number, took_s in enumerate((20.0, 30.0, None))
    )
    world = learnt(booted(40), nodes=ready, switches=(switch(FULL, pause_s=5.0),))
    way = from_half(world)
    assert way.switch_usd == pytest.approx(0.02 * (40 + 25) + 0.03 * 5)


def test_a_move_counts_what_its_new_nodes_fetch_where_that_costs() -> None:
    free = learnt(
        booted(40, gib=0.5), booted(40, gib=1.5), booted(40), switches=(switch(FULL, pause_s=5.0),)
    )
    assert received_gib(free, "local.full") == 1.0
    billed = replace(free, limits=replace(free.limits, usd_per_gib_received=0.045))
    to = group("local.full", 3)
    paid = [from_half(world, to=to, iterations=100).switch_usd for world in (free, billed)]
    assert paid[1] - paid[0] == pytest.approx(3 * 1.0 * 0.045)


def test_a_decision_that_buys_says_what_its_nodes_take_to_boot_and_to_fetch() -> None:
    world = learnt(booted(40, 41, 42, gib=1.0), booted(40, 41, 42, gib=1.0, of="local.half"))
    world = replace(world, target=None, limits=limits(usd_per_gib_received=0.5))
    plan = decide(world)
    assert plan.action is Action.START
    assert (plan.reason.numbers["boot_s"], plan.reason.numbers["fetch_usd"]) == (41, 0.5)
    assert "boot_s" not in decide(replace(world, boots=())).reason.numbers


def test_one_that_buys_nothing_says_nothing_of_it() -> None:
    world = learnt(booted(40))
    plan = decide(world)
    assert plan.target == world.target
    assert "boot_s" not in plan.reason.numbers
