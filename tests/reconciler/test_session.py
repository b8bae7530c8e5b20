"""A job in a session: who trains changes from one generation to the next, and nobody is drained for
it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import (
    AgentState,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Mode,
    Node,
    NodePhase,
    Notice,
    NoticeKind,
    Outcome,
)
from elastic.reconciler import (
    BeginEnding,
    DrainGeneration,
    EndGeneration,
    LaunchNodes,
    StartGeneration,
    Step,
    TerminateNode,
    World,
    next_steps,
)
from elastic.reconciler.session import all_are_heard
from tests.reconciler.worlds import FULL, HALF, generation, left, node, world

JOB = Job(
    "job-1",
    JobSpec("j", ("train.py",), nodes_max=4, mode=Mode.LIVE),
    JobPhase.RUNNING,
    submitted_at_s=0.0,
    iteration=5,
)
NOTICE = Notice(NoticeKind.INTERRUPTION, noticed_at_s=80.0, at_s=200.0, action="terminate")


def inside(name: str, *, number: int = 1, **changes: object) -> Node:
    """A node whose workers have come into the session."""
    return replace(node(name, agent_generation=number), **changes)  # type: ignore[arg-type]  # named by the tests


def idle(name: str, **changes: object) -> Node:
    return replace(node(name, agent_state=AgentState.IDLE), **changes)  # type: ignore[arg-type]  # named by the tests


def seen(*nodes: Node, **facts: object) -> World:
    return world(*nodes, job=JOB, **facts)  # type: ignore[arg-type]  # tests name the facts they are about


def test_a_newcomer_comes_in_once_it_is_warm_and_nobody_is_drained() -> None:
    one, two = inside("a"), idle("b")
    target, now = Group.of(HALF, 2), generation("a")
    assert next_steps(seen(one, two, target=target, generation=now)) == (
        StartGeneration((one, two)),
    )
    warming = replace(two, agent_state=AgentState.WARMING)
    assert next_steps(seen(one, warming, target=target, generation=now)) == ()


def test_a_node_is_left_out_and_ended_only_when_its_workers_have_left() -> None:
    one, two = inside("a"), inside("b")
    target = Group.of(HALF)
    assert next_steps(seen(one, two, target=target, generation=generation("a", "b"))) == (
        StartGeneration((one,)),
    )
    after = generation("a", number=2)
    one = inside("a", number=2)
    for state in (AgentState.RUNNING, AgentState.DRAINING, AgentState.SAVING):
        leaving = replace(two, agent_state=state)
        assert next_steps(seen(one, leaving, target=target, generation=after, now_s=40.0)) == ()
    gone = replace(two, agent_state=AgentState.EXITED)
    assert next_steps(seen(one, gone, target=target, generation=after, now_s=40.0)) == (
        TerminateNode(gone, f"the job now wants {target}"),
    )


@pytest.mark.parametrize(
    ("job", "target", "why"),
    [
        (
            replace(JOB, phase=JobPhase.DRAINING, ending=JobPhase.CANCELLED),
            Group.of(HALF),
            "the job is ending",
        ),
        (JOB, None, "the job wants no nodes now"),
    ],
)
def test_the_last_words_of_a_node_that_leaves_are_awaited_when_the_job_ends_or_pauses(
    job: Job, target: Group | None, why: str
) -> None:
    stopped, leaving = idle("a", agent_generation=2), inside("b")
    over = generation("a", number=2, drain_at_s=30.0, ended=True)

    def steps(*nodes: Node, now_s: float = 40.0) -> tuple[Step, ...]:
        return next_steps(world(*nodes, job=job, target=target, generation=over, now_s=now_s))

    assert steps(stopped, leaving) == (TerminateNode(stopped, why),)
    assert steps(leaving) == ()
    gone = replace(leaving, agent_state=AgentState.EXITED)
    assert steps(gone) == (TerminateNode(gone, why),)
    assert steps(leaving, now_s=81.0) == (TerminateNode(leaving, why),)


def test_a_node_that_does_not_leave_is_ended_after_a_drain_s_patience() -> None:
    one, stuck = inside("a", number=2), inside("b")
    facts = {"target": Group.of(HALF), "generation": generation("a", number=2)}
    assert next_steps(seen(one, stuck, now_s=79.0, **facts)) == ()
    assert next_steps(seen(one, stuck, now_s=81.0, **facts)) == (
        TerminateNode(stuck, f"the job now wants {Group.of(HALF)}"),
    )


def test_a_swap_takes_the_new_node_in_before_the_old_one_leaves() -> None:
    old, new = inside("a"), idle("b", offering=FULL)
    target = Group.of(FULL)
    assert next_steps(seen(old, new, target=target, generation=generation("a"))) == (
        StartGeneration((old, new)),
    )
    both = generation("a", "b", number=2)
    old = inside("a", number=2)
    starting = replace(new, agent_state=AgentState.STARTING, agent_generation=2)
    assert next_steps(seen(old, starting, target=target, generation=both)) == ()
    running = replace(starting, agent_state=AgentState.RUNNING)
    assert next_steps(seen(old, running, target=target, generation=both)) == (
        StartGeneration((running,)),
    )
    # Its word is older than this generation: that its workers are in is not proved.
    behind = replace(running, agent_generation=1)
    assert next_steps(seen(old, behind, target=target, generation=both)) == ()


def test_survivors_are_recorded_at_once_and_a_replacement_is_bought() -> None:
    one = inside("a")
    lost = inside("b", phase=NodePhase.TERMINATING)
    steps = next_steps(seen(one, lost, target=Group.of(HALF, 2), generation=generation("a", "b")))
    assert steps == (LaunchNodes(Group.of(HALF), "price"), StartGeneration((one,)))


def test_who_has_not_come_in_does_not_go_on_alone_but_begins_anew() -> None:
    lost = inside("a", phase=NodePhase.TERMINATING)
    waiting = inside("b", agent_state=AgentState.STARTING)
    facts = {"target": Group.of(HALF), "generation": generation("a", "b")}
    (step,) = next_steps(seen(lost, waiting, **facts))
    assert step == DrainGeneration(1, "no member is left that has the trained state")
    assert next_steps(seen(lost, inside("b"), **facts)) == (StartGeneration((inside("b"),)),)
    heard_s = waiting.heartbeat_at_s
    assert heard_s is not None
    look = seen(lost, waiting, **facts)
    assert next_steps(replace(look, listening_since_s=heard_s)) == (), (
        "the daemon before may not have written that it trains"
    )
    leaver = inside("a", notice=NOTICE)
    (step,) = next_steps(seen(leaver, waiting, now_s=156.0, **facts))
    assert isinstance(step, DrainGeneration)
    assert step.reason.startswith("a: ")


def test_a_new_store_waits_until_each_member_that_lives_has_said_which_round_it_is_in() -> None:
    heard, silent = inside("a", heartbeat_at_s=50.0), inside("b", heartbeat_at_s=None)
    now = generation("a", "b")
    assert all_are_heard(now, (heard,), since_s=49.0)
    assert not all_are_heard(now, (heard,), since_s=50.0)
    assert not all_are_heard(now, (heard, silent), since_s=49.0)
    assert all_are_heard(now, (heard, replace(silent, phase=NodePhase.TERMINATING)), since_s=49.0)
    assert all_are_heard(now, (heard, replace(silent, id="c")), since_s=49.0)


def test_nobody_left_ends_the_generation() -> None:
    steps = next_steps(seen(target=Group.of(HALF), generation=generation("a")))
    assert EndGeneration(1, None) in steps


def test_a_node_that_is_taken_back_leaves_at_the_last_safe_instant() -> None:
    one, two = inside("a"), inside("b", notice=NOTICE)
    facts = {"target": Group.of(HALF), "generation": generation("a", "b")}
    two_wanted = {**facts, "target": Group.of(HALF, 2)}
    assert next_steps(seen(one, two, now_s=150.0, **two_wanted)) == (
        LaunchNodes(Group.of(HALF), "interruption"),
    )
    steps = next_steps(seen(one, two, now_s=156.0, **two_wanted))
    assert StartGeneration((one,)) in steps


def test_the_only_node_that_is_taken_back_is_drained_when_nothing_replaces_it() -> None:
    one = inside("a", notice=NOTICE)
    steps = next_steps(seen(one, target=Group.of(HALF), generation=generation("a"), now_s=156.0))
    assert [type(step) for step in steps] == [LaunchNodes, DrainGeneration]


def test_a_node_that_stopped_by_itself_is_left_out_and_comes_in_again() -> None:
    one, two = inside("a"), inside("b", exit=left(Outcome.DRAINED), agent_state=AgentState.EXITED)
    facts = {"target": Group.of(HALF, 2), "generation": generation("a", "b")}
    assert next_steps(seen(one, two, **facts)) == (StartGeneration((one, two)),)


def test_workers_that_failed_on_one_node_come_in_again_and_the_second_time_the_node_is_replaced() -> (
    None
):
    one, two = (
        inside("a"),
        inside("b", exit=left(Outcome.FAILED), agent_state=AgentState.EXITED, failures=1),
    )
    facts = {"target": Group.of(HALF, 2), "generation": generation("a", "b")}
    assert next_steps(seen(one, two, **facts)) == (StartGeneration((one, two)),)
    again = replace(two, failures=2)
    ended, following = next_steps(seen(one, again, **facts))
    assert ended == TerminateNode(
        again, "its workers failed 2 times in a row while others went on", is_failure=True
    )
    assert following == StartGeneration((one,))
    told = replace(
        again,
        exit=replace(
            left(Outcome.FAILED),
            log_tail="Traceback (most recent call last):\nValueError: no such file\n",
        ),
    )
    (step, _) = next_steps(seen(one, told, **facts))
    assert isinstance(step, TerminateNode)
    assert step.reason.endswith("went on: ValueError: no such file")


def test_workers_that_failed_where_nobody_trains_drain_the_job_as_in_mode_restart() -> None:
    starting = inside("a", agent_state=AgentState.STARTING)
    two = inside("b", exit=left(Outcome.FAILED), failures=2)
    (step,) = next_steps(
        seen(starting, two, target=Group.of(HALF, 2), generation=generation("a", "b"))
    )
    assert isinstance(step, DrainGeneration)
    assert step.unasked is None
    alone = inside("a", exit=left(Outcome.DRAINED))
    (step,) = next_steps(seen(alone, target=Group.of(HALF), generation=generation("a")))
    assert isinstance(step, DrainGeneration)
    assert step.unasked is not None


def test_the_job_is_done_when_one_of_them_says_so() -> None:
    one, two = inside("a"), inside("b", exit=left(Outcome.SUCCEEDED))
    steps = next_steps(seen(one, two, target=Group.of(HALF, 2), generation=generation("a", "b")))
    assert steps == (BeginEnding(JobPhase.SUCCEEDED, ""),)


def test_what_is_not_used_is_ended_at_once_where_nothing_trains() -> None:
    spare = inside("b")
    steps = next_steps(
        seen(idle("a"), spare, target=Group.of(HALF), generation=generation("a", ended=True))
    )
    assert TerminateNode(spare, f"the job now wants {Group.of(HALF)}") in steps


def test_a_store_that_stands_elsewhere_is_told_of_by_a_generation_of_the_same_members() -> None:
    one, two = inside("a"), inside("b")
    facts = {"target": Group.of(HALF, 2), "generation": generation("a", "b")}
    for endpoint in (None, "e:1"):
        assert next_steps(replace(seen(one, two, **facts), endpoint=endpoint)) == ()
    assert next_steps(replace(seen(one, two, **facts), endpoint="e:2")) == (
        StartGeneration((one, two)),
    )
