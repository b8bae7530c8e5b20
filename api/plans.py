"""Says what a job would begin with or be scaled to, by the decision that a tick would take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from api import schemas
from api.deps import Context
from api.outlook import JobForecast
from api.purse import purse_now
from api.specs import is_precision_open, with_precision
from elastic.config import Settings
from elastic.errors import InvalidInput
from elastic.figures import count, price
from elastic.market import limits
from elastic.model import (
    Candidate,
    CapacityChoice,
    Change,
    Group,
    Job,
    JobPhase,
    JobSpec,
    Plan,
    Price,
    Snapshot,
    StartCondition,
    surcharge_usd,
)
from elastic.policy import (
    NOT_YET,
    bought_iterations,
    burn_usd_per_h,
    choose_precision,
    contradictions,
    dearest_quotes,
    decide,
    misses,
)
from elastic.reconciler import observe, opens_at_s, read_catalog

# How many of the newest jobs are searched for an earlier run of the same program.
_LOOKED_BACK = 100


@dataclass(frozen=True, slots=True)
class Outset:
    """What a job would begin with if it were submitted now."""

    snapshot: Snapshot
    # What the first tick would decide.
    plan: Plan
    # Every group, with the rates of the run in `measured_by`.
    candidates: tuple[Candidate, ...]
    forecast: JobForecast
    # The earlier job whose rates are shown; None if there is none.
    measured_by: str | None
    # What is likely to go wrong, and how to fix it.
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PricedMove:
    """A job's nodes now and by the next plan, and what each costs an hour."""

    # The nodes that are paid now; None while there are none.
    held: Group | None
    # Each None if a price is not known.
    usd_per_h: float | None
    plan: Plan
    target_usd_per_h: float | None
    # Iterations that the move repeats, as far as is known.
    redone: int = 0
    # None if no pace is known.
    redone_usd: float | None = 0.0
    # Whether the iterations until the move come on top.
    begins_at_zero: bool = False


def settled(context: Context, spec: JobSpec, *, now_s: float) -> tuple[JobSpec, str]:
    """The spec with its precision chosen, and why; "" where its author named the precision."""
    if not is_precision_open(spec):
        return spec, ""
    # Once, when it is submitted: all its nodes train in one precision, whichever come later.
    choice = choose_precision(_snapshot(context, spec, now_s=now_s))
    return with_precision(spec, choice.precision), choice.why


def outset_of(context: Context, spec: JobSpec, *, now_s: float) -> Outset:
    """Decides as if the job had just been submitted; nothing is stored."""
    earlier = _earlier_run(context, spec)
    series = () if earlier is None else context.store.measurements.recent_series(earlier.id)
    snapshot = _snapshot(context, spec, now_s=now_s)
    plan = decide(snapshot)
    waits = ""
    if plan.reason.code == NOT_YET:
        # What it will begin with is shown, and why not yet.
        waits = plan.reason.text
        at_once = replace(spec, start=StartCondition())
        begun = replace(snapshot.job, spec=at_once)
        snapshot = replace(snapshot, job=begun, opens_at_s=None)
        plan = decide(snapshot)
    # The new job begins without measurements, but the earlier run's rates tell what to expect.
    if series:
        known = decide(replace(snapshot, series=series))
    else:
        known = plan
    return Outset(
        snapshot=snapshot,
        plan=plan,
        candidates=known.candidates,
        forecast=JobForecast.of(replace(snapshot, series=series), known),
        measured_by=earlier.id if earlier is not None and series else None,
        notes=(
            *_notes(context.settings, spec),
            *_unsold(context, spec),
            *_lessons(earlier),
            *filter(
                None,
                (
                    waits,
                    _short(context, snapshot, plan),
                    _cut(snapshot.job, known.candidates),
                ),
            ),
        ),
    )


def priced_plan(
    context: Context, spec: JobSpec, why_precision: str, *, now_s: float
) -> schemas.PricedPlan:
    """What a job would begin with, as the API shows it; nothing is stored."""
    outset = outset_of(context, spec, now_s=now_s)
    return schemas.PricedPlan(
        spec=schemas.JobSpecIn.of(spec),
        plan=schemas.PlanOut.of(outset.plan),
        prices=[schemas.PriceOut.of(each) for each in outset.snapshot.prices],
        candidates=[schemas.CandidateOut.of(each) for each in outset.candidates],
        forecast=outset.forecast.to_schema(),
        measured_by=outset.measured_by,
        why_precision=why_precision,
        notes=list(outset.notes),
    )


def refuse_contradictions(context: Context, spec: JobSpec, *, now_s: float) -> None:
    """Raises InvalidInput for limits of a new job that no candidate meets at today's prices."""
    found = contradictions(_snapshot(context, spec, now_s=now_s))
    if found:
        field, text = found[0]
        raise InvalidInput(f"{field}: {text}", field=field, faults=found)


