"""The routes for prices, the purse, and the ledger of what was paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import FiniteFloat

from api import schemas
from api.accounts import totals_by_day
from api.deps import Before, ContextOf, JobFilter, Limit, require_user
from api.paging import cut
from api.past import price_histories
from api.purse import purse_now
from elastic.durations import HISTORY_DAYS
from elastic.model import Price
from elastic.reconciler import audit

router = APIRouter(prefix="/v1", tags=["money"], dependencies=[Depends(require_user)])

Current = Annotated[bool, Query(description="Only what is in force now, in one page.")]
NodeTypeQuery = Annotated[
    str, Query(min_length=1, max_length=64, description="The node type, as c5.large.")
]
Days = Annotated[FiniteFloat, Query(gt=0, le=3660, description="How far back, in days.")]


@router.get("/prices")
def list_prices(
    context: ContextOf, current: Current = False, limit: Limit = 50, before: Before = None
) -> schemas.PricePage:
    """Lists what offerings cost, newest first, and whether they can be bought now.

    A price holds until a later one of the same offering that is believed.
    """
    now_s = context.clock.now_s()
    store = context.store
    found: Sequence[Price] = store.prices.in_force(now_s)
    next_before = None
    if not current:
        found, next_before = cut(
            store.prices.listed(limit=limit + 1, before=before), limit, lambda price: price.id
        )
    blocks = context.provider.blocks.listed(now_s=now_s)
    items = [
        schemas.MarketPrice.at(each, limits=context.limits, blocks=blocks, now_s=now_s)
        for each in found
    ]
    disbelieved = [
        schemas.DisbelievedPriceOut.of_quarantined(each) for each in context.disbelieved()
    ]
    return schemas.PricePage(items=items, next_before=next_before, disbelieved=disbelieved)


@router.get("/purse")
def get_purse(context: ContextOf) -> schemas.PurseOut:
    """Returns the caps over all jobs, what is left of each, and which jobs wait for it."""
    return purse_now(context)


@router.get("/prices/history")
def get_price_history(
    context: ContextOf, node_type: NodeTypeQuery, days: Days = HISTORY_DAYS
) -> schemas.PriceHistories:
    """Returns what each offering of a node type has cost: EC2's spot history, and what came since.

    404 if no price of the type is known.
    """
    found = price_histories(context.store, node_type, days=days, now_s=context.clock.now_s())
    return schemas.PriceHistories(
        node_type=node_type, items=[schemas.PriceHistoryOut.of(each) for each in found]
    )


@router.get("/ledger")
def list_ledger(
    context: ContextOf, job: JobFilter, limit: Limit = 50, before: Before = None
) -> schemas.LedgerPage:
    """Lists the ledger, newest first, and its sum.

    Each row is a time in a node's life with one price.
    """
    now_s = context.clock.now_s()
    found = context.store.ledger.listed(job, limit=limit + 1, before=before)
    kept, next_before = cut(found, limit, lambda row: row.id)
    prices = {
        price.id: price for price in context.store.prices.of_ids([row.price_id for row in kept])
    }
    return schemas.LedgerPage(
        items=[schemas.LedgerRowOut.at(row, prices[row.price_id], now_s=now_s) for row in kept],
        next_before=next_before,
        total_usd=context.store.ledger.total(job, now_s),
    )


@router.get("/ledger/summary")
def get_ledger_summary(
    context: ContextOf, job: JobFilter, by: schemas.LedgerBy = schemas.LedgerBy.JOB
) -> schemas.LedgerSummary:
    """Adds the ledger up by job, node, node type, zone, day or month of UTC.

    It includes what running nodes cost an hour.
    """
    now_s = context.clock.now_s()
    if by in (schemas.LedgerBy.DAY, schemas.LedgerBy.MONTH):
        summed, rows = context.store.ledger.by_day(job, now_s=now_s)
        items = totals_by_day(summed, rows, by, now_s=now_s)
    else:
        items = [
            schemas.LedgerTotal(key=each.key, usd=each.usd, burn_usd_per_h=each.burn_usd_per_h)
            for each in context.store.ledger.sums(by.value, job, now_s=now_s)
        ]
    return schemas.LedgerSummary(
        by=by,
        at_s=now_s,
        items=items,
        total_usd=sum(each.usd for each in items),
        burn_usd_per_h=sum(each.burn_usd_per_h for each in items),
    )


@router.get("/audit")
def get_audit(context: ContextOf) -> schemas.AuditOut:
    """Compares the ledger with the cloud's list of machines."""
    now_s = context.clock.now_s()
    instances = context.provider.instances()
    nodes = context.store.nodes.listed(include_gone=True)
    rows = [
        row
        for job_id in {node.job_id for node in nodes}
        for row in context.store.ledger.of_job(job_id)
    ]
    return schemas.AuditOut.of(audit(nodes, rows, instances, now_s=now_s))
