"""Mixes: what runs stays and another type comes in beside it, in sessions, where one offering alone
does not do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    Action,
    Capacity,
    Group,
    Job,
    Mode,
    NodePhase,
    Notice,
    NoticeKind,
    Objective,
    Obstacle,
    Offering,
    Plan,
    Snapshot,
    Unavailable,
)
from elastic.policy import best_value, decide
from elastic.policy.mixture import mixes
from tests.builders import NOW_S, change, group, job, limits, node, price, series, snapshot

HALF, FULL = Offering("local.half"), Offering("local.full")
BOTH = Group(((FULL, 1), (HALF, 1)))
# 9,900 iterations left: 3,960 s on half a core for 0.0495 USD, 2,970 s on a whole one for 0.07425
# USD.
MEASURED = (series("local.half", 0.4), series("local.full", 0.3))


def in_session(**spec: Any) -> Job:
    return job(
        **{"node_types": ("local.half", "local.full"), "nodes_max": 2, "mode": Mode.LIVE, **spec}
    )


def due_in(seconds: float, **spec: Any) -> Job:
    return in_session(objective=Objective(deadline_s=NOW_S + seconds), **spec)


def groups(**facts: Any) -> set[Group]:
    return mixes(snapshot(**{"job": in_session(), "target": "local.half", **facts}), [HALF, FULL])


def test_what_trains_may_have_others_beside_it() -> None:
    assert groups() == {BOTH}
    assert groups(job=in_session(nodes_max=4)) == {
        Group(((FULL, more), (HALF, 1))) for more in (1, 2, 3)
    }


def test_a_part_of_a_mix_may_go() -> None:
    three = Group(((FULL, 1), (HALF, 2)))
    assert groups(target=three, job=in_session(nodes_max=3)) == {three, BOTH}


@pytest.mark.parametrize("spec", [{"mode": Mode.RESTART}, {"nodes_max": 1}])
def test_only_a_session_of_several_nodes_is_mixed(spec: dict[str, Any]) -> None:
    assert groups(job=in_session(**spec)) == set()


def test_workers_that_run_in_mode_restart_after_all_are_not_mixed() -> None:
    assert groups(nodes=(node("local.half", mode=Mode.RESTART),)) == set()
    assert groups(nodes=(node("local.half", mode=Mode.LIVE), node("local.full", number=2))) == {
        BOTH
    }


def test_a_mix_stays_in_one_zone() -> None:
    near, far = (
        Offering("local.full", Capacity.SPOT, "b"),
        Offering("local.half", Capacity.SPOT, "b"),
    )
    here = snapshot(job=in_session(), target=group("local.half", capacity=Capacity.SPOT, zone="b"))
    assert mixes(here, [HALF, FULL, near]) == {Group(((near, 1), (far, 1)))}
    # Halfway from one zone to another, old and new train together: that is nothing to keep.
    crossing = snapshot(
        job=in_session(), target=Group.of(near), current=Group(((HALF, 1), (near, 1)))
    )
    assert mixes(crossing, [HALF, FULL, near]) == set()


def test_one_type_bought_in_two_ways_is_a_mix_too() -> None:
    spot = Offering("local.half", Capacity.SPOT)
    found = mixes(snapshot(job=in_session(), target="local.half"), [HALF, spot])
    assert found == {Group(((HALF, 1), (spot, 1)))}


def test_what_is_left_of_a_group_may_be_filled_up() -> None:
    leaving = Notice(NoticeKind.INTERRUPTION, NOW_S, NOW_S + 60, "terminate")
    two = (
        node("local.half"),
        node("local.half", number=2, notice=leaving),
        node(phase=NodePhase.TERMINATING, number=3),
    )
    assert groups(target=group("local.half", 2), current=None, nodes=two) == {BOTH}


def test_a_mix_is_tried_when_no_type_alone_is_in_time() -> None:
    measured = (*MEASURED, series(group("local.half", 2), 0.3))
    pressed = snapshot(
        target="local.full", measured=measured, job=due_in(2_500), unavailable=_blocked(FULL)
    )

    plan = best_value(pressed)

    # 1 / (1 / 0.4 + 1 / 0.3) = 0.171 s, and a tenth more.
    assert (plan.action, plan.target) == (Action.TRIAL, BOTH)
    assert plan.reason.text.startswith(
        "try local.full + local.half: together they should need 0.189 s an iteration and could "
        "finish in 31 min 13 s; "
    )
    assert best_value(_on_t1(pressed)).target == group("local.full")


def test_a_mix_that_was_measured_goes_by_its_own_rate() -> None:
    pressed = due_in(2_500)
    measured = [
        *MEASURED,
        series(BOTH, 0.2),
        series(group("local.half", 2), 0.3),
        series(group("local.full", 2), 0.3),
    ]

    plan = decide(snapshot(target="local.half", measured=measured, job=pressed))

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, BOTH, "deadline")
    assert "local.full + local.half makes it in 33 min 33 s at most" in plan.reason.text
    kept = decide(snapshot(target=BOTH, measured=measured, job=pressed))
    assert (kept.action, kept.target) == (Action.HOLD, BOTH)


def test_a_mix_that_is_slower_than_it_promised_is_left() -> None:
    measured = [
        *MEASURED,
        series(BOTH, 0.39),
        series(group("local.half", 2), 0.2),
        series(group("local.full", 2), 0.3),
    ]
    tried = [change(BOTH, "local.half", code="trial", ago_s=60)]

    plan = decide(snapshot(target=BOTH, measured=measured, changes=tried, job=due_in(2_500)))

    assert (plan.action, plan.target) == (Action.MOVE, group("local.half", 2))


def test_without_a_deadline_a_mix_pays_no_more_than_its_better_half() -> None:
    plan = best_value(
        snapshot(target="local.half", measured=MEASURED, job=in_session(iterations=100_000))
    )

    assert plan.target is not None
    assert len(plan.target.members) == 1


def test_of_many_mixes_the_one_that_promises_most_is_weighed() -> None:
    plan = best_value(
        snapshot(target="local.half", measured=MEASURED, job=due_in(1_500, nodes_max=8))
    )

    mixed = [each for each in plan.candidates if len(each.group.members) > 1]
    # Two whole cores beside the half one are in time, and no more of them: three would be dearer by
    # their start.
    assert [each.group for each in mixed] == [Group(((FULL, 2), (HALF, 1)))]
    assert mixed[0].samples == 0


def test_every_candidate_is_to_be_tried_but_not_every_mix() -> None:
    both = [*MEASURED, series(group("local.half", 2), 0.3), series(group("local.full", 2), 0.2)]

    plan = best_value(
        snapshot(
            target="local.half", measured=both, job=in_session(), limits=limits(trial_of_every=True)
        )
    )

    assert plan.action is not Action.TRIAL


def test_a_mix_whose_interval_overlaps_does_not_stand_before_a_type_that_is_clearly_better() -> (
    None
):
    vague = series(BOTH, 0.1, noise=0.95)
    facts: dict[str, Any] = {
        "target": "local.full",
        "measured": [
            *MEASURED,
            vague,
            series(group("local.half", 2), 0.19),
            series(group("local.full", 2), 0.3),
        ],
    }

    plan = best_value(snapshot(job=in_session(), **facts))

    assert (plan.action, plan.target) == (Action.MOVE, group("local.half", 2))
    assert plan == _without_mixes(
        best_value(snapshot(job=in_session(mode=Mode.RESTART), **facts)), plan
    )


def test_old_and_new_of_a_swap_are_not_gone_back_to_where_the_job_may_have_only_one() -> None:
    """The new node's type is refused while both train: the old one alone is what is left."""
    facts: dict[str, Any] = {
        "target": group("local.full", 2),
        "current": BOTH,
        "nodes": (node("local.half"), node("local.full", number=2)),
        "measured": MEASURED,
        "unavailable": _blocked(FULL),
    }

    one = best_value(
        snapshot(job=in_session(nodes_max=1), **facts | {"target": group("local.full", 2)})
    )
    assert one.reason.code == "unavailable"
    assert one.target == group("local.half")
    # Where both may stay, they do.
    two = best_value(snapshot(job=in_session(), **facts))
    assert (two.target, two.reason.code) == (BOTH, "unavailable")
    assert two.reason.text.endswith("back to local.full + local.half, which trains")


