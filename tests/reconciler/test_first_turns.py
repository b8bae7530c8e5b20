"""Before a generation's first turn who is cut off is left behind by its silence alone, and a long
wait is told of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import AgentState, Group, Node, Pulse
from elastic.reconciler import DrainGeneration, GroupLiveness, World, next_steps
from tests.reconciler.worlds import HALF, JOB, generation, node, overdue_after, world


def first_turn(*nodes: Node, **changes: object) -> World:
    begun = world(
        *nodes,
        target=Group.of(HALF, 2),
        generation=generation("a", "b"),
        job=replace(JOB, iteration=0),
    )
    look = overdue_after(begun, 10.0)
    return replace(look, **changes)  # type: ignore[arg-type]  # tests name what they are about


def test_a_first_turn_is_waited_for_but_less_after_a_generation_that_stood_still() -> None:
    pair = [node(name, agent_generation=1) for name in "ab"]
    for now_s, hung, told in (
        (39.0, 1, None),
        (41.0, 1, "no optimizer step was seen in 21 s"),
        (69.0, 0, None),
        (71.0, 0, "no optimizer step was seen in 51 s"),
    ):
        look = first_turn(
            *(replace(each, heartbeat_at_s=now_s) for each in pair), now_s=now_s, hung=hung
        )
        texts = [each.text.partition(":")[0] for each in GroupLiveness(look).idle() or ()]
        assert texts == [told] * (told is not None)
    late = first_turn(*(replace(each, heartbeat_at_s=999.0) for each in pair), now_s=1000.0)
    assert next_steps(late) == (), "it may load for as long as it has to"
    assert next_steps(replace(late, hung=2)) != ()
    assert GroupLiveness(replace(late, listening_since_s=980.0)).idle() is None
    trained = [replace(each, pulse=Pulse(0.1)) for each in pair]
    assert GroupLiveness(replace(late, nodes=(trained[0], pair[1]), hung=1)).idle() is None, (
        "who is silent has made turns"
    )


@pytest.mark.parametrize("state", [AgentState.STARTING, AgentState.RUNNING])
def test_before_the_first_turn_a_silence_is_enough(state: AgentState) -> None:
    heard, lost = (
        node(name, agent_generation=1, agent_state=state, heartbeat_at_s=99.0) for name in "ab"
    )
    for silent_s, is_drained in ((9.9, False), (10.1, True)):
        look = first_turn(heard, replace(lost, heartbeat_at_s=100.0 - silent_s))
        why = "no heartbeat from b, and no turn was made yet"
        assert next_steps(look) == (DrainGeneration(1, why, hangs=True),) * is_drained
    never_began = replace(lost, agent_generation=None, heartbeat_at_s=80.0)
    assert next_steps(first_turn(heard, never_began)) != ()


def test_before_the_first_turn_nobody_is_hurried_without_need() -> None:
    heard, lost = node("a", agent_generation=1), node("b", agent_generation=1, heartbeat_at_s=80.0)
    assert next_steps(first_turn(heard, lost)) != ()
    idle_still = replace(heard, agent_state=AgentState.IDLE)
    for each in (idle_still, replace(heard, agent_generation=None)):
        assert next_steps(first_turn(each, lost)) == (), "it has not begun"
    for pair in (
        (heard, replace(lost, pulse=Pulse(0.1))),
        (replace(heard, pulse=Pulse(0.1)), lost),
    ):
        assert next_steps(first_turn(*pair)) == (), "turns are made"
    enough = replace(JOB, spec=replace(JOB.spec, nodes_min=2))
    assert next_steps(first_turn(heard, lost, job=enough)) == ()
    mute = replace(heard, heartbeat_at_s=620.0), replace(lost, heartbeat_at_s=600.0)
    assert next_steps(first_turn(*mute, now_s=619.0)) != ()
    assert next_steps(first_turn(*mute, now_s=621.0)) == (), "its script may tell of no turns"
