"""Rolling up changes no number that people see, and leaves little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from api.artifacts import ArtifactFile, Opened
from api.reports import costs_if_fixed, report_on, spent_on
from elastic.durations import LONG_KEPT_S
from elastic.errors import NotFound
from elastic.model import (
    Action,
    AgentState,
    Candidate,
    Job,
    JobPhase,
    Node,
    NodeReport,
    Plan,
    Reason,
    Window,
)
from elastic.store import HeartbeatReport, Store
from elastic.store.engine import plain_engine
from elastic.store.rollup import CHART_POINTS, WINDOWS_KEPT_S
from elastic.throughput import RECENT_WINDOWS, estimate_step_s
from tests import builders

DAY_S = 86_400.0
START_S = 1_000_000.0
WINDOW_S = 2.0
CANDIDATE = Candidate(builders.group(), "main", 8, 0.045)


@dataclass(slots=True)
class History:
    """A job's windows, told in beats as an agent tells them."""

    store: Store
    node: Node
    seq: int = 0
    iteration: int = 0
    now_s: float = START_S

    def trains(self, windows: int, *, phase: str = "main", is_cold: bool = False) -> None:
        batch = []
        for _ in range(windows):
            self.seq += 1
            self.iteration += 4 + self.seq % 3
            self.now_s += WINDOW_S
            batch.append(self.window(4 + self.seq % 3, phase, is_cold=is_cold))
        self.tells(batch)

    def restarts(self, lost: int) -> None:
        """The script begins again so many iterations before where it was."""
        self.iteration -= lost

    def tells(self, batch: list[Window]) -> int:
        report = HeartbeatReport(NodeReport(AgentState.RUNNING), windows=batch, acked_seq=self.seq)
        return self.store.heartbeats.take_in(self.node.id, report, now_s=self.now_s)

    def window(self, iterations: int, phase: str, *, is_cold: bool) -> Window:
        return Window(
            node_id=self.node.id,
            seq=self.seq,
            generation=1,
            world_size=1,
            phase=phase,
            iteration=self.iteration,
            iterations=iterations,
            elapsed_s=WINDOW_S,
            is_cold=is_cold,
            ended_at_s=self.now_s,
        )


class NoArtifacts:
    def listed(self, job_id: str) -> tuple[ArtifactFile, ...]:
        return ()

    def open(self, job_id: str, name: str) -> Opened:
        raise NotFound(name)


@pytest.fixture
def history(store: Store, node: Node) -> History:
    """Two hours with two phases, cold windows, and two restarts that lost something."""
    history = History(store, node)
    history.trains(5, is_cold=True)
    history.trains(600, phase="warm-up")
    history.trains(1000)
    history.restarts(400)
    history.trains(1000)
    history.restarts(90)
    history.trains(1000)
    return history


def seen(store: Store, job_id: str, *, now_s: float) -> dict[str, Any]:
    """All numbers of a job that a page, a report or an estimate gives."""
    job = store.jobs.get(job_id)
    facts = store.facts.of(job_id, now_s=now_s)
    return {
        "iteration": (job.iteration, job.redone, job.kept_iteration),
        "estimates": [
            (each.group, each.training_phase, each.samples, estimate_step_s(each.samples))
            for each in store.measurements.recent_series(job_id)
        ],
        "facts": facts,
        "trained": store.measurements.trained(job_id),
        "begun": store.measurements.begun(job_id),
        "lost": store.measurements.lost(job_id),
        "spent": store.ledger.spent(job_id, now_s),
        "uses": spent_on(store, job, now_s=now_s),
        "fixed": costs_if_fixed(store, job, now_s=now_s),
        "ledger": store.ledger.of_job(job_id),
    }


def ends(store: Store, job: Job, history: History, phase: JobPhase = JobPhase.SUCCEEDED) -> None:
    at_s = history.now_s
    store.nodes.intend_end(history.node.id, reason="done", now_s=at_s)
    store.nodes.gone(history.node.id, at_s=at_s)
    store.jobs.move(job.id, JobPhase.PROFILING, now_s=at_s)
    store.jobs.move(job.id, JobPhase.RUNNING, now_s=at_s)
    store.jobs.move(job.id, JobPhase.DRAINING, now_s=at_s)
    store.jobs.move(job.id, phase, now_s=at_s)


