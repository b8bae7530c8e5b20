"""The routes for held jobs: what a lost database knew, which is adopted or ended."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from api import schemas
from api.deps import Context, ContextOf, require_user
from elastic.errors import NotFound
from elastic.reconciler import Adoption, HeldJob

router = APIRouter(prefix="/v1", tags=["held jobs"], dependencies=[Depends(require_user)])

HeldName = Annotated[str, Path(max_length=64, description="The job's id, or its name.")]


@router.get("/held-jobs")
def list_held_jobs(context: ContextOf) -> schemas.Page[schemas.HeldJobOut]:
    """Lists jobs that the database does not know, though their machines live or they are on
    record.

    Nothing is bought or ended for them until they are adopted, or ended.
    """
    found: tuple[HeldJob, ...] = ()
    if context.adoption is not None:
        found = context.adoption.held(now_s=context.clock.now_s())
    return schemas.Page[schemas.HeldJobOut](
        items=[_shown(each) for each in found], next_before=None
    )


@router.post("/held-jobs/{job}:adopt")
def adopt_job(job: HeldName, context: ContextOf) -> schemas.Settled:
    """Goes on with a held job and its machines. 409 says why it cannot go on."""
    return schemas.Settled(job_id=_adoption(context).adopt(job, now_s=context.clock.now_s()))


@router.post("/held-jobs/{job}:end")
def end_held_job(job: HeldName, context: ContextOf) -> schemas.Settled:
    """Ends the machines of a held job and drops its record. Its checkpoints stay."""
    return schemas.Settled(job_id=_adoption(context).end(job, now_s=context.clock.now_s()))


def _adoption(context: Context) -> Adoption:
    if context.adoption is None:
        raise NotFound("no job is held")
    return context.adoption


def _shown(job: HeldJob) -> schemas.HeldJobOut:
    record = job.record
    return schemas.HeldJobOut(
        job_id=job.job_id,
        name=job.name,
        is_on_record=record is not None,
        is_heard=job.is_heard,
        recorded_at_s=None if record is None else record.written_at_s,
        iteration=None if record is None else record.job["iteration"],
        machines=[
            schemas.HeldMachine(
                provider_id=each.provider_id,
                node_id=each.node_id,
                offering=schemas.OfferingOut.of(each.offering),
                launched_at_s=each.launched_at_s,
            )
            for each in job.machines
        ],
        ends_by_s=job.ends_by_s,
        least_usd=None if job.gap_usd is None else job.gap_usd[0],
        most_usd=None if job.gap_usd is None else job.gap_usd[1],
    )
