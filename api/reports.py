"""Makes the closing report: what a job's dollars bought, and what fixed choices would have cost."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import partial

from api import schemas
from api.accounts import cost_by_node, until_s
from api.artifacts import Artifacts
from api.files import artifacts_if_available
from elastic.errors import NotFound, StorageUnavailable
from elastic.model import Action, Group, Job, idle_s, spent_usd, warnings_of
from elastic.policy import FixedChoice, Use, as_it_was, fixed_choices, iterations_by_phase, uses
from elastic.store import Event, Store

# What a workload may write about its own result.
_REPORT = "report.json"
_REPORT_BYTES = 256 * 1024
_MOST_DECISIONS = 500
_MOST_NOTES = 100
_EVENT_PAGE = 1000
_EVENT_PAGES = 50


def report_on(store: Store, artifacts: Artifacts, job: Job, *, now_s: float) -> schemas.Report:
    """Makes the report of a job, finished or not."""
    rows = store.ledger.of_job(job.id)
    spent = spent_usd(rows, now_s)
    if job.finished_at_s is None:
        end_s = now_s
    else:
        end_s = job.finished_at_s
    # What the same iterations would have cost on one group throughout.
    choices = costs_if_fixed(store, job, now_s=now_s)
    fixed = [schemas.FixedChoiceOut.of(each) for each in choices]
    first = where_it_began(store, job, choices)
    decisions = store.decisions.listed(job.id, limit=_MOST_DECISIONS)[::-1]
    return schemas.Report(
        job_id=job.id,
        name=job.spec.name,
        phase=job.phase,
        iterations_done=job.iteration,
        elapsed_s=end_s - job.submitted_at_s - idle_s(store.resumes.of(job.id)),
        spent_usd=spent,
        iterations_per_usd=job.iteration / spent if spent > 0 else None,
        nodes=cost_by_node(rows, now_s=now_s),
        uses=[
            schemas.UseOut(name=name, usd=usd)
            for name, usd in spent_on(store, job, now_s=now_s).items()
        ],
        fixed=fixed,
        first_fixed=schemas.FixedChoiceOut.of_known(first),
        warnings=list(warnings_of(job, now_s=now_s)),
        best_fixed=fixed[0] if fixed else None,
        worst_fixed=fixed[-1] if fixed else None,
        decisions=[
            schemas.DecisionOut.of(each)
            for each in decisions
            if each.plan.action is not Action.HOLD
        ],
        notes=[schemas.EventOut.of(each) for each in _notes(store, job.id)],
        artifacts=list(artifacts_if_available(artifacts, job.id)),
        quality=quality_of(artifacts, job.id),
    )


def costs_if_fixed(store: Store, job: Job, *, now_s: float) -> tuple[FixedChoice, ...]:
    """What the iterations done would have cost on each measured group alone, cheapest first.

    Each group is charged at its mean pace, with this job's start-up and end, and the minimum bill.
    """
    rows = store.ledger.of_job(job.id)
    trained = store.measurements.trained(job.id)
    # It never moved: what it cost is what this group costs, and need not be estimated.
    if len(groups := {each.group for each in trained}) == 1:
        return (as_it_was(groups.pop(), rows, now_s=now_s),)
    begin_s = min((row.from_s for row in rows), default=job.submitted_at_s)
    end_s = max((until_s(row, now_s) for row in rows), default=begin_s)
    steps_s = [
        at_s
        for each in store.generations.stints(job.id)
        for at_s in (each.first_step_at_s, each.last_step_at_s)
        if at_s
    ]
    decided = {each.to_group for each in store.decisions.changes(job.id, limit=_MOST_DECISIONS)}
    # A mixed group that no decision asked for was only a step on the way to another.
    measured = [each for each in trained if len(each.group.members) == 1 or each.group in decided]
    offerings = {offering for each in measured for offering, _ in each.group.members}
    choices = partial(
        fixed_choices,
        measured,
        iterations=iterations_by_phase(job.spec, job.iteration),
        started_at_s=begin_s,
        start_up_s=max(steps_s[0] - begin_s, 0.0) if steps_s else 0.0,
        begun=store.measurements.begun(job.id),
        wind_up_s=max(end_s - max(steps_s), 0.0) if steps_s and job.phase.is_final else 0.0,
        minimum_billed_s=max((row.minimum_s for row in rows), default=0.0),
    )
    # How long each lasts does not follow from prices: so much of their history is read, which may
    # be years long.
    at_first = choices(store.prices.held(offerings, from_s=begin_s, to_s=begin_s))
    to_s = begin_s + max((each.lasts_s for each in at_first), default=0.0)
    # A second more: a price that begins at the very end belongs to it.
    return choices(store.prices.held(offerings, from_s=begin_s, to_s=to_s + 1.0))


def spent_on(store: Store, job: Job, *, now_s: float) -> dict[Use, float]:
    """What every dollar of a job was spent on; the sum is the ledger's."""
    return uses(
        store.ledger.of_job(job.id),
        store.nodes.listed(job.id, include_gone=True),
        store.generations.stints(job.id),
        store.decisions.changes(job.id, limit=_MOST_DECISIONS),
        store.measurements.lost(job.id) if job.redone else (),
        now_s=now_s,
    )


def where_it_began(store: Store, job: Job, choices: Sequence[FixedChoice]) -> FixedChoice | None:
    """The fixed choice of the first measured group, on which the job would be without any move."""
    # It does not change with prices, nor with later measurements.
    offerings = {node.id: node.offering for node in store.nodes.listed(job.id, include_gone=True)}
    by_group = {each.group: each for each in choices}
    for generation in store.generations.listed(job.id):
        counts = Counter(offerings[each] for each in generation.node_ids)
        found = by_group.get(Group(tuple(sorted(counts.items()))))
        if found is not None:
            return found
    return None


def quality_of(artifacts: Artifacts, job_id: str) -> dict[str, bool | int | float | str | None]:
    """The plain values in the workload's own report of its result; empty if there is none."""
    try:
        opened = artifacts.open(job_id, _REPORT)
        said = None
        if opened.size_bytes <= _REPORT_BYTES:
            said = json.loads(b"".join(opened.chunks))
    # The file is the workload's: whatever is in it must not keep the job's report from being shown.
    except (NotFound, StorageUnavailable, OSError, ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {name: value for name, value in said.items() if _is_plain(value)}


def _notes(store: Store, job_id: str) -> list[Event]:
    notes: list[Event] = []
    after = 0
    # A limit on pages, since a job may have very many events.
    for _ in range(_EVENT_PAGES):
        page = store.events.listed(after=after, job_id=job_id, limit=_EVENT_PAGE)
        notes += [each for each in page if each.kind == "note"]
        if len(page) < _EVENT_PAGE or len(notes) >= _MOST_NOTES:
            break
        after = page[-1].id
    return notes[:_MOST_NOTES]


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | int | str)
