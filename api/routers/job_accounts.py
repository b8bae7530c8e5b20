"""The routes for a job's speed, cost, forecast and closing report."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import FiniteFloat

from api import schemas
from api.accounts import cost_over_time
from api.deps import ContextOf, JobKey, require_user
from api.outlook import outlook_of
from api.reports import report_on
from elastic.errors import Conflict

router = APIRouter(prefix="/v1/jobs/{job}", tags=["jobs"], dependencies=[Depends(require_user)])

Buckets = Annotated[int, Query(ge=2, le=2000, description="About as many points as this.")]
Since = Annotated[
    FiniteFloat, Query(ge=0, description="Only from this instant on, in Unix seconds.")
]


@router.get("/throughput")
def get_job_throughput(
    job: JobKey, context: ContextOf, buckets: Buckets = 300, since_s: Since = 0.0
) -> schemas.Page[schemas.ThroughputPointOut]:
    """Returns iterations per second over time, oldest first."""
    found = context.store.measurements.throughput(
        context.store.jobs.get(job).id, since_s=since_s, points=buckets
    )
    items = [schemas.ThroughputPointOut.of(each) for each in found]
    return schemas.Page[schemas.ThroughputPointOut](items=items, next_before=None)


@router.get("/cost")
def get_job_cost(
    job: JobKey, context: ContextOf, buckets: Buckets = 120
) -> schemas.Page[schemas.CostPoint]:
    """Returns the dollars spent over time, oldest first; the last point is the total."""
    rows = context.store.ledger.of_job(context.store.jobs.get(job).id)
    items = cost_over_time(rows, points=buckets, now_s=context.clock.now_s())
    return schemas.Page[schemas.CostPoint](items=items, next_before=None)


@router.get("/forecast")
def get_job_forecast(job: JobKey, context: ContextOf) -> schemas.ForecastOut:
    """Says when the job would be done and for how much on each group, as of now.

    Prices and paces are those of its newest decision. 409 before the first decision, and once the
    job is over or draining.
    """
    found = context.store.jobs.get(job)
    outlook = outlook_of(context.store, found, now_s=context.clock.now_s())
    if outlook is None:
        raise Conflict(
            f"job {job} {found.phase.predicate}: there is a forecast from its first decision "
            "until it ends"
        )
    return outlook.to_schema()


@router.get("/report")
def get_job_report(job: JobKey, context: ContextOf) -> schemas.Report:
    """Reports the job's dollars by node, its decisions, and what fixed choices would have cost."""
    return report_on(
        context.store, context.kept(), context.store.jobs.get(job), now_s=context.clock.now_s()
    )
