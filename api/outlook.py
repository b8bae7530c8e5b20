"""Forecasts when a job would be done, and for how much, on each group."""

from __future__ import annotations

from dataclasses import dataclass, replace

from api import schemas
from elastic.model import Group, Job, JobPhase, Plan, Snapshot
from elastic.policy import Forecast, Miss, forecast, misses
from elastic.reconciler import training_group
from elastic.store import Store


@dataclass(frozen=True, slots=True)
class JobForecast:
    """A forecast, and the goals that will be missed by it."""

    # From when its times count.
    at_s: float
    forecast: Forecast
    misses: tuple[Miss, ...] = ()

    @classmethod
    def of(cls, snapshot: Snapshot, plan: Plan) -> JobForecast:
        """Makes a forecast from a plan and its snapshot."""
        return cls(
            snapshot.now_s, forecast(snapshot, plan.candidates), misses(snapshot, plan) or ()
        )

    def to_schema(self) -> schemas.ForecastOut:
        """The forecast as the API shows it."""
        best = self.forecast.best
        return schemas.ForecastOut(
            at_s=self.at_s,
            finishes=[schemas.FinishOut.of(each) for each in self.forecast.finishes],
            frontier=[schemas.FinishOut.of(each) for each in self.forecast.frontier],
            best=schemas.FinishOut.of_known(best),
            misses=[schemas.MissOut.of(each) for each in self.misses],
            left_s=self.forecast.left_s,
            budget_usd=self.forecast.budget_usd,
        )


def outlook_of(store: Store, job: Job, *, now_s: float) -> JobForecast | None:
    """The forecast as of now, by the prices and paces of a job's newest decision.

    None before the first decision, and once the job ends.
    """
    if job.phase is JobPhase.DRAINING or job.phase.is_final:
        return None
    newest = store.decisions.listed(job.id, limit=1)
    if not newest:
        return None
    plan = newest[0].plan
    current = training_group(store.generations.latest(job.id), store.nodes.listed(job.id))
    decided = store.decisions.snapshot(newest[0].id)
    # A hold that repeats keeps its snapshot, though the limits have been changed since.
    spec = replace(decided.job.spec, objective=job.spec.objective)
    decided = replace(decided, job=replace(decided.job, spec=spec))
    snapshot = _moved_on(decided, plan, current, now_s=now_s)
    spent_usd = store.ledger.spent(job.id, snapshot.now_s)
    return JobForecast.of(replace(snapshot, spent_usd=spent_usd), plan)


def _moved_on(snapshot: Snapshot, plan: Plan, current: Group | None, *, now_s: float) -> Snapshot:
    """The snapshot after the iterations that the `current` group has made since, at its pace.

    Its instant is the end of the last whole one: so the end that is foreseen stays where it was.
    """
    if current is None:
        # Nothing trains: the rest of the job is what it was.
        return replace(snapshot, now_s=now_s)
    job = snapshot.job
    weighed = plan.candidate(current)
    if weighed is None or weighed.step_s is None or job.spec.iterations is None:
        return snapshot
    step_s = weighed.step_s.value
    left = max(job.spec.iterations - job.iteration, 0)
    made = min(int(max(now_s - snapshot.now_s, 0.0) / step_s), left)
    return replace(
        snapshot,
        now_s=snapshot.now_s + made * step_s,
        job=replace(job, iteration=job.iteration + made),
    )
