"""The dashboard's pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from api.accounts import month_begins_s
from api.dashboard import views
from api.dashboard.acting import router as acting_router
from api.dashboard.comparing import router as comparing_router
from api.dashboard.facts import JobPageFacts, job_facts, newest_events
from api.dashboard.job_list import ORDERS, STATES, Asked, asked_for, job_list
from api.dashboard.pages import PageRoute, page
from api.dashboard.submitting import router as submitting_router
from api.dashboard.views import (
    cost_view,
    decision_items,
    decision_view,
    disbelieved_rows,
    history_view,
    job_row,
    job_view,
    node_rows,
    offer_rows,
    price_rows,
)
from api.deps import Before, Context, ContextOf, require_user
from api.files import artifacts_if_available, outputs_if_available
from api.job_logs import shown
from api.job_status import is_preloaded
from api.paging import cut
from api.past import price_histories
from api.purse import purse_now
from api.reports import report_on, spent_on
from elastic.model import Node
from elastic.store import to_text

_PAGE_ROWS = 50
# A page stays below 150 KB; the command line lists all.
_MOST_NODES = 100
_STATIC = Path(__file__).parent / "static"

JobQuery = Annotated[str | None, Query(max_length=64)]
Word = Annotated[str, Query(max_length=64)]
RankQuery = Annotated[int | None, Query(ge=0, lt=2**31)]


def read_asked(
    state: Word = "",
    text: Word = "",
    order: Word = "",
    page_number: Annotated[int, Query(alias="page", ge=1, le=1000)] = 1,
) -> Asked:
    """Which jobs a list is asked for."""
    return asked_for(state, text, order, page_number)


AskedFor = Annotated[Asked, Depends(read_asked)]

router = APIRouter(
    route_class=PageRoute, dependencies=[Depends(require_user)], include_in_schema=False
)
router.include_router(acting_router)
router.include_router(submitting_router)
router.include_router(comparing_router)


def mount_static(app: FastAPI) -> None:
    """Serves the style sheets, scripts, font and icon under /static; none of them is secret."""
    app.mount("/static", _Static(directory=_STATIC), name="static")


@router.get("/")
def overview(request: Request, context: ContextOf, asked: AskedFor) -> HTMLResponse:
    """All jobs, what needs attention first; or the job, while there is only one."""
    store = context.store
    now_s = context.clock.now_s()
    # Two are enough to know whether there is only one.
    newest = store.jobs.listed(limit=2)
    if len(newest) > 1:
        return _list_page(request, context, asked, here="Overview")
    view = None
    for only in newest:
        blocks = context.provider.blocks.listed(now_s=now_s)
        view = job_view(job_facts(store, only, blocks=blocks, now_s=now_s))
    return page(request, "overview.html", here="Overview", view=view, now_s=now_s)


@router.get("/jobs")
def jobs(request: Request, context: ContextOf, asked: AskedFor) -> HTMLResponse:
    """All jobs, what needs attention first."""
    return _list_page(request, context, asked, here="Jobs")


@router.get("/jobs/{job}")
def one_job(request: Request, context: ContextOf, job: str, rank: RankQuery = None) -> HTMLResponse:
    """One job: the overview's parts, and all that belongs to it alone."""
    now_s = context.clock.now_s()
    found = context.store.jobs.get(job)
    facts = job_facts(
        context.store, found, blocks=context.provider.blocks.listed(now_s=now_s), now_s=now_s
    )
    extras = job_page(context, facts, rank=rank)
    return page(
        request,
        "job.html",
        here="Jobs",
        of_job=facts.job.id,
        view=job_view(facts),
        page=extras,
        now_s=now_s,
    )


@router.get("/nodes")
def nodes(
    request: Request, context: ContextOf, job: JobQuery = None, gone: bool = False
) -> HTMLResponse:
    """Every node that may still cost money; with `gone`, those that are gone, too."""
    store = context.store
    now_s = context.clock.now_s()
    found = store.nodes.listed(None if job is None else store.jobs.get(job).id, include_gone=gone)
    shown = found[:_MOST_NODES]
    ledger = [
        row
        # Each job once, in the order of the nodes.
        for job_id in dict.fromkeys(node.job_id for node in shown)
        for row in store.ledger.of_job(job_id)
    ]
    return page(
        request,
        "nodes.html",
        here="Nodes",
        rows=node_rows(shown, ledger, now_s=now_s),
        more=len(found) - len(shown),
        with_gone=gone,
        now_s=now_s,
    )


@router.get("/decisions")
def decisions(
    request: Request, context: ContextOf, job: JobQuery = None, before: Before = None
) -> HTMLResponse:
    """All decisions, or those of one job, newest first."""
    store = context.store
    now_s = context.clock.now_s()
    of_job = None if job is None else store.jobs.get(job)
    listed = store.decisions.listed(
        None if of_job is None else of_job.id, limit=_PAGE_ROWS + 1, before=before
    )
    found, next_before = cut(listed, _PAGE_ROWS, lambda each: each.id)
    # Where all are of one job, its name stands above them.
    jobs = set() if of_job else {each.job_id for each in found}
    return page(
        request,
        "decisions.html",
        here="Decisions",
        items=decision_items(found, now_s=now_s),
        names={each: store.jobs.get(each).spec.name for each in jobs},
        job=of_job,
        next_before=next_before,
        now_s=now_s,
    )