def goals_missed(context: Context, job: Job, *, now_s: float) -> tuple[str, ...]:
    """The goals that a new job will miss, judged by an earlier run of the same program."""
    earlier = _earlier_run(context, job.spec, but=job.id)
    if earlier is None:
        return ()
    series = context.store.measurements.recent_series(earlier.id)
    snapshot = replace(_snapshot(context, job.spec, now_s=now_s), series=series)
    return tuple(f"{each.kind}: {each.text}" for each in misses(snapshot, decide(snapshot)) or ())


def if_resumed(context: Context, job: Job, spec: JobSpec, *, now_s: float) -> Snapshot:
    """The snapshot of the next tick if a job that is over or paused were resumed as `spec` now."""
    if job.phase is JobPhase.PAUSED:
        return if_changed(context, job, spec, phase=JobPhase.WAITING, now_s=now_s)
    store = context.store
    doubted = context.doubted()
    facts = store.facts.of(job.id, now_s=now_s)
    ended_at_s = now_s if job.finished_at_s is None else job.finished_at_s
    return replace(
        _snapshot(context, spec, now_s=now_s),
        job=replace(
            job, spec=spec, phase=JobPhase.SUBMITTED, iteration=store.resumes.retained(job.id)
        ),
        series=facts.series,
        switches=facts.switches,
        changes=(*facts.changes, Change(ended_at_s, None, None, job.phase)),
        spent_usd=facts.spent_usd,
        earlier=facts.earlier,
        doubted=doubted,
        doubted_usd=surcharge_usd(store.ledger.of_job(job.id), doubted, now_s) if doubted else 0.0,
    )


def priced_scaling(
    context: Context, job: Job, spec: JobSpec, *, now_s: float
) -> schemas.PricedScaling:
    """What the next tick would do if the job had this spec, as the API shows it."""
    move = move_of(context, job, spec, now_s=now_s)
    return schemas.PricedScaling(
        group=schemas.GroupOut.of_known(move.held),
        usd_per_h=move.usd_per_h,
        target_group=schemas.GroupOut.of_known(move.plan.target),
        target_usd_per_h=move.target_usd_per_h,
        why=move.plan.reason.text,
        redone=move.redone,
        redone_usd=move.redone_usd,
        begins_at_zero=move.begins_at_zero,
    )


def move_of(
    context: Context, job: Job, spec: JobSpec, *, phase: JobPhase | None = None, now_s: float
) -> PricedMove:
    """Decides as the next tick would if the job had this spec, and perhaps this phase; nothing is
    stored."""
    snapshot = if_changed(context, job, spec, phase=phase, now_s=now_s)
    plan = decide(snapshot)
    redone = 0
    if plan.target not in (None, snapshot.target):
        redone = snapshot.job.redo_iterations
    return replace(
        _move(snapshot, plan),
        redone=redone,
        redone_usd=_redone_usd(plan, snapshot.target, redone),
        begins_at_zero=redone > 0 and snapshot.job.always_begins_at_zero,
    )


def if_changed(
    context: Context, job: Job, spec: JobSpec, *, phase: JobPhase | None = None, now_s: float
) -> Snapshot:
    """The snapshot of the next tick if a job that goes on had this spec, and perhaps this phase."""
    store = context.store
    provider = context.provider
    doubted = context.doubted()
    facts = store.facts.of(job.id, now_s=now_s)
    return observe(
        replace(facts, job=replace(facts.job, spec=spec, phase=phase or facts.job.phase)),
        read_catalog(provider),
        store.prices.in_force(now_s),
        boots=store.nodes.boots(),
        unavailable=provider.blocks.listed(now_s=now_s),
        doubted=doubted,
        doubted_usd=surcharge_usd(store.ledger.of_job(job.id), doubted, now_s) if doubted else 0.0,
        limits=limits(context.settings, provider),
        now_s=now_s,
    )


def move_if_resumed(context: Context, job: Job, spec: JobSpec, *, now_s: float) -> PricedMove:
    """Decides as the next tick would if a job that is over or paused were resumed as `spec` now."""
    if job.phase is JobPhase.PAUSED:
        return move_of(context, job, spec, phase=JobPhase.WAITING, now_s=now_s)
    snapshot = if_resumed(context, job, spec, now_s=now_s)
    return _move(snapshot, decide(snapshot))


def _move(snapshot: Snapshot, plan: Plan) -> PricedMove:
    quotes = dearest_quotes(snapshot)
    # Compare the plan with what is paid for now.
    paid = Counter(node.offering for node in snapshot.nodes if not node.phase.is_gone)
    held = None
    if paid:
        held = Group(tuple(sorted(paid.items())))
    return PricedMove(
        held=held,
        usd_per_h=0.0 if held is None else burn_usd_per_h(held, quotes),
        plan=plan,
        target_usd_per_h=0.0 if plan.target is None else burn_usd_per_h(plan.target, quotes),
    )