def test_a_swap_between_zones_that_is_refused_does_not_leave_the_job_in_both() -> None:
    a, b = Offering("local.half", Capacity.SPOT, "a"), Offering("local.full", Capacity.SPOT, "b")
    plan = best_value(
        snapshot(
            job=in_session(),
            target=Group.of(b, 2),
            current=Group(((b, 1), (a, 1))),
            nodes=(node(a), node(b, number=2)),
            measured=[series(Group.of(a), 0.4)],
            prices=(price(a, 0.02), price(b, 0.06, price_id=2)),
            unavailable=_blocked(b),
        )
    )

    assert (plan.target, plan.reason.code) == (Group.of(a), "unavailable")


def test_what_is_left_of_a_group_is_filled_up_where_that_promises_more_than_another_type() -> None:
    """One of two whole cores is lost, and no more are to be had; two half ones would be late."""
    facts: dict[str, Any] = {
        "target": group("local.full", 2),
        "current": "local.full",
        "nodes": (node("local.full"),),
        "measured": [*MEASURED, series(group("local.half", 2), 0.21)],
        "unavailable": _blocked(FULL),
    }

    pressed = best_value(snapshot(job=due_in(2_000, nodes_min=2), **facts))
    assert (pressed.action, pressed.target, pressed.reason.code) == (
        Action.MOVE,
        BOTH,
        "unavailable",
    )
    assert pressed.reason.text.endswith(
        ": local.full + local.half keeps what is there and should finish in 31 min 15 s for $0.0705"
    )
    patient = best_value(snapshot(job=due_in(90_000, nodes_min=2), **facts))
    assert patient.target == group("local.half", 2)
    assert "keeps" not in patient.reason.text


