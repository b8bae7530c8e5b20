"""What cannot be bought now is not chosen, what runs stays, and the reason tells both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    Action,
    Capacity,
    Change,
    Group,
    NodePhase,
    Notice,
    NoticeKind,
    Objective,
    Obstacle,
    Offering,
    Plan,
    Reason,
    Snapshot,
    Unavailable,
    Workers,
)
from elastic.policy import decide, guard
from tests.builders import NOW_S, change, job, limits, node, node_type, price, series, snapshot

A = Offering("c5.xlarge", Capacity.SPOT, "us-east-1a")
B = Offering("c5.xlarge", Capacity.SPOT, "us-east-1b")
OTHER = Offering("m5.large", Capacity.ON_DEMAND, "us-east-1a")
TYPES = (node_type("c5.xlarge", 4.0), node_type("m5.large", 2.0))
PRICES = {A: 0.070, B: 0.071, OTHER: 0.120}
UNTIL_S = NOW_S + 200.0


def blocked(
    *offerings: Offering, until_s: float = UNTIL_S, why: Obstacle = Obstacle.CAPACITY
) -> tuple[Unavailable, ...]:
    return tuple(Unavailable(each, until_s, why) for each in offerings)


def seen(
    target: Group | None = None,
    current: Group | None = None,
    *,
    on: tuple[Offering, ...] = (),
    **rest: Any,
) -> Snapshot:
    """A job whose `on` are the nodes that live; c5.xlarge was measured in zone a only, m5.large not
    at all."""
    defaults: dict[str, Any] = {
        "node_types": TYPES,
        "prices": [
            price(each, usd, price_id=number)
            for number, (each, usd) in enumerate(PRICES.items(), 1)
        ],
        "measured": [series(Group.of(A), 0.5)],
        "nodes": tuple(node(each, number=number) for number, each in enumerate(on, 1)),
    }
    return snapshot(target=target, current=current, **{**defaults, **rest})


def test_a_start_goes_round_what_is_blocked() -> None:
    assert decide(seen(measured=())).target == Group.of(A)
    plan = decide(seen(measured=(), unavailable=blocked(A)))
    assert (plan.action, plan.target) == (Action.START, Group.of(B))
    told = {each.group: each.unavailable for each in plan.candidates}
    assert told[Group.of(A)] == "no capacity for c5.xlarge spot in us-east-1a until 22:16:40 UTC"
    assert told[Group.of(B)] is None


def test_what_is_wanted_and_cannot_be_had_is_replaced_by_the_other_zone_without_a_trial() -> None:
    plan = decide(seen(Group.of(A), unavailable=blocked(A)))
    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, Group.of(B), "unavailable")
    assert plan.reason.text.startswith(
        "no capacity for c5.xlarge spot in us-east-1a until 22:16:40 UTC: "
        "start on c5.xlarge spot us-east-1b, measured before: "
    )
    assert plan.reason.numbers["unavailable_until_s"] == UNTIL_S


def test_neither_cooldown_nor_margin_forbids_that() -> None:
    there_and_back = change(Group.of(A), Group.of(B), code="price", ago_s=30.0)
    plan = decide(seen(Group.of(A), changes=[there_and_back], unavailable=blocked(A)))
    assert (plan.action, plan.target) == (Action.MOVE, Group.of(B))


def test_what_runs_stays_though_no_more_of_it_can_be_had() -> None:
    plan = decide(
        seen(Group.of(A), Group.of(A), unavailable=blocked(A), limits=limits(trial_usd_share=0.0))
    )
    assert plan.action is Action.HOLD
    assert plan.reason.code != "unavailable"


def test_a_node_that_boots_is_waited_for_though_no_more_of_it_can_be_had() -> None:
    booting = (node(A, phase=NodePhase.BOOTING),)
    assert (
        decide(seen(Group.of(A), nodes=booting, unavailable=blocked(A))).reason.code == "changing"
    )


@pytest.mark.parametrize("phase", [NodePhase.INTENDED, NodePhase.TERMINATING])
def test_a_node_that_is_not_bought_yet_or_on_its_way_out_is_missing(phase: NodePhase) -> None:
    going = (node(A, phase=phase),)
    assert decide(seen(Group.of(A), nodes=going, unavailable=blocked(A))).target == Group.of(B)


def test_a_node_that_is_taken_back_and_cannot_be_had_again_is_replaced_elsewhere_while_it_trains() -> (
    None
):
    notice = Notice(NoticeKind.INTERRUPTION, noticed_at_s=NOW_S, at_s=NOW_S + 120)
    leaving = (node(A, notice=notice, workers=Workers(1, 4)),)
    trains = seen(Group.of(A), Group.of(A), nodes=leaving, limits=limits(trial_usd_share=0.0))
    assert decide(trains).action is Action.HOLD
    plan = decide(replace(trains, unavailable=blocked(A)))
    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, Group.of(B), "unavailable")
    nowhere = decide(replace(trains, unavailable=blocked(A, B, OTHER)))
    assert (nowhere.action, nowhere.target, nowhere.reason.code) == (
        Action.HOLD,
        Group.of(A),
        "unavailable",
    )


def test_a_market_that_has_just_taken_a_node_back_is_told_as_such() -> None:
    plan = decide(seen(Group.of(A), unavailable=blocked(A, why=Obstacle.INTERRUPTED)))
    assert plan.reason.text.startswith(
        "a node of c5.xlarge spot in us-east-1a is being taken back: no new node"
    )


def test_when_nothing_can_be_had_it_waits_and_says_until_when() -> None:
    everything = blocked(A, until_s=UNTIL_S + 60) + blocked(B) + blocked(OTHER, why=Obstacle.QUOTA)
    for target, kept in (
        (None, "nothing is started"),
        (Group.of(A), "c5.xlarge spot us-east-1a is kept"),
    ):
        plan = decide(seen(target, unavailable=everything))
        assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, target, "unavailable")
        assert plan.reason.text == (
            "no capacity for c5.xlarge spot in us-east-1b until 22:16:40 UTC; "
            "the account's quota leaves no room for m5.large in us-east-1a until 22:16:40 UTC; "
            f"no capacity for c5.xlarge spot in us-east-1a until 22:17:40 UTC: {kept}, and waits"
        )
        assert plan.reason.numbers["unavailable_until_s"] == UNTIL_S


def test_many_refusals_are_told_in_short() -> None:
    more = [Offering("c5.xlarge", Capacity.SPOT, f"us-east-1{zone}") for zone in "cd"]
    prices = [price(each, 0.07, price_id=number) for number, each in enumerate([*PRICES, *more], 1)]
    plan = decide(seen(prices=prices, unavailable=blocked(*PRICES, *more)))
    assert plan.reason.text.endswith("; and 2 more: nothing is started, and waits")


def test_a_block_that_is_over_blocks_nothing() -> None:
    assert decide(seen(measured=(), unavailable=blocked(A, until_s=NOW_S))).target == Group.of(A)


def test_a_move_that_cannot_be_made_ends_where_the_job_trains() -> None:
    wanted = seen(Group.of(B), Group.of(OTHER), on=(OTHER,), unavailable=blocked(B))
    plan = decide(wanted)
    assert (plan.action, plan.target, plan.reason.code) == (
        Action.MOVE,
        Group.of(OTHER),
        "unavailable",
    )
    assert plan.reason.text == (
        "no capacity for c5.xlarge spot in us-east-1b until 22:16:40 UTC: back to m5.large "
        "us-east-1a, which trains"
    )


def trial_of_c5(**rest: Any) -> Snapshot:
    """m5.large trains, measured; c5.xlarge is worth a trial, and one in zone a could not be
    bought."""
    refused = (
        Change(NOW_S - 20, Group.of(OTHER), Group.of(A), "trial"),
        Change(NOW_S - 10, Group.of(A), Group.of(OTHER), "unavailable"),
    )
    measured = [series(Group.of(OTHER), 2.0)]
    return seen(
        Group.of(OTHER), Group.of(OTHER), on=(OTHER,), measured=measured, changes=refused, **rest
    )


def test_a_trial_that_cannot_be_bought_is_made_in_the_other_zone() -> None:
    plan = decide(trial_of_c5(unavailable=blocked(A)))
    assert (plan.action, plan.target) == (Action.TRIAL, Group.of(B))


def test_a_trial_that_could_not_be_bought_is_put_off_not_failed() -> None:
    assert decide(trial_of_c5(unavailable=blocked(B))).action is Action.HOLD
    later_s = NOW_S + 700.0
    rested = trial_of_c5(unavailable=blocked(B, until_s=later_s + 60))
    twice = tuple(replace(each, at_s=each.at_s - 100) for each in rested.changes) + rested.changes
    fresh = tuple(replace(each, observed_at_s=later_s) for each in rested.prices)
    plan = decide(replace(rested, now_s=later_s, changes=twice, prices=fresh))
    assert (plan.action, plan.target) == (Action.TRIAL, Group.of(A))


def test_a_rate_belongs_to_node_types_wherever_and_however_they_were_bought() -> None:
    plan = decide(seen(Group.of(A), Group.of(A), on=(A,)))
    rates = {each.group: (each.samples, each.step_s) for each in plan.candidates}
    assert rates[Group.of(A)] == rates[Group.of(B)]
    assert rates[Group.of(A)][0] == 8
    assert rates[Group.of(OTHER)] == (0, None)


def test_the_same_type_elsewhere_is_worth_a_move_for_the_price_alone() -> None:
    noisy = [series(Group.of(A), 0.5, noise=0.3)]
    cheaper = [price(A, 0.070), price(B, 0.050, price_id=2)]
    plan = decide(seen(Group.of(A), Group.of(A), on=(A,), measured=noisy, prices=cheaper))
    assert (plan.action, plan.target) == (Action.MOVE, Group.of(B))


def test_the_way_back_waits_for_the_cooldown_and_pays_by_the_margin() -> None:
    moved = change(Group.of(B), Group.of(A), code="unavailable", ago_s=300.0)
    dear = [price(A, 0.050), price(B, 0.071, price_id=2)]
    on_b = seen(Group.of(B), Group.of(B), on=(B,), changes=[moved], prices=dear)
    assert decide(on_b).reason.code == "cooldown"
    rested = replace(on_b, changes=(replace(moved, at_s=NOW_S - 700),))
    assert decide(rested).target == Group.of(A)
    alike = replace(rested, prices=(price(A, 0.069), price(B, 0.071, price_id=2)))
    assert decide(alike).action is Action.HOLD


def stale(usd_per_h: dict[Offering, float], ago_s: float) -> list[Any]:
    return [
        price(each, usd, price_id=number, observed_at_s=NOW_S - ago_s)
        for number, (each, usd) in enumerate(usd_per_h.items(), 1)
    ]


def test_a_spot_price_is_good_for_an_hour_and_an_on_demand_price_for_a_day() -> None:
    assert decide(seen(measured=(), prices=stale(PRICES, 3599))).target == Group.of(A)
    assert decide(seen(measured=(), prices=stale(PRICES, 3601))).target == Group.of(OTHER)
    assert decide(seen(measured=(), prices=stale(PRICES, 86_401))).reason.code == "no_price"


def test_what_runs_at_a_stale_price_stays_and_what_is_lost_is_not_bought_again_at_it() -> None:
    prices = [*stale({A: 0.07, B: 0.071}, 3601), price(OTHER, 0.12, price_id=9)]
    runs = decide(seen(Group.of(A), Group.of(A), on=(A,), prices=prices))
    assert (runs.action, runs.reason.code) == (Action.HOLD, "no_price")
    lost = decide(seen(Group.of(A), prices=prices))
    assert (lost.action, lost.target, lost.reason.code) == (
        Action.MOVE,
        Group.of(OTHER),
        "unavailable",
    )
    assert lost.reason.text.startswith(
        "no fresh price for c5.xlarge spot in us-east-1a: start on m5.large"
    )


def test_a_group_with_a_node_missing_that_cannot_be_had_moves_whole_to_one_zone() -> None:
    two: dict[str, Any] = {
        "job": job(nodes_min=2, nodes_max=2),
        "measured": [series(Group.of(A, 2), 0.3)],
    }
    plan = decide(seen(Group.of(A, 2), on=(A,), unavailable=blocked(A), **two))
    assert (plan.action, plan.target) == (Action.MOVE, Group.of(B, 2))


def test_a_group_may_shrink_to_the_nodes_that_live() -> None:
    some: dict[str, Any] = {
        "job": job(nodes_min=1, nodes_max=2),
        "measured": [series(Group.of(A), 0.5), series(Group.of(A, 2), 0.4)],
    }
    plan = decide(seen(Group.of(A, 2), on=(A,), unavailable=blocked(A, B, OTHER), **some))
    assert (plan.action, plan.target) == (Action.MOVE, Group.of(A))


FOUR = job(nodes_min=1, nodes_max=4)


def too_many(nodes: int, offering: Offering = A, *, until_s: float = UNTIL_S) -> Unavailable:
    return Unavailable(offering, until_s, Obstacle.CAPACITY, nodes)


def lacks(plan: Plan, offering: Offering = A) -> dict[int, str | None]:
    """Why each number of nodes of an offering cannot be bought."""
    return {
        each.group.node_count: each.unavailable
        for each in plan.candidates
        if each.group == Group.of(offering, each.group.node_count)
    }


def test_where_four_were_refused_fewer_are_still_a_choice() -> None:
    plan = decide(seen(job=FOUR, measured=(), unavailable=(too_many(4),)))
    assert lacks(plan) == {
        1: None,
        2: None,
        4: "no capacity for 4 or more new nodes of c5.xlarge spot in us-east-1a until 22:16:40 UTC",
    }


def test_a_refusal_of_two_stands_for_four_and_the_longest_counts() -> None:
    plan = decide(
        seen(job=FOUR, measured=(), unavailable=(too_many(2), too_many(4, until_s=UNTIL_S + 120)))
    )
    assert lacks(plan) == {
        1: None,
        2: "no capacity for 2 or more new nodes of c5.xlarge spot in us-east-1a until 22:16:40 UTC",
        4: "no capacity for 4 or more new nodes of c5.xlarge spot in us-east-1a until 22:18:40 UTC",
    }


def test_a_refusal_counts_the_nodes_that_would_be_new() -> None:
    plan = decide(seen(Group.of(A), Group.of(A), on=(A,), job=FOUR, unavailable=(too_many(3),)))
    assert [nodes for nodes, lack in lacks(plan).items() if lack is not None] == [4]
    assert lacks(plan, B)[4] is None


def test_a_job_that_cannot_have_four_takes_fewer_of_the_same_type_if_a_dollar_buys_most_there() -> (
    None
):
    measured = [
        series(Group.of(A, nodes), step_s) for nodes, step_s in ((1, 0.5), (2, 0.245), (4, 0.12))
    ]
    only: dict[str, Any] = {"job": FOUR, "measured": measured, "prices": [price(A, 0.07)]}
    assert decide(seen(**only)).target == Group.of(A, 4)
    plan = decide(seen(Group.of(A, 4), unavailable=(too_many(4),), **only))
    assert (plan.action, plan.target, plan.reason.code) == (
        Action.MOVE,
        Group.of(A, 2),
        "unavailable",
    )
    assert plan.reason.text.startswith(
        "no capacity for 4 or more new nodes of c5.xlarge spot in us-east-1a until"
    )
    assert "start on 2 x c5.xlarge spot us-east-1a, measured before" in plan.reason.text


def test_it_goes_elsewhere_with_four_if_that_pays_more() -> None:
    measured = [
        series(Group.of(A, nodes), step_s) for nodes, step_s in ((1, 0.5), (2, 0.4), (4, 0.12))
    ]
    plan = decide(seen(Group.of(A, 4), job=FOUR, measured=measured, unavailable=(too_many(4),)))
    assert plan.target == Group.of(B, 4)


def refused_four(**rest: Any) -> Snapshot:
    """One node trains, more would pay, and a trial of four has just been refused."""
    back = (
        Change(NOW_S - 20, Group.of(A), Group.of(A, 4), "trial"),
        Change(NOW_S - 10, Group.of(A, 4), Group.of(A), "unavailable"),
    )
    wanted = job(nodes_min=1, nodes_max=4, objective=Objective(value_of_time_usd_per_h=1.0))
    return seen(
        Group.of(A),
        Group.of(A),
        on=(A,),
        job=wanted,
        prices=[price(A, 0.07)],
        **{"changes": back, **rest},
    )


def test_where_a_trial_of_four_was_refused_one_of_two_follows_at_once() -> None:
    plan = decide(refused_four(unavailable=(too_many(3),)))
    assert (plan.action, plan.target) == (Action.TRIAL, Group.of(A, 2))


def test_without_a_refusal_that_stands_growing_again_waits_for_the_cooldown() -> None:
    for over in ((), (too_many(3, until_s=NOW_S),)):
        assert decide(refused_four(unavailable=over)).reason.code == "cooldown"


def test_a_mixed_group_lacks_what_one_of_its_offerings_lacks() -> None:
    mixed = Group(((OTHER, 1), (A, 1)))
    two: dict[str, Any] = {"job": job(nodes_min=2, nodes_max=2)}
    assert (
        decide(seen(mixed, on=(OTHER, A), unavailable=blocked(A), **two)).reason.code == "changing"
    )
    plan = decide(seen(mixed, on=(OTHER,), unavailable=blocked(A), **two))
    assert (plan.reason.code, plan.target) == ("unavailable", Group.of(B, 2))


def fixed_to(node_type: str, **rest: Any) -> Snapshot:
    return seen(job=job(policy="fixed", fixed_node_type=node_type), **rest)


@pytest.mark.parametrize(
    ("refused", "wanted"),
    [((A,), Group.of(B)), ((), Group.of(A)), ((A, OTHER), Group.of(B))],
)
def test_the_fixed_type_is_started_where_it_can_be_had(
    refused: tuple[Offering, ...], wanted: Group
) -> None:
    assert decide(fixed_to("c5.xlarge", unavailable=blocked(*refused))).target == wanted


def test_the_fixed_type_goes_to_another_zone_and_waits_when_there_is_none() -> None:
    plan = decide(fixed_to("c5.xlarge", target=Group.of(A), unavailable=blocked(A)))
    assert (plan.action, plan.target) == (Action.MOVE, Group.of(B))
    assert plan.reason.text.startswith(
        "no capacity for c5.xlarge spot in us-east-1a until 22:16:40 UTC: c5.xlarge spot"
    )
    held = decide(fixed_to("c5.xlarge", target=Group.of(A), unavailable=blocked(A, B)))
    assert (held.action, held.reason.code) == (Action.HOLD, "unavailable")


def test_the_guard_refuses_what_a_policy_should_not_have_wanted() -> None:
    plan = guard(
        seen(unavailable=blocked(A)),
        Plan(Action.START, Group.of(A), Reason("start", "start on it")),
    )
    assert (plan.action, plan.target, plan.limited_by) == (Action.HOLD, None, ("unavailable",))


def test_a_tight_budget_pays_for_the_move_alone_not_for_what_could_not_be_bought() -> None:
    """Both groups' wind-down would not fit; the one that was refused burns nothing."""
    tight = job(objective=Objective(budget_usd=0.0020), iterations=200)
    plan = decide(seen(Group.of(A), job=tight, unavailable=blocked(A)))
    assert (plan.action, plan.target) == (Action.MOVE, Group.of(B))
