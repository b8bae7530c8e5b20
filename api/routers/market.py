"""Prices, and the ledger of what was paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from api import schemas
from api.deps import Before, ContextOf, JobFilter, Limit, require_user
from api.paging import cut
from elastic.model import Limits, Price, spent_usd
from elastic.reconciler import audit

router = APIRouter(prefix="/v1", tags=["money"], dependencies=[Depends(require_user)])

Current = Annotated[bool, Query(description="Only what is in force now, in one page.")]

_EVERY_JOB = 500


@router.get("/prices")
def list_prices(
    context: ContextOf, current: Current = False, limit: Limit = 50, before: Before = None
) -> schemas.Page[schemas.MarketPrice]:
    """Lists what offerings cost, newest first, and whether they can be bought now.

    A price holds until a later one of the same offering.
    """
    now_s, store = context.clock.now_s(), context.store
    found: Sequence[Price] = store.prices_in_force(now_s)
    next_before = None
    if not current:
        found, next_before = cut(store.prices(limit=limit + 1, before=before), limit, lambda price: price.id)
    limits = Limits(**context.settings.policy.model_dump())
    blocks = {each.offering: each for each in context.provider.blocks.listed(now_s=now_s)}
    items = [
        schemas.MarketPrice.at(each, limits=limits, block=blocks.get(each.offering), now_s=now_s) for each in found
    ]
    return schemas.Page[schemas.MarketPrice](items=items, next_before=next_before)


@router.get("/ledger")
def list_ledger(context: ContextOf, job: JobFilter, limit: Limit = 50, before: Before = None) -> schemas.LedgerPage:
    """Lists each stretch of each node's life at the price then in force, newest first, and the sum of all."""
    now_s = context.clock.now_s()
    found = context.store.ledger(job, limit=limit + 1, before=before)
    kept, next_before = cut(found, limit, lambda row: row.id)
    return schemas.LedgerPage(
        items=[schemas.LedgerRow.at(row, now_s=now_s) for row in kept],
        next_before=next_before,
        total_usd=_total_usd(context, job, now_s),
    )


@router.get("/audit")
def get_audit(context: ContextOf) -> schemas.Audit:
    """Compares the ledger with what the cloud says of its machines now."""
    now_s = context.clock.now_s()
    instances = context.provider.instances()
    nodes = context.store.nodes(include_gone=True)
    rows = [row for job_id in {node.job_id for node in nodes} for row in context.store.ledger_of_job(job_id)]
    return schemas.Audit.of(audit(nodes, rows, instances, now_s=now_s))


def _total_usd(context: ContextOf, job: str | None, now_s: float) -> float:
    if job is not None:
        return context.store.spent(job, now_s)
    total, before = 0.0, None
    while rows := context.store.ledger(limit=_EVERY_JOB, before=before):
        total += spent_usd(rows, now_s)
        before = rows[-1].id
    return total
