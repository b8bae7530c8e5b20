"""One purse over two jobs, pauses and starts, with the real reconciler and policies."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from elastic.model import CalendarUnit, Job, JobPhase, Limits, StartCondition
from elastic.policy import decide
from elastic.reconciler import Purse
from tests.reconciler.virtual import SMALL, VirtualCluster

QUICK = Limits(
    minimum_billed_s=0.0,
    reaction_s=5.0,
    wind_down_s=5.0,
    cooldown_s=20.0,
    boot_prior_s=3.0,
    switch_pause_prior_s=2.0,
)


@pytest.fixture
def cluster(tmp_path: Path) -> VirtualCluster:
    """A cluster of small machines at $0.36/h, with the real policies."""
    cluster = VirtualCluster(tmp_path, decide, prices={SMALL: 0.36}, offerings=(SMALL,))
    cluster.reconciler.limits = QUICK
    return cluster


def capped(cluster: VirtualCluster, **usd: float) -> None:
    caps = {CalendarUnit(span): most for span, most in usd.items()}
    cluster.reconciler.purse = Purse(caps, UTC)


def job_of(cluster: VirtualCluster, job: Job) -> Job:
    return cluster.store.jobs.get(job.id)


def reason(cluster: VirtualCluster, job: Job) -> str:
    return cluster.store.decisions.listed(job.id)[0].plan.reason.text


def nodes(cluster: VirtualCluster, job: Job) -> int:
    return len(cluster.store.nodes.listed(job.id))


def test_the_lower_priority_waits_where_an_hour_pays_one_job(cluster: VirtualCluster) -> None:
    capped(cluster, hour=0.5, day=8.0)
    low = cluster.submit(name="low")
    cluster.run(8)
    assert job_of(cluster, low).iteration > 0

    high = cluster.submit(name="high", priority=1)
    cluster.run(15)
    done = cluster.done[low.id]
    assert job_of(cluster, low).phase is JobPhase.WAITING
    # The hour is what binds, though the day would not last at this pace.
    assert "leaves it $0/h of $0.45/h" in reason(cluster, low)
    assert nodes(cluster, low) == 0
    assert job_of(cluster, high).iteration > 0
    assert "1 job comes first, with $0.36/h" in reason(cluster, low)

    # Nothing is lost: once the other is over, it goes on where it was.
    cluster.store.jobs.request_stop(high.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    cluster.run(25)
    assert cluster.done[low.id] > done
    assert job_of(cluster, low).redone == 0


def test_a_paused_job_keeps_its_work_and_goes_on(cluster: VirtualCluster) -> None:
    job = cluster.submit()
    cluster.run(10)
    cluster.store.jobs.pause(job.id, "paused on request", now_s=cluster.clock.now_s())
    cluster.run(12)
    paused = job_of(cluster, job)
    done = cluster.done[job.id]
    assert paused.phase is JobPhase.PAUSED
    assert nodes(cluster, job) == 0
    assert cluster.store.generations.latest(job.id).drain_at_s is not None  # type: ignore[union-attr]

    # Asked again, nothing changes.
    again = cluster.store.jobs.pause(job.id, "paused on request", now_s=cluster.clock.now_s())
    assert again == paused

    cluster.store.resumes.resume(job.id, paused.spec, now_s=cluster.clock.now_s())
    cluster.run(10)
    assert cluster.done[job.id] > done
    gone_on = job_of(cluster, job)
    assert gone_on.phase is not JobPhase.PAUSED
    assert (gone_on.message, gone_on.redone) == (None, 0)
    # The pause is no change of group: the next change is not expected to last as long.
    facts = cluster.store.facts.of(job.id, now_s=cluster.clock.now_s())
    assert all(each.pause_s < 15.0 for each in facts.switches)


@pytest.mark.slow
def test_a_job_shrinks_to_what_the_purse_leaves_it(cluster: VirtualCluster) -> None:
    low = cluster.submit(name="low", nodes_min=1, nodes_max=4)
    cluster.run(60)
    assert nodes(cluster, low) > 1
    capped(cluster, hour=1.3)
    high = cluster.submit(name="high", priority=1, nodes_max=1)
    cluster.run(40)
    # $1.17/h for machines, of which the higher one takes $0.36/h.
    assert nodes(cluster, high) == 1
    assert 1 <= nodes(cluster, low) <= 2
    assert job_of(cluster, low).redone == 0
    told = [each.plan.reason.text for each in cluster.store.decisions.listed(low.id)]
    assert any("1 job comes first, with $0.36/h" in each for each in told), told


def test_a_start_waits_for_a_lower_price(cluster: VirtualCluster) -> None:
    job = cluster.submit(start=StartCondition(usd_per_h_below=0.36))
    cluster.run(5)
    assert "it starts when machines cost less than $0.36/h" in reason(cluster, job)
    cluster.store.jobs.set_spec(
        job.id,
        replace(job.spec, start=StartCondition(usd_per_h_below=0.37)),
        now_s=cluster.clock.now_s(),
    )
    cluster.run(5)
    assert nodes(cluster, job) >= 1


@pytest.mark.slow
def test_a_day_that_is_spent_pauses_its_jobs_until_the_next(cluster: VirtualCluster) -> None:
    capped(cluster, day=0.01)
    job = cluster.submit(nodes_max=1)
    cluster.run(150)
    assert job_of(cluster, job).phase is JobPhase.WAITING
    spent_usd = cluster.store.ledger.spent(job.id, cluster.clock.now_s())
    assert 0.006 < spent_usd <= 0.01
    assert "left of this day" in reason(cluster, job)
    cluster.clock.advance(86_400.0)
    cluster.run(30)
    assert nodes(cluster, job) == 1


@pytest.mark.slow
def test_a_job_starts_within_its_hours_and_keeps_its_machines_beyond_them(
    cluster: VirtualCluster,
) -> None:
    # The cluster's clock begins at 00:16:40.
    job = cluster.submit(nodes_max=1, start=StartCondition(hours="00:17-00:18 UTC"))
    cluster.run(10)
    assert job_of(cluster, job).phase is JobPhase.WAITING
    assert "it starts within 00:17-00:18 UTC only" in reason(cluster, job)
    cluster.run(30)
    assert job_of(cluster, job).iteration > 0
    cluster.run(80)
    assert nodes(cluster, job) == 1


def test_a_job_stops_once_its_longest_time_is_over(cluster: VirtualCluster) -> None:
    job = cluster.submit(max_duration_s=10.0)
    cluster.run(24)
    stopped = job_of(cluster, job)
    assert stopped.phase is JobPhase.CANCELLED
    assert "max_duration is 10 s" in (stopped.message or "")
    assert stopped.iteration > 0
