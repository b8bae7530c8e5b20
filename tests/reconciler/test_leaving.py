"""A node that the cloud takes back: replaced at once, trained on as long as it is safe, ended
before its time."""

from __future__ import annotations

from dataclasses import replace

from elastic.model import (
    Capacity,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodePhase,
    Notice,
    NoticeKind,
    Offering,
    Outcome,
)
from elastic.reconciler import (
    DrainGeneration,
    EndGeneration,
    LaunchNodes,
    StartGeneration,
    TerminateNode,
    next_steps,
)
from elastic.reconciler.loop import to_be_left_alone
from tests.reconciler.worlds import generation, left, node, world

SPOT = Offering("c5.large", Capacity.SPOT, "us-east-1a")
ONE, TWO = Group.of(SPOT), Group.of(SPOT, 2)
BACK = "the cloud takes it back at 1970-01-01T00:03:20Z"
# With a grace of 30 s and 15 s to react, as the tests' world has them: at 155 s a drain must begin.
NOTICE = Notice(NoticeKind.INTERRUPTION, noticed_at_s=80.0, at_s=200.0, action="terminate")


def test_an_interruption_counts_against_its_market_where_another_zone_sells_the_same() -> None:
    other_zone = Offering("c5.large", Capacity.SPOT, "us-east-1b")
    otherwise = (
        SPOT,
        Offering("c5.large", Capacity.ON_DEMAND, "us-east-1b"),
        Offering("m5.large", Capacity.SPOT, "b"),
    )
    assert to_be_left_alone([leaver("a")], otherwise) == frozenset()
    assert to_be_left_alone([leaver("a")], (*otherwise, other_zone)) == {SPOT}
    assert to_be_left_alone([node("a", SPOT)], (*otherwise, other_zone)) == frozenset()
    both = [leaver("a"), replace(leaver("b"), offering=other_zone)]
    assert to_be_left_alone(both, (*otherwise, other_zone)) == frozenset()


def leaver(name: str, phase: NodePhase = NodePhase.JOINED, **changes: object) -> Node:
    return node(name, SPOT, phase, notice=NOTICE, **changes)


def booting(name: str) -> Node:
    return node(name, SPOT, NodePhase.BOOTING, joined_at_s=None, heartbeat_at_s=None)


def test_its_replacement_is_bought_at_once_and_training_goes_on() -> None:
    assert next_steps(world(leaver("a"), target=ONE, generation=generation("a"))) == (
        LaunchNodes(Group.of(SPOT), "interruption"),
    )
    assert (
        next_steps(world(leaver("a"), booting("b"), target=ONE, generation=generation("a"))) == ()
    )


def test_it_is_left_when_its_replacement_has_joined() -> None:
    new = node("b", SPOT)
    (drain,) = next_steps(world(leaver("a"), new, target=ONE, generation=generation("a")))
    assert drain == DrainGeneration(1, f"the group changes to {ONE}")
    stopped = leaver("a", exit=left(Outcome.DRAINED))
    assert next_steps(
        world(stopped, new, target=ONE, generation=generation("a", drain_at_s=99.0))
    ) == (EndGeneration(1, None),)
    steps = next_steps(
        world(stopped, new, target=ONE, generation=generation("a", drain_at_s=99.0, ended=True))
    )
    assert steps == (StartGeneration((new,)), TerminateNode(stopped, BACK))


def test_without_a_replacement_it_trains_until_the_last_safe_instant() -> None:
    for now_s, wanted in ((154.9, ()), (155.0, (DrainGeneration(1, f"a: {BACK}"),))):
        steps = next_steps(
            world(leaver("a"), booting("b"), target=ONE, generation=generation("a"), now_s=now_s)
        )
        assert steps == wanted


def test_the_last_safe_instant_leaves_room_for_storing_the_checkpoint() -> None:
    slow = leaver("a", saving_s=20.0)
    for now_s, wanted in ((134.9, ()), (135.0, (DrainGeneration(1, f"a: {BACK}"),))):
        assert (
            next_steps(
                world(slow, booting("b"), target=ONE, generation=generation("a"), now_s=now_s)
            )
            == wanted
        )


