"""Ends a job."""

from __future__ import annotations

from elastic.model import (
    Job,
    JobPhase,
    Node,
)
from elastic.store import Store


def end_node(store: Store, node: Node, *, at_s: float) -> None:
    store.nodes.intend_end(node.id, reason="the job is ending", now_s=at_s)
    store.nodes.gone(node.id, at_s=at_s)


def end_job(
    store: Store, job: Job, ending: JobPhase = JobPhase.CANCELLED, *, at_s: float = 200.0
) -> None:
    for node in store.nodes.listed(job.id):
        end_node(store, node, at_s=at_s)
    generation = store.generations.latest(job.id)
    if generation is not None:
        store.generations.end(job.id, generation.number, now_s=at_s)
    store.jobs.request_stop(job.id, ending, "as the test wants", now_s=at_s)
    store.jobs.move(job.id, ending, now_s=at_s)
