"""The routes for messages to people: recipients, messages, and a test."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from api import schemas
from api.deps import ContextOf, JobFilter, require_user
from elastic.config import RECIPIENT_PATTERN
from elastic.errors import NotFound

router = APIRouter(prefix="/v1", tags=["notifications"], dependencies=[Depends(require_user)])

RecipientName = Annotated[str, Path(pattern=RECIPIENT_PATTERN)]


@router.get("/notifications")
def list_notifications(
    context: ContextOf,
    job: JobFilter,
    limit: Annotated[int, Query(ge=1, le=100_000)] = 50,
) -> schemas.Page[schemas.NotificationOut]:
    """Lists the newest messages to people, newest first, and whether they have arrived."""
    found = context.store.notifications.listed(job_id=job, limit=limit)
    return schemas.Page[schemas.NotificationOut](
        items=[schemas.NotificationOut.of(each) for each in found], next_before=None
    )


@router.get("/recipients")
def list_recipients(context: ContextOf) -> schemas.Page[schemas.RecipientOut]:
    """Lists the recipients of messages, by the daemon's settings."""
    notifier = context.notifier
    found = (
        {} if notifier is None else {each: notifier.topics(each) for each in notifier.recipients}
    )
    return schemas.Page[schemas.RecipientOut](
        items=[
            schemas.RecipientOut(name=name, topics=list(topics)) for name, topics in found.items()
        ],
        next_before=None,
    )


@router.post("/recipients/{recipient}:test")
def test_recipient(recipient: RecipientName, context: ContextOf) -> schemas.NotifyTest:
    """Sends a message now, and says whether it was taken. It may take some seconds."""
    notifier = context.notifier
    if notifier is None or recipient not in notifier.recipients:
        raise NotFound(
            f"no recipient {recipient!r}: the setting notify.to names those that there are"
        )
    return schemas.NotifyTest(recipient=recipient, error=notifier.test(recipient))