def test_the_first_of_several_leavers_sets_the_instant() -> None:
    later = node("b", SPOT, notice=replace(NOTICE, at_s=210.0))
    now = world(
        later,
        leaver("a"),
        booting("c"),
        booting("d"),
        target=TWO,
        generation=generation("a", "b"),
        now_s=155.0,
    )
    assert next_steps(now) == (DrainGeneration(1, f"a: {BACK}"),)


def test_it_is_ended_before_its_time_though_nothing_has_replaced_it() -> None:
    stopped = leaver("a", exit=left(Outcome.DRAINED))
    over = generation("a", drain_at_s=155.0, ended=True)
    assert next_steps(world(stopped, booting("b"), target=ONE, generation=over, now_s=160.0)) == (
        TerminateNode(stopped, BACK),
    )


def test_the_others_go_on_without_it_where_they_are_enough() -> None:
    rest = node("b", SPOT, exit=left(Outcome.DRAINED))
    over = generation("a", "b", drain_at_s=155.0, ended=True)
    now = world(leaver("a"), rest, booting("c"), target=TWO, generation=over, now_s=160.0)
    assert next_steps(now) == (StartGeneration((rest,)), TerminateNode(leaver("a"), BACK))


def test_the_others_wait_where_they_are_too_few() -> None:
    job = Job(
        "job-1",
        JobSpec("j", ("train.py",), nodes_min=2, nodes_max=2),
        JobPhase.RUNNING,
        submitted_at_s=0.0,
    )
    rest = node("b", SPOT, exit=left(Outcome.DRAINED))
    over = generation("a", "b", drain_at_s=155.0, ended=True)
    now = world(leaver("a"), rest, booting("c"), target=TWO, generation=over, job=job, now_s=160.0)
    assert next_steps(now) == (TerminateNode(leaver("a"), BACK),)


def test_a_group_that_lost_nobody_waits_for_all_it_wants() -> None:
    over = generation("b", drain_at_s=155.0, ended=True)
    assert (
        next_steps(world(node("b", SPOT), booting("c"), target=TWO, generation=over, now_s=160.0))
        == ()
    )


def test_the_others_grow_again_when_the_replacement_has_joined() -> None:
    now = world(node("b", SPOT), node("c", SPOT), target=TWO, generation=generation("b", number=2))
    assert next_steps(now) == (DrainGeneration(2, f"the group changes to {TWO}"),)


def test_workers_that_stopped_by_themselves_on_a_leaving_node_are_no_failure() -> None:
    for member in (leaver("a"), leaver("a", phase=NodePhase.TERMINATING)):
        rest = node("b", SPOT, exit=left(Outcome.DRAINED))
        steps = next_steps(world(member, rest, target=TWO, generation=generation("a", "b")))
        assert DrainGeneration(1, "a node's workers ended", None) in steps


def test_workers_that_stopped_by_themselves_elsewhere_are_one() -> None:
    rest = node("b", SPOT, exit=left(Outcome.DRAINED))
    steps = next_steps(world(node("a", SPOT), rest, target=TWO, generation=generation("a", "b")))
    assert steps == (DrainGeneration(1, "a node's workers ended", left(Outcome.DRAINED)),)


def test_a_node_that_leaves_before_it_trained_is_ended_and_replaced() -> None:
    steps = next_steps(world(leaver("a"), target=ONE))
    assert steps == (LaunchNodes(Group.of(SPOT), "interruption"), TerminateNode(leaver("a"), BACK))


def test_a_recommendation_to_rebalance_changes_nothing() -> None:
    hint = Notice(NoticeKind.REBALANCE, noticed_at_s=80.0)
    now = world(node("a", SPOT, notice=hint), target=ONE, generation=generation("a"), now_s=1000.0)
    silent_since = replace(now, nodes=(node("a", SPOT, notice=hint, heartbeat_at_s=999.0),))
    assert next_steps(silent_since) == ()
