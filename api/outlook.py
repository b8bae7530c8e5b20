"""What can be foreseen for a job: when it would be done, and for how much, on each group."""

from __future__ import annotations

from dataclasses import dataclass

from api import schemas
from elastic.model import Job, JobPhase, Plan, Snapshot
from elastic.policy import Forecast, Miss, forecast, misses
from elastic.store import Store


@dataclass(frozen=True, slots=True)
class JobForecast:
    """A forecast as of `at_s`, in Unix seconds, and the goals that will be missed by it."""

    at_s: float
    forecast: Forecast
    misses: tuple[Miss, ...] = ()

    @classmethod
    def of(cls, snapshot: Snapshot, plan: Plan) -> JobForecast:
        """Foresees from what a plan was made from."""
        return cls(
            snapshot.now_s, forecast(snapshot, plan.candidates), misses(snapshot, plan) or ()
        )

    def told(self) -> schemas.ForecastOut:
        """Gives it in the words of the API."""
        best = self.forecast.best
        return schemas.ForecastOut(
            at_s=self.at_s,
            finishes=[schemas.FinishOut.of(each) for each in self.forecast.finishes],
            frontier=[schemas.FinishOut.of(each) for each in self.forecast.frontier],
            best=None if best is None else schemas.FinishOut.of(best),
            misses=[schemas.MissOut.of(each) for each in self.misses],
            left_s=self.forecast.left_s,
            budget_usd=self.forecast.budget_usd,
        )


def outlook_of(store: Store, job: Job) -> JobForecast | None:
    """Foresees from a job's newest decision; None before the first one, and once the job ends."""
    if job.phase is JobPhase.DRAINING or job.phase.is_final:
        return None
    newest = store.decisions(job.id, limit=1)
    if newest:
        return JobForecast.of(store.snapshot(newest[0].id), newest[0].plan)
    return None
