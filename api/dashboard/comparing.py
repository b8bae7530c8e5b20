"""The page that compares jobs side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from api.dashboard.facts import JobPageFacts, brief_facts, value_facts
from api.dashboard.pages import PageRoute, page
from api.dashboard.views import Compared, comparison_view
from api.deps import Context, ContextOf, require_user
from api.reports import quality_of, spent_on
from elastic.errors import InvalidInput
from elastic.model import Job

LEAST_JOBS = 2
MOST_JOBS = 5

router = APIRouter(
    route_class=PageRoute, dependencies=[Depends(require_user)], include_in_schema=False
)


@router.get("/compare")
def compare(
    request: Request,
    context: ContextOf,
    jobs: Annotated[list[str], Query(max_length=64)] = [],  # noqa: B006 - FastAPI copies it
) -> HTMLResponse:
    """Two to five jobs side by side: what a dollar bought, cost, finish, and their results."""
    now_s = context.clock.now_s()
    chosen = _chosen(context, jobs)
    compared = [_compared(context, each, now_s=now_s) for each in chosen]
    view = comparison_view(compared, now_s=now_s)
    return page(request, "compare.html", here="Jobs", view=view, now_s=now_s)


def _chosen(context: Context, asked: list[str]) -> list[Job]:
    """The jobs, each once. Raises InvalidInput, NotFound."""
    names = [name.strip() for each in asked for name in each.split(",") if name.strip()]
    found = {job.id: job for job in map(context.store.jobs.get, names[: MOST_JOBS + 1])}
    if not LEAST_JOBS <= len(found) <= MOST_JOBS:
        raise InvalidInput(
            f"wanted {LEAST_JOBS} to {MOST_JOBS} jobs to compare, got {len(found)}: tick them in "
            "the list of jobs"
        )
    return list(found.values())


def _compared(context: Context, job: Job, *, now_s: float) -> Compared:
    store = context.store
    (seen,) = store.overviews.of([job], now_s=now_s)
    facts: JobPageFacts = value_facts(store, brief_facts(seen, now_s=now_s))
    return Compared(
        replace(facts, nodes=store.nodes.listed(job.id, include_gone=True)),
        uses=spent_on(store, job, now_s=now_s),
        quality=quality_of(context.kept(), job.id),
    )
