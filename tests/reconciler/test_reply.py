"""The reply to a heartbeat: what a node's workers are told beside the job's own environment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.model import (
    Batch,
    Generation,
    Job,
    JobPhase,
    JobSpec,
    Mode,
    Node,
    NodePhase,
    Offering,
    Precision,
    Workers,
)
from elastic.protocol import Assignment, from_json, to_json
from elastic.reconciler import reply_for
from tests.builders import node


def environment(node_type: str, precision: Precision | None = None, **most: int) -> dict[str, str]:
    spec = JobSpec(
        "j",
        ("train.py",),
        env={"SEED": "7"},
        nodes_max=2,
        mode=Mode.LIVE,
        most_samples=most,
        precision=precision,
    )
    job = Job("job-1", spec, JobPhase.RUNNING, submitted_at_s=0.0)
    bought = node(Offering(node_type))
    reply = reply_for(
        bought, job, Generation("job-1", 1, (bought.id,), "127.0.0.1:1", 0.0), lease_s=60.0
    )
    assert reply.assignment is not None
    return dict(reply.assignment.env)


def test_a_worker_is_told_how_many_samples_its_node_type_holds() -> None:
    assert environment("small", small=4) == {"SEED": "7", "ELASTICD_SESSION_MOST_SAMPLES": "4"}


def test_a_worker_is_told_the_job_s_precision() -> None:
    assert environment("small", Precision.BF16) == {"SEED": "7", "ELASTICD_PRECISION": "bf16"}


def test_where_nothing_is_known_of_a_node_type_its_workers_may_take_a_whole_batch() -> None:
    assert environment("large", small=4) == {"SEED": "7"}


JOB = Job("job-1", JobSpec("j", ("train.py",)), JobPhase.RUNNING, submitted_at_s=0.0)
OVER = replace(JOB, phase=JobPhase.SUCCEEDED)


@pytest.mark.parametrize(
    ("hearer", "job"),
    [(node(phase=NodePhase.TERMINATING), JOB), (node(phase=NodePhase.LOST), JOB), (node(), OVER)],
)
def test_a_node_that_is_not_wanted_any_more_is_told_to_go_whatever_its_generation(
    hearer: Node, job: Job
) -> None:
    reply = reply_for(
        hearer, job, Generation("job-1", 1, (hearer.id,), "127.0.0.1:1", 0.0), lease_s=60.0
    )
    assert reply.shutdown and reply.assignment is None


def test_who_hangs_is_ended_at_once() -> None:
    hearer = node()
    for hangs in (False, True):
        draining = Generation(
            "job-1", 1, (hearer.id,), "127.0.0.1:1", 0.0, drain_at_s=1.0, hangs=hangs
        )
        reply = reply_for(hearer, JOB, draining, lease_s=60.0)
        assert reply.assignment is None and reply.needs_signal is hangs


def test_each_member_is_told_its_own_workers_and_how_many_all_have() -> None:
    small, large = node("small", number=1), node("large", number=2, workers=Workers(2, 4))
    generation = Generation("job-1", 1, (small.id, large.id), "127.0.0.1:1", 0.0, world_size=3)

    told = [reply_for(each, JOB, generation, lease_s=60.0).assignment for each in (small, large)]

    assert [
        (each.nproc_per_node, each.threads, each.world_size) for each in told if each is not None
    ] == [
        (1, 1, 3),
        (2, 4, 3),
    ]


def test_workers_are_told_what_the_job_saved_and_what_an_iteration_is() -> None:
    job = replace(JOB, spec=replace(JOB.spec, batch=Batch.JOB))
    generation = Generation("job-1", 1, (node().id,), "127.0.0.1:1", 0.0)
    reply = reply_for(node(), job, generation, saves={"a-1": 40}, lease_s=60.0)
    assert reply.assignment is not None
    heard = from_json(Assignment, to_json(reply.assignment))
    assert (heard.batch, dict(heard.saves)) == (Batch.JOB, {"a-1": 40})
