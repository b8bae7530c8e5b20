"""The routes for nodes and how a person enters them, and for the node types on offer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from api import schemas
from api.deps import Before, Context, ContextOf, JobFilter, Limit, require_user
from elastic.errors import Conflict
from elastic.figures import instant
from elastic.model import Node, NodePhase, WayIn

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


@router.post("/nodes/{node}:enter")
def enter_node(node: NodeId, asked: schemas.EnterIn, context: ContextOf) -> schemas.EntryOut:
    """Says how to enter a node, and records who does. It opens nothing and keeps nothing alive.

    409 says why there is no way in: the node has ended, or nothing of it runs yet.
    """
    found = context.store.nodes.get(node)
    # First the way, then the record: an entry that could not begin is none.
    way = _way_in(context, found)
    entry = context.store.entries.entered(
        node, by=asked.by, command=asked.command, now_s=context.clock.now_s()
    )
    return schemas.EntryOut(
        entry=entry, node_id=node, job_id=found.job_id, way=schemas.WayInOut.of(way)
    )


@router.post("/nodes/{node}:leave")
def leave_node(node: NodeId, asked: schemas.LeaveIn, context: ContextOf) -> schemas.LeaveOut:
    """Records that an entry has ended. It may be repeated."""
    context.store.entries.left(
        node,
        asked.entry,
        exit_code=asked.exit_code,
        because=asked.because,
        now_s=context.clock.now_s(),
    )
    return schemas.LeaveOut(entry=asked.entry, node_id=node)


def _way_in(context: Context, node: Node) -> WayIn:
    if node.phase.is_gone or node.phase is NodePhase.TERMINATING:
        when = ""
        if node.terminated_at_s is not None:
            when = f" since {instant(node.terminated_at_s)}"
        raise Conflict(
            f"{node.id} is {node.phase}{when} ({context.store.entries.end_of(node.id)}): "
            "`elasticd node ls` shows nodes that run"
        )
    way = None
    if node.provider_id is not None:
        way = context.provider.way_in(node.provider_id, node_id=node.id)
    if way is None:
        raise Conflict(
            f"{node.id} is {node.phase} and nothing of it runs yet: try again when "
            "`elasticd node ls` shows it as joined"
        )
    return way
