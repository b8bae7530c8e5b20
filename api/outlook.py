"""Forecasts when a job would be done, and for how much, on each group."""

from __future__ import annotations

from dataclasses import dataclass

from api import schemas
from elastic.model import Job, JobPhase, Plan, Snapshot
from elastic.policy import Forecast, Miss, forecast, misses
from elastic.store import Store


@dataclass(frozen=True, slots=True)
class JobForecast:
    """A forecast, and the goals that will be missed by it."""

    # The time of its prices and paces.
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


def outlook_of(store: Store, job: Job) -> JobForecast | None:
    """The forecast by a job's newest decision; None before the first, and once the job ends."""
    if job.phase is JobPhase.DRAINING or job.phase.is_final:
        return None
    newest = store.decisions.listed(job.id, limit=1)
    if newest:
        return JobForecast.of(store.decisions.snapshot(newest[0].id), newest[0].plan)
    return None
