"""Checks within which limits a job that is over may go on."""

from __future__ import annotations

from dataclasses import replace

from api import schemas
from api.deps import Context
from api.job_document import instant_s
from api.plans import if_resumed
from api.specs import check_workers
from elastic.errors import Conflict, InvalidInput
from elastic.figures import usd
from elastic.model import Job, JobSpec, Objective, Snapshot
from elastic.policy import dearest_quotes, decide, known_burn_usd_per_h, wind_down_s

_S_PER_H = 3600.0
# Above what is foreseen: speeds and prices change while it trains.
_ALLOWANCE = 1.1


def spec_of(job: Job, asked: schemas.ResumeIn, *, now_s: float) -> JobSpec:
    """The job's spec with what is asked for in it. Raises InvalidInput."""
    spec = job.spec
    objective = limits_in(job.spec.objective, asked, now_s=now_s)
    if asked.on_miss is not None:
        objective = replace(objective, on_miss=asked.on_miss)
    spec = replace(spec, objective=objective)
    if asked.code is not None:
        # The command of such a job has an absolute path, so it would not run the code that is sent.
        if spec.code is None:
            script = spec.command[0]
            raise InvalidInput(
                f"code: wanted a job that was submitted with code; {spec.name} runs {script} as it "
                "is on its nodes, so resume it without --code",
                field="code",
            )
        spec = replace(spec, code=asked.code)
    if asked.image is not None:
        spec = replace(spec, image=asked.image)
    if asked.requirements is not None:
        spec = replace(spec, requirements=tuple(asked.requirements))
    if asked.outputs is not None:
        spec = replace(spec, outputs=tuple(asked.outputs))
    if asked.setup is not None:
        spec = replace(spec, setup=tuple(asked.setup))
    # A bound that is not given stays as it was.
    if asked.nodes_min is not None or asked.nodes_max is not None:
        least = spec.nodes_min if asked.nodes_min is None else asked.nodes_min
        most = spec.nodes_max if asked.nodes_max is None else asked.nodes_max
        # A number that it was scaled to belongs to the old bounds.
        spec = replace(spec, nodes_min=least, nodes_max=most, nodes_wanted=None)
        check_workers(spec)
    return spec


def limits_in(
    objective: Objective, asked: schemas.ResumeIn | schemas.LimitIn, *, now_s: float
) -> Objective:
    """The objective with the budget and the deadline that are asked for. Raises InvalidInput."""
    if asked.budget_usd is not None:
        objective = replace(objective, budget_usd=asked.budget_usd)
    if asked.deadline is not None:
        objective = replace(objective, deadline_s=_deadline_s(asked.deadline, now_s))
    return objective


def refuse_unpayable(context: Context, job: Job, spec: JobSpec, *, now_s: float) -> None:
    """Raises Conflict if the next tick would stop the job at its budget again."""
    if spec.objective.budget_usd is None or not job.phase.may_resume:
        return
    snapshot = if_resumed(context, job, spec, now_s=now_s)
    plan = decide(snapshot)
    # Decided as the next tick will: a rule of its own here might say something else.
    if "budget" not in plan.limited_by:
        return
    raise Conflict(
        f"job {job.spec.name} cannot go on: {plan.reason.text}; resume it with a higher budget "
        "(--budget)" + _enough(snapshot)
    )


def _enough(snapshot: Snapshot) -> str:
    """A budget that should be enough, as far as it is known."""
    spec = snapshot.job.spec
    # Without its budget the policy says what the job would be worth going on with.
    unlimited = replace(spec, objective=replace(spec.objective, budget_usd=None))
    plan = decide(replace(snapshot, job=replace(snapshot.job, spec=unlimited)))
    chosen = next((each for each in plan.candidates if each.group == plan.target), None)
    if chosen is None or not chosen.usd_per_h:
        return ""
    burn_usd_per_h = known_burn_usd_per_h(chosen.group.members, dearest_quotes(snapshot))
    kept_back_usd = burn_usd_per_h * wind_down_s(snapshot) / _S_PER_H
    spent_usd = snapshot.spent_usd + snapshot.doubted_usd
    if chosen.remaining_usd is None:
        return f": {usd(spent_usd + _ALLOWANCE * kept_back_usd)}, and what it may cost from now on"
    more_usd = chosen.remaining_usd * burn_usd_per_h / chosen.usd_per_h + kept_back_usd
    return f": {usd(spent_usd + _ALLOWANCE * more_usd)} should see it to its end"


def _deadline_s(deadline: str, now_s: float) -> float:
    try:
        at_s = instant_s(deadline, now_s=now_s)
    except ValueError as error:
        raise InvalidInput(f"deadline: {error}", field="deadline") from error
    if at_s <= now_s:
        raise InvalidInput("deadline: wanted one that is still to come", field="deadline")
    return at_s
