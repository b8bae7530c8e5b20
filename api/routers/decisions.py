"""The routes for decisions: what was decided, why, from what, and whether it would be again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from api import schemas
from api.deps import Before, ContextOf, JobFilter, Limit, require_user
from api.paging import page_of
from elastic.errors import Conflict
from elastic.model import Decision
from elastic.policy import VERSIONS, decide, what_if

router = APIRouter(prefix="/v1", tags=["decisions"], dependencies=[Depends(require_user)])

DecisionId = Annotated[int, Path(ge=1, le=2**53)]


@router.get("/decisions")
def list_decisions(
    context: ContextOf, job: JobFilter, limit: Limit = 50, before: Before = None
) -> schemas.Page[schemas.DecisionOut]:
    """Lists decisions, newest first; holds that repeat share one."""
    return page_of(
        schemas.DecisionOut,
        context.store.decisions.listed(job, limit=limit + 1, before=before),
        limit,
    )


@router.get("/decisions/{decision:name}")
def get_decision(decision: DecisionId, context: ContextOf) -> schemas.ExplainedDecision:
    """Returns one decision with everything it was made from."""
    found = schemas.DecisionOut.of(context.store.decisions.get(decision))
    snapshot = schemas.SnapshotOut.of(context.store.decisions.snapshot(decision))
    return schemas.ExplainedDecision(**dict(found), snapshot=snapshot)


@router.post("/decisions/{decision}:replay")
def replay_decision(decision: DecisionId, context: ContextOf) -> schemas.Replay:
    """Decides again from the stored snapshot, and compares the plans; changes nothing.

    A decision by another version of the policy is a conflict.
    """
    found = _replayable(context.store.decisions.get(decision))
    plan = decide(context.store.decisions.snapshot(decision))
    return schemas.Replay(
        decision_id=found.id, is_equal=plan == found.plan, plan=schemas.PlanOut.of(plan)
    )


@router.get("/decisions/{decision}/what-if")
def ask_what_if(decision: DecisionId, context: ContextOf) -> schemas.WhatIf:
    """Says at which price, pace and deadline each losing candidate would have been chosen.

    Each is found by deciding again, about a hundred times. A decision by another version of the
    policy is a conflict.
    """
    found = _replayable(context.store.decisions.get(decision))
    losers = what_if(context.store.decisions.snapshot(decision), found.plan)
    return schemas.WhatIf(
        decision_id=found.id, losers=[schemas.WinsIfOut.of(each) for each in losers]
    )


def _replayable(decision: Decision) -> Decision:
    if decision.version != VERSIONS.get(decision.policy):
        raise Conflict(_cannot_replay(decision))
    return decision


def _cannot_replay(decision: Decision) -> str:
    known = VERSIONS.get(decision.policy)
    if known is None:
        has = "has no such policy"
    else:
        has = f"has version {known}"
    return (
        f"decision {decision.id} cannot be replayed: version {decision.version} of the policy "
        f"{decision.policy} made it, and this elasticd {has}"
    )