def _redone_usd(plan: Plan, held: Group | None, redone: int) -> float | None:
    """What it costs to repeat iterations on the planned nodes; None if no rate is known.

    While these are not measured, the rate of the held nodes counts.
    """
    if not redone:
        return 0.0
    values = {each.group: each.iterations_per_usd for each in plan.candidates}
    known = (
        value
        for group in (plan.target, held)
        if group is not None and (value := values.get(group)) is not None
    )
    value = next(known, None)
    if value is None or not value.value:
        return None
    return redone / value.value


def _notes(settings: Settings, spec: JobSpec) -> Iterator[str]:
    script = spec.command[0]
    if settings.provider != "local" and spec.code is None and script.startswith("/"):
        where = "in a folder that they mount"
        if settings.provider == "ec2":
            where = f"by ec2.bootstrap or {where}"
        yield (
            f"{script} is a path on the nodes, and must be there when they have booted, {where}; "
            "`code` in the job's file sends a folder along instead"
        )


def _unsold(context: Context, spec: JobSpec) -> Iterator[str]:
    """A note if the capacity that the job insists on is not sold here."""
    sold = context.provider.offerings()
    # Silent if nothing is sold in any capacity either: then something else is wrong, which other
    # checks name.
    if any(map(spec.admits, sold)) or not any(
        map(replace(spec, capacity=CapacityChoice.ANY).admits, sold)
    ):
        return
    yield (
        f"capacity is {spec.capacity}, and no {spec.capacity} machine that the job may use is sold "
        "here: it would never begin. `capacity: any` lets it use what is sold"
    )


def _short(context: Context, snapshot: Snapshot, plan: Plan) -> str:
    """A note if the purse pays less now than the job would begin with; empty if it pays that."""
    purse = purse_now(context)
    if purse.rate_usd_per_h is None or plan.target is None:
        return ""
    burn = burn_usd_per_h(plan.target, dearest_quotes(snapshot)) or 0.0
    if purse.burn_usd_per_h + burn <= purse.rate_usd_per_h:
        return ""
    return (
        f"the purse of all jobs pays {price(purse.rate_usd_per_h)}/h, and "
        f"{price(purse.burn_usd_per_h)}/h of that is in use: this job waits for its turn, or jobs "
        "of a lower priority do"
    )


def _cut(job: Job, candidates: Iterable[Candidate]) -> str:
    """A note if what remains on the candidates is less than all of the job; empty if it is not."""
    bought = bought_iterations(job, candidates)
    if bought is None:
        return ""
    return (
        f"the budget buys {count(bought)} of the iterations that are left: the dollars and the "
        "time left of each candidate are for these. The forecast is for all"
    )


def _lessons(earlier: Job | None) -> Iterator[str]:
    """What an earlier run of the same program has shown, as notes."""
    if earlier is not None and earlier.restarts_at_zero:
        yield (
            f"a move or a loss restarts this job: as job {earlier.id} the script began at 0 again. "
            "Let it save, and load what it saved when it begins"
        )


def _earlier_run(context: Context, spec: JobSpec, *, but: str = "") -> Job | None:
    """The newest run of the same program, preferably one that trained; None if there is none."""
    jobs = context.store.jobs.listed(limit=_LOOKED_BACK)
    same = [job for job in jobs if job.id != but and job.spec.program == spec.program]
    # A generator: most often the newest one trained, and the others are never read.
    trained = (job for job in same if context.store.measurements.recent_series(job.id))
    return next(trained, next(iter(same), None))


def _prices(context: Context, *, now_s: float) -> tuple[Price, ...]:
    """The prices in force of the offerings that are sold."""
    on_offer = set(context.provider.offerings())
    return tuple(each for each in context.store.prices.in_force(now_s) if each.offering in on_offer)


def _snapshot(context: Context, spec: JobSpec, *, now_s: float) -> Snapshot:
    provider = context.provider
    store = context.store
    # No row has this id, and nothing is stored.
    job = Job(id="job-unsubmitted", spec=spec, phase=JobPhase.SUBMITTED, submitted_at_s=now_s)
    return Snapshot(
        now_s=now_s,
        job=job,
        target=None,
        current=None,
        nodes=(),
        node_types=provider.node_types(),
        prices=_prices(context, now_s=now_s),
        series=(),
        switches=(),
        changes=(),
        spent_usd=0.0,
        limits=limits(context.settings, provider),
        unavailable=provider.blocks.listed(now_s=now_s),
        boots=store.nodes.boots(),
        pools=store.pools.listed(now_s=now_s),
        earlier=store.facts.earlier(job),
        opens_at_s=opens_at_s(spec, now_s=now_s),
    )
