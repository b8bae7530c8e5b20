"""The closing report: where a job's dollars went, what they bought, what a fixed choice would have cost."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from api import schemas
from api.accounts import cost_by_node, iterations_by_phase
from api.files import artifact_path, artifacts_of
from elastic.errors import NotFound
from elastic.model import Action, Group, Job, Price, Series, spent_usd
from elastic.reconciler import JobFolders
from elastic.store import Event, Store
from elastic.throughput import estimate_step_s

_REPORT = "report.json"
_REPORT_BYTES = 256 * 1024
_MOST_DECISIONS = 500
_MOST_NOTES = 100
_EVENT_PAGE, _EVENT_PAGES = 1000, 50
_PRICE_HISTORY = 1000


def report_on(store: Store, folders: JobFolders, job: Job, *, now_s: float) -> schemas.Report:
    """Reads the whole account of a job, finished or not."""
    rows = store.ledger_of_job(job.id)
    spent = spent_usd(rows, now_s)
    end_s = now_s if job.finished_at_s is None else job.finished_at_s
    begin_s = min((row.from_s for row in rows), default=job.submitted_at_s)
    fixed = fixed_choices(store, job, begin_s=begin_s, end_s=end_s)
    decisions = store.decisions(job.id, limit=_MOST_DECISIONS)[::-1]
    return schemas.Report(
        job_id=job.id,
        name=job.spec.name,
        phase=job.phase,
        iterations_done=job.iteration,
        elapsed_s=end_s - job.submitted_at_s,
        spent_usd=spent,
        iterations_per_usd=job.iteration / spent if spent > 0 else None,
        nodes=cost_by_node(rows, now_s=now_s),
        fixed=fixed,
        best_fixed=fixed[0] if fixed else None,
        worst_fixed=fixed[-1] if fixed else None,
        decisions=[schemas.Decision.of(each) for each in decisions if each.plan.action is not Action.HOLD],
        notes=[schemas.Event.of(each) for each in _notes(store, job.id)],
        artifacts=list(artifacts_of(folders, job.id)),
        quality=_quality(folders, job.id),
    )


def fixed_choices(store: Store, job: Job, *, begin_s: float, end_s: float) -> list[schemas.FixedChoice]:
    """What the iterations done would have cost on each measured group from first to last, cheapest first.

    Each training phase counts at its own rate, each offering at its mean price from `begin_s` to `end_s`; a group that
    misses either is left out. Start-up is in none of them.
    """
    ends = {phase.name: phase.until_iteration for phase in job.spec.phases}
    work = {phase: count for phase, count in iterations_by_phase(ends, job.iteration).items() if count}
    rates = _rates(store.recent_series(job.id))
    choices = []
    for group in sorted({group for group, _ in rates}):
        steps_s = [rates.get((group, phase)) for phase in work]
        usd_per_h = _burn(store, group, begin_s=begin_s, end_s=end_s)
        if usd_per_h is None or not work or None in steps_s:
            continue
        seconds = sum(count * rates[group, phase] for phase, count in work.items())
        choices.append(
            schemas.FixedChoice(group=schemas.Group.of(group), usd=usd_per_h * seconds / 3600, seconds=seconds)
        )
    return sorted(choices, key=lambda each: each.usd)


def mean_usd_per_h(prices: Sequence[Price], *, begin_s: float, end_s: float) -> float | None:
    """The mean over time of one offering's price; None if it had none at `begin_s`.

    >>> offering = Offering("c5.xlarge")
    >>> prices = [Price(1, offering, 0.2, 0.0, 0.0, "table"), Price(2, offering, 0.6, 75.0, 75.0, "table")]
    >>> round(mean_usd_per_h(prices, begin_s=0.0, end_s=100.0), 6)
    0.3
    """
    ordered = sorted(prices, key=lambda each: (each.valid_from_s, each.id))
    if not ordered or ordered[0].valid_from_s > begin_s:
        return None
    if end_s <= begin_s:
        return [each.usd_per_h for each in ordered if each.valid_from_s <= begin_s][-1]
    ends_s = [*(each.valid_from_s for each in ordered[1:]), math.inf]
    spans_s = [
        max(min(stop_s, end_s) - max(each.valid_from_s, begin_s), 0.0)
        for each, stop_s in zip(ordered, ends_s, strict=True)
    ]
    return sum(each.usd_per_h * span_s for each, span_s in zip(ordered, spans_s, strict=True)) / (end_s - begin_s)


def _burn(store: Store, group: Group, *, begin_s: float, end_s: float) -> float | None:
    total = 0.0
    for offering, count in group.members:
        prices = store.prices(offering=offering, limit=_PRICE_HISTORY)
        usd_per_h = mean_usd_per_h(prices, begin_s=begin_s, end_s=end_s)
        if usd_per_h is None:
            return None
        total += count * usd_per_h
    return total


def _rates(series: Sequence[Series]) -> Mapping[tuple[Group, str], float]:
    found = {}
    for each in series:
        step_s = estimate_step_s(each.samples)
        if step_s is not None:
            found[each.group, each.training_phase] = step_s.value
    return found


def _notes(store: Store, job_id: str) -> list[Event]:
    notes: list[Event] = []
    after = 0
    for _ in range(_EVENT_PAGES):
        page = store.events(after=after, job_id=job_id, limit=_EVENT_PAGE)
        notes += [each for each in page if each.kind == "note"]
        if len(page) < _EVENT_PAGE or len(notes) >= _MOST_NOTES:
            break
        after = page[-1].id
    return notes[:_MOST_NOTES]


def _quality(folders: JobFolders, job_id: str) -> dict[str, bool | int | float | str | None]:
    """The plain values of what the workload says of its own result; nothing if it says nothing that can be read."""
    try:
        path = artifact_path(folders, job_id, _REPORT)
        said = json.loads(path.read_bytes()[:_REPORT_BYTES])
    except (NotFound, OSError, ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {name: value for name, value in said.items() if _is_plain(value)}


def _is_plain(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | int | str)
