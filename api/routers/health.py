"""The routes for the daemon's health: without a token for all, with numbers for its user."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Depends, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from api import schemas
from api.deps import Context, ContextOf, require_scraper, require_user
from api.metrics import StoreCollector
from elastic.errors import StoreUnavailable
from elastic.reconciler import AlarmKind

router = APIRouter(tags=["health"])
# A person should act, but the daemon does all of its work.
_HARMLESS = frozenset({AlarmKind.NOT_SOLD, AlarmKind.HOSTS, AlarmKind.CANNOT_RECORD})


class Health(schemas.Wire):
    """`degraded` if the store fails, the last tick is long ago, or nodes cannot be ended."""

    status: Literal["ok", "degraded"]


@router.get("/healthz", responses={503: {"model": Health}})
def get_health(context: ContextOf, response: Response) -> Health:
    """Says whether the daemon is well; needs no token, and says nothing else."""
    if _is_well(context):
        return Health(status="ok")
    response.status_code = 503
    return Health(status="degraded")


@router.get("/v1/alarms", dependencies=[Depends(require_user)])
def list_alarms(context: ContextOf) -> schemas.Page[schemas.AlarmOut]:
    """Lists what is wrong now: with the database, the leader lease, the cloud, or jobs."""
    items = [schemas.AlarmOut.of(each) for each in context.current_alarms()]
    return schemas.Page[schemas.AlarmOut](items=items, next_before=None)


@router.get(
    "/metrics",
    dependencies=[Depends(require_scraper)],
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_metrics(context: ContextOf) -> Response:
    """Returns the daemon's metrics in the format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(StoreCollector(context))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _is_well(context: Context) -> bool:
    try:
        # The store first: without it the daemon can neither buy nor end anything safely.
        context.store.ping()
    except StoreUnavailable:
        return False
    if any(
        # An alarm of a job is its user's matter: a supervisor must not restart the daemon for that.
        each.kind not in _HARMLESS and not each.kind.is_of_jobs
        for each in context.current_alarms()
    ):
        return False
    last = context.last_tick()
    if last is None:
        return True
    return last.error is None and not context.is_late(last, now_s=context.clock.now_s())
