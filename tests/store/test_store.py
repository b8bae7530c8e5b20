"""What the store promises: nothing lost, nothing doubled, what is read equals what was written."""

from __future__ import annotations

import math
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, event

import elastic.store.engine as engines
from elastic.errors import AlreadyRunning, Conflict, ElasticError, NotFound, PriceUnavailable
from elastic.model import (
    Action,
    AgentState,
    Candidate,
    Exit,
    Group,
    Interval,
    Job,
    JobPhase,
    JobSpec,
    Node,
    NodePhase,
    NodeReport,
    Offering,
    Outcome,
    Plan,
    Reason,
    RoundRegistration,
    Rounds,
    Snapshot,
)
from elastic.store import (
    Database,
    Event,
    HeartbeatReport,
    Store,
    ThroughputPoint,
    from_text,
    lock,
    open_store,
    read_store,
    to_text,
)
from elastic.store.engine import PRAGMAS
from elastic.store.measurements import BUCKET_S, rates, spread
from tests.builders import add_price, intend
from tests.store.rows import HALF, plan, snapshot, window


def test_the_same_key_gives_the_same_job(store: Store) -> None:
    spec = JobSpec("a", ("train.py",))
    first, is_new = store.jobs.submit(spec, key="k", request_hash="h", now_s=1.0)
    again, is_new_again = store.jobs.submit(spec, key="k", request_hash="h", now_s=2.0)
    assert (first, is_new, is_new_again) == (again, True, False)


def test_the_same_key_for_another_request_is_refused(store: Store) -> None:
    store.jobs.submit(JobSpec("a", ("train.py",)), key="k", request_hash="h", now_s=1.0)
    with pytest.raises(Conflict, match="another request"):
        store.jobs.submit(JobSpec("b", ("train.py",)), key="k", request_hash="other", now_s=1.0)
    assert len(store.jobs.listed()) == 1


def test_a_name_is_free_again_when_its_job_has_ended(store: Store, job: Job) -> None:
    spec = JobSpec("first", ("train.py",))
    with pytest.raises(Conflict, match=f"{job.id}'s, which goes on"):
        store.jobs.submit(spec, key=None, request_hash="h", now_s=101.0)
    store.jobs.move(job.id, JobPhase.CANCELLED, now_s=102.0)
    again, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=103.0)
    assert store.jobs.get("first") == again


def test_a_job_is_found_by_id_and_by_name(store: Store, job: Job) -> None:
    assert store.jobs.get(job.id) == store.jobs.get("first") == job
    with pytest.raises(NotFound, match="job-x"):
        store.jobs.get("job-x")


def test_an_id_wins_over_a_name_that_an_earlier_version_took(store: Store, job: Job) -> None:
    spec = JobSpec(job.id, ("train.py",))
    named, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=101.0)
    assert store.jobs.get(job.id) == job
    assert store.jobs.get(named.id).spec.name == job.id


