"""What is taken back from a job that is nearly done is replaced only where that could still do
something."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.model import (
    Action,
    Group,
    Notice,
    NoticeKind,
    Objective,
    Plan,
    Reason,
    Snapshot,
    TrainingPhase,
)
from elastic.policy import guard
from tests.builders import NOW_S, group, job, limits, node, offering, series, snapshot, switch

ONE, TWO = group("local.half"), group("local.half", 2)
KEPT = ("finishing",)
MIXED = Group(((offering("local.full"), 1), (offering("local.half"), 1)))


def leaving(*, in_s: float = 120.0, number: int = 1, **rest: Any) -> Any:
    return node(
        number=number,
        notice=Notice(NoticeKind.INTERRUPTION, NOW_S, NOW_S + in_s, "terminate"),
        **rest,
    )


def taken_back(
    left: int, *, nodes: Any = None, of: Group = ONE, step_s: float = 1.0, **rest: Any
) -> Snapshot:
    """A job of a second an iteration, 20 s of grace and 10 of reaction: training stops 90 s before
    now + 120 s."""
    values: dict[str, Any] = {
        "target": of,
        "current": of,
        "nodes": (leaving(),) if nodes is None else nodes,
        "measured": (series(of, step_s, noise=0.0),),
        "job": job(iteration=1000 - left, iterations=1000, drain_grace_s=20.0),
        "switches": (switch(of, boot_s=60.0, pause_s=5.0),),
        "limits": limits(reaction_s=10.0),
    }
    return snapshot(**(values | rest))


def guarded(
    seen: Snapshot, *, action: Action = Action.HOLD, code: str = "best", target: Group | None = None
) -> Plan:
    return guard(
        seen,
        Plan(action, seen.target if target is None else target, Reason(code, "the policy says so")),
    )


def test_nothing_is_bought_in_place_of_a_machine_that_outlives_the_job() -> None:
    plan = guarded(taken_back(80))
    assert (plan.action, plan.target, plan.may_buy, plan.limited_by) == (
        Action.HOLD,
        ONE,
        False,
        KEPT,
    )
    assert plan.reason.code == "finishing"
    assert plan.reason.text == (
        "node-1 is taken back; the 80 iterations left take 1 min 20 s at most, and training there "
        "may go on for 1 min 30 s: local.half is kept and nothing is bought"
    )
    assert plan.reason.numbers == {
        "iterations_left": 80.0,
        "ends_in_s": pytest.approx(80.0),
        "stops_in_s": 90.0,
        "boot_s": 60.0,
    }


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(taken_back(100), id="it is not done in time"),
        pytest.param(taken_back(80, limits=limits()), id="nobody knows how soon a word is heard"),
        pytest.param(taken_back(80, measured=()), id="its pace is unknown"),
        pytest.param(
            taken_back(80, measured=(series(ONE, 1.0, windows=1),)), id="its pace is a guess"
        ),
        pytest.param(
            taken_back(80, measured=(series("local.full", 1.0),)),
            id="another group's pace says nothing",
        ),
        pytest.param(
            taken_back(80, measured=(series(ONE, 1.0, training_phase="warm-up"),)),
            id="so says another phase's",
        ),
        pytest.param(
            taken_back(80, measured=(series(ONE, 1.0, noise=0.3),)),
            id="at its slowest it is not done",
        ),
        pytest.param(taken_back(80, nodes=(node(),)), id="nothing is taken back"),
        pytest.param(
            taken_back(80, nodes=(node(notice=Notice(NoticeKind.REBALANCE, NOW_S)),)),
            id="it is only recommended",
        ),
        pytest.param(taken_back(80, current=None), id="nothing trains"),
        pytest.param(taken_back(80, current=group("local.full")), id="another group trains"),
        pytest.param(
            taken_back(80, job=job(iteration=920, iterations=None)), id="the job has no end"
        ),
        pytest.param(
            taken_back(
                80,
                job=job(
                    iteration=920,
                    iterations=1000,
                    drain_grace_s=20.0,
                    phases=(TrainingPhase("main", 950), TrainingPhase("fine")),
                ),
            ),
            id="another phase is still to come",
        ),
    ],
)
def test_what_is_taken_back_is_replaced_where(seen: Snapshot) -> None:
    plan = guarded(seen)
    assert plan.may_buy
    assert plan.reason.text == "the policy says so"


def test_the_instant_of_the_first_that_goes_counts_and_its_checkpoint_with_it() -> None:
    both = (leaving(in_s=300.0, number=1), leaving(in_s=120.0, number=2))
    assert not guarded(taken_back(80, nodes=both, of=TWO)).may_buy
    assert guarded(taken_back(95, nodes=both, of=TWO)).may_buy
    assert guarded(taken_back(80, nodes=(leaving(saving_s=15.0),))).may_buy


def test_those_that_stay_finish_alone_where_another_would_come_too_late() -> None:
    """15 iterations are left when one of two goes in 90 s: 30 s alone, after a stop of 5 s; booting
    takes 130."""
    nodes = (leaving(number=1), node(number=2))
    slow = taken_back(105, nodes=nodes, of=TWO, switches=(switch(TWO, boot_s=130.0, pause_s=5.0),))
    plan = guarded(slow)
    assert not plan.may_buy
    assert plan.reason.numbers["ends_in_s"] == pytest.approx(125.0)
    assert "another machine takes 2 min 10 s to boot" in plan.reason.text
    assert guarded(
        taken_back(105, nodes=nodes, of=TWO, switches=(switch(TWO, boot_s=120.0, pause_s=5.0),))
    ).may_buy


@pytest.mark.parametrize("current", [None, ONE], ids=["standing still", "training on"])
def test_nothing_is_bought_either_once_it_is_gone(current: Group | None) -> None:
    """20 iterations take 40 s alone, and a stop of 5 s if one is still to come; booting takes
    60."""
    alone = taken_back(20, nodes=(node(number=2),), of=TWO, current=current)
    plan = guarded(alone)
    assert not plan.may_buy
    assert plan.reason.text.startswith("1 of 2 are left; the 20 iterations left take")
    assert plan.reason.numbers["ends_in_s"] == pytest.approx(45.0 if current is None else 40.0)
    assert guarded(taken_back(31, nodes=(node(number=2),), of=TWO, current=current)).may_buy


@pytest.mark.parametrize("left", [0, 1])
def test_a_group_that_is_whole_is_left_alone(left: int) -> None:
    assert guarded(taken_back(left, nodes=(node(number=1), node(number=2)), of=TWO)).may_buy


def test_nodes_of_another_group_are_not_counted() -> None:
    assert guarded(
        taken_back(20, nodes=(node("local.full"), node("local.full", number=2)), of=TWO)
    ).may_buy


def test_those_that_stay_must_be_enough() -> None:
    nodes = (leaving(number=1), node(number=2))
    spec = job(iteration=895, iterations=1000, drain_grace_s=20.0, nodes_min=2, nodes_max=2)
    slow = taken_back(
        105, nodes=nodes, of=TWO, job=spec, switches=(switch(TWO, boot_s=130.0, pause_s=5.0),)
    )
    assert guarded(slow).may_buy


def test_where_the_fast_node_of_a_mix_may_be_the_one_that_goes_it_is_replaced() -> None:
    nodes = (leaving(of="local.full"), node(number=2))
    slow = taken_back(
        105, nodes=nodes, of=MIXED, switches=(switch(MIXED, boot_s=130.0, pause_s=5.0),)
    )
    assert guarded(slow).may_buy
    # What is done before it goes needs no other.
    assert not guarded(taken_back(80, nodes=nodes, of=MIXED)).may_buy


def test_a_move_for_want_of_the_market_that_took_it_back_is_not_made_either() -> None:
    elsewhere = guarded(
        taken_back(80), action=Action.MOVE, code="unavailable", target=group("local.half", zone="b")
    )
    assert (elsewhere.action, elsewhere.target, elsewhere.may_buy) == (Action.HOLD, ONE, False)


def test_any_other_change_is_the_policys_business() -> None:
    moved = guarded(taken_back(80), action=Action.STOP, code="told")
    assert moved.action is Action.STOP


def test_a_budget_that_is_reached_stops_the_job_first() -> None:
    seen = taken_back(
        80,
        spent_usd=1.0,
        job=job(iteration=920, iterations=1000, objective=Objective(budget_usd=1.0)),
    )
    assert guarded(seen).action is Action.STOP


def _budget(usd: float) -> Any:
    from elastic.model import Objective

    return Objective(budget_usd=usd)
