"""What holds of every policy, whatever the snapshot."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elastic.model import (
    Action,
    Capacity,
    Group,
    Limits,
    Mode,
    Objective,
    Obstacle,
    Offering,
    Plan,
    Price,
    Snapshot,
    Unavailable,
)
from elastic.policy import decide
from tests.builders import NOW_S, job, job_spec, limits, price, prices, snapshot
from tests.policy.any_snapshot import (
    LOCAL,
    measured_snapshots,
    snapshots,
)
from tests.policy.world import World, constant

_WITHOUT_ITS_PRICE = snapshot(
    target=Group.of(Offering("local.half"), 2),
    current=Group.of(Offering("local.half")),
    nodes=(),
    prices=[price(Offering("local.quarter"), 0.125)],
    job=job(nodes_max=2),
)
"""What trains is less than what is wanted, and its price is gone."""

_many = settings(max_examples=60, deadline=None)


@_many
@given(snapshots())
def test_the_same_snapshot_gives_the_same_plan(seen: Snapshot) -> None:
    assert decide(seen) == decide(replace(seen))


@_many
@given(snapshots(), st.randoms(use_true_random=False))
def test_the_order_of_inputs_never_matters(seen: Snapshot, chance: random.Random) -> None:
    names = ("nodes", "node_types", "prices", "series", "switches", "changes", "unavailable")
    shuffled: dict[str, Any] = {
        name: tuple(chance.sample(list(getattr(seen, name)), len(getattr(seen, name))))
        for name in names
    }

    assert decide(replace(seen, **shuffled)) == decide(seen)


@_many
@given(snapshots())
@example(_WITHOUT_ITS_PRICE)
def test_a_change_goes_to_an_admitted_priced_group_within_the_range(seen: Snapshot) -> None:
    plan = decide(seen)

    if plan.action in (Action.START, Action.TRIAL, Action.MOVE):
        assert plan.target is not None
        assert plan.target != seen.target
        assert plan.target.node_count in seen.job.spec.sizes
        # What trains already may be gone back to: nothing is bought for it, so it needs no price.
        trains = dict(seen.current.members) if seen.current else {}
        bought = {
            offering for offering, count in plan.target.members if count > trains.get(offering, 0)
        }
        assert bought <= {price.offering for price in seen.prices}
    else:
        assert plan.target == (None if plan.action is Action.STOP else seen.target)


@_many
@given(snapshots())
def test_there_is_always_a_reason_with_finite_numbers(seen: Snapshot) -> None:
    plan = decide(seen)

    assert plan.reason.code
    assert len(plan.reason.text) > 10
    assert all(abs(value) < 1e12 for value in plan.reason.numbers.values())
    assert (plan.action is Action.STOP) == (plan.reason.code == "budget")


@_many
@given(snapshots())
def test_a_change_never_exceeds_the_cap_on_the_burn(seen: Snapshot) -> None:
    plan, cap = decide(seen), seen.job.spec.objective.max_usd_per_hour
    in_force = {
        each.offering: each.usd_per_h
        for each in sorted(seen.prices, key=lambda e: (e.valid_from_s, e.id))
    }

    if (
        cap is not None
        and plan.action in (Action.START, Action.TRIAL, Action.MOVE)
        and plan.target is not None
    ):
        trains = dict(seen.current.members) if seen.current else {}
        costs = [
            count * in_force[offering]
            for offering, count in plan.target.members
            if offering in in_force
            or count > trains.get(offering, 0)  # what trains may have no price any more
        ]
        assert sum(costs) <= cap * (1 + 1e-9)


@_many
@given(snapshots())
def test_nothing_is_wanted_that_must_be_bought_and_cannot_be(seen: Snapshot) -> None:
    plan = decide(seen)
    if plan.action in (Action.HOLD, Action.STOP):
        return
    assert plan.target is not None
    trains = dict(seen.current.members) if seen.current else {}
    live = Counter(each.offering for each in seen.nodes)
    for offering, count in plan.target.members:
        if count <= max(live[offering], trains.get(offering, 0)):
            continue
        assert all(each.offering != offering or each.until_s <= NOW_S for each in seen.unavailable)
        in_force = max(
            (each for each in seen.prices if each.offering == offering),
            key=lambda each: (each.valid_from_s, each.id),
        )
        max_age_s = 3600 if offering.capacity is Capacity.SPOT else 86_400
        assert in_force.observed_at_s >= NOW_S - max_age_s


@_many
@given(snapshots())
def test_a_group_is_never_chosen_across_zones(seen: Snapshot) -> None:
    plan = decide(seen)
    if plan.target is not None and plan.target != seen.target and plan.target != seen.current:
        assert len({offering.zone for offering, _ in plan.target.members}) == 1


@settings(max_examples=150, deadline=None)
@given(measured_snapshots())
def test_with_mixes_what_is_chosen_is_never_dearer_for_the_same_deadline(seen: Snapshot) -> None:
    """A trial that would be made without them is a hope and no choice; what mixes promise is
    compared with the rest."""
    spec = replace(seen.job.spec, mode=Mode.RESTART)
    mixed, unmixed = decide(seen), decide(replace(seen, job=replace(seen.job, spec=spec)))
    if mixed.target == unmixed.target or unmixed.action is Action.TRIAL:
        return
    left_s = (seen.job.spec.objective.deadline_s or math.inf) - NOW_S
    with_usd, with_late_s = _promise(mixed, mixed, left_s)
    without_usd, without_late_s = _promise(unmixed, mixed, left_s)
    if with_usd is not None and without_usd is not None:
        assert with_usd <= without_usd * (1 + 1e-9) or with_late_s < without_late_s


def _promise(plan: Plan, with_mixes: Plan, left_s: float) -> tuple[float | None, float]:
    """What the chosen group is to cost from now on and how late it would be, None if nothing is
    known of it."""
    chosen = next((each for each in with_mixes.candidates if each.group == plan.target), None)
    usd = plan.reason.numbers.get("hoped_usd", chosen.remaining_usd if chosen else None)
    lasts_s = chosen.remaining_s if chosen and chosen.remaining_s is not None else 0.0
    return usd, max(lasts_s - left_s, 0.0)


_STEPS = st.tuples(st.floats(0.5, 2.0), st.floats(0.2, 1.0), st.floats(0.1, 0.5))
_PRICES = prices({"local.quarter": 0.025, "local.half": 0.045, "local.full": 0.09})


def _world(
    steps_s: tuple[float, float, float], iterations: int, noise: float, rules: Limits, **spec: Any
) -> World:
    groups = [Group.of(Offering(name)) for name in ("local.quarter", "local.half", "local.full")]
    return World(
        spec=job_spec(iterations=iterations, **spec),
        steps_s=dict(zip(groups, steps_s, strict=True)),
        prices=constant(*_PRICES),
        limits=rules,
        noise=noise,
    )


@settings(max_examples=12, deadline=None)
@given(_STEPS, st.integers(50, 20_000), st.floats(0, 0.3))
def test_constant_prices_end_in_one_group(
    steps_s: tuple[float, float, float], iterations: int, noise: float
) -> None:
    world = _world(steps_s, iterations, noise, limits(trial_usd_share=0.5)).run(200)

    # Where noise hides which of two is better, another trial may still pay. Nothing else turns back
    # and forth, and that ends, too.
    codes = [change.code for change in world.changes]
    assert sum(code not in ("start", "trial", "trial_over") for code in codes) <= 1
    assert codes.count("trial") <= 6
    assert world.changes[-1].at_s - NOW_S < 750.0


@settings(max_examples=8, deadline=None)
@given(_STEPS, st.floats(0, 0.3), st.floats(0.001, 0.01))
def test_the_budget_is_never_exceeded(
    steps_s: tuple[float, float, float], noise: float, budget_usd: float
) -> None:
    world = _world(
        steps_s, 50_000, noise, limits(wind_down_s=30.0), objective=Objective(budget_usd=budget_usd)
    ).run(300)

    _is_within(world, budget_usd)


@settings(max_examples=8, deadline=None)
@given(_STEPS, st.sampled_from(["local.quarter", "local.half", "local.full"]), st.floats(0, 900))
@example((0.5, 0.5, 0.1), "local.full", 60.0)
def test_the_budget_is_never_exceeded_on_nodes_that_are_no_longer_sold(
    steps_s: tuple[float, float, float], withdrawn: str, after_s: float
) -> None:
    """They are held, or not, and cost what they did."""
    world = _world(
        steps_s, 50_000, 0.1, limits(wind_down_s=60.0), objective=Objective(budget_usd=0.01)
    )
    world.withdrawn_at_s[withdrawn] = NOW_S + after_s
    _is_within(world.run(400), 0.01)
    if world.plans[-1].action is Action.STOP:
        burn = world.plans[-1].reason.numbers["usd_per_h"]
        assert burn >= 0.025, "the least that any node costs"


def _is_within(world: World, budget_usd: float) -> None:
    # Thirty seconds of burn are kept back, and a tick is five.
    assert world.spent_usd <= budget_usd
    assert world.plans[-1].action is Action.STOP or world.spent_usd < budget_usd


@settings(max_examples=5, deadline=None)
@given(st.lists(st.floats(0.5, 2.0), min_size=4, max_size=4), st.integers(20, 120))
def test_prices_that_swing_do_not_make_the_job_swing(factors: list[float], period_s: int) -> None:
    """Opposite changes lie a cooldown apart, and no change is made for less than the margin."""

    def swinging(now_s: float) -> tuple[Price, ...]:
        factor = factors[int((now_s - NOW_S) // period_s) % len(factors)]
        return tuple(
            replace(
                each,
                usd_per_h=each.usd_per_h
                * (factor if each.offering.node_type == "local.full" else 1.0),
            )
            for each in constant(*_PRICES)(now_s)
        )

    world = _world((1.0, 0.4, 0.2), 50_000, 0.02, limits(cooldown_s=300.0))
    world.prices = swinging
    world.run(200)

    # A trial is a question: with its answer no margin stands between it and the way back.
    chosen = [change for change in world.changes if change.code not in ("trial", "trial_over")]
    for number, change in enumerate(chosen):
        undone = [each for each in chosen[:number] if each.from_group == change.to_group]
        assert all(change.at_s - each.at_s >= 300.0 for each in undone)
    for plan in world.plans:
        if plan.action is Action.MOVE and plan.reason.code != "trial_over":
            assert plan.reason.numbers["gain_ratio"] > world.limits.margin


_ZONES = [Offering("local.full", Capacity.SPOT, f"zone-{letter}") for letter in "abc"]


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.floats(0.08, 0.12), min_size=3, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 600), st.integers(20, 900)), max_size=4),
    st.lists(st.integers(20, 900), max_size=3),
)
def test_a_block_that_comes_and_goes_moves_the_job_once_and_back_only_for_the_margin(
    usd_per_h: list[float], blocks: list[tuple[int, int, int]], losses_s: list[int]
) -> None:
    """Prices are constant. Nodes are lost at some instants, and zones are closed for some
    stretches."""
    closed = [
        Unavailable(_ZONES[zone], NOW_S + at + lasts, Obstacle.CAPACITY)
        for zone, at, lasts in blocks
    ]
    begins_s = [NOW_S + at for _, at, _ in blocks]
    world = World(
        spec=job_spec(iterations=50_000),
        steps_s={Group.of(each): 0.2 for each in _ZONES},
        prices=constant(
            *(
                price(each, usd, price_id=int(usd * 1e6))
                for each, usd in zip(_ZONES, usd_per_h, strict=True)
            )
        ),
        limits=limits(cooldown_s=300.0),
        noise=0.02,
        unavailable=lambda now_s: tuple(
            each
            for each, begin_s in zip(closed, begins_s, strict=True)
            if begin_s <= now_s < each.until_s
        ),
        losses_s=[NOW_S + each for each in losses_s],
    )
    world.run(300)

    assert not any(change.code == "trial" for change in world.changes)
    compelled = [change for change in world.changes if change.code == "unavailable"]
    assert len(compelled) <= len(losses_s) + len(blocks)
    for change, plan in zip(
        world.changes, [p for p in world.plans if p.action is not Action.HOLD], strict=True
    ):
        if change.code not in ("start", "unavailable"):
            assert plan.reason.numbers["gain_ratio"] > world.limits.margin
            back = [
                each
                for each in world.changes
                if each.from_group == change.to_group and each.at_s < change.at_s
            ]
            assert all(change.at_s - each.at_s >= 300.0 for each in back)
    for tick, plan in enumerate(world.plans):
        if (plan.action, plan.reason.code) == (Action.HOLD, "unavailable"):
            assert {
                each.offering for each in world.unavailable(NOW_S + tick * world.tick_s)
            } == set(_ZONES)


@pytest.mark.parametrize("iterations", [None, 3000])
def test_a_script_that_saves_nothing_is_restarted_by_one_trial_at_most_that_does_not_pay(
    iterations: int | None,
) -> None:
    """All types are as fast as each other, and each is hoped to be several times as fast as those
    below it."""
    world = World(
        spec=job_spec(iterations=iterations, node_types=tuple(each.node_type for each in LOCAL)),
        steps_s={Group.of(each): 1.0 for each in LOCAL},
        prices=constant(
            *(price(each, usd) for each, usd in zip(LOCAL, (0.050, 0.055, 0.060), strict=True))
        ),
        limits=limits(trial_usd_share=0.1, boot_prior_s=60.0, switch_pause_prior_s=30.0),
        boot_s=60.0,
        pause_s=30.0,
        tick_s=10.0,
        saves_nothing=True,
    ).run(1080)

    assert [each.code for each in world.changes] in (["start"], ["start", "trial", "trial_over"])
    assert world.current == Group.of(Offering("local.quarter"))
    assert world.redone < 300 and world.iteration >= 3000
