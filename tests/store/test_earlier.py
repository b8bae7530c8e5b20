"""What earlier runs of a program measured, as the next run is told of it."""

from __future__ import annotations

from dataclasses import replace

from elastic.model import Group, Job, Node, Trained
from elastic.store import Store
from tests.store.rows import HALF, window


def test_a_job_is_told_what_others_of_its_program_measured(
    store: Store, job: Job, node: Node
) -> None:
    turns = [window(node, seq, iterations=2, elapsed_s=1.0) for seq in (1, 2, 3)]
    store.measurements.append(node.id, turns)

    again, _ = store.jobs.submit(
        replace(job.spec, name="again", nodes_max=3), key=None, request_hash="h", now_s=200.0
    )
    other, _ = store.jobs.submit(
        replace(job.spec, name="other", global_batch=8), key=None, request_hash="h", now_s=200.0
    )

    (told,) = store.facts.of(again.id, now_s=201.0).earlier
    assert (told.group, told.elapsed_s / told.iterations) == (Group.of(HALF), 0.5)
    assert isinstance(told, Trained)
    assert store.facts.of(other.id, now_s=201.0).earlier == (), "another batch is another program"
    assert store.facts.of(job.id, now_s=201.0).earlier == (), "its own windows are no earlier run's"
