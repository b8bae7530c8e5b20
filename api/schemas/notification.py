"""Messages to people on the wire."""

from __future__ import annotations

from pydantic import Field, FiniteFloat

from api.schemas.wire import Wire
from elastic import model
from elastic.store import Delivery


class NotificationOut(Wire):
    """A message to one recipient, and whether it has arrived."""

    id: int
    topic: str
    recipient: str
    title: str
    text: str
    job_id: str | None
    made_at_s: FiniteFloat
    delivery: Delivery
    tries: int
    next_at_s: FiniteFloat | None = Field(description="When it is tried again; null: it is not.")
    sent_at_s: FiniteFloat | None
    error: str | None = Field(description="Why the last try failed; null if none did.")


class RecipientOut(Wire):
    """A name to which messages go. The address is not shown, because it may hold a secret."""

    name: str
    topics: list[model.Topic] = Field(
        description="What its messages are about, unless a job says otherwise; empty: no messages."
    )


class NotifyTest(Wire):
    """Whether a message that was sent just now was taken."""

    recipient: str
    error: str | None = Field(description="Why it was not taken; null: it was.")