def test_a_job_that_must_have_more_nodes_keeps_the_one_it_has_where_that_promises_more() -> None:
    measured = [*MEASURED, series(group("local.half", 2), 0.35)]

    plan = best_value(
        snapshot(target="local.full", measured=measured, job=due_in(2_500, nodes_min=2))
    )

    assert (plan.action, plan.target, plan.reason.code) == (Action.MOVE, BOTH, "not_permitted")


def test_where_only_a_mix_can_be_had_it_is_started() -> None:
    there = (node("local.half"), node("local.full", number=2))
    one_each = (*_blocked(HALF), *_blocked(FULL))

    plan = best_value(
        snapshot(
            target=group("local.full", 2),
            current=None,
            nodes=there,
            measured=MEASURED,
            unavailable=one_each,
            job=in_session(nodes_min=2),
        )
    )

    assert (plan.target, plan.reason.code) == (BOTH, "unavailable")


def test_a_group_that_does_not_hold_a_batch_is_none_to_choose() -> None:
    measured = [*MEASURED, series(group("local.half", 2), 0.2), series(BOTH, 0.25)]
    memory: dict[str, Any] = {
        "global_batch": 16,
        "most_samples": {"local.half": 4, "local.full": 12},
    }

    plan = best_value(snapshot(target="local.full", measured=measured, job=in_session(**memory)))

    # Two half cores would be cheaper, and one whole core is what runs.
    assert (plan.target, plan.reason.code) == (BOTH, "not_permitted")
    assert plan.reason.text.startswith(
        "local.full holds 12 samples, and a batch has 16: move to local.full + local.half"
    )


def test_a_node_type_without_a_limit_holds_any_batch() -> None:
    plan = best_value(
        snapshot(
            target="local.full",
            measured=MEASURED,
            job=in_session(global_batch=16, most_samples={"local.half": 4}),
        )
    )

    assert plan.target is not None
    assert {name for name, _ in plan.target.node_types} == {"local.full"}


def test_the_few_windows_of_a_swap_are_no_rate_of_a_mix() -> None:
    """Old and new have trained together for a moment, slowly: what they promise is what they do by
    themselves."""
    passing = series(BOTH, 0.9, 3)
    measured = [*MEASURED, series(group("local.half", 2), 0.3), passing]
    pressed: dict[str, Any] = {
        "measured": measured,
        "job": due_in(2_500),
        "unavailable": _blocked(FULL),
    }

    plan = best_value(snapshot(target="local.full", **pressed))
    assert (plan.action, plan.target) == (Action.TRIAL, BOTH)
    assert "together they should need 0.189 s an iteration" in plan.reason.text
    # Once it is decided for, what comes in is its own rate, and here it is slower than either of
    # the two.
    held = best_value(
        snapshot(
            target=BOTH, changes=[change(BOTH, "local.full", code="trial", ago_s=5)], **pressed
        )
    )
    assert (held.action, held.reason.code) == (Action.MOVE, "trial_over")
    assert held.reason.text.startswith(
        "the trial of local.full + local.half ends: it is dearer than"
    )


def _blocked(offering: Offering) -> tuple[Unavailable, ...]:
    return (Unavailable(offering, NOW_S + 300, Obstacle.CAPACITY),)


def _on_t1(seen: Snapshot) -> Snapshot:
    return replace(seen, job=replace(seen.job, spec=replace(seen.job.spec, mode=Mode.RESTART)))


def _without_mixes(plan: Plan, like: Plan) -> Plan:
    return replace(plan, candidates=like.candidates)
