"""What the words of the domain refuse, and which moves of their lives are legal."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from elastic.errors import Conflict, InvalidInput
from elastic.model import (
    AgentState,
    CapacityChoice,
    Interval,
    JobPhase,
    LedgerRow,
    NodePhase,
    Notice,
    NoticeKind,
    Obstacle,
    Resume,
    Unavailable,
    idle_s,
    last_safe_instant,
    move_job,
    move_node,
    spent_usd,
)
from tests.builders import NOW_S, group, job_spec, node, node_type, offering, window


def test_a_job_that_has_ended_is_at_most_wanted_again_and_one_that_succeeded_never() -> None:
    for ending in (each for each in JobPhase if each.is_final):
        for wanted in set(JobPhase) - ({JobPhase.SUBMITTED} if ending.may_resume else set()):
            with pytest.raises(Conflict, match=f"a job that is {ending} cannot become {wanted}"):
                move_job(ending, wanted)
    assert [each.value for each in JobPhase if each.may_resume] == [
        "failed",
        "cancelled",
        "budget_exhausted",
    ]
    assert all(
        move_job(each, JobPhase.SUBMITTED) is JobPhase.SUBMITTED
        for each in JobPhase
        if each.may_resume
    )
    assert not any(
        each.is_final for each in (JobPhase.SUBMITTED, JobPhase.RUNNING, JobPhase.DRAINING)
    )


def test_seconds_between_an_end_and_a_resume_add_up() -> None:
    first, second = Resume(100.0, JobPhase.CANCELLED, 160.0), Resume(200.0, JobPhase.FAILED, 205.0)
    assert (idle_s([]), idle_s([first, second])) == (0.0, 65.0)


def test_a_node_that_is_gone_never_moves_again_and_one_that_is_terminating_only_ends() -> None:
    for gone in (NodePhase.TERMINATED, NodePhase.LOST):
        for wanted in NodePhase:
            with pytest.raises(Conflict):
                move_node(gone, wanted)
    legal = []
    for wanted in NodePhase:
        try:
            legal.append(move_node(NodePhase.TERMINATING, wanted))
        except Conflict:
            continue
    assert legal == [NodePhase.TERMINATED]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"command": ()}, "command"),
        ({"nodes_min": 0}, "nodes"),
        ({"nodes_min": 3, "nodes_max": 2}, "nodes"),
        ({"nodes_max": 2, "nodes_wanted": 3}, "nodes"),
    ],
)
def test_a_job_without_a_command_or_with_impossible_sizes_is_refused(
    wrong: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        job_spec(**wrong)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("spec", "admitted"),
    [
        ({}, True),
        ({"node_types": ("local.half", "local.full")}, True),
        ({"node_types": ("local.full",)}, False),
        ({"fixed_node_type": "local.half"}, True),
        ({"fixed_node_type": "local.full"}, False),
        ({"capacity": CapacityChoice.SPOT}, False),
    ],
)
def test_a_job_runs_only_on_what_its_user_lists_fixes_and_allows(
    spec: dict[str, Any], admitted: bool
) -> None:
    assert job_spec(**spec).admits(offering("local.half")) is admitted


@pytest.mark.parametrize(
    "wrong", [{"iterations": 0}, {"elapsed_s": 0.0}, {"elapsed_s": math.nan}, {"elapsed_s": -1.0}]
)
def test_a_window_without_iterations_or_time_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        window(**wrong)


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"cpu": 0.0}, {"cpu": math.inf}, {"memory_gib": -1.0}]
)
def test_a_node_type_without_a_name_or_a_size_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        replace(node_type(), **wrong)


def test_what_cannot_be_bought_is_one_node_or_more() -> None:
    with pytest.raises(InvalidInput, match=r"local\.half .*must be 1 or more, got 0"):
        Unavailable(offering("local.half"), NOW_S, Obstacle.CAPACITY, nodes=0)


def test_intervals_overlap_unless_both_are_known_and_apart() -> None:
    low, high = Interval(1.0, 0.5, 1.5), Interval(3.0, 2.0, 4.0)
    assert not low.overlaps(high)
    assert not high.overlaps(low)
    assert low.overlaps(Interval(1.6, 1.5, 1.7))
    assert low.overlaps(Interval(3.0)) and Interval(3.0).overlaps(low)
    assert low.overlaps(replace(high, low=None)) and replace(low, high=None).overlaps(high)


def test_an_interruption_says_when_and_no_recommendation_takes_it_back() -> None:
    with pytest.raises(InvalidInput, match="at_s"):
        Notice(NoticeKind.INTERRUPTION, NOW_S)
    taken, maybe = (
        Notice(NoticeKind.INTERRUPTION, NOW_S, NOW_S + 120),
        Notice(NoticeKind.REBALANCE, NOW_S),
    )
    assert maybe.supersedes(None)
    assert taken.supersedes(maybe)
    assert not maybe.supersedes(taken)
    assert not replace(taken, noticed_at_s=NOW_S + 5).supersedes(taken)
    assert replace(taken, at_s=NOW_S + 60).supersedes(taken)


def test_a_node_is_warm_once_its_agent_has_loaded_what_workers_need() -> None:
    states = (None, AgentState.WARMING, AgentState.IDLE)
    assert [node(agent_state=state).is_warm for state in states] == [False, False, True]


def test_a_drain_is_asked_for_in_time_for_the_first_that_goes_and_for_its_checkpoint() -> None:
    def goes(in_s: float, number: int, saving_s: float | None = None) -> Any:
        notice = Notice(NoticeKind.INTERRUPTION, NOW_S, NOW_S + in_s)
        return node(number=number, notice=notice, saving_s=saving_s)

    def last_s(*nodes: Any) -> float | None:
        return last_safe_instant(nodes, drain_grace_s=20.0, reaction_s=5.0)

    assert last_s(node()) is None
    assert last_s(goes(120.0, 1), goes(90.0, 2), node(number=3)) == NOW_S + 65.0
    assert last_s(goes(120.0, 1, saving_s=50.0), goes(90.0, 2)) == NOW_S + 45.0


def test_a_jobs_dollars_are_those_of_all_its_rows() -> None:
    row = LedgerRow(1, "job-1", "node-1", group().members[0][0], 1, 0.36, from_s=0.0, to_s=100.0)
    open_row = replace(row, id=2, from_s=100.0, to_s=None, minimum_s=60.0)
    waived = replace(row, id=3, is_waived=True, extras_usd_per_h=0.036)
    assert spent_usd((row, open_row, waived), 110.0) == pytest.approx(0.01 + 0.006 + 0.001)
