"""A deadline with spot about: what is waited for, what is taken, and what the safety net does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    Action,
    Capacity,
    CapacityChoice,
    Change,
    Group,
    NodeType,
    Notice,
    NoticeKind,
    Objective,
    Obstacle,
    Offering,
    Pool,
    Price,
    Snapshot,
    Spells,
    TrainingPhase,
    Unavailable,
)
from elastic.policy import decide
from tests.builders import NOW_S, job, limits, node, series, snapshot

OWN, SPOT = Offering("local.half", Capacity.ON_DEMAND), Offering("local.half", Capacity.SPOT)
H = 3600.0
STEP_S = 1.0
ITERATIONS = 36_100  # 36,000 are left, ten hours


def seen(left_h: float, *, is_up: bool, held: Offering | None = None, **rest: Any) -> Snapshot:
    """A job of ten hours, its pace known, `left_h` before its deadline."""
    prices = tuple(
        Price(number, each, usd, NOW_S - 60, NOW_S - 60, "test")
        for number, (each, usd) in enumerate([(OWN, 0.9), (SPOT, 0.3)], 1)
    )
    spec = {"node_types": ("local.half",), "iterations": ITERATIONS, **rest}
    found = snapshot(
        job=job(objective=Objective(deadline_s=NOW_S + left_h * H), **spec),
        measured=(series("local.half", STEP_S),),
        limits=limits(boot_prior_s=300.0, switch_pause_prior_s=60.0),
    )
    refused = () if is_up else (Unavailable(SPOT, NOW_S + 600, Obstacle.CAPACITY),)
    group = None if held is None else Group.of(held)
    return replace(found, prices=prices, unavailable=refused, target=group, current=group)


def test_spot_is_waited_for_while_there_is_time() -> None:
    plan = decide(seen(30.0, is_up=False))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, None, "waiting")
    assert not plan.may_buy
    assert plan.reason.text.startswith("waits for spot: the rest should cost $")


def test_spot_that_is_being_taken_back_is_waited_for_while_it_still_trains() -> None:
    noticed = node(SPOT, notice=Notice(NoticeKind.INTERRUPTION, NOW_S, NOW_S + 100.0, "terminate"))

    plan = decide(replace(seen(30.0, is_up=False, held=SPOT), nodes=(noticed,)))

    assert (plan.action, plan.target, plan.reason.code) == (Action.HOLD, Group.of(SPOT), "waiting")
    assert not plan.may_buy


def test_spot_that_can_be_bought_is_taken() -> None:
    plan = decide(seen(30.0, is_up=True))

    assert (plan.action, plan.target) == (Action.START, Group.of(SPOT))


def test_spot_that_has_just_come_back_is_not_waited_past_for_next_to_nothing() -> None:
    """A pool that gets older is worth more, by so little that the hours which pass meanwhile are
    worth more."""
    # Lost soon as a rule, and back at once: the programme alone would wait for it to get older.
    seconds = (7200.0, 14_400.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0, 516_000.0, 1_036_800.0)
    up = Spells(seconds, (36.0, 24.0, 12.0, 6.0, 6.0, 0.3, 0.1, 0.1))
    young = Pool(SPOT, up, Spells((7200.0,) * 8, (36.0,) * 8), is_up=True, since_s=NOW_S)

    plans = [
        decide(replace(seen(left_h, is_up=True), pools=(young,)))
        for left_h in (14.0, 18.0, 22.0, 30.0)
    ]

    assert {plan.target for plan in plans} == {Group.of(SPOT)}


@pytest.mark.parametrize("is_up", [True, False])
def test_without_slack_on_demand_is_bought_at_once(is_up: bool) -> None:
    plan = decide(seen(10.3, is_up=is_up))

    assert (plan.action, plan.target) == (Action.START, Group.of(OWN))


def test_on_demand_is_left_for_spot_that_pays() -> None:
    plan = decide(seen(30.0, is_up=True, held=OWN))

    assert (plan.action, plan.target) == (Action.MOVE, Group.of(SPOT))


def test_spot_that_trains_is_left_in_time_for_a_loss_that_is_known_late() -> None:
    """At its slowest on-demand needs 36,850 s from nothing, which leaves 50 s of these 10.25 h."""
    held = seen(10.25, is_up=True, held=SPOT)
    slow = replace(held, limits=replace(held.limits, reaction_s=120.0))

    assert decide(held).target == Group.of(SPOT)
    assert (decide(slow).target, decide(slow).reason.code) == (Group.of(OWN), "deadline")


def test_spot_that_trains_is_kept_though_little_time_is_left() -> None:
    plan = decide(seen(10.4, is_up=True, held=SPOT))

    assert (plan.action, plan.target) == (Action.HOLD, Group.of(SPOT))


def test_the_safety_net_goes_before_the_cooldown() -> None:
    lost = replace(seen(10.3, is_up=False, held=SPOT), current=None)

    plan = decide(lost)

    assert (plan.action, plan.target) == (Action.MOVE, Group.of(OWN))
    assert "cooldown" not in plan.limited_by


def test_a_job_that_asks_for_spot_alone_waits_without_a_net() -> None:
    plan = decide(seen(10.3, is_up=False, capacity=CapacityChoice.SPOT))

    assert plan.target is None
    assert plan.action is Action.HOLD


def test_the_same_snapshot_is_decided_alike() -> None:
    one, other = (decide(seen(17.0, is_up=True)) for _ in range(2))

    assert one == other


def test_spot_that_was_launched_is_not_counted_as_launched_again() -> None:
    """It is there and about to train: on-demand could still take over if it were lost at the next
    look."""
    coming = replace(seen(10.26, is_up=True, held=SPOT), current=None)
    there = replace(coming, nodes=(node(SPOT, launched_at_s=NOW_S - 300),))

    assert decide(coming).target == Group.of(OWN)
    assert (decide(there).action, decide(there).target) == (Action.HOLD, Group.of(SPOT))


def test_a_job_that_will_be_late_takes_as_many_nodes_of_spot_as_it_needs() -> None:
    """A trial of two nodes would not bring it in time, and takes time that it does not have."""
    late = seen(4.0, is_up=True, held=SPOT, nodes_max=16)
    measured = series(Group.of(SPOT), STEP_S)

    plan = decide(replace(late, series=(measured,), spent_usd=0.01))

    assert plan.target is not None
    assert plan.target.members[0][0] == SPOT
    assert plan.target.node_count == 4


def test_a_trial_does_not_end_in_a_group_that_is_cheaper_and_late() -> None:
    """One node costs less an iteration than four, and is of no use any more."""
    four, three = Group.of(SPOT, 4), Group.of(SPOT, 3)
    tried = (Change(NOW_S - 400, None, four, "deadline"), Change(NOW_S - 60, four, three, "trial"))
    late = seen(4.0, is_up=True, held=SPOT, nodes_max=4)
    measured = (series(Group.of(SPOT), STEP_S), series(four, 0.325), series(three, 0.5))

    plan = decide(replace(late, series=measured, target=three, current=three, changes=tried))

    assert plan.target == four


def test_a_large_group_of_spot_makes_up_for_lost_time_for_less_than_on_demand() -> None:
    """Ten hours of one node's work are left, and six hours: the three cheapest sizes are late."""
    sizes = (series(Group.of(SPOT), 1.0), series(Group.of(SPOT, 8), 0.2))
    late = seen(6.0, is_up=True, held=OWN, nodes_max=8)

    plan = decide(replace(late, series=sizes, changes=(), spent_usd=0.01))

    assert plan.target is not None
    assert plan.target.members[0][0] == SPOT
    # On eight nodes two hours are needed, on one ten.
    assert plan.target.node_count >= 4


