"""Nodes that are cut off hold nobody up: who can be heard goes on, and machines are ended no
earlier for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.durations import RETRY_S
from elastic.model import (
    Action,
    AgentState,
    Exit,
    Group,
    JobPhase,
    Mode,
    Node,
    NodePhase,
    Outcome,
    Plan,
    Reason,
    Snapshot,
)
from elastic.reconciler import (
    AlarmKind,
    DrainGeneration,
    EndGeneration,
    GroupLiveness,
    StartGeneration,
    TerminateNode,
    World,
    next_steps,
)
from tests.reconciler.still_worlds import members, still, three
from tests.reconciler.virtual import SMALL, VirtualCluster
from tests.reconciler.worlds import HALF, JOB, generation, node, overdue_after, world


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    """Three nodes that train together."""
    cluster = VirtualCluster(tmp_path, three)
    cluster.submit()
    cluster.run(20)
    return cluster


def texts(cluster: VirtualCluster, kind: str) -> list[str]:
    return [each.text for each in cluster.store.events.listed(limit=500) if each.kind == kind]


@pytest.mark.parametrize("place", [0, 2])
def test_the_others_go_on_without_a_node_that_is_cut_off(
    cluster: VirtualCluster, place: int
) -> None:
    (job,) = cluster.store.jobs.listed()
    lost = members(cluster)[place]
    cluster.cut.add(lost)
    before = cluster.done[job.id]
    cluster.run(7)
    assert set(members(cluster)) < {each.id for each in cluster.store.nodes.listed()}
    assert lost not in members(cluster)
    assert cluster.done[job.id] > before
    assert texts(cluster, "hung") == [f"no heartbeat from {lost}, and the others stand still"]
    assert job.id in cluster.rendezvous.ended, (
        "who was cut off may not meet the others of its generation again"
    )
    assert [each.phase for each in cluster.store.nodes.listed()] == [NodePhase.JOINED] * 3, (
        "it is paid until its lease ends"
    )
    assert texts(cluster, "failure") == []


def test_a_node_that_is_heard_again_comes_back(cluster: VirtualCluster) -> None:
    lost = members(cluster)[1]
    cluster.cut.add(lost)
    cluster.run(20)
    cluster.cut.clear()
    cluster.run(10)
    assert lost in members(cluster)
    assert texts(cluster, "node_terminating") == []


@pytest.mark.timeout(300)  # ten minutes of three nodes, second by second: 8 s of CPU
def test_a_node_that_stays_cut_off_is_replaced_when_its_lease_ends(cluster: VirtualCluster) -> None:
    lost = members(cluster)[1]
    cluster.cut.add(lost)
    cluster.run(590)
    assert len(cluster.store.nodes.listed()) == 3
    cluster.run(30)
    assert lost not in {
        each.id for each in cluster.store.nodes.listed() if each.phase is NodePhase.JOINED
    }
    assert len(members(cluster)) == 3


def test_nobody_is_drained_where_too_few_would_be_left(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, three)
    cluster.submit(nodes_min=3)
    cluster.run(20)
    cluster.cut.add(members(cluster)[0])
    cluster.run(100)
    assert texts(cluster, "hung") == [], "the link may come back, and they go on where they were"


def test_a_job_that_stands_still_is_an_alarm_until_it_goes_on(tmp_path: Path) -> None:
    cluster = VirtualCluster(tmp_path, three)
    job = cluster.submit(nodes_min=3)
    cluster.run(20)
    lost = members(cluster)[0]
    cluster.cut.add(lost)
    cluster.run(59)
    assert cluster.reconciler.alarms.current(now_s=cluster.clock.now_s()) == ()
    cluster.run(10)
    (alarm,) = cluster.reconciler.alarms.current(now_s=cluster.clock.now_s())
    assert alarm.kind is AlarmKind.STANDSTILL and alarm.kind.is_of_jobs
    assert alarm.text.startswith("job job: no turn for 1 min") and alarm.text.endswith(
        f"; no heartbeat from {lost}"
    )
    cluster.cut.clear()
    cluster.run(5)
    assert cluster.reconciler.alarms.current(now_s=cluster.clock.now_s()) == ()
    told = [
        each for each in cluster.store.events.listed(limit=500) if each.kind.startswith("alarm")
    ]
    assert [(each.kind, each.job_id) for each in told] == [
        ("alarm", job.id),
        ("alarm_over", job.id),
    ]
    assert told[1].text == "standstill: turns are made again"


@pytest.mark.parametrize(
    ("turns_s", "longest_s", "is_drained"),
    [
        (1.0, 1.0, False),
        (11.0, 1.0, True),
        (30.0, 20.0, False),
        (40.1, 20.0, True),
        (310.0, 900.0, True),
    ],
)
def test_who_trains_on_or_has_paused_as_long_before_is_left_alone(
    turns_s: float, longest_s: float, is_drained: bool
) -> None:
    heard = still("a", turns_s, longest_s=longest_s)
    steps = next_steps(
        world(
            heard,
            still("b", 0.1, longest_s=longest_s, heard_s=80.0),
            target=Group.of(HALF, 2),
            generation=generation("a", "b"),
        )
    )
    assert bool(steps) == is_drained


@pytest.mark.parametrize(
    ("turns_s", "silent_s", "is_drained"),
    [
        (2.6, 3.1, True),
        (2.4, 3.1, False),
        (2.6, 2.9, False),
        (12.0, 5.9, False),
        (12.0, 6.1, True),
        (60.0, 10.1, True),
    ],
)
def test_who_is_silent_for_as_long_as_the_others_stand_still_is_soon_cut_off(
    turns_s: float, silent_s: float, is_drained: bool
) -> None:
    """Who was heard for long after the others' last turn may be slow, and they may wait for
    that."""
    pair = still("a", turns_s), still("b", 0.1, heard_s=100.0 - silent_s)
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    assert bool(next_steps(look)) == is_drained


def test_who_is_silent_while_nobody_was_heard_is_not_cut_off() -> None:
    """The daemon, or all of the machine, stood still: who hangs is heard again first."""
    pair = still("a", 6.0), still("b", 0.1, heard_s=95.0)
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    assert next_steps(look)
    assert next_steps(replace(look, gaps=((94.0, 60.0),))), "it was heard since"
    assert not next_steps(replace(look, gaps=((99.0, 3.0),)))
    assert next_steps(
        replace(
            look, now_s=103.0, gaps=((99.0, 3.0),), nodes=(still("a", 8.5, heard_s=102.5), pair[1])
        )
    )


def test_who_is_left_may_speak_slowly_and_the_other_one_is_silent_all_the_same() -> None:
    pair = still("a", 9.0), still("b", 0.1, heard_s=91.0)
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    assert next_steps(replace(look, gaps=tuple((92.5 + 1.6 * i, 0.6) for i in range(5))))


def test_generations_that_hung_double_the_patience_beyond_that_with_any_silence() -> None:
    """A pause that comes with a silence of its own, as a checkpoint that fills a link does, is
    given its time."""
    pair = still("a", 6.0), still("b", 0.1, heard_s=95.0)
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    assert [bool(next_steps(replace(look, hung=hung))) for hung in (0, 1, 4)] == [
        True,
        False,
        False,
    ]
    for hung, patience_s in ((2, 12.0), (3, 24.0), (4, 48.0), (7, 48.0)):
        for silent_s, is_drained in ((patience_s - 0.1, False), (patience_s + 0.1, True)):
            for heard_s in (99.0, 98.0):  # a heartbeat that is late changes nothing
                pair = still("a", 60.0, heard_s=heard_s), still("b", 0.1, heard_s=100.0 - silent_s)
                later = replace(look, nodes=pair, hung=hung)
                assert bool(next_steps(later)) == is_drained
                assert GroupLiveness(later).is_about_to_be_cut_off == (
                    heard_s > 98.0 and not is_drained
                )


def test_who_saves_is_not_ended_for_one_that_is_done_and_gone_silent() -> None:
    done = replace(
        still("b", 0.1, heard_s=95.0),
        agent_state=AgentState.IDLE,
        exit=Exit(1, Outcome.SUCCEEDED, exit_code=0),
    )
    assert not next_steps(
        world(still("a", 8.0), done, target=Group.of(HALF, 2), generation=generation("a", "b"))
    )


def test_a_node_that_tells_of_no_turns_keeps_nobody_from_learning() -> None:
    mute = node("b", heartbeat_at_s=99.0, agent_generation=1)
    look = world(
        still("a", 0.1, longest_s=7.0),
        mute,
        target=Group.of(HALF, 2),
        generation=generation("a", "b"),
    )
    assert GroupLiveness(look).newly_learned_s == 7.0
    assert GroupLiveness(replace(look, nodes=look.nodes[:1])).newly_learned_s is None, (
        "who is gone may have known better"
    )


@pytest.mark.parametrize(
    ("turns_s", "silent_s", "mode", "looks"),
    [
        (2.6, 2.9, Mode.RESTART, True),
        (2.6, 1.4, Mode.RESTART, False),
        (2.4, 2.9, Mode.RESTART, False),
        (2.6, 3.1, Mode.RESTART, False),
        (2.6, 2.9, Mode.LIVE, False),
    ],
)
def test_a_node_that_has_missed_a_heartbeat_is_looked_at_again_soon_while_others_stand_still(
    turns_s: float, silent_s: float, mode: Mode, looks: bool
) -> None:
    pair = still("a", turns_s), still("b", 0.1, heard_s=100.0 - silent_s)
    job = replace(JOB, spec=replace(JOB.spec, mode=mode))
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"), job=job)
    assert GroupLiveness(look).is_about_to_be_cut_off == looks
    assert not GroupLiveness(replace(look, generation=None)).is_about_to_be_cut_off


def test_a_tick_that_waits_for_a_node_to_be_cut_off_asks_for_the_next_one(
    cluster: VirtualCluster,
) -> None:
    cluster.cut.add(members(cluster)[2])
    cluster.run(2)
    asked_s = []
    for _ in range(3):
        asked_s.append(cluster.reconciler.tick(now_s=cluster.clock.now_s()))
        cluster.run(1, ticking=False)
    assert asked_s == [None, RETRY_S, None]
    assert texts(cluster, "hung") != []


def test_a_generation_that_hung_waits_no_longer_for_who_is_cut_off() -> None:
    done = replace(still("a", 1.0), agent_state=AgentState.IDLE)
    target, lost = Group.of(HALF, 2), still("b", 0.1, heard_s=96.0)
    draining = generation("a", "b", drain_at_s=97.0)
    (step, *_) = next_steps(
        world(done, lost, target=target, generation=replace(draining, hangs=True))
    )
    assert step == EndGeneration(1, None, is_proven=False)
    assert next_steps(world(done, lost, target=target, generation=draining)) == (), (
        "it may only be slow"
    )
    over = generation("a", "b", ended=True)
    assert next_steps(world(done, lost, target=target, generation=replace(over, hangs=True))) == (
        StartGeneration((done,)),
    )
    assert next_steps(world(done, lost, target=target, generation=over)) == (
        StartGeneration((done, lost)),
    )


def test_a_silent_daemon_or_a_session_misses_nobody() -> None:
    silent, target = [still(name, 60.0, heard_s=50.0) for name in "ab"], Group.of(HALF, 2)
    assert next_steps(world(*silent, target=target, generation=generation("a", "b"))) == ()
    pair = [still("a", 60.0), still("b", 60.0, heard_s=50.0)]
    assert (
        next_steps(
            world(*pair, target=target, generation=generation("a", "b"), listening_since_s=95.0)
        )
        == ()
    )
    session = replace(JOB, spec=replace(JOB.spec, mode=Mode.LIVE))
    assert (
        next_steps(world(*pair, target=target, generation=generation("a", "b"), job=session)) == ()
    )


def test_a_drain_waits_for_nobody_who_could_not_hear_of_it() -> None:
    done = replace(still("a", 1.0), agent_state=AgentState.IDLE)
    target, lost = Group.of(HALF, 2), still("b", 0.1, heard_s=80.0)
    (step, *_) = next_steps(
        world(done, lost, target=target, generation=generation("a", "b", drain_at_s=85.0))
    )
    assert step == EndGeneration(1, None, is_proven=False)
    assert (
        next_steps(
            world(done, lost, target=target, generation=generation("a", "b", drain_at_s=75.0))
        )
        == ()
    )


def test_a_newcomer_is_waited_for_until_it_has_ended_what_it_ran() -> None:
    target, old = Group.of(HALF, 2), generation("a", number=2)
    busy = node("b", agent_generation=1)
    assert next_steps(world(node("a"), busy, target=target, generation=old)) == ()
    idle = replace(busy, agent_state=AgentState.IDLE)
    (step,) = next_steps(world(node("a"), idle, target=target, generation=old))
    assert isinstance(step, DrainGeneration)


def test_a_generation_begins_without_who_is_cut_off() -> None:
    over, target = generation("a", "b", ended=True), Group.of(HALF, 2)
    heard, lost = node("a"), node("b", heartbeat_at_s=80.0)
    assert next_steps(world(heard, lost, target=target, generation=over)) == (
        StartGeneration((heard,)),
    )
    assert next_steps(world(heard, lost, target=target)) == (), "the first one waits for all"


def test_a_daemon_that_was_away_counts_on_nobody_whom_it_has_not_heard_since() -> None:
    target, pair, comes = Group.of(HALF, 3), generation("a", "b"), node("c")
    cut = node("b", heartbeat_at_s=80.0, agent_generation=1)
    looks = [
        world(node("a"), cut, comes, target=target, generation=each)
        for each in (pair, replace(pair, ended_at_s=90.0))
    ]
    for look in looks:
        assert next_steps(replace(look, listening_since_s=95.0)) == (), "it may be cut off still"
        back = replace(
            look, listening_since_s=95.0, nodes=(node("a"), node("b", agent_generation=1), comes)
        )
        assert len(next_steps(back)) == 1
    session = replace(looks[0], job=SESSION, listening_since_s=95.0)
    assert len(next_steps(session)) == 1, "its members find out by themselves"


def test_after_a_restart_who_is_left_of_a_generation_begins_once_all_of_them_are_heard() -> None:
    over, target, silent = (
        generation("a", "b", "gone", ended=True),
        Group.of(HALF, 3),
        node("b", heartbeat_at_s=94.0),
    )
    look = world(node("a"), silent, target=target, generation=over, listening_since_s=95.0)
    assert not [each for each in next_steps(look) if isinstance(each, StartGeneration)]
    pair = node("a"), node("b")
    assert StartGeneration(pair) in next_steps(replace(look, nodes=pair))


def test_after_a_restart_no_generation_is_drained_for_one_that_cannot_come_about(
    tmp_path: Path,
) -> None:
    wanted = 2

    def told(snapshot: Snapshot) -> Plan:
        group = Group.of(SMALL, wanted)
        return Plan(
            Action.HOLD if snapshot.target == group else Action.START,
            group,
            Reason("told", "as told"),
        )

    cluster = VirtualCluster(tmp_path, told)
    cluster.submit(nodes_min=2)
    cluster.run(20)
    cluster.cut.add(members(cluster)[0])
    cluster.run(20)
    wanted = 3
    cluster.restart()
    cluster.run(60)
    (job,) = cluster.store.jobs.listed()
    generation = cluster.store.generations.latest(job.id)
    assert generation is not None and generation.drain_at_s is None
    cluster.cut.clear()
    cluster.run(20)
    assert len(members(cluster)) == 3


SESSION = replace(JOB, spec=replace(JOB.spec, mode=Mode.LIVE))


def session_of(*nodes: Node, **changes: object) -> World:
    base = world(*nodes, target=Group.of(HALF, 2), generation=generation("a", "b"), job=SESSION)
    return replace(overdue_after(base, 60.0), **changes)  # type: ignore[arg-type]  # tests name what they are about


def test_a_member_that_trains_with_nobody_is_told_of_and_in_the_end_replaced() -> None:
    others = still("a", 0.2)
    for still_s, is_told, is_ended in (
        (59.0, False, False),
        (61.0, True, False),
        (301.0, True, True),
    ):
        alone = still("b", still_s)
        look = session_of(others, alone)
        assert [each.node_id for each in GroupLiveness(look).idle() or ()] == ["b"] * is_told
        ended = [step for step in next_steps(look) if isinstance(step, TerminateNode)]
        why = "it trained alone for 5 min, while others went on"
        assert ended == [TerminateNode(alone, why, is_failure=True)] * is_ended


def test_a_member_that_waits_to_come_in_or_follows_a_long_pause_is_in_nobodys_way() -> None:
    others, slow = still("a", 0.2), still("b", 301.0, longest_s=200.0)
    starting = replace(still("b", 301.0), agent_state=AgentState.STARTING)
    for each in (slow, starting, still("b", 301.0, heard_s=10.0)):
        assert (
            GroupLiveness(session_of(others, each)).idle(),
            next_steps(session_of(others, each)),
        ) == ((), ())


def test_nothing_is_an_alarm_before_the_first_turns_or_while_it_is_drained_or_where_that_is_not_wanted() -> (
    None
):
    look = session_of(still("a", 61.0), still("b", 61.0))
    assert [each.text for each in GroupLiveness(look).idle() or ()] == ["no turn for 1 min 1 s"]
    assert GroupLiveness(overdue_after(look, 0.0)).idle() == ()
    assert (
        GroupLiveness(replace(look, generation=generation("a", "b", drain_at_s=90.0))).idle()
        is None
    )
    assert GroupLiveness(replace(look, generation=None)).idle() is None
    assert GroupLiveness(session_of(node("a"), node("b"))).idle() is None
    paused = session_of(*(still(name, 61.0, longest_s=30.0) for name in "ab"))
    assert GroupLiveness(paused).idle() == (), "it has paused for long before"


def test_a_job_that_stands_still_begins_anew_with_growing_patience() -> None:
    def look(still_s: float, *, hung: int = 0, longest_s: float = 1.0) -> World:
        pair = [still(name, still_s, longest_s=longest_s) for name in "ab"]
        group = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
        return replace(overdue_after(group, 60.0), hung=hung)

    assert next_steps(look(599.0)) == ()
    why = "no turn for 10 min 1 s: the workers restart on the same nodes"
    assert next_steps(look(601.0)) == (DrainGeneration(1, why, hangs=True),)
    assert next_steps(look(601.0, longest_s=101.0)) == (), "it has paused for long before"
    assert next_steps(look(1199.0, hung=1)) == ()
    assert len(next_steps(look(1201.0, hung=1))) == 1
    assert len(next_steps(look(9601.0, hung=7))) == 1
    assert next_steps(overdue_after(look(601.0), 0.0)) == ()
    assert (
        next_steps(replace(look(601.0), nodes=(still("a", 601.0), still("b", 601.0, heard_s=80.0))))
        != ()
    )
    alone = replace(look(601.0), job=replace(JOB, spec=replace(JOB.spec, nodes_min=2)))
    silent = (still("a", 601.0), still("b", 601.0, heard_s=80.0))
    assert next_steps(replace(alone, nodes=silent)) == (), "the link may come back"


def hang(cluster: VirtualCluster, lost: str, *, iteration: int | None = None) -> None:
    """Cuts a node off until the others go on without it, from this iteration if one is named, and
    lets it come back."""
    (job,) = cluster.store.jobs.listed()
    for is_cut in (True, False):
        (cluster.cut.add if is_cut else cluster.cut.discard)(lost)
        for _ in range(60):
            if (lost in members(cluster)) is is_cut:
                cluster.run(1)
        cluster.done[job.id] = cluster.done[job.id] if iteration is None else iteration
        assert (lost in members(cluster)) is not is_cut


def test_generations_that_stood_still_are_counted_until_one_makes_turns_for_long(
    cluster: VirtualCluster,
) -> None:
    (job,) = cluster.store.jobs.listed()
    lost = members(cluster)[1]
    counted = []
    for _ in range(3):
        hang(cluster, lost)
        counted.append(cluster.store.facts.of(job.id, now_s=0.0).hung)
        cluster.run(5)
    assert counted == [1, 2, 3], "the survivors' generations between them were short"
    cluster.run(100)
    assert cluster.store.facts.of(job.id, now_s=0.0).hung == 3
    hang(cluster, lost)
    assert cluster.store.facts.of(job.id, now_s=0.0).hung == 1, (
        "the one that hung last had gone on for long"
    )


def test_generations_that_stand_still_again_and_again_are_failures_where_nothing_comes_of_them(
    cluster: VirtualCluster,
) -> None:
    (job,) = cluster.store.jobs.listed()
    lost = members(cluster)[1]
    cluster.done[job.id] = 0
    for count in range(4):
        assert len(texts(cluster, "failure")) == max(count - 2, 0)
        hang(cluster, lost, iteration=0)
    cluster.cut.add(lost)
    cluster.run(120)
    ended = cluster.store.jobs.get(job.id)
    assert ended.ending is JobPhase.FAILED
    why = f"no heartbeat from {lost}, and the others stand still"
    assert ended.message == f"3 failures in a row without progress; {why}"


@pytest.mark.parametrize("state", [AgentState.SAVING, AgentState.EXITED])
def test_nobody_is_hurried_while_a_member_stores_what_it_has_come_to(state: AgentState) -> None:
    pair = still("a", 9601.0), replace(still("b", 9601.0), agent_state=state)
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    for hung in (0, 7):
        waiting = replace(overdue_after(look, 60.0), hung=hung)
        assert (GroupLiveness(waiting).idle(), next_steps(waiting)) == (None, ())
    three = world(
        *pair,
        still("c", 0.1, heard_s=80.0),
        target=Group.of(HALF, 3),
        generation=generation("a", "b", "c"),
    )
    assert next_steps(three) == ()


def test_a_member_is_outside_however_long_the_turns_of_the_others_are() -> None:
    slow, alone = still("a", 25.0, longest_s=30.0), still("b", 100.0, longest_s=30.0)
    assert [each.node_id for each in GroupLiveness(session_of(slow, alone)).idle() or ()] == ["b"]
