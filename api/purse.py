"""What the purse of all jobs stands at: its caps, what is left of each, and which jobs share it."""

from __future__ import annotations

from collections.abc import Sequence

from api import schemas
from api.accounts import burn_usd_per_h
from api.deps import Context
from elastic.model import CalendarUnit, Cap, Decision, Job, LedgerRow
from elastic.policy import rate_usd_per_h
from elastic.reconciler import purse_of

_S_PER_H = 3600.0


def purse_now(context: Context) -> schemas.PurseOut:
    """The purse as it stands; without caps where the settings name none."""
    store = context.store
    now_s = context.clock.now_s()
    running = store.ledger.running()
    burn = sum(burn_usd_per_h(row) for row in running)
    caps: tuple[Cap, ...] = ()
    purse = purse_of(context.settings.purse)
    rate = None
    if purse is not None:
        caps = purse.caps(store, now_s=now_s)
        if CalendarUnit.HOUR in purse.caps_usd:
            rate = rate_usd_per_h(caps, now_s=now_s)
    jobs = store.jobs.unfinished()
    newest = store.decisions.newest_of([job.id for job in jobs])
    rows: dict[str, list[LedgerRow]] = {}
    for row in running:
        rows.setdefault(row.job_id, []).append(row)
    reserve_s = max(context.limits.wind_down_s, context.settings.drain_grace_s)
    return schemas.PurseOut(
        zone=context.settings.purse.zone,
        burn_usd_per_h=burn,
        rate_usd_per_h=rate,
        caps=[_cap(each, burn, reserve_s, now_s) for each in caps],
        jobs=[_job(job, rows.get(job.id, []), newest.get(job.id)) for job in jobs],
    )


def _cap(cap: Cap, burn: float, reserve_s: float, now_s: float) -> schemas.CapOut:
    # What runs now must still be able to end in good order, as within a job's own budget.
    kept_usd = burn * min(reserve_s, max(cap.ends_at_s - now_s, 0.0)) / _S_PER_H
    return schemas.CapOut(
        unit=cap.unit,
        usd=cap.usd,
        spent_usd=cap.spent_usd,
        committed_usd=kept_usd,
        left_usd=max(cap.usd - cap.spent_usd - kept_usd, 0.0),
        ends_at_s=cap.ends_at_s,
    )


def _job(job: Job, rows: Sequence[LedgerRow], newest: Decision | None) -> schemas.PurseJobOut:
    why = None
    if newest is not None and (not rows or "purse" in newest.plan.limited_by):
        why = newest.plan.reason.text
    return schemas.PurseJobOut(
        job_id=job.id,
        name=job.spec.name,
        priority=job.spec.priority,
        phase=job.phase,
        burn_usd_per_h=sum(map(burn_usd_per_h, rows)),
        why=why,
    )
