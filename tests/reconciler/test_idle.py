"""What a tick reads and writes: of jobs in which nothing changed next to nothing, and never what is
out of date."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elastic.model import Group, JobPhase
from elastic.store import Database, Store
from elastic.store.facts import Facts
from tests.builders import add_price
from tests.reconciler.dictated import Dictated
from tests.reconciler.virtual import LARGE, SMALL, VirtualCluster, small_forever
from tests.statements import statements


def idle_tick(folder: Path, *, jobs: int) -> list[str]:
    """What a tick asks for in which nothing has changed, with so many jobs that train."""
    folder.mkdir()
    cluster = VirtualCluster(folder, small_forever)
    for number in range(jobs):
        cluster.submit(name=f"job-{number}")
    cluster.run(15)
    cluster.agents_are_silent = True
    cluster.run(2)
    with statements() as found:
        cluster.reconciler.tick(now_s=cluster.clock.now_s())
    return found


def test_an_idle_tick_asks_for_as_much_with_ten_jobs_as_with_two(tmp_path: Path) -> None:
    two, ten = idle_tick(tmp_path / "two", jobs=2), idle_tick(tmp_path / "ten", jobs=10)
    assert len(ten) == len(two) < 40
    written = [each for each in ten if each.startswith(("UPDATE", "INSERT", "DELETE"))]
    assert len(written) == 1 and written[0].startswith("UPDATE decisions"), "the holds' counts"


def fresh(store: Store, database: Database, job_id: str, *, now_s: float) -> object:
    return replace(Facts(database).of(job_id, now_s=now_s), spent_usd=0.0)


def test_facts_that_are_kept_are_what_a_new_look_finds(tmp_path: Path) -> None:
    policy = Dictated(Group.of(SMALL))
    cluster = VirtualCluster(tmp_path, policy)
    database = cluster.store.jobs._database  # noqa: SLF001 (a second reader of the same database)
    first, second = cluster.submit(name="first"), cluster.submit(name="second")

    def compare(seconds: int) -> None:
        for _ in range(seconds):
            cluster.run(1)
            now_s = cluster.clock.now_s()
            cluster.store.facts.prefetch(now_s=now_s)
            for job in (first, second):
                found = cluster.store.facts.of(job.id, now_s=now_s)
                wanted = fresh(cluster.store, database, job.id, now_s=now_s)
                assert replace(found, spent_usd=0.0) == wanted
                assert found.spent_usd == pytest.approx(
                    cluster.store.ledger.spent(job.id, now_s), abs=1e-12
                )

    compare(20)
    policy.wanted = Group.of(LARGE)
    compare(25)
    cluster.cloud.reclaim(next(n.provider_id or "" for n in cluster.store.nodes.listed(first.id)))
    compare(20)
    add_price(
        cluster.store,
        LARGE,
        0.9,
        valid_from_s=cluster.clock.now_s(),
        observed_at_s=cluster.clock.now_s(),
        source="told",
    )
    compare(5)
    cluster.store.jobs.request_stop(first.id, JobPhase.CANCELLED, None, now_s=cluster.clock.now_s())
    compare(15)
    assert cluster.store.jobs.get(first.id).phase is JobPhase.CANCELLED
    cluster.store.resumes.resume(first.id, first.spec, now_s=cluster.clock.now_s())
    compare(20)


def test_a_heartbeat_of_one_job_leaves_the_facts_about_others_as_they_were_read(
    tmp_path: Path,
) -> None:
    cluster = VirtualCluster(tmp_path, small_forever)
    first, second = cluster.submit(name="first"), cluster.submit(name="second")
    cluster.run(15)
    now_s = cluster.clock.now_s()
    facts = cluster.store.facts
    facts.prefetch(now_s=now_s)
    before = facts.of(first.id, now_s=now_s), facts.of(second.id, now_s=now_s)
    (node,) = cluster.store.nodes.listed(first.id)
    cluster._heartbeat(node, cluster.agents[node.id])  # noqa: SLF001 (one node's second)
    after = facts.of(first.id, now_s=now_s), facts.of(second.id, now_s=now_s)
    assert after[0].job.iteration > before[0].job.iteration
    assert after[1] is before[1]
