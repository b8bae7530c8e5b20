"""A script whose turns nobody sees is told how to show them, after a minute and until one is
seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import AgentState, Generation, Job, JobPhase, Node, Pulse, unseen_of
from tests.reconciler.worlds import JOB, generation, node

BEGAN = replace(generation("a"), started_at_s=100.0)
RUNNING = replace(JOB, phase=JobPhase.PROFILING, iteration=0)
MEMBER = node("a", agent_state=AgentState.RUNNING, agent_generation=1)


def test_after_a_minute_the_two_lines_are_shown_and_not_before() -> None:
    assert unseen_of(RUNNING, BEGAN, [MEMBER], now_s=159.0) == ()
    (said,) = unseen_of(RUNNING, BEGAN, [MEMBER], now_s=161.0)
    assert "no iteration was seen" in said
    assert "`from elastic.worker import paramount`" in said and "`paramount()`" in said


@pytest.mark.parametrize(
    ("job", "began", "member"),
    [
        (replace(RUNNING, iteration=1), BEGAN, MEMBER),
        (replace(RUNNING, phase=JobPhase.SUCCEEDED), BEGAN, MEMBER),
        (RUNNING, replace(BEGAN, drain_at_s=150.0), MEMBER),
        (RUNNING, replace(BEGAN, ended_at_s=150.0), MEMBER),
        (RUNNING, None, MEMBER),
        (RUNNING, BEGAN, replace(MEMBER, pulse=Pulse(1.0, 1.0, None))),
        (RUNNING, BEGAN, replace(MEMBER, agent_state=AgentState.PREPARING)),
        (RUNNING, BEGAN, replace(MEMBER, agent_generation=0)),
        (RUNNING, BEGAN, node("b", agent_state=AgentState.RUNNING, agent_generation=1)),
    ],
)
def test_nothing_is_said_where_turns_are_seen_or_none_can_be(
    job: Job, began: Generation | None, member: Node
) -> None:
    assert unseen_of(job, began, [member], now_s=999.0) == ()
