"""Observing: gathers the raw facts about one job into the frozen snapshot that a decision is made from."""

from __future__ import annotations

from elastic.model import Generation, Group, Job, Limits, Node, Offering, Snapshot
from elastic.providers import Provider
from elastic.reconciler.steps import exit_of
from elastic.store import Store


def observe(store: Store, provider: Provider, job: Job, *, limits: Limits, now_s: float) -> Snapshot:
    """Gives the snapshot of one job at `now_s`; only what can be bought now and has a price counts as priced."""
    on_offer = set(provider.offerings())
    nodes = store.nodes(job.id)
    return Snapshot(
        now_s=now_s,
        job=job,
        target=store.target(job.id),
        current=training_group(store.generation(job.id), nodes),
        nodes=nodes,
        node_types=provider.node_types(),
        prices=tuple(price for price in store.prices_in_force(now_s) if price.offering in on_offer),
        series=store.recent_series(job.id),
        switches=store.switches(job.id),
        changes=store.changes(job.id),
        spent_usd=store.spent(job.id, now_s),
        limits=limits,
    )


def training_group(generation: Generation | None, nodes: tuple[Node, ...]) -> Group | None:
    """The group that trains now: the members of a generation that still runs whole; None if there is no such."""
    if generation is None or generation.ended_at_s is not None or generation.drain_at_s is not None:
        return None
    present = {node.id: node for node in nodes}
    members = [present.get(node_id) for node_id in generation.node_ids]
    counts: dict[Offering, int] = {}
    for node in members:
        if node is None or exit_of(node, generation.number) is not None:
            return None
        counts[node.offering] = counts.get(node.offering, 0) + 1
    return Group(tuple(sorted(counts.items())))
