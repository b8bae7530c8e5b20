"""The routes by which a person enters a node and leaves it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from api import schemas
from api.deps import Context, ContextOf, require_user
from elastic.errors import Conflict
from elastic.figures import instant
from elastic.model import Node, NodePhase, WayIn

router = APIRouter(prefix="/v1", tags=["nodes"], dependencies=[Depends(require_user)])

NodeId = Annotated[str, Path(max_length=64)]


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
