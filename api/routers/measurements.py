"""The route for measurements of jobs' main loops."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api import schemas
from api.deps import Before, ContextOf, JobFilter, Limit, require_user
from api.paging import page_of

router = APIRouter(prefix="/v1", tags=["measurements"], dependencies=[Depends(require_user)])


@router.get("/measurements")
def list_measurements(
    context: ContextOf, job: JobFilter, limit: Limit = 50, before: Before = None
) -> schemas.Page[schemas.Measurement]:
    """Lists windows of paramount iterations, newest first."""
    return page_of(
        schemas.Measurement,
        context.store.measurements.listed(job, limit=limit + 1, before=before),
        limit,
    )
