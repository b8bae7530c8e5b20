"""Observing: turns the raw facts about one job into the frozen snapshot of a decision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from elastic.calendar import hours_of
from elastic.errors import ProviderError
from elastic.model import (
    Boot,
    DoubtedPrice,
    Generation,
    Group,
    JobSpec,
    Limits,
    Node,
    NodeType,
    Offering,
    Outcome,
    Pool,
    Price,
    Snapshot,
    Unavailable,
)
from elastic.providers import Provider
from elastic.store import JobFacts


@dataclass(frozen=True, slots=True)
class KnownCatalog:
    """What a provider sells."""

    node_types: tuple[NodeType, ...] = ()
    offerings: tuple[Offering, ...] = ()
    # Why the rest is not known; None if it is.
    failure: ProviderError | None = None


def read_catalog(provider: Provider) -> KnownCatalog:
    """Asks once, so that a whole tick sees the same.

    If it cannot be read, jobs are handled without it.
    """
    try:
        return KnownCatalog(provider.node_types(), provider.offerings())
    except ProviderError as error:
        return KnownCatalog(failure=error)


def observe(
    facts: JobFacts,
    catalog: KnownCatalog,
    prices: Iterable[Price],
    *,
    boots: tuple[Boot, ...] = (),
    unavailable: tuple[Unavailable, ...] = (),
    pools: tuple[Pool, ...] = (),
    refused: tuple[Offering, ...] = (),
    doubted: tuple[DoubtedPrice, ...] = (),
    doubted_usd: float = 0.0,
    limits: Limits,
    now_s: float,
) -> Snapshot:
    """Gives the snapshot of one job at `now_s`.

    Only what is on offer is a candidate; if that is not known, everything with a price is.
    """
    prices = tuple(prices)
    # While the catalogue is not known, everything with a price counts as on offer.
    is_known = catalog.failure is None
    if is_known:
        on_offer = set(catalog.offerings)
    else:
        on_offer = {price.offering for price in prices}
    if is_known:
        boots = _telling(boots, catalog)
    held = {node.offering for node in facts.nodes} | set(
        dict(facts.target.members) if facts.target else ()
    )
    return Snapshot(
        now_s=now_s,
        job=facts.job,
        target=facts.target,
        current=training_group(facts.generation, facts.nodes),
        nodes=facts.nodes,
        node_types=catalog.node_types,
        prices=tuple(price for price in prices if price.offering in on_offer),
        series=facts.series,
        switches=facts.switches,
        changes=facts.changes,
        spent_usd=facts.spent_usd,
        limits=limits,
        unavailable=unavailable,
        doubted=doubted,
        doubted_usd=doubted_usd,
        is_catalog_known=is_known,
        withdrawn=tuple(price for price in prices if price.offering in held - on_offer),
        boots=boots,
        pools=tuple(pool for pool in pools if pool.offering in on_offer),
        refused=refused,
        earlier=facts.earlier,
        current_since_s=None if facts.generation is None else facts.generation.started_at_s,
        started_at_s=facts.started_at_s,
        opens_at_s=None
        if facts.job.spec.start.hours is None
        else opens_at_s(facts.job.spec, now_s=now_s),
    )


def opens_at_s(spec: JobSpec, *, now_s: float) -> float | None:
    """When the hours next begin in which a job may start; None if it names none."""
    if spec.start.hours is None:
        return None
    return hours_of(spec.start.hours).opens_at_s(now_s)


def _telling(boots: tuple[Boot, ...], catalog: KnownCatalog) -> tuple[Boot, ...]:
    """The boots of node types on offer, or from their images: a decision stores no others."""
    names = {each.name for each in catalog.node_types}
    images = {each.image for each in catalog.node_types}
    return tuple(each for each in boots if each.node_type in names or each.image in images)


def training_group(generation: Generation | None, nodes: tuple[Node, ...]) -> Group | None:
    """The group that trains now: the members of a generation that still runs as a whole; None if
    none does.

    A node whose workers are done belongs to it until the others' are done too.
    """
    if generation is None or generation.ended_at_s is not None or generation.drain_at_s is not None:
        return None
    present = {node.id: node for node in nodes}
    counts: dict[Offering, int] = {}
    for node_id in generation.node_ids:
        node = present.get(node_id)
        if node is None or node.stopping_at_s is not None:
            return None
        ended = node.exit
        has_ended = ended is not None and ended.generation == generation.number
        if ended is not None and has_ended and ended.outcome is not Outcome.SUCCEEDED:
            return None
        counts[node.offering] = counts.get(node.offering, 0) + 1
    return Group(tuple(sorted(counts.items())))
