"""Each threshold that is shown flips the plan: at it, and not at the next value before it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elastic.model import Action, Group, Job, JobPhase, Objective, Snapshot
from elastic.policy import Lever, Threshold, WinsIf, decide, what_if
from elastic.policy.what_if import altered, losers
from tests.builders import NOW_S, group, job, price, prices, series, snapshot
from tests.policy.any_snapshot import measured_snapshots, snapshots

_TYPES = ("local.quarter", "local.half", "local.full")


def _asked(seen: Snapshot) -> dict[Group, WinsIf]:
    return {each.group: each for each in what_if(seen, decide(seen))}


def _at(asked: WinsIf, lever: Lever) -> Threshold:
    return next(each for each in asked.thresholds if each.lever is lever)


def _is_exact(seen: Snapshot, asked: WinsIf) -> None:
    for each in asked.thresholds:
        assert decide(altered(seen, asked.group, each.lever, each.wins_at)).target == asked.group
        assert decide(altered(seen, asked.group, each.lever, each.loses_at)).target != asked.group
        if each.wins_to is None:
            beyond = each.wins_at + (each.wins_at - each.loses_at)
            assert decide(altered(seen, asked.group, each.lever, beyond)).target == asked.group
        else:
            assert each.loses_beyond is not None
            assert (
                decide(altered(seen, asked.group, each.lever, each.wins_to)).target == asked.group
            )
            assert (
                decide(altered(seen, asked.group, each.lever, each.loses_beyond)).target
                != asked.group
            )
        assert abs(each.wins_at - each.loses_at) <= 1.0001e-3 * max(each.wins_at, each.loses_at)


def _measured(**steps_s: float) -> Snapshot:
    return snapshot(
        target="local.half",
        measured=[series(f"local.{name}", step_s) for name, step_s in steps_s.items()],
    )


def test_the_price_and_the_pace_are_said_at_which_a_loser_would_win() -> None:
    seen = replace(
        _measured(half=1.0, full=0.6), prices=prices({"local.half": 0.045, "local.full": 0.09})
    )
    asked = _asked(seen)[group("local.full")]
    assert decide(seen).target == group("local.half")
    # At $0.09/h and 0.6 s it costs 20 % more an iteration than at $0.045/h and 1 s; it must cost 10
    # % less.
    assert _at(asked, Lever.PRICE).wins_at == pytest.approx(0.045 / 0.6 * 0.9, rel=0.01)
    assert _at(asked, Lever.SPEED).wins_at == pytest.approx(0.5 * 0.9, rel=0.01)
    assert (
        "/h or less (now $0.09), or at 0.4" in asked.text
        and "s an iteration or faster (now 0.6)" in asked.text
    )
    _is_exact(seen, asked)


def test_where_no_value_would_do_that_is_said() -> None:
    # A change is in progress: nothing else is begun.
    seen = replace(_measured(half=1.0, full=0.6), current=None)
    asked = _asked(seen)[group("local.full")]
    assert not {each.lever for each in asked.thresholds} & {Lever.PRICE, Lever.SPEED}
    assert asked.text.startswith(
        "Does not win at any price down to $0.00009/h, at any speed up to 0.0006 s an iteration"
    )


def test_a_later_deadline_may_be_what_a_cheaper_one_needs() -> None:
    # 9,900 iterations are left: 9,900 s on half, 4,950 s at twice the price and more on full.
    seen = replace(
        _measured(half=1.0, full=0.5),
        prices=prices({"local.half": 0.045, "local.full": 0.12}),
        job=job(objective=Objective(deadline_s=NOW_S + 7200)),
    )
    assert decide(seen).target == group("local.full")
    asked = _asked(seen)[group("local.half")]
    slack = _at(asked, Lever.DEADLINE)
    assert slack.now == 2.0 and slack.wins_at > slack.loses_at > 2.0
    assert "h or more to the deadline (now 2)" in asked.text
    _is_exact(seen, asked)


@pytest.mark.parametrize("deadline_h", [2.0, 20.0, 30.0, 300.0])
def test_a_deadline_that_may_be_too_soon_as_well_as_too_late_has_both_ends(
    deadline_h: float,
) -> None:
    """Full is in time from 3 h on, half from 5 h and costs less, quarter from 8 h and costs
    least."""
    measured = [series("local.quarter", 4.0), series("local.half", 2.5), series("local.full", 1.5)]
    seen = replace(
        snapshot(target="local.quarter", measured=measured),
        prices=prices({"local.quarter": 0.025, "local.half": 0.045, "local.full": 0.09}),
    )
    spec = replace(seen.job.spec, iterations=seen.job.iteration + 7200)
    spec = replace(spec, objective=Objective(deadline_s=NOW_S + deadline_h * 3600))
    seen = replace(seen, job=replace(seen.job, spec=spec))
    asked = _asked(seen)[group("local.half")]
    found = _at(asked, Lever.DEADLINE)
    assert found.wins_to is not None
    assert sorted((found.wins_at, found.wins_to)) == pytest.approx([5.07, 8.0], rel=0.01)
    assert f"with between 5.07 and 7.999 h to the deadline (now {deadline_h:g})" in asked.text
    _is_exact(seen, asked)


def test_that_no_deadline_would_do_is_said_of_those_alone_that_were_tried() -> None:
    dearer = (series("local.half", 1.0), series("local.full", 1.2))
    seen = snapshot(
        target="local.half",
        measured=dearer,
        job=job(objective=Objective(deadline_s=NOW_S + 36_000)),
    )
    text = _asked(seen)[group("local.full")].text
    low, high = text.partition("any deadline from ")[2].removesuffix(" h away").split(" to ")
    assert float(low) == pytest.approx(2.75 / 2, rel=0.01)
    assert float(high) >= 30.0


def test_a_price_is_that_of_one_node() -> None:
    seen = snapshot(
        target="local.half",
        measured=[series("local.half", 1.0), series(group("local.half", 2), 0.9)],
        job=job(nodes_max=2),
    )
    asked = _asked(seen)[group("local.half", 2)]
    assert "a node" in asked.text or "at any price down to" in asked.text
    _is_exact(seen, asked)


def test_what_is_not_measured_may_win_by_its_price() -> None:
    seen = snapshot(target=None)
    asked = _asked(seen)[group("local.full")]
    assert [each.lever for each in asked.thresholds] == [Lever.PRICE]
    assert _at(asked, Lever.PRICE).wins_at == 0.025
    assert decide(seen).action is Action.START
    _is_exact(seen, asked)


def test_a_job_that_ends_has_no_other_way() -> None:
    ending = Job(
        "job-1", job().spec, JobPhase.DRAINING, NOW_S - 600, iteration=100, training_phase="main"
    )
    for asked in _asked(replace(_measured(half=1.0, full=0.6), job=ending)).values():
        assert asked.thresholds == ()


def test_of_a_long_list_the_measured_and_the_cheapest_of_each_type_are_asked_about() -> None:
    zones = [
        price(group("local.full", zone=f"zone-{n:02}").members[0][0], 0.1 + n, price_id=n)
        for n in range(9)
    ]
    seen = replace(
        _measured(half=1.0), prices=(*prices({"local.half": 0.045, "local.quarter": 0.02}), *zones)
    )
    asked = [each.group for each in losers(decide(seen))]
    assert (
        group("local.full", zone="zone-00") in asked
        and group("local.full", zone="zone-01") not in asked
    )
    assert len(losers(decide(seen), most=1)) == 1


def _drawn(seed: int) -> Snapshot:
    """A job that trains on one of three types, some of them measured, with or without a
    deadline."""
    chance = random.Random(seed)
    known = chance.sample(_TYPES, chance.randint(1, 3))
    step_s = {name: chance.uniform(0.2, 2.0) for name in known}
    left_s = chance.choice([None, chance.uniform(1000, 30_000)])
    return snapshot(
        target=known[0],
        measured=[
            series(name, pace_s, noise=chance.uniform(0.001, 0.03))
            for name, pace_s in step_s.items()
        ],
        prices=prices({name: chance.uniform(0.02, 0.1) for name in _TYPES}),
        spent_usd=chance.uniform(0.001, 0.1),
        job=job(
            nodes_max=chance.choice([1, 1, 2]),
            objective=Objective(deadline_s=None if left_s is None else NOW_S + left_s),
        ),
    )


@pytest.mark.parametrize("seed", range(24))
def test_each_printed_threshold_flips_the_plan_at_it_and_not_before(seed: int) -> None:
    seen = _drawn(seed)
    for asked in _asked(seen).values():
        _is_exact(seen, asked)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_each_printed_threshold_of_500_jobs_flips_the_plan(seed: int) -> None:
    seen = _drawn(seed)
    for asked in _asked(seen).values():
        _is_exact(seen, asked)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(snapshots(), measured_snapshots()))
def test_each_threshold_flips_whatever_a_reconciler_may_see(seen: Snapshot) -> None:
    for asked in what_if(seen, decide(seen), most=3):
        _is_exact(seen, asked)
