"""Reads what a job's own page shows beyond the overview."""

from __future__ import annotations

from api.dashboard import views
from api.dashboard.facts import JobPageFacts, newest_events
from api.deps import Context
from api.files import artifacts_if_available, outputs_if_available
from api.job_logs import shown
from api.job_status import is_preloaded, members_of
from api.reports import report_on, spent_on

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
    members = members_of(store, facts.generation, facts.nodes)
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
