"""A job's own pauses are known on every node that it has, and an alarm stands until turns are made
again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Group, JobPhase, Pulse
from elastic.reconciler import GroupLiveness, Idle, next_steps
from tests.reconciler.still_worlds import members, still, three
from tests.reconciler.virtual import VirtualCluster
from tests.reconciler.worlds import HALF, generation, node, overdue_after, world


@pytest.mark.parametrize(
    ("longest_s", "learnt_s", "known_s", "bound_s"),
    [
        ((1.0, 1.0), (None, None), None, 10.0),  # a first pause of 10 s would be no surprise
        ((1.0, 1.0), (1.0, None), None, 10.0),
        ((1.0, 1.0), (1.0, 1.0), None, 2.5),
        ((1.0, 1.0), (None, None), 1.0, 2.5),  # new nodes of a job that is known
        ((0.0, 0.0), (None, None), 20.0, 40.0),
        (
            (27.0, 1.0),
            (27.0, 1.0),
            None,
            2.5,
        ),  # a link was cut: only the other node heard the daemon meanwhile
        ((27.0, 30.0), (1.0, 1.0), 1.0, 54.0),  # turns go on again since a moment ago
        ((27.0, 30.0), (27.0, 30.0), 1.0, 54.0),
    ],
)
def test_a_jobs_own_pause_is_what_all_its_members_have_told_of(
    longest_s: tuple[float, float],
    learnt_s: tuple[float | None, float | None],
    known_s: float | None,
    bound_s: float,
) -> None:
    for still_s, is_drained in ((bound_s - 0.1, False), (bound_s + 0.1, True)):
        heard, lost = (
            node(
                name,
                heartbeat_at_s=heard_s,
                agent_generation=1,
                pulse=Pulse(each_s, longest, learnt),
            )
            for name, each_s, heard_s, longest, learnt in zip(
                "ab", (still_s, 0.1), (99.0, 50.0), longest_s, learnt_s, strict=True
            )
        )
        look = world(heard, lost, target=Group.of(HALF, 2), generation=generation("a", "b"))
        assert bool(next_steps(replace(look, longest_pause_s=known_s))) == is_drained


@pytest.mark.parametrize(
    ("known_s", "turns_s", "silent_s", "looks"),
    [
        (None, 2.6, 2.9, False),
        (None, 5.1, 2.9, True),
        (1.0, 2.6, 2.9, True),
        (None, 9.9, 10.1, True),
        (None, 10.1, 10.2, False),
        (20.0, 39.9, 40.1, True),
        (20.0, 34.9, 35.1, False),
    ],
)
def test_who_will_soon_be_found_to_hang_is_looked_at_again(
    known_s: float | None, turns_s: float, silent_s: float, looks: bool
) -> None:
    """Also where the other one has been silent for long: that is known before it is of use."""
    pair = [
        node(name, heartbeat_at_s=heard_s, agent_generation=1, pulse=Pulse(still_s, 0.5))
        for name, still_s, heard_s in (("a", turns_s, 99.0), ("b", 0.1, 100.0 - silent_s))
    ]
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    assert GroupLiveness(replace(look, longest_pause_s=known_s)).is_about_to_be_cut_off == looks


def test_what_all_members_tell_of_is_learnt_once_and_only_where_it_is_news() -> None:
    def learnt(
        *told_s: float | None, known_s: float | None = None, members: str = "ab"
    ) -> float | None:
        nodes = [
            node(name, agent_generation=1, pulse=Pulse(0.1, 50.0, each))
            for name, each in zip(members, told_s, strict=True)
        ]
        look = world(*nodes, target=Group.of(HALF, 2), generation=generation("a", "b"))
        return GroupLiveness(replace(look, longest_pause_s=known_s)).newly_learned_s

    assert learnt(45.0, 44.0) == 44.0
    assert learnt(45.0, 0.0) == 0.0, "it is known now, and short"
    assert learnt(45.0, 1.0, known_s=2.0) is None
    assert learnt(45.0, 44.0, known_s=41.0) is None
    assert learnt(45.0, 44.0, known_s=30.0) == 44.0
    assert learnt(45.0, None) is None
    assert learnt(45.0, members="a") is None, "the other one's machine is gone"
    assert GroupLiveness(world(node("a"))).newly_learned_s is None


def test_what_was_said_to_an_earlier_daemon_says_nothing_of_now() -> None:
    pair = [still("a", 61.0, heard_s=90.0), still("b", 61.0, heard_s=90.0)]
    look = world(*pair, target=Group.of(HALF, 2), generation=generation("a", "b"))
    assert [each.text for each in GroupLiveness(overdue_after(look, 60.0)).idle() or ()] == [
        "no turn for 1 min 1 s"
    ]
    assert GroupLiveness(replace(overdue_after(look, 60.0), listening_since_s=95.0)).idle() is None
    trained = [replace(each, pulse=Pulse(0.1, 1.0, 1.0)) for each in pair]
    earlier = replace(overdue_after(look, 60.0), nodes=tuple(trained))
    assert (
        GroupLiveness(earlier).idle() == ()
        and GroupLiveness(replace(earlier, listening_since_s=95.0)).idle() is None
    )


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    """Three nodes that train together, and do not go on without one of them."""
    cluster = VirtualCluster(tmp_path, three)
    cluster.submit(nodes_min=3)
    cluster.run(20)
    return cluster


def told(cluster: VirtualCluster) -> list[tuple[str, str]]:
    return [
        (each.kind, each.text)
        for each in cluster.store.events.listed(limit=500)
        if each.kind.startswith("alarm")
    ]


def standing(cluster: VirtualCluster) -> list[str]:
    (job,) = cluster.store.jobs.listed()
    return [each.sentence for each in cluster.store.alarms.standing(job.id)]


def test_a_pause_of_the_job_is_on_record_for_its_next_nodes(cluster: VirtualCluster) -> None:
    (job,) = cluster.store.jobs.listed()
    assert cluster.store.facts.of(job.id, now_s=0.0).longest_pause_s == 1.0
    cluster.store.jobs.learn_pause(job.id, 45.0)
    cluster.store.jobs.learn_pause(job.id, 30.0)
    assert cluster.store.facts.of(job.id, now_s=0.0).longest_pause_s == 45.0
    cluster.cut.add(members(cluster)[0])
    cluster.run(130)
    assert told(cluster) == [], "the job has paused for 45 s before"
    cluster.run(10)
    assert [kind for kind, _ in told(cluster)] == ["alarm"]


def test_an_alarm_stands_while_nobody_can_tell_and_until_turns_are_made(
    cluster: VirtualCluster,
) -> None:
    lost = members(cluster)[0]
    cluster.cut.add(lost)
    cluster.run(80)
    (alarm,) = told(cluster)
    assert alarm[1].endswith(f"no heartbeat from {lost}")
    (job,) = cluster.store.jobs.listed()
    cluster.store.generations.drain(job.id, 1, now_s=cluster.clock.now_s())
    for agent in cluster.agents.values():
        agent.turned_at_s = None
    cluster.run(30)
    assert told(cluster) == [alarm] and standing(cluster) != []
    cluster.cut.clear()
    cluster.run(20)
    assert told(cluster) == [alarm, ("alarm_over", "standstill: turns are made again")]
    assert standing(cluster) == []


def test_a_heartbeat_that_comes_in_late_is_no_turn() -> None:
    """A node that was cut off says first what it had to say when it was: TCP sends it again."""
    look = world(
        still("a", 61.0), still("b", 0.1), target=Group.of(HALF, 2), generation=generation("a", "b")
    )
    assert GroupLiveness(overdue_after(look, 60.0)).idle() is None
    assert GroupLiveness(overdue_after(look, 62.0)).idle() == ()


def test_an_alarm_is_over_once_its_job_is_stopped(cluster: VirtualCluster) -> None:
    cluster.cut.add(members(cluster)[0])
    cluster.run(80)
    (job,) = cluster.store.jobs.listed()
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(2)
    assert told(cluster)[1:] == [("alarm_over", "standstill: the job ends")]
    cluster.cut.clear()
    cluster.run(60)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED
    assert len(told(cluster)) == 2


def test_a_daemon_that_is_started_again_goes_on_with_the_alarms_that_stood(
    cluster: VirtualCluster,
) -> None:
    lost = members(cluster)[0]
    cluster.cut.add(lost)
    cluster.run(80)
    (alarm,) = told(cluster)
    (begun_s,) = [each.since_s for each in cluster.store.alarms.standing()]
    cluster.restart()
    cluster.run(1)
    (stood,) = standing(cluster)
    assert stood.startswith("standstill: no turn for 1 min 2")
    (row,) = cluster.store.alarms.standing()
    assert row.since_s == begun_s, "it stands since it began, whichever daemon reads it"
    cluster.run(30)
    assert told(cluster) == [alarm]
    cluster.cut.clear()
    cluster.run(5)
    assert told(cluster) == [alarm, ("alarm_over", "standstill: turns are made again")]
    cluster.restart()
    cluster.run(5)
    assert (len(told(cluster)), standing(cluster)) == (2, [])


def test_a_node_that_trains_with_nobody_is_told_of_and_over_by_itself(
    cluster: VirtualCluster,
) -> None:
    (job,) = cluster.store.jobs.listed()
    alarms = cluster.reconciler.alarms
    alarms.follow(cluster.store, job, [Idle("n has made no turn", "n")], now_s=0.0)
    assert standing(cluster) == ["outside: n has made no turn"]
    alarms.follow(cluster.store, job, None, now_s=1.0)
    alarms.follow(cluster.store, job, [], now_s=2.0)
    assert [text for _, text in told(cluster)] == [
        "outside: n has made no turn",
        "outside: it is over",
    ]
    assert cluster.store.alarms.standing("another") == ()
