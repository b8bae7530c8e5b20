"""How jobs stand, and what the ledger adds up to, read in bulk as one by one, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import Job, JobPhase, JobSpec, Node
from elastic.store import Store
from tests.builders import intend
from tests.store.rows import HALF, plan, snapshot

DAY_S = 86_400.0


def test_jobs_stand_as_each_of_their_parts_says(store: Store, job: Job, node: Node) -> None:
    other, _ = store.jobs.submit(
        replace(job.spec, name="other"), key=None, request_hash="o", now_s=120.0
    )
    for each in (job, other):
        for second in (300.0, 400.0):
            seen = snapshot(store, each, now_s=second)
            store.decisions.record(seen, plan(code=f"at {second}"), "best_value", sets_target=False)
        store.events.add("note", f"of {each.id}", job_id=each.id, now_s=130.0)
    found = store.overviews.of([other, job], now_s=500.0)
    assert [each.job for each in found] == [other, job]
    for stands in found:
        job_id = stands.job.id
        assert stands.target == store.jobs.target(job_id)
        assert stands.nodes == store.nodes.listed(job_id)
        assert stands.generation == store.generations.latest(job_id)
        assert (stands.decision,) == store.decisions.listed(job_id, limit=1)
        assert stands.notes == (f"of {job_id}",)
        assert stands.spent_usd == store.ledger.spent(job_id, 500.0)
    assert found[1].members == (node,) and found[0].members == ()
    store.nodes.gone(node.id, at_s=450.0)
    (lost,) = store.overviews.of([job], now_s=500.0)
    assert (lost.nodes, lost.members) == ((), (store.nodes.get(node.id),))
    assert lost.last_held_s == 450.0
    assert store.overviews.of([], now_s=500.0) == ()


def test_a_job_is_followed_once_its_name_means_another(store: Store, job: Job) -> None:
    store.jobs.request_stop(job.id, JobPhase.FAILED, None, now_s=200.0)
    store.jobs.move(job.id, JobPhase.FAILED, now_s=200.0)
    assert store.jobs.followed([job.id]) == frozenset()
    again, _ = store.jobs.submit(
        JobSpec("first", ("train.py",)), key=None, request_hash="2", now_s=210.0
    )
    assert store.jobs.get("first") == again
    assert store.jobs.followed([job.id]) == {job.id}


def test_a_day_of_the_ledger_begins_at_midnight(store: Store, job: Job, node: Node) -> None:
    store.nodes.gone(node.id, at_s=210.0)
    # Afternoons too: a number of a day that is rounded would be the next one's.
    for from_s, to_s in ((0.7, 0.8), (0.9, 1.0), (1.0, 1.4), (1.6, 1.9)):
        bought = intend(store, job.id, HALF, now_s=from_s * DAY_S)
        store.nodes.launched(bought.id, bought.id, launched_at_s=from_s * DAY_S, minimum_s=0.0)
        store.nodes.gone(bought.id, at_s=to_s * DAY_S)
    within, across = store.ledger.by_day(job.id, now_s=5 * DAY_S)
    assert [(each.from_s, each.to_s) for each in across] == [(0.9 * DAY_S, DAY_S)]
    usd = {each.key: each.usd for each in within}
    assert usd == {
        "1970-01-01": pytest.approx(0.36 * (100.0 / 3600 + 2.4)),
        "1970-01-02": pytest.approx(0.36 * (9.6 + 7.2)),
    }
    (whole,) = store.ledger.sums("type", job.id, now_s=5 * DAY_S)
    assert whole.key == "local.half on-demand" and whole.burn_usd_per_h == 0.0
    assert whole.usd == pytest.approx(store.ledger.total(None, 5 * DAY_S))