@router.get("/decisions/{decision_id}")
def decision(request: Request, context: ContextOf, decision_id: int) -> HTMLResponse:
    """One decision explained."""
    store = context.store
    now_s = context.clock.now_s()
    found = store.decisions.get(decision_id)
    snapshot = store.decisions.snapshot(decision_id)
    view = decision_view(found, snapshot, _indented(to_text(snapshot)), now_s=now_s)
    return page(request, "decision.html", here="Decisions", view=view, now_s=now_s)


@router.get("/prices")
def prices(request: Request, context: ContextOf, before: Before = None) -> HTMLResponse:
    """The prices in force, and all of them as they came."""
    store = context.store
    now_s = context.clock.now_s()
    # Twice a page, since each price is compared with the one before it.
    earlier = store.prices.listed(limit=2 * _PAGE_ROWS, before=before)
    history, next_before = cut(earlier, _PAGE_ROWS, lambda each: each.id)
    return page(
        request,
        "prices.html",
        here="Prices",
        in_force=offer_rows(
            store.prices.in_force(now_s),
            earlier,
            limits=context.limits,
            unavailable=context.provider.blocks.listed(now_s=now_s),
            now_s=now_s,
        ),
        disbelieved=disbelieved_rows(context.disbelieved(), now_s=now_s),
        history=price_rows(history, earlier, now_s=now_s),
        next_before=next_before,
        now_s=now_s,
    )


@router.get("/costs")
def costs(request: Request, context: ContextOf) -> HTMLResponse:
    """What all jobs have cost this month: by day, job, node type and zone."""
    store = context.store
    now_s = context.clock.now_s()
    rows = store.ledger.since(month_begins_s(now_s))
    names = {each: store.jobs.get(each).spec.name for each in {row.job_id for row in rows}}
    view = cost_view(rows, names, purse_now(context), now_s=now_s)
    return page(request, "costs.html", here="Costs", view=view, now_s=now_s)


@router.get("/prices/{node_type}")
def price_history(request: Request, context: ContextOf, node_type: str) -> HTMLResponse:
    """What a node type's offerings have cost in 90 days."""
    now_s = context.clock.now_s()
    view = history_view(
        node_type, price_histories(context.store, node_type, now_s=now_s), now_s=now_s
    )
    return page(request, "price_history.html", here="Prices", view=view, now_s=now_s)


def _list_page(request: Request, context: Context, asked: Asked, *, here: str) -> HTMLResponse:
    now_s = context.clock.now_s()
    found = job_list(context.store, asked, now_s=now_s)
    rows = [job_row(each) for each in found.rows]
    return page(
        request,
        "jobs.html",
        here=here,
        rows=rows,
        asked=asked,
        states=STATES,
        orders=ORDERS,
        has_more=found.has_more,
        has_jobs=not asked.is_narrowed,
        now_s=now_s,
    )


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False)


class _Static(StaticFiles):
    """Files that a browser may cache if it asks each time whether they have changed."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        # After an upgrade pages and scripts must fit; the answer to the question is a short 304.
        response.headers["Cache-Control"] = "no-cache"
        return response


_LOG_LINES = 200
_GENERATIONS = 50


def job_page(context: Context, facts: JobPageFacts, *, rank: int | None = None) -> views.JobExtras:
    """The rest of a job's page; if a rank is given, only its lines of the log."""
    store = context.store
    job = facts.job
    now_s = facts.now_s
    kept = context.kept()
    report = None
    if job.phase.is_final:
        report = report_on(store, kept, job, now_s=now_s)
    log = shown(context.logs, job, tail=None, rank=rank, node_id=None, default=_LOG_LINES)
    members: list[Node] = []
    if facts.generation is not None:
        members = [each for each in facts.nodes if each.id in facts.generation.node_ids]
    return views.JobExtras(
        generations=views.generation_rows(
            store.generations.listed(job.id)[-_GENERATIONS:], facts.nodes, now_s=now_s
        ),
        events=views.event_rows(newest_events(store, job.id), now_s=now_s),
        spec=views.spec_lines(job.spec, is_preloaded=is_preloaded(members)),
        pictures=views.pictures(job, artifacts_if_available(kept, job.id)),
        outputs=views.output_rows(outputs_if_available(context.carried(), job.id), now_s=now_s),
        log=views.log_view(job, log, ranks=context.logs.ranks(job.id), rank=rank),
        actions=views.actions(job.phase),
        uses=views.use_parts(spent_on(store, job, now_s=now_s)),
        report=None if report is None else views.report_view(report),
    )