def test_no_number_of_an_ended_job_changes(store: Store, job: Job, history: History) -> None:
    ends(store, job, history)
    later_s = history.now_s + 3 * DAY_S
    before = seen(store, job.id, now_s=later_s)
    chart, report = (
        store.measurements.throughput(job.id, points=CHART_POINTS),
        report_on(store, NoArtifacts(), store.jobs.get(job.id), now_s=later_s),
    )
    store.rollup.run_to_the_end(now_s=later_s)
    assert seen(store, job.id, now_s=later_s) == before
    assert report_on(store, NoArtifacts(), store.jobs.get(job.id), now_s=later_s) == report
    after = store.measurements.throughput(job.id, points=CHART_POINTS)
    assert [(each.at_s, each.training_phase) for each in after] == [
        (each.at_s, each.training_phase) for each in chart
    ]
    assert [each.iterations_per_s for each in after] == pytest.approx(
        [each.iterations_per_s for each in chart]
    )
    kept = store.measurements.listed(job.id, limit=10_000)
    assert len(kept) == 2 * RECENT_WINDOWS + 1


def test_no_number_of_a_running_job_changes(store: Store, job: Job, history: History) -> None:
    history.now_s += 2 * DAY_S
    history.trains(500)
    before = seen(store, job.id, now_s=history.now_s)
    done = _iterations(store, job.id)
    store.rollup.run_to_the_end(now_s=history.now_s)
    assert seen(store, job.id, now_s=history.now_s) == before
    assert _iterations(store, job.id) == pytest.approx(done)
    assert len(store.measurements.listed(job.id, limit=10_000)) == 500 + RECENT_WINDOWS + 1


def _iterations(store: Store, job_id: str) -> float:
    """What a chart of 50 points shows in all, its last point and the gap before it left out."""
    points = store.measurements.throughput(job_id, points=50)
    return sum(each.iterations_per_s for each in points) * (points[1].at_s - points[0].at_s)


def test_a_constant_rate_stays_a_straight_line(store: Store, job: Job, node: Node) -> None:
    history = History(store, node)
    for _ in range(40):
        history.trains(60)  # 80 minutes without a gap, at 2.5 iterations a second
    store.rollup.run_to_the_end(now_s=START_S + 1.02 * DAY_S)
    points = store.measurements.throughput(job.id, points=20)
    inner = [point.iterations_per_s for point in points[1:-1]]
    assert inner == pytest.approx([2.5] * len(inner), rel=0.02)


def test_windows_of_the_last_day_are_all_there(store: Store, job: Job, history: History) -> None:
    before = store.measurements.listed(job.id, limit=10_000)
    store.rollup.run_to_the_end(now_s=START_S + WINDOWS_KEPT_S)
    assert store.measurements.listed(job.id, limit=10_000) == before


def test_a_window_that_comes_again_after_it_was_rolled_up_is_not_counted_twice(
    store: Store, job: Job, history: History
) -> None:
    batch = [each.window for each in store.measurements.listed(job.id, limit=10_000)][-400:]
    history.now_s += 3 * DAY_S
    store.rollup.run_to_the_end(now_s=history.now_s)
    before = seen(store, job.id, now_s=history.now_s)
    assert history.tells(batch) == 0
    after = seen(store, job.id, now_s=history.now_s)
    assert (after["trained"], after["iteration"]) == (before["trained"], before["iteration"])


def test_a_node_that_was_cut_off_for_days_brings_what_it_has(
    store: Store, job: Job, history: History
) -> None:
    store.rollup.run_to_the_end(now_s=history.now_s + 3 * DAY_S)
    before = sum(each.iterations for each in store.measurements.trained(job.id))
    history.seq += 1
    late = history.window(7, "warm-up", is_cold=False)
    assert history.tells([late]) == 1
    assert sum(each.iterations for each in store.measurements.trained(job.id)) == before + 7


