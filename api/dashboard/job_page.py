"""Reads what a job's own page shows beyond the overview."""

from __future__ import annotations

from api.dashboard.facts import JobFacts, newest_events
from api.dashboard.views import JobExtras, event_rows, generation_rows, pictures, spec_lines
from api.deps import Context


def job_page(context: Context, facts: JobFacts) -> JobExtras:
    """Gives the rest of a job's page."""
    store, job, now_s = context.store, facts.job, facts.now_s
    return JobExtras(
        generations=generation_rows(store.generations(job.id), facts.nodes, now_s=now_s),
        events=event_rows(newest_events(store, job.id), now_s=now_s),
        spec=spec_lines(job.spec),
        pictures=pictures(job, ()),
        log_tail="",
        report=None,
    )
