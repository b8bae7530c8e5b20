"""What is wrong is told once when it begins and once when it is over, each thing under its own
name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elastic.errors import Forbidden, ProviderUnavailable, StoreUnavailable
from elastic.model import JobPhase, Objective, OnMiss
from elastic.policy import decide
from elastic.providers import InstanceState, Operation, Trouble
from elastic.reconciler import AlarmKind, Idle
from elastic.store import Store
from tests.builders import intend
from tests.reconciler.virtual import SMALL, VirtualCluster

REFUSED = Forbidden("listing the machines: allow ec2:DescribeInstances")


def standing(cluster: VirtualCluster) -> set[AlarmKind]:
    return {each.kind for each in cluster.reconciler.alarms.current(now_s=cluster.clock.now_s())}


def told(cluster: VirtualCluster, *kinds: str) -> list[str]:
    return [each.text for each in cluster.store.events.listed(limit=500) if each.kind in kinds]


def tick_blindly(cluster: VirtualCluster, times: int, *, every_s: float = 10.0) -> None:
    for _ in range(times):
        with pytest.raises(
            type(REFUSED) if not cluster.cloud.throttled_until_s else ProviderUnavailable
        ):
            cluster.run(1)
        cluster.clock.advance(every_s)


def test_all_is_well_at_first(cluster: VirtualCluster) -> None:
    assert standing(cluster) == set()
    assert told(cluster, "alarm", "alarm_over") == []


def test_machines_that_may_not_be_listed_are_an_alarm_at_once_and_told_once(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.INSTANCES, REFUSED, times=5)
    begun_s = cluster.clock.now_s()
    tick_blindly(cluster, 5)
    (alarm,) = cluster.reconciler.alarms.current(now_s=cluster.clock.now_s())
    assert (alarm.kind, alarm.since_s) == (AlarmKind.CANNOT_SEE, begun_s)
    (text,) = told(cluster, "alarm")
    assert text.startswith("cannot_see: the cloud does not list its machines")
    assert "allow ec2:DescribeInstances" in text
    cluster.run(1)
    assert standing(cluster) == set()
    assert told(cluster, "alarm_over") == ["cannot_see: all is well again"]


def test_once_leases_are_withheld_that_is_an_alarm_of_its_own(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.INSTANCES, REFUSED, times=1000)
    tick_blindly(cluster, 70)
    assert standing(cluster) == {AlarmKind.CANNOT_SEE, AlarmKind.CANNOT_END}


def test_a_short_silence_of_the_cloud_is_no_alarm_and_a_long_one_is(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.throttled_until_s = cluster.clock.now_s() + 1000.0
    tick_blindly(cluster, 5)
    assert standing(cluster) == set()
    tick_blindly(cluster, 5)
    assert standing(cluster) == {AlarmKind.CANNOT_SEE}


def test_a_refused_termination_says_nothing_of_what_can_be_seen(cluster: VirtualCluster) -> None:
    cluster.cloud.fail_next(Operation.PROVE, Forbidden("allow ec2:TerminateInstances"), times=1000)
    cluster.run_slowly(200)
    assert standing(cluster) == {AlarmKind.CANNOT_END}


def test_a_lease_that_is_not_proven_says_nothing_of_the_right_to_end(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.WRITE_LEASE, ProviderUnavailable("no answer"), times=1000)
    for _ in range(50):
        try:
            cluster.run(1)
        except ProviderUnavailable:
            break
        cluster.clock.advance(9.0)
    assert standing(cluster) == {AlarmKind.LEADER_LEASE}
    assert told(cluster, "alarm")[0].startswith("leader_lease: ")


def test_a_machine_that_no_node_stands_for_is_told_of_once(cluster: VirtualCluster) -> None:
    job = cluster.submit(name="other")
    node = intend(
        cluster.store, job.id, SMALL, why="for a foreign machine", now_s=cluster.clock.now_s()
    )
    cluster.run(1)
    (bought,) = [
        call.request
        for call in cluster.cloud.calls
        if call.request and call.request.job_id != job.id
    ][:1]
    assert bought is not None
    cluster.cloud.launch(replace(bought, token="foreign", node_ids=("nobody",)))
    cluster.run(6)
    assert len(told(cluster, "orphan_found")) == 1, node.id
    foreign = [each for each in cluster.cloud.machines() if each.token == "foreign"]
    assert [each.state for each in foreign] == [InstanceState.GONE]


def test_only_machines_of_nodes_that_are_wanted_are_stood_for(cluster: VirtualCluster) -> None:
    (wanted,) = cluster.cloud.machines()
    (bought,) = [call.request for call in cluster.cloud.calls if call.request]
    cluster.cloud.launch(replace(bought, token="foreign", node_ids=("nobody",)))
    cluster.cloud.fail_next(Operation.TERMINATE, REFUSED, times=1000)
    cluster.run(10)
    stood_for_s = cluster.clock.now_s() - 1.0
    assert cluster.cloud.kept_alive_at_s == {wanted.provider_id: stood_for_s}, (
        "not the one that no node is"
    )
    cluster.store.jobs.request_stop(
        bought.job_id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s()
    )
    cluster.run(60)
    assert {each.state for each in cluster.cloud.machines()} == {InstanceState.RUNNING}
    assert cluster.cloud.kept_alive_at_s[wanted.provider_id] < stood_for_s + 50, (
        "nor one that is to end and does not"
    )


def test_a_script_that_goes_on_beyond_its_jobs_end_is_an_alarm_until_it_is_stopped(
    cluster: VirtualCluster,
) -> None:
    (job,) = cluster.store.jobs.listed()
    alarms, begun_s = cluster.reconciler.alarms, cluster.clock.now_s()

    def look(after_s: float, **changes: object) -> list[str]:
        seen = replace(job, spec=replace(job.spec, iterations=400), **changes)  # type: ignore[arg-type]  # named here
        alarms.follow(cluster.store, seen, (), now_s=begun_s + after_s)
        return [
            each.text
            for each in alarms.current(now_s=begun_s + after_s)
            if each.kind is AlarmKind.OVERRUN
        ]

    assert (
        look(0.0, iteration=400) == look(100.0, iteration=401) == look(159.0, iteration=800) == []
    )
    why = "all 400 iterations are done, but the script still runs: it costs money until it ends or is stopped"
    assert look(160.0, iteration=808) == look(170.0, iteration=900) == [f"job job: {why}"]
    assert AlarmKind.OVERRUN.is_of_jobs
    assert look(171.0, iteration=901, phase=JobPhase.DRAINING) == []
    assert told(cluster, "alarm", "alarm_over") == [f"overrun: {why}", "overrun: the job ends"]


def test_a_script_that_goes_on_beyond_its_jobs_end_does_so_for_a_daemon_that_is_started_again(
    cluster: VirtualCluster,
) -> None:
    (job,) = cluster.store.jobs.listed()
    done = replace(job, spec=replace(job.spec, iterations=400), iteration=401)
    for now_s in (0.0, 60.0):
        cluster.reconciler.alarms.follow(cluster.store, done, (), now_s=now_s)
    cluster.restart()
    for now_s in (61.0, 122.0):
        cluster.reconciler.alarms.follow(cluster.store, done, None, now_s=now_s)
    assert len(told(cluster, "alarm", "alarm_over")) == 1
    assert AlarmKind.OVERRUN in standing(cluster)


def test_a_deadline_that_will_be_missed_is_an_alarm_until_it_can_be_met_again(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, decide)
    # Alone on a small node it needs 1,000 s; four large ones are 8 times as fast at best.
    goal = Objective(deadline_s=cluster.clock.now_s() + 70.0)
    job = cluster.submit(iterations=1000, objective=goal)
    cluster.run(30)
    (alarm,) = cluster.store.alarms.standing(job.id)
    assert alarm.sentence.startswith("will_be_late: the deadline is in ")
    assert [each for each in told(cluster, "alarm") if each.startswith("will_be_late: ")] != []
    later = replace(job.spec, objective=Objective(deadline_s=cluster.clock.now_s() + 100_000.0))
    cluster.store.jobs.set_spec(job.id, later, now_s=cluster.clock.now_s())
    cluster.run(2)
    assert cluster.store.alarms.standing(job.id) == ()
    assert told(cluster, "alarm_over") == ["will_be_late: the goal can be met again"]


def test_a_job_that_wants_to_stops_in_good_order_once_its_deadline_is_certain_to_be_missed(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, decide)
    goal = Objective(deadline_s=cluster.clock.now_s() + 40.0, on_miss=OnMiss.STOP)
    job = cluster.submit(iterations=1000, objective=goal)
    cluster.run(60)
    stopped = cluster.store.jobs.get(job.id)
    assert stopped.phase is JobPhase.CANCELLED
    assert stopped.message is not None and stopped.message.startswith(
        "will_be_late: the deadline is in "
    )
    assert stopped.phase.may_resume
    assert cluster.store.nodes.listed(job.id) == ()


@contextmanager
def refusing(store: Store, kind: str) -> Iterator[None]:
    """Lets the store take no alarms that begin, or that are over."""
    change = "begin" if kind == "alarm" else "end"
    whole: Any = getattr(store.alarms, change)

    def refuse(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("the database refused: disk full")

    setattr(store.alarms, change, refuse)
    yield
    setattr(store.alarms, change, whole)


@pytest.mark.parametrize("kind", ["alarm", "alarm_over"])
def test_what_could_not_be_told_is_told_later_and_jobs_are_handled_meanwhile(
    cluster: VirtualCluster, kind: str
) -> None:
    trouble: dict[Trouble, str] = {Trouble.NOT_SOLD: "this and that"}
    if kind == "alarm_over":
        cluster.cloud.troubles = trouble
        cluster.run(2)
        trouble = {}
    cluster.cloud.troubles = trouble
    newcomer = cluster.submit(name="other")
    with refusing(cluster.store, kind), pytest.raises(StoreUnavailable):
        cluster.run(1)
    assert AlarmKind.CANNOT_WRITE in standing(cluster)
    assert cluster.store.nodes.listed(newcomer.id) != ()
    cluster.run(2)
    assert len([each for each in told(cluster, kind) if each.startswith("not_sold: ")]) == 1


def test_a_job_is_over_only_once_it_is_told_that_its_alarms_are(cluster: VirtualCluster) -> None:
    (job,) = cluster.store.jobs.listed()
    idle = (Idle("no turn for 1 min 1 s"),)
    with refusing(cluster.store, "alarm"), pytest.raises(StoreUnavailable):
        cluster.reconciler.alarms.follow(cluster.store, job, idle, now_s=cluster.clock.now_s())
    cluster.reconciler.alarms.follow(cluster.store, job, idle, now_s=cluster.clock.now_s())
    assert told(cluster, "alarm") == ["standstill: no turn for 1 min 1 s"]
    cluster.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    with refusing(cluster.store, "alarm_over"):
        for _ in range(60):
            with pytest.raises(StoreUnavailable):
                cluster.run(1)
            cluster.run(1, ticking=False)
    assert cluster.store.nodes.listed(job.id) == ()
    assert cluster.store.jobs.get(job.id).phase is JobPhase.DRAINING
    cluster.run(2)
    assert cluster.store.jobs.get(job.id).phase is JobPhase.CANCELLED
    assert told(cluster, "alarm_over") == [
        "standstill: the job ends",
        "cannot_write: all is well again",
    ]
    assert standing(cluster) == set()


@pytest.mark.parametrize("trouble", Trouble)
def test_what_troubles_the_provider_is_an_alarm_of_that_name(
    cluster: VirtualCluster, trouble: Trouble
) -> None:
    cluster.cloud.troubles = {trouble: "this and that"}
    cluster.run(2)
    assert told(cluster, "alarm") == [f"{trouble}: this and that"]
    cluster.cloud.troubles = {}
    cluster.run(1)
    assert told(cluster, "alarm_over") == [f"{trouble}: all is well again"]


def test_an_alarm_that_an_earlier_daemon_left_is_over_once_the_next_one_looks(
    cluster: VirtualCluster,
) -> None:
    cluster.cloud.fail_next(Operation.INSTANCES, REFUSED, times=1)
    tick_blindly(cluster, 1)
    cluster.restart()
    assert [each.kind for each in cluster.store.alarms.standing()] == ["cannot_see"]
    cluster.run(1)
    assert cluster.store.alarms.standing() == ()
    assert told(cluster, "alarm_over") == ["cannot_see: all is well again"]