def test_a_restart_that_lost_more_than_is_kept_is_found_in_the_sums(
    store: Store, job: Job, history: History
) -> None:
    history.now_s += 2 * DAY_S
    store.rollup.run_to_the_end(now_s=history.now_s)
    begun_at = history.iteration
    history.trains(10)
    history.restarts(history.iteration - begun_at + 5000)
    history.trains(10)
    from_s, to_s = store.measurements.lost(job.id)[-1]
    # 5,000 iterations at 2.5 a second lie before the gap of two days, in sums of a minute.
    gap_begins_s = history.now_s - 2 * DAY_S - 20 * WINDOW_S
    assert from_s == pytest.approx(gap_begins_s - 2000, abs=120)
    assert to_s == pytest.approx(history.now_s - 10 * WINDOW_S)


def test_a_resumed_job_is_rolled_up_again(store: Store, job: Job, history: History) -> None:
    ends(store, job, history, JobPhase.FAILED)
    store.rollup.run_to_the_end(now_s=history.now_s + 3 * DAY_S)
    few = len(store.measurements.listed(job.id, limit=10_000))
    store.resumes.resume(job.id, job.spec, now_s=history.now_s + 3 * DAY_S)
    history.now_s += 3 * DAY_S
    history.trains(1000)
    assert len(store.measurements.listed(job.id, limit=10_000)) == few + 1000
    store.rollup.run_to_the_end(now_s=history.now_s + 3 * DAY_S)
    assert len(store.measurements.listed(job.id, limit=10_000)) == few


@pytest.fixture
def rows(url: str, store: Store) -> Iterator[Any]:
    engine = plain_engine(url)

    def count(table: str) -> int:
        with engine.connect() as connection:
            return int(connection.execute(text(f"SELECT COUNT(*) FROM {table}")).scalar_one())

    yield count
    engine.dispose()


def test_sums_become_coarser_with_age(
    store: Store, job: Job, history: History, rows: Any, tmp_path: Path
) -> None:
    spans_s = history.now_s - START_S
    counts = []
    for age_s in (2 * DAY_S, 8 * DAY_S, 91 * DAY_S):
        store.rollup.run_to_the_end(now_s=history.now_s + age_s)
        counts.append(rows("buckets"))
    for count, width_s in zip(counts, (60, 600, 3600), strict=True):
        assert spans_s / width_s <= count <= spans_s / width_s + 3


def test_old_decisions_keep_their_reasons_and_lose_their_facts(store: Store, job: Job) -> None:
    group = builders.group()
    reasons = {}
    for number in range(6):
        action = Action.MOVE if number % 2 else Action.HOLD
        plan = Plan(action, group, Reason(f"why-{number}", f"because {number}"), (CANDIDATE,))
        snapshot = builders.snapshot(job=job, now_s=START_S + number)
        made = store.decisions.record(snapshot, plan, "best_value", sets_target=True)
        reasons[made] = f"because {number}"
    changes = store.decisions.changes(job.id)
    store.rollup.run_to_the_end(now_s=START_S + LONG_KEPT_S + 10)
    assert {each.id: each.plan.reason.text for each in store.decisions.listed(job.id)} == reasons
    assert store.decisions.changes(job.id) == changes
    *old, newest = sorted(reasons)
    for each in old:
        with pytest.raises(NotFound, match=rf"kept for 30 days. It was: {reasons[each]}"):
            store.decisions.snapshot(each)
        assert store.decisions.get(each).plan.candidates == ()
    assert store.decisions.snapshot(newest).now_s == START_S + 5
    assert store.decisions.get(newest).plan.candidates == (CANDIDATE,)


def test_decisions_of_the_last_month_keep_all(store: Store, job: Job) -> None:
    plan = Plan(Action.START, builders.group(), Reason("start", "start"), (CANDIDATE,))
    made = [
        store.decisions.record(
            builders.snapshot(job=job, now_s=START_S + n), plan, "best_value", sets_target=True
        )
        for n in range(3)
    ]
    before = [(store.decisions.get(each), store.decisions.snapshot(each)) for each in made]
    store.rollup.run_to_the_end(now_s=START_S + LONG_KEPT_S - 10)
    assert [(store.decisions.get(each), store.decisions.snapshot(each)) for each in made] == before
