"""Decisions: what was decided, why, from what, and whether it would be decided again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from api import schemas
from api.deps import Before, ContextOf, JobFilter, Limit, require_user
from api.paging import page_of
from elastic.policy import decide

router = APIRouter(prefix="/v1", tags=["decisions"], dependencies=[Depends(require_user)])

DecisionId = Annotated[int, Path(ge=1, le=2**53)]


@router.get("/decisions")
def list_decisions(
    context: ContextOf, job: JobFilter, limit: Limit = 50, before: Before = None
) -> schemas.Page[schemas.Decision]:
    """Lists decisions, newest first; holds that repeat share one."""
    return page_of(schemas.Decision, context.store.decisions(job, limit=limit + 1, before=before), limit)


@router.get("/decisions/{decision}")
def get_decision(decision: DecisionId, context: ContextOf) -> schemas.ExplainedDecision:
    """Gives one decision with everything it was made from."""
    found = schemas.Decision.of(context.store.decision(decision))
    snapshot = schemas.Snapshot.of(context.store.snapshot(decision))
    return schemas.ExplainedDecision(**dict(found), snapshot=snapshot)


@router.post("/decisions/{decision}:replay")
def replay_decision(decision: DecisionId, context: ContextOf) -> schemas.Replay:
    """Decides again from the stored snapshot and says whether the plan is the same; changes nothing."""
    found = context.store.decision(decision)
    plan = decide(context.store.snapshot(decision))
    return schemas.Replay(decision_id=found.id, is_equal=plan == found.plan, plan=schemas.Plan.of(plan))