def test_a_kind_of_spot_that_trains_is_not_left_for_a_saving_within_the_errors() -> None:
    """Four nodes cost 1 % less an iteration than two."""
    two, four = Group.of(SPOT, 2), Group.of(SPOT, 4)
    held = replace(
        seen(30.0, is_up=True, nodes_max=4),
        target=two,
        current=two,
        series=(series(Group.of(SPOT), 1.0), series(two, 0.5), series(four, 0.2475)),
    )

    assert decide(held).target == two


def test_a_pool_is_known_by_its_own_price_and_its_own_age() -> None:
    """One zone is cheap and new, the other has been up for a day and costs twice as much: neither
    is cheap and old."""
    cheap, old = (Offering("local.half", Capacity.SPOT, zone) for zone in ("a", "b"))
    both = seen(14.0, is_up=True)
    prices = (
        *both.prices[:1],
        Price(2, cheap, 0.3, NOW_S - 60, NOW_S - 60, "test"),
        Price(3, old, 0.6, NOW_S - 60, NOW_S - 60, "test"),
    )
    pools = (
        Pool(cheap, Spells(), Spells(), is_up=True, since_s=NOW_S - 60),
        Pool(old, Spells(), Spells(), is_up=True, since_s=NOW_S - 24 * H),
    )
    only_old = replace(both, prices=(prices[0], prices[2]), pools=pools[1:])
    only_cheap = replace(both, prices=prices[:2], pools=pools[:1])

    told = [
        decide(each).reason.numbers["expected_usd"]
        for each in (replace(both, prices=prices, pools=pools), only_cheap, only_old)
    ]

    # The other zone is there to fail over to, but nothing is as good as a cheap zone that is old.
    ideal = replace(pools[0], since_s=NOW_S - 24 * H)
    best = decide(replace(only_cheap, pools=(ideal,))).reason.numbers["expected_usd"]
    assert best < told[0] <= 1.05 * min(told[1:])