def test_an_acknowledged_job_survives_kill_9(url: str) -> None:
    program = f"""
import os, signal
from elastic.model import JobSpec
from elastic.store import open_store
store = open_store({url!r})
store.jobs.submit(JobSpec("kept", ("train.py",)), key="k", request_hash="h", now_s=1.0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    store = open_store(url)
    assert [job.spec.name for job in store.jobs.listed()] == ["kept"]
    store.close()


def test_the_database_is_in_wal_with_full_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "PRAGMAS", PRAGMAS)  # as they are where tests do not change them
    database = Database(f"sqlite:///{tmp_path / 'elasticd.db'}")
    with database.write() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    database.close()


def test_the_migrations_make_exactly_the_tables_of_the_schema(url: str, store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlalchemy import create_engine

    from elastic.store.schema import metadata

    engine = create_engine(url)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_a_second_daemon_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    held = lock(tmp_path)
    with pytest.raises(AlreadyRunning, match=f"pid {os.getpid()}"):
        lock(tmp_path)
    os.close(held)
    os.close(lock(tmp_path))


def test_a_window_that_arrives_twice_counts_once(store: Store, job: Job, node: Node) -> None:
    batch = [window(node, 1, iteration=2), window(node, 2, iteration=4)]
    assert store.measurements.append(node.id, batch) == 2
    assert store.measurements.append(node.id, batch) == 0
    assert store.jobs.get(job.id).iteration == 4
    assert len(store.measurements.listed(job.id)) == 2


def test_iterations_without_a_number_are_added_up(store: Store, job: Job, node: Node) -> None:
    store.measurements.append(node.id, [window(node, seq) for seq in range(1, 6)])
    assert store.jobs.get(job.id).iteration == 10


def test_progress_goes_back_with_a_job_that_resumed_from_an_earlier_checkpoint(
    store: Store, job: Job, node: Node
) -> None:
    store.measurements.append(node.id, [window(node, 1, iteration=50)])
    store.generations.start(job.id, (node,), rdzv_endpoint="e", now_s=250.0)
    store.measurements.append(node.id, [window(node, 2, iteration=41, generation=2)])
    store.measurements.append(node.id, [window(node, 3, iteration=60, generation=1)])
    assert store.jobs.get(job.id).iteration == 41


def test_what_arrives_late_from_who_was_first_before_takes_no_progress_back(
    store: Store, job: Job, node: Node
) -> None:
    other = store.nodes.joined(intend(store, job.id, HALF, now_s=109.0).id, now_s=115.0)
    store.generations.start(job.id, (node, other), rdzv_endpoint="e", now_s=200.0)
    store.measurements.append(node.id, [window(node, 1, iteration=10, generation=2)])
    store.measurements.append(
        other.id, [window(other, 1, iteration=14, generation=2, ended_at_s=205.0)]
    )
    store.measurements.append(node.id, [window(node, 2, iteration=12, generation=2)])
    assert store.jobs.get(job.id).iteration == 14
    # Restarted by torchrun on the node where it had been first, from a checkpoint.
    store.measurements.append(
        node.id, [window(node, 3, iteration=11, generation=2, ended_at_s=206.0)]
    )
    assert store.jobs.get(job.id).iteration == 11


def test_windows_of_a_generation_the_node_was_not_in_are_dropped(
    store: Store, job: Job, node: Node
) -> None:
    assert store.measurements.append(node.id, [window(node, 1, generation=7)]) == 0
    assert store.measurements.listed(job.id) == ()


def test_cold_windows_are_progress_but_no_sample(store: Store, job: Job, node: Node) -> None:
    store.measurements.append(
        node.id, [window(node, 1, iteration=1, is_cold=True), window(node, 2, iteration=3)]
    )
    (series,) = store.measurements.recent_series(job.id)
    assert [sample.iterations for sample in series.samples] == [2]
    assert store.jobs.get(job.id).iteration == 3
    (point,) = store.measurements.throughput(job.id)
    assert point.iterations_per_s == pytest.approx(4 / BUCKET_S)


def test_throughput_is_by_the_clock_and_falls_to_nothing_in_a_standstill(
    store: Store, job: Job, node: Node
) -> None:
    ends_s = [205.0, 210.0, 225.0, 230.0, 232.0]  # 10 s without a window
    store.measurements.append(
        node.id,
        [
            window(
                node,
                seq,
                iterations=10,
                elapsed_s=2.0 if ended_at_s == 232.0 else 5.0,
                ended_at_s=ended_at_s,
            )
            for seq, ended_at_s in enumerate(ends_s, start=1)
        ],
    )
    points = store.measurements.throughput(job.id)
    assert [point.at_s for point in points] == [200.0, 205.0, 210.0, 215.0, 220.0, 225.0]
    assert [point.iterations_per_s for point in points] == pytest.approx(
        [2.0, 2.0, 0.0, 0.0, 2.0, 2.0]
    )
    assert {point.training_phase for point in points} == {"main"}


def test_wider_slots_hold_what_the_buckets_in_them_do(store: Store, job: Job, node: Node) -> None:
    store.measurements.append(
        node.id,
        [
            window(node, seq, iterations=10, elapsed_s=5.0, ended_at_s=203.0 + 5 * seq)
            for seq in range(1, 13)
        ],
    )
    points = store.measurements.throughput(job.id, points=3)
    assert [point.at_s for point in points] == [200.0, 220.0, 240.0]
    assert [point.iterations_per_s for point in points] == pytest.approx([34 / 20, 2.0, 2.0])
    (later, *_) = store.measurements.throughput(job.id, since_s=233.0, points=3)
    assert later.at_s == 235.0
    assert later.iterations_per_s == pytest.approx(2.0)


def test_a_slow_iteration_is_spread_over_the_time_it_took(node: Node) -> None:
    slow = window(node, 1, iterations=1, elapsed_s=20.0, ended_at_s=212.5)
    assert spread(slow) == pytest.approx({190: 0.125, 195: 0.25, 200: 0.25, 205: 0.25, 210: 0.125})
    assert spread(window(node, 1, elapsed_s=5.0, ended_at_s=205.0)) == pytest.approx({200: 2.0})


def test_a_window_of_any_length_is_spread_over_an_hour_at_most(node: Node) -> None:
    share = spread(window(node, 1, iterations=7, elapsed_s=1e12, ended_at_s=1e6 + 1))
    assert (len(share), max(share)) == (720, 1_000_000)
    assert sum(share.values()) == pytest.approx(7)


def test_a_slot_is_of_the_phase_that_did_most_in_it() -> None:
    points = rates(
        {0: {"warmup": 6.0, "gan": 4.0}, 20: {"gan": 10.0}, 30: {"gan": 1.0}}, width_s=10
    )
    assert points == (
        ThroughputPoint(0.0, 1.0, "warmup"),
        ThroughputPoint(10.0, 0.0, "warmup"),
        ThroughputPoint(20.0, 1.0, "gan"),
    )


def test_the_only_slot_is_given_though_it_is_not_over() -> None:
    assert rates({5: {"main": 1.0}}, width_s=5) == (ThroughputPoint(5.0, 0.2, "main"),)


def test_numbers_that_are_none_are_stored_nowhere(store: Store, job: Job, node: Node) -> None:
    with pytest.raises(ElasticError):
        store.measurements.append(node.id, [window(node, 1), window(node, 2, elapsed_s=math.nan)])
    with pytest.raises(ElasticError):
        add_price(store, HALF, math.nan, valid_from_s=400.0, observed_at_s=400.0, source="test")
    assert store.measurements.listed(job.id) == ()
    assert [price.usd_per_h for price in store.prices.listed()] == [0.36]


def test_a_job_may_count_as_far_as_a_double_does(store: Store, job: Job, node: Node) -> None:
    store.measurements.append(node.id, [window(node, 2**52, iteration=2**53, iterations=2**31)])
    store.jobs.count_failure(job.id)
    assert (
        store.jobs.get(job.id).iteration
        == store.measurements.listed(job.id)[0].window.iteration
        == 2**53
    )


def test_any_text_may_come_from_a_node(store: Store, node: Node) -> None:
    store.events.add("note", "a\0b \N{SNOWMAN} \U0001f600", node_id=node.id, now_s=1.0)
    assert store.events.listed(after=None, limit=1)[0].text[2:] == "b \N{SNOWMAN} \U0001f600"


def test_training_phases_are_kept_apart(store: Store, job: Job, node: Node) -> None:
    store.measurements.append(
        node.id, [window(node, 1, phase="warmup"), window(node, 2, phase="gan")]
    )
    assert [series.training_phase for series in store.measurements.recent_series(job.id)] == [
        "warmup",
        "gan",
    ]


def test_a_switch_is_measured_from_the_last_step_to_the_first(
    store: Store, job: Job, node: Node
) -> None:
    store.measurements.append(node.id, [window(node, 1, iteration=2, ended_at_s=200.0)])
    full = Offering("local.full")
    add_price(store, full, 1.0, valid_from_s=0.0, observed_at_s=0.0, source="test")
    other = intend(store, job.id, full, now_s=201.0)
    store.nodes.launched(other.id, "machine-2", launched_at_s=202.0, minimum_s=0.0)
    other = store.nodes.joined(other.id, now_s=206.0)
    store.generations.start(job.id, (other,), rdzv_endpoint="e", now_s=207.0)
    store.measurements.append(
        other.id, [window(other, 1, iteration=3, generation=2, ended_at_s=212.5)]
    )
    (switch,) = store.facts.of(job.id, now_s=213.0).switches
    assert (switch.pause_s, switch.boot_s, switch.to_group) == (12.5, 4.0, Group.of(full))


def test_a_nodes_ledger_is_a_chain_over_price_changes_without_gap(
    store: Store, job: Job, node: Node
) -> None:
    add_price(store, HALF, 0.72, valid_from_s=1110.0, observed_at_s=1111.0, source="test")
    store.nodes.intend_end(node.id, reason="test", now_s=2000.0)
    store.nodes.gone(node.id, at_s=2110.0)
    rows = store.ledger.of_job(job.id)
    assert [(row.from_s, row.to_s, row.usd_per_h) for row in rows] == [
        (110.0, 1110.0, 0.36),
        (1110.0, 2110.0, 0.72),
    ]
    assert store.ledger.spent(job.id, 9999.0) == pytest.approx(0.1 + 0.2)


def test_the_minimum_that_a_launch_bills_is_charged_once(store: Store, job: Job) -> None:
    add_price(store, HALF, 3.6, valid_from_s=0.0, observed_at_s=0.0, source="test")
    node = intend(store, job.id, HALF, now_s=100.0)
    store.nodes.launched(node.id, "m", launched_at_s=100.0, minimum_s=60.0)
    add_price(store, HALF, 7.2, valid_from_s=110.0, observed_at_s=110.0, source="test")
    store.nodes.intend_end(node.id, reason="test", now_s=115.0)
    store.nodes.gone(node.id, at_s=120.0)
    assert store.ledger.spent(job.id, 500.0) == pytest.approx(0.001 * 10 + 0.002 * 50)


def test_a_machine_without_a_price_is_not_entered_for_nothing(store: Store, job: Job) -> None:
    node = intend(store, job.id, Offering("unpriced"), now_s=1.0)
    with pytest.raises(PriceUnavailable):
        store.nodes.launched(node.id, "m", launched_at_s=2.0, minimum_s=0.0)
    assert store.nodes.get(node.id).phase is NodePhase.INTENDED


def test_a_price_that_says_nothing_new_confirms_the_old_one(store: Store) -> None:
    first = add_price(store, HALF, 0.5, valid_from_s=1.0, observed_at_s=1.0, source="a")
    again = add_price(store, HALF, 0.5, valid_from_s=2.0, observed_at_s=2.0, source="a")
    assert again == replace(first, observed_at_s=2.0)
    assert len(store.prices.listed()) == 1


def test_a_node_that_vanished_unasked_is_lost_and_costs_no_more(
    store: Store, job: Job, node: Node
) -> None:
    store.nodes.gone(node.id, at_s=210.0)
    assert store.nodes.get(node.id).phase is NodePhase.LOST
    assert store.ledger.spent(job.id, 1e6) == pytest.approx(0.36 * 100 / 3600)
    assert store.nodes.listed(job.id) == ()


def test_a_heartbeat_that_arrives_twice_or_late_tells_nothing_twice(
    store: Store, job: Job, node: Node
) -> None:
    def beat(*seqs: int) -> None:
        store.heartbeats.take_in(
            node.id,
            HeartbeatReport(
                NodeReport(AgentState.RUNNING, 1),
                windows=[window(node, seq) for seq in seqs],
                notes=[Event(seq, 200.0, "note", f"said {seq}") for seq in seqs],
                acked_seq=max(seqs),
            ),
            now_s=201.0,
        )

    for seqs in [(1, 2), (1, 2, 3), (1,)]:
        beat(*seqs)
    assert [event.text for event in store.events.listed() if event.kind == "note"] == [
        "said 1",
        "said 2",
        "said 3",
    ]
    assert len(store.measurements.listed(job.id)) == 3
    assert store.nodes.acked_seq(node.id) == 3


def test_failures_of_a_node_are_counted_in_a_row_and_each_once(
    store: Store, job: Job, node: Node
) -> None:
    counts = []
    for generation, outcome in [
        (1, Outcome.FAILED),
        (1, Outcome.FAILED),
        (2, Outcome.FAILED),
        (3, Outcome.DRAINED),
    ]:
        said = HeartbeatReport(
            NodeReport(AgentState.EXITED, generation), last_exit=Exit(generation, outcome, 1)
        )
        store.heartbeats.take_in(node.id, said, now_s=200.0)
        store.heartbeats.take_in(
            node.id, HeartbeatReport(NodeReport(AgentState.IDLE, generation)), now_s=201.0
        )
        counts.append(store.nodes.get(node.id).failures)
    assert counts == [1, 1, 2, 0]


def test_rounds_only_grow_and_each_registration_is_told_of_once(
    store: Store, job: Job, node: Node
) -> None:
    assert store.jobs.rounds(job.id) == Rounds()
    for newest, next_round in [
        (3, RoundRegistration(4, 2)),
        (2, RoundRegistration(4, 2)),
        (None, RoundRegistration(1, 1)),
        (4, None),
        (None, None),
    ]:
        said = HeartbeatReport(
            NodeReport(AgentState.RUNNING, 1), round=newest, next_round=next_round
        )
        store.heartbeats.take_in(node.id, said, now_s=200.0)
    assert store.jobs.rounds(job.id) == Rounds(newest=4, registered=4)
    assert rounds_told(store) == [
        "rounds 1 to 3 of the session came about while the daemon was away",
        "round 4 of the session is to have 2 members",
    ]


def test_rounds_that_were_never_registered_are_told_of_when_they_are_seen(
    store: Store, job: Job, node: Node
) -> None:
    for newest, next_round in [
        (None, RoundRegistration(1, 2)),
        (1, None),
        (2, None),
        (2, None),
        (5, RoundRegistration(6, 1)),
        (6, None),
    ]:
        said = HeartbeatReport(
            NodeReport(AgentState.RUNNING, 1), round=newest, next_round=next_round
        )
        store.heartbeats.take_in(node.id, said, now_s=200.0)
    assert rounds_told(store) == [
        "round 1 of the session is to have 2 members",
        "round 2 of the session came about while the daemon was away",
        "rounds 3 to 5 of the session came about while the daemon was away",
        "round 6 of the session is to have 1 member",
    ]


def rounds_told(store: Store) -> list[str]:
    return [event.text for event in store.events.listed() if event.kind == "round"]


def test_what_a_heartbeat_brings_is_stored_whole(store: Store, job: Job, node: Node) -> None:
    left = Exit(1, Outcome.DRAINED, 0, iteration=2)
    store.heartbeats.take_in(
        node.id,
        HeartbeatReport(
            NodeReport(AgentState.EXITED),
            last_exit=left,
            windows=[window(node, 1, iteration=2)],
            acked_seq=1,
        ),
        now_s=220.0,
    )
    heard = store.nodes.get(node.id)
    assert (heard.exit, heard.agent_state, store.nodes.acked_seq(node.id)) == (
        left,
        AgentState.EXITED,
        1,
    )


def test_holds_for_the_same_reason_share_a_row_and_keep_the_snapshot_that_they_differ_little_from(
    store: Store, job: Job
) -> None:
    for tick in range(3):
        decision_id = _hold(store, job, plan(), now_s=300.0 + tick)
    decision = store.decisions.get(decision_id)
    assert (decision.ticks, decision.at_s, decision.last_at_s) == (3, 300.0, 302.0)
    assert len(store.decisions.listed(job.id)) == 1
    assert store.decisions.snapshot(decision.id).now_s == decision.weighed_at_s == 300.0


@pytest.mark.parametrize(
    ("change", "is_stored"),
    [
        ({}, False),
        ({"remaining_usd": 0.5, "remaining_s": 900.0}, False),  # time goes by
        ({"step_s": Interval(0.505)}, False),
        ({"step_s": Interval(0.52)}, True),
        ({"step_s": None}, True),
        ({"usd_per_h": 0.37}, True),
        ({"samples": 5}, True),
        ({"unavailable": "no capacity"}, True),
        ({"group": Group.of(HALF, 2)}, True),
    ],
)
def test_a_repeated_hold_is_stored_again_when_it_tells_something_else(
    store: Store, job: Job, change: dict[str, Any], is_stored: bool
) -> None:
    weighed = Candidate(
        Group.of(HALF), "main", 4, usd_per_h=0.36, step_s=Interval(0.5), remaining_usd=1.0
    )
    _hold(store, job, replace(plan(), candidates=(weighed,)), now_s=300.0)
    again = replace(plan(), candidates=(replace(weighed, **change),))
    decision_id = _hold(store, job, again, now_s=305.0)
    found = store.decisions.get(decision_id)
    assert found.ticks == 2 and found.last_at_s == 305.0
    assert (found.plan == again) is (is_stored or not change)
    assert (
        store.decisions.snapshot(decision_id).now_s
        == found.weighed_at_s
        == (305.0 if is_stored else 300.0)
    )


@pytest.mark.parametrize("target", [None, Group.of(HALF)])
def test_a_job_that_waits_tells_the_present_figures_of_its_reason(
    store: Store, job: Job, target: Group | None
) -> None:
    """One that trains has candidates, which tell more; its figures are never the same twice."""
    for now_s, jobs_before in ((300.0, 3.0), (305.0, 3.0), (310.0, 1.0)):
        why = Reason("purse", f"{jobs_before:g} come first", {"jobs_before": jobs_before})
        _hold(store, job, replace(plan(target=target), reason=why), now_s=now_s)
    (found,) = store.decisions.listed(job.id)
    assert found.ticks == 3
    told = {None: ("1 come first", 310.0), Group.of(HALF): ("3 come first", 300.0)}
    assert (found.plan.reason.text, found.weighed_at_s) == told[target]


def test_a_hold_that_goes_on_is_stored_again_after_ten_minutes(store: Store, job: Job) -> None:
    for now_s in (300.0, 899.0, 900.0):
        decision_id = _hold(store, job, plan(), now_s=now_s)
        assert store.decisions.snapshot(decision_id).now_s == (900.0 if now_s == 900.0 else 300.0)


def test_a_repeated_hold_writes_less_than_a_kilobyte(store: Store, job: Job) -> None:
    """What statements carry that write, counted; the first one brings a plan of a hundred
    candidates."""
    many = tuple(
        Candidate(Group.of(HALF, count), "main", 0, usd_per_h=0.1 * count)
        for count in range(1, 101)
    )
    written = []
    for tick in range(3):
        with _bytes_written() as found:
            _hold(store, job, replace(plan(), candidates=many), now_s=300.0 + 5 * tick)
        written.append(sum(found))
    assert written[0] > 10_000 and max(written[1:]) < 1024


def test_a_hold_of_another_version_of_the_policy_is_a_row_of_its_own(
    store: Store, job: Job
) -> None:
    ids = [
        _hold(store, job, plan(), now_s=300.0 + version, version=version) for version in (1, 2, 2)
    ]
    assert ids[0] != ids[1] == ids[2]
    assert [each.version for each in store.decisions.listed(job.id)] == [2, 1]


def _hold(store: Store, job: Job, held: Plan, *, now_s: float, version: int = 1) -> int:
    seen = snapshot(store, job, now_s=now_s)
    row_id = store.decisions.record(seen, held, "best_value", version=version, sets_target=False)
    store.decisions.write_repeats()
    return row_id


@contextmanager
def _bytes_written() -> Iterator[list[int]]:
    found: list[int] = []

    def note(
        _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
    ) -> None:
        if statement.startswith(("INSERT", "UPDATE")):
            found.append(len(statement) + len(repr(parameters)))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def test_a_decision_and_the_target_it_sets_are_one(store: Store, job: Job) -> None:
    target = Group.of(HALF)
    store.decisions.record(
        snapshot(store, job), plan(Action.START, "start", target), "best_value", sets_target=True
    )
    assert store.jobs.target(job.id) == target
    (change,) = store.facts.of(job.id, now_s=300.0).changes
    assert (change.from_group, change.to_group, change.code) == (None, target, "start")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spent_usd=st.floats(0, 1e9), now_s=st.floats(0, 4e9))
def test_a_snapshot_is_read_back_bit_for_bit(
    store: Store, job: Job, spent_usd: float, now_s: float
) -> None:
    written = replace(snapshot(store, job), spent_usd=spent_usd, now_s=now_s)
    assert from_text(Snapshot, to_text(written)) == written


def test_a_stop_is_not_taken_back_and_an_ended_job_cannot_be_stopped(
    store: Store, job: Job
) -> None:
    store.jobs.request_stop(job.id, JobPhase.CANCELLED, "enough", now_s=1.0)
    assert (
        store.jobs.request_stop(job.id, JobPhase.FAILED, "x", now_s=2.0).ending
        is JobPhase.CANCELLED
    )
    store.jobs.move(job.id, JobPhase.CANCELLED, now_s=3.0)
    with pytest.raises(Conflict, match="was cancelled"):
        store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=4.0)


def test_failures_in_a_row_are_counted_until_there_is_progress(
    store: Store, job: Job, node: Node
) -> None:
    assert [store.jobs.count_failure(job.id) for _ in range(2)] == [1, 2]
    store.measurements.append(node.id, [window(node, 1, iteration=9)])
    assert [store.jobs.count_failure(job.id) for _ in range(2)] == [1, 2]


def test_a_script_that_names_no_iteration_has_progressed_only_if_its_run_lasted(
    store: Store, node: Node
) -> None:
    failures: list[int] = []
    for number, lasts_s in enumerate((5.0, 5.0, 700.0, 5.0), start=1):
        store.generations.start(node.job_id, (node,), rdzv_endpoint="127.0.0.1:1", now_s=200.0)
        steps = [
            window(node, 2 * number + at, generation=number, ended_at_s=200.0 + at * lasts_s)
            for at in range(2)
        ]
        store.measurements.append(node.id, steps)
        failures.append(store.jobs.count_failure(node.job_id))
    assert failures == [1, 2, 1, 2]


def test_a_long_run_ends_one_row_of_failures_and_not_those_that_follow_it(
    store: Store, node: Node
) -> None:
    store.measurements.append(
        node.id, [window(node, 1, ended_at_s=300.0), window(node, 2, ended_at_s=900.0)]
    )
    assert [store.jobs.count_failure(node.job_id) for _ in range(3)] == [1, 2, 3]


def test_events_are_the_first_after_one_or_the_newest(store: Store) -> None:
    for number in range(1, 6):
        store.events.add("note", f"said {number}", now_s=float(number))
    assert [event.text for event in store.events.listed(after=1, limit=2)] == ["said 2", "said 3"]
    assert [event.text for event in store.events.listed(after=None, limit=2)] == [
        "said 4",
        "said 5",
    ]


def test_the_newest_notes_of_a_job_stand_once_each(store: Store, job: Job) -> None:
    for number, text in enumerate(["first", "again", "second", "again"]):
        store.events.add("note", text, job_id=job.id, now_s=float(number))
    store.events.add("note", "another job's", now_s=9.0)
    store.events.add("checkpoint", "no note", job_id=job.id, now_s=9.0)
    assert store.events.notes([job.id], most=2) == {job.id: ("second", "again")}


def test_lists_are_paged_without_gap_or_repeat(store: Store, node: Node) -> None:
    store.measurements.append(node.id, [window(node, seq) for seq in range(1, 8)])
    first = store.measurements.listed(limit=4)
    rest = store.measurements.listed(limit=4, before=first[-1].id)
    assert [each.window.seq for each in first + rest] == [7, 6, 5, 4, 3, 2, 1]


def test_many_threads_may_write_at_once(store: Store, job: Job) -> None:
    def submit(number: int) -> None:
        for step in range(5):
            store.events.add("note", f"{number}.{step}", job_id=job.id, now_s=1.0)

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(event.kind == "note" for event in store.events.listed()) == 40


def test_a_broken_database_says_so_and_changes_nothing(tmp_path: Path) -> None:
    from elastic.errors import StoreUnavailable

    store = open_store(f"sqlite:///{tmp_path / 'elasticd.db'}")
    with sqlite3.connect(tmp_path / "elasticd.db") as raw:
        raw.execute("ALTER TABLE events RENAME TO elsewhere")
    raw.close()
    with pytest.raises(StoreUnavailable, match="nothing was changed"):
        store.jobs.submit(JobSpec("a", ("train.py",)), key=None, request_hash="h", now_s=1.0)
    assert store.jobs.listed() == ()
    store.close()


def test_code_is_kept_while_a_living_job_runs_it(store: Store) -> None:
    for sha256 in ("used", "unused"):
        store.code.put(sha256, sha256.encode(), now_s=0.0)
        store.code.put(sha256, b"what is there stays", now_s=1.0)
    spec = JobSpec("sent", ("train.py",), code="used")
    job, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=2.0)
    store.code.put("late", b"", now_s=86_402.0)
    assert (store.code.get("used"), store.code.get("late")) == (b"used", b"")
    with pytest.raises(NotFound, match="PUT it to /v1/code/unused"):
        store.code.get("unused")
    with pytest.raises(NotFound):
        store.jobs.submit(
            JobSpec("other", ("train.py",), code="unused"), key=None, request_hash="h", now_s=3.0
        )
    store.jobs.move(job.id, JobPhase.SUCCEEDED, now_s=86_403.0)
    store.code.put("late", b"", now_s=86_404.0 + 86_000.0)
    store.code.put("later", b"", now_s=86_404.0 + 86_401.0)
    assert store.code.get("late") == b"", "its day began anew"
    with pytest.raises(NotFound):
        store.code.get("used")


def test_a_store_is_read_beside_the_daemon_that_owns_it(url: str, store: Store, job: Job) -> None:
    beside = read_store(url)
    assert beside.jobs.get("first") == job
    beside.close()
