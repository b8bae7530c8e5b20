"""The routes for nodes, and for the node types on offer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from api import schemas
from api.deps import Before, ContextOf, JobFilter, Limit, require_user
from elastic.model import Node, NodePhase

router = APIRouter(prefix="/v1", tags=["nodes"], dependencies=[Depends(require_user)])

All = Annotated[bool, Query(alias="all", description="Also nodes that are gone.")]
NodeId = Annotated[str, Path(max_length=64)]


@router.get("/nodes")
def list_nodes(
    context: ContextOf,
    job: JobFilter,
    everything: All = False,
    limit: Limit = 50,
    before: Before = None,
) -> schemas.Page[schemas.NodeOut]:
    """Lists nodes, newest first."""
    found = context.store.nodes.listed(job, include_gone=everything)
    # The list grows only at its front, so positions counted from its end stay valid.
    start = 0 if before is None else max(len(found) - before, 0)
    kept = found[start : start + limit]
    left = len(found) - start - len(kept)
    now_s = context.clock.now_s()
    return schemas.Page[schemas.NodeOut](
        items=[_shown(each, now_s=now_s) for each in kept], next_before=left or None
    )


@router.get("/nodes/{node:name}")
def get_node(node: NodeId, context: ContextOf) -> schemas.NodeOut:
    """Returns one node."""
    return _shown(context.store.nodes.get(node), now_s=context.clock.now_s())


def _shown(node: Node, *, now_s: float) -> schemas.NodeOut:
    shown = schemas.NodeOut.of(node)
    if node.phase is not NodePhase.JOINED or node.heartbeat_at_s is None:
        return shown
    return shown.model_copy(update={"unheard_s": max(now_s - node.heartbeat_at_s, 0.0)})


@router.get("/node-types")
def list_node_types(context: ContextOf) -> schemas.Page[schemas.NodeTypeOut]:
    """Lists the kinds of machine on offer."""
    items = [schemas.NodeTypeOut.of(each) for each in context.provider.node_types()]
    return schemas.Page[schemas.NodeTypeOut](items=items, next_before=None)