def _held(group: Group, found: Snapshot) -> Snapshot:
    """The same with the group's nodes there since an hour ago."""
    ((offering, count),) = group.members
    nodes = tuple(
        node(offering, number=number, launched_at_s=NOW_S - H) for number in range(1, count + 1)
    )
    began = (Change(NOW_S - H, None, group, "start"),)
    return replace(
        found, target=group, current=group, nodes=nodes, changes=began, spent_usd=1.0, switches=()
    )


def test_a_trial_on_demand_waits_for_spot_to_be_back() -> None:
    """What four nodes are good for is asked for a third of the price when spot is back."""
    gone = _held(Group.of(OWN), seen(12.0, is_up=False, nodes_max=4))
    never = replace(gone, prices=gone.prices[:1])

    assert decide(never).action is Action.TRIAL
    assert decide(gone).action is not Action.TRIAL


def test_a_size_that_two_others_predict_is_not_tried_under_a_deadline() -> None:
    """The value function weighs it as it is predicted."""
    four = Group.of(SPOT, 4)
    measured = (series(Group.of(SPOT), 1.0), series(four, 0.325))
    known = replace(_held(four, seen(5.0, is_up=True, nodes_max=4)), series=measured)

    plan = decide(known)

    assert plan.action is not Action.TRIAL
    assert {each.group.node_count for each in plan.candidates if each.step_s} >= {2, 3}


def test_a_late_job_tries_first_what_leaves_time_for_another_trial() -> None:
    """Four GPUs should be just in time, and cheaper for it; eight should be in time with room."""
    types = tuple(
        NodeType(name, 8.0 * gpus, 61.0 * gpus, gpu_count=gpus, gpu_model="V100")
        for name, gpus in (("one", 1), ("four", 4), ("eight", 8))
    )
    sold = tuple(
        Price(number, Offering(name, capacity), usd, NOW_S - 60, NOW_S - 60, "test")
        for number, (name, capacity, usd) in enumerate(
            [
                *(("one", Capacity.SPOT, 1.0), ("four", Capacity.SPOT, 4.0)),
                *(("eight", Capacity.SPOT, 8.5), ("one", Capacity.ON_DEMAND, 3.3)),
            ],
            1,
        )
    )
    one = Group.of(sold[0].offering)
    late = _held(one, seen(7.5, is_up=True, node_types=("one", "four", "eight")))
    late = replace(late, node_types=types, prices=sold, series=(series(one, 1.0),))

    plan = decide(late)

    assert (plan.action, plan.target) == (Action.TRIAL, Group.of(sold[2].offering))


# Of the ten hours, the last 100 minutes are another phase's, whose iterations take twice as long.
PHASES = (TrainingPhase("main", ITERATIONS - 6_000), TrainingPhase("fine"))


@pytest.mark.parametrize(
    ("left_h", "is_up", "held"),
    [
        (30.0, False, None),
        (30.0, True, OWN),
        (10.3, False, None),
        (10.3, True, None),
        (10.4, True, SPOT),
        (10.2, True, SPOT),
    ],
)
def test_a_deadline_is_that_of_all_phases(
    left_h: float, is_up: bool, held: Offering | None
) -> None:
    whole = seen(left_h, is_up=is_up, held=held)
    phased = seen(left_h, is_up=is_up, held=held, phases=PHASES, iterations=ITERATIONS - 3_000)
    own = series("local.half", STEP_S)
    other = series("local.half", 2 * STEP_S, training_phase="fine")

    one = decide(whole)
    other_way = decide(replace(phased, series=(own, other)))

    assert (one.action, one.target, one.may_buy) == (
        other_way.action,
        other_way.target,
        other_way.may_buy,
    )
