"""The routes for messages to people: recipients, messages, and a test."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from api import schemas
from api.deps import ContextOf, require_user
from elastic.config import RECIPIENT_PATTERN
from elastic.errors import NotFound
from elastic.store import Delivery, Notification

router = APIRouter(prefix="/v1", tags=["notifications"], dependencies=[Depends(require_user)])

RecipientName = Annotated[str, Path(pattern=RECIPIENT_PATTERN)]


@router.get("/notifications")
def list_notifications(
    context: ContextOf,
    job_id: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> schemas.Page[schemas.NotificationOut]:
    """Lists the newest messages to people, newest first, and whether they have arrived."""
    found = context.store.notifications.listed(job_id=job_id, limit=limit)
    return schemas.Page[schemas.NotificationOut](
        items=[_shown(each) for each in found], next_before=None
    )


@router.get("/recipients")
def list_recipients(context: ContextOf) -> schemas.Page[schemas.RecipientOut]:
    """Lists the recipients of messages, by the daemon's settings."""
    notifier = context.notifier
    names = () if notifier is None else tuple(notifier.recipients)
    return schemas.Page[schemas.RecipientOut](
        items=[
            schemas.RecipientOut(name=name, topics=list(notifier.topics(name)))
            for name in names
            if notifier is not None
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


def _shown(message: Notification) -> schemas.NotificationOut:
    is_waiting = message.delivery is Delivery.WAITING
    return schemas.NotificationOut(
        id=message.id,
        topic=message.topic,
        recipient=message.recipient,
        title=message.title,
        text=message.text,
        job_id=message.job_id,
        made_at_s=message.made_at_s,
        delivery=message.delivery,
        tries=message.tries,
        next_at_s=message.next_at_s if is_waiting else None,
        sent_at_s=message.sent_at_s,
        error=message.error,
    )
