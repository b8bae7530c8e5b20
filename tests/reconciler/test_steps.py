"""What is due: from the state of a job and its machines to the next steps, nothing performed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elastic.model import (
    AgentState,
    Group,
    JobPhase,
    Mode,
    NodePhase,
    Notice,
    NoticeKind,
    Outcome,
)
from elastic.reconciler import (
    BeginEnding,
    DrainGeneration,
    EndGeneration,
    FinishJob,
    LaunchNodes,
    StartGeneration,
    TerminateNode,
    next_steps,
)
from tests.reconciler.worlds import FULL, HALF, JOB, generation, left, node, world


def test_nothing_is_done_before_the_first_decision() -> None:
    assert next_steps(world()) == ()


def test_launches_what_the_target_lacks() -> None:
    target = Group(((FULL, 1), (HALF, 2)))
    assert next_steps(world(node("a"), target=target)) == (
        LaunchNodes(Group(((FULL, 1), (HALF, 1))), "price"),
    )


def test_waits_while_a_wanted_node_boots() -> None:
    booting = node("a", phase=NodePhase.BOOTING, joined_at_s=None, heartbeat_at_s=None)
    assert next_steps(world(booting, target=Group.of(HALF))) == ()


def test_starts_a_generation_when_all_wanted_nodes_have_joined() -> None:
    members = (node("a"), node("b"))
    assert next_steps(world(*members, target=Group.of(HALF, 2))) == (StartGeneration(members),)


def test_training_goes_on_while_the_new_node_boots() -> None:
    booting = node("b", FULL, NodePhase.BOOTING, joined_at_s=None, heartbeat_at_s=None)
    steps = next_steps(world(node("a"), booting, target=Group.of(FULL), generation=generation("a")))
    assert steps == ()


def test_drains_only_when_every_wanted_node_is_ready() -> None:
    (step,) = next_steps(
        world(node("a"), node("b", FULL), target=Group.of(FULL), generation=generation("a"))
    )
    assert isinstance(step, DrainGeneration)
    assert step.number == 1


def test_training_goes_on_while_a_newcomer_warms_up() -> None:
    for state in (AgentState.WARMING, None):
        new = node("b", FULL, agent_state=state)
        assert (
            next_steps(world(node("a"), new, target=Group.of(FULL), generation=generation("a")))
            == ()
        )
    idle = node("b", FULL, agent_state=AgentState.IDLE)
    (step,) = next_steps(world(node("a"), idle, target=Group.of(FULL), generation=generation("a")))
    assert isinstance(step, DrainGeneration)


def test_nodes_that_warm_up_begin_at_once_where_nobody_trains() -> None:
    warming = node("a", agent_state=AgentState.WARMING)
    assert next_steps(world(warming, target=Group.of(HALF))) == (StartGeneration((warming,)),)
    over = generation("old", ended=True)
    assert next_steps(world(warming, target=Group.of(HALF), generation=over)) == (
        StartGeneration((warming,)),
    )


def test_nobody_begins_while_a_node_prepares_and_it_is_given_its_time() -> None:
    target, old = Group.of(FULL), node("a", heartbeat_at_s=9999.0)
    preparing = node("b", FULL, agent_state=AgentState.PREPARING, heartbeat_at_s=9999.0)
    for now_s in (700.0, 9999.0):
        assert next_steps(world(preparing, target=target, now_s=now_s)) == ()
        assert (
            next_steps(
                world(old, preparing, target=target, generation=generation("a"), now_s=now_s)
            )
            == ()
        )
    warming = replace(preparing, agent_state=AgentState.WARMING, prepared_s=9900.0)
    assert (
        next_steps(world(old, warming, target=target, generation=generation("a"), now_s=9999.0))
        == ()
    )


def test_a_newcomer_that_warms_up_for_ever_has_failed_to_join() -> None:
    target, old = Group.of(FULL), node("a", heartbeat_at_s=610.0)
    warming = node("b", FULL, agent_state=AgentState.WARMING, heartbeat_at_s=610.0)
    assert (
        next_steps(world(old, warming, target=target, generation=generation("a"), now_s=614.0))
        == ()
    )
    steps = next_steps(world(old, warming, target=target, generation=generation("a"), now_s=616.0))
    assert steps == (
        TerminateNode(warming, "it was warming up for 10 min", is_failure=True),
        LaunchNodes(target, "price"),
    )


def test_a_member_that_has_not_begun_yet_is_not_ended_for_warming_up() -> None:
    warming = node("a", agent_state=AgentState.WARMING, heartbeat_at_s=699.0)
    assert (
        next_steps(world(warming, target=Group.of(HALF), generation=generation("a"), now_s=700.0))
        == ()
    )


def test_a_draining_generation_ends_when_every_member_has_stopped() -> None:
    draining = generation("a", "b", drain_at_s=95.0)
    stopped = node("a", exit=left(Outcome.DRAINED))
    both = Group.of(HALF, 2)
    assert next_steps(world(stopped, node("b"), target=both, generation=draining)) == ()
    steps = next_steps(
        world(stopped, node("b", exit=left(Outcome.DRAINED)), target=both, generation=draining)
    )
    assert steps == (EndGeneration(1, None),)


def test_a_member_that_never_began_counts_as_stopped_once_it_says_so_after_the_request() -> None:
    draining = generation("a", drain_at_s=95.0)
    for state in (AgentState.IDLE, AgentState.WARMING):
        idle = node("a", agent_state=state, heartbeat_at_s=94.0)
        assert next_steps(world(idle, target=Group.of(HALF), generation=draining)) == ()
        steps = next_steps(
            world(replace(idle, heartbeat_at_s=96.0), target=Group.of(HALF), generation=draining)
        )
        assert steps == (EndGeneration(1, None),)


def test_a_drain_waits_for_a_member_that_stores_its_checkpoint_as_long_as_that_has_patience() -> (
    None
):
    saving, target = node("a", agent_state=AgentState.SAVING, heartbeat_at_s=400.0), Group.of(HALF)
    draining = generation("a", drain_at_s=100.0)
    for now_s, wanted in (
        (161.0, ()),
        (460.0, ()),
        (461.0, (EndGeneration(1, None, is_proven=False),)),
    ):
        assert next_steps(world(saving, target=target, generation=draining, now_s=now_s)) == wanted


def test_a_member_whose_machine_is_being_ended_is_lost_at_once() -> None:
    going, target = node("a", stopping_at_s=99.0), Group.of(HALF)
    steps = next_steps(world(going, target=target, generation=generation("a")))
    assert steps == (LaunchNodes(target, "price"), EndGeneration(1, None))


def test_nothing_is_bought_while_nobody_can_tell_what_machines_there_are() -> None:
    blind = replace(
        world(node("a"), target=Group.of(HALF, 2), generation=generation("a", "b")),
        may_launch=False,
    )
    assert next_steps(blind) == ()
    drained = replace(blind, nodes=(node("a", exit=left(Outcome.FAILED)),))
    assert [type(step) for step in next_steps(drained)] == [DrainGeneration]


def test_a_drain_that_takes_too_long_is_over() -> None:
    draining = generation("a", drain_at_s=30.0)
    (step,) = next_steps(world(node("a"), target=Group.of(HALF), generation=draining))
    assert step == EndGeneration(1, None, is_proven=False), (
        "its workers may live: they must not meet others"
    )


def test_the_old_node_is_ended_only_when_it_trains_no_more() -> None:
    target, old, new = Group.of(FULL), node("a"), node("b", FULL)
    during = next_steps(world(old, new, target=target, generation=generation("a", drain_at_s=95.0)))
    assert not any(isinstance(step, TerminateNode) for step in during)
    after = next_steps(world(old, new, target=target, generation=generation("b", number=2)))
    assert after == (TerminateNode(old, f"the job now wants {target}"),)


def test_keeps_the_members_that_train_when_fewer_are_wanted() -> None:
    idle, member = node("a", agent_state=AgentState.IDLE), node("b")
    steps = next_steps(world(idle, member, target=Group.of(HALF), generation=generation("b")))
    assert [step.node.id for step in steps if isinstance(step, TerminateNode)] == ["a"]


def test_a_dead_node_is_replaced_while_the_others_train_on() -> None:
    steps = next_steps(world(node("a"), target=Group.of(HALF, 2), generation=generation("a", "b")))
    assert steps == (LaunchNodes(Group.of(HALF), "price"),)


def test_a_generation_with_no_member_left_is_over() -> None:
    steps = next_steps(world(target=Group.of(HALF), generation=generation("a")))
    assert steps == (LaunchNodes(Group.of(HALF), "price"), EndGeneration(1, None))


def test_a_job_is_done_when_every_member_that_lives_is() -> None:
    """torchrun ends well after it has waited 300 s for another node's workers, the first rank among
    them perhaps."""
    target, training = Group.of(HALF, 2), generation("a", "b")
    done, also_done = (node(name, exit=left(Outcome.SUCCEEDED)) for name in ("a", "b"))
    assert next_steps(world(done, node("b"), target=target, generation=training)) == ()
    success = (BeginEnding(JobPhase.SUCCEEDED, ""),)
    assert next_steps(world(done, also_done, target=target, generation=training)) == success
    lost = next_steps(world(done, target=Group.of(HALF), generation=training))
    assert lost == success, "the workers that are left have gone on without it"


def test_a_job_that_ends_well_without_an_iteration_says_so() -> None:
    done = node("a", exit=left(Outcome.SUCCEEDED))
    look = world(
        done, target=Group.of(HALF), generation=generation("a"), job=replace(JOB, iteration=0)
    )
    (step,) = next_steps(look)
    assert isinstance(step, BeginEnding)
    assert step.ending is JobPhase.SUCCEEDED
    assert (
        "no iteration was seen" in step.message
        and "from elastic.worker import paramount" in step.message
    )


NOTICE = Notice(NoticeKind.INTERRUPTION, noticed_at_s=80.0, at_s=110.0)
GOING = ({"notice": NOTICE}, {"phase": NodePhase.TERMINATING})


@pytest.mark.parametrize("going", [{}, *GOING])
def test_while_others_than_who_is_done_finish_nothing_is_bought_and_the_group_stays(
    going: dict[str, Any],
) -> None:
    done, others = node("a", exit=left(Outcome.SUCCEEDED), **going), (node("b"), node("c"))
    for target in (Group.of(HALF, 2), Group.of(HALF, 3), Group.of(HALF, 4)):
        assert (
            next_steps(world(done, *others, target=target, generation=generation("a", "b", "c")))
            == ()
        )
    gone = replace(
        world(*others, target=Group.of(HALF, 2), generation=generation("a", "b")),
        done_and_gone=frozenset({"a"}),
    )
    assert next_steps(gone) == ()


@pytest.mark.parametrize("going", GOING)
def test_who_is_not_done_is_replaced_though_others_are(going: dict[str, Any]) -> None:
    done, leaver = node("a", exit=left(Outcome.SUCCEEDED)), node("b", **going)
    members = (done, leaver, node("c"))
    launch, *_ = next_steps(
        world(*members, target=Group.of(HALF, 3), generation=generation("a", "b", "c"))
    )
    assert isinstance(launch, LaunchNodes)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.DRAINED])
def test_a_member_that_ends_otherwise_than_well_keeps_the_job_from_being_done(
    outcome: Outcome,
) -> None:
    ended, done = node("a", exit=left(outcome)), node("b", exit=left(Outcome.SUCCEEDED))
    target, training = Group.of(HALF, 2), generation("a", "b")
    (drain,) = next_steps(world(ended, done, target=target, generation=training))
    assert isinstance(drain, DrainGeneration)
    (over,) = next_steps(
        world(ended, done, target=target, generation=generation("a", "b", drain_at_s=99.0))
    )
    assert over == EndGeneration(1, ended.exit if outcome is Outcome.FAILED else None)


def test_one_member_of_a_session_may_say_that_the_job_is_done() -> None:
    done, session = (
        node("a", exit=left(Outcome.SUCCEEDED)),
        replace(JOB, spec=replace(JOB.spec, mode=Mode.LIVE)),
    )
    steps = next_steps(
        world(
            done, node("b"), target=Group.of(HALF, 2), generation=generation("a", "b"), job=session
        )
    )
    assert steps == (BeginEnding(JobPhase.SUCCEEDED, ""),)


def test_a_failed_member_stops_the_others_then_the_generation_restarts() -> None:
    failed, target = node("a", exit=left(Outcome.FAILED)), Group.of(HALF, 2)
    (drain,) = next_steps(world(failed, node("b"), target=target, generation=generation("a", "b")))
    assert isinstance(drain, DrainGeneration)
    stopped = node("b", exit=left(Outcome.DRAINED))
    draining = generation("a", "b", drain_at_s=99.0)
    assert next_steps(world(failed, stopped, target=target, generation=draining)) == (
        EndGeneration(1, failed.exit),
    )
    over = generation("a", "b", drain_at_s=99.0, ended=True)
    assert next_steps(world(failed, stopped, target=target, generation=over)) == (
        StartGeneration((failed, stopped)),
    )


def test_of_two_failures_the_one_that_only_a_person_can_mend_is_told() -> None:
    failed, torn = left(Outcome.FAILED), replace(left(Outcome.FAILED), needs_person=True)
    members = node("a", exit=failed), node("b", exit=torn)
    draining = generation("a", "b", drain_at_s=99.0)
    assert next_steps(world(*members, target=Group.of(HALF, 2), generation=draining)) == (
        EndGeneration(1, torn),
    )


def test_a_node_has_its_whole_time_to_register_where_the_clouds_clock_is_behind() -> None:
    booting = node(
        "a", phase=NodePhase.BOOTING, joined_at_s=None, heartbeat_at_s=None, intended_at_s=1800.0
    )
    assert next_steps(world(booting, target=Group.of(HALF), now_s=2399.0)) == ()
    assert next_steps(world(booting, target=Group.of(HALF), now_s=2401.0)) != ()


def test_a_node_that_never_registers_is_ended() -> None:
    booting = node(
        "a", phase=NodePhase.BOOTING, joined_at_s=None, heartbeat_at_s=None, launched_at_s=10.0
    )
    steps = next_steps(world(booting, target=Group.of(HALF), now_s=611.0))
    assert steps == (
        TerminateNode(booting, "it did not register for 10 min", is_failure=True),
        LaunchNodes(Group.of(HALF), "price"),
    )


def test_a_node_waits_in_a_queue_as_long_as_it_takes_and_then_has_its_whole_time() -> None:
    booting = node(
        "a", phase=NodePhase.BOOTING, joined_at_s=None, heartbeat_at_s=None, launched_at_s=10.0
    )
    waited = replace(
        world(booting, target=Group.of(HALF), now_s=9_000.0), queued_until_s={booting.id: 9_000.0}
    )
    assert next_steps(waited) == ()
    assert next_steps(replace(waited, now_s=9_599.0)) == ()
    assert next_steps(replace(waited, now_s=9_601.0)) != ()


def test_a_node_that_registers_and_never_speaks_is_a_failure() -> None:
    mute = node("a", heartbeat_at_s=15.0, agent_state=None)
    steps = next_steps(world(mute, target=Group.of(HALF), now_s=700.0))
    assert steps[0] == TerminateNode(mute, "it has been silent for 10 min", is_failure=True)


def test_a_silent_node_begins_no_generation() -> None:
    silent, other = node("a", heartbeat_at_s=0.0), node("b", heartbeat_at_s=700.0)
    steps = next_steps(world(silent, other, target=Group.of(HALF, 2), now_s=701.0))
    assert [type(step) for step in steps] == [TerminateNode, LaunchNodes]


def test_a_silent_node_lives_as_long_as_its_lease() -> None:
    silent = node("a", heartbeat_at_s=100.0)
    training = generation("a")
    assert next_steps(world(silent, target=Group.of(HALF), generation=training, now_s=699.0)) == ()
    steps = next_steps(world(silent, target=Group.of(HALF), generation=training, now_s=701.0))
    assert [step.reason for step in steps if isinstance(step, TerminateNode)] == [
        "it has been silent for 10 min"
    ]


def test_an_ending_job_drains_then_ends_its_nodes_then_is_over() -> None:
    ending = replace(JOB, phase=JobPhase.DRAINING, ending=JobPhase.CANCELLED)
    (drain,) = next_steps(world(node("a"), generation=generation("a"), job=ending))
    assert isinstance(drain, DrainGeneration)
    over = generation("a", ended=True)
    assert next_steps(world(node("a"), generation=over, job=ending)) == (
        TerminateNode(node("a"), "the job is ending"),
    )
    dying = node("a", phase=NodePhase.TERMINATING)
    assert next_steps(world(dying, generation=over, job=ending)) == ()
    assert next_steps(world(generation=over, job=ending)) == (FinishJob(JobPhase.CANCELLED),)
