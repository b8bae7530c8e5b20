"""The routes for events, as a list or as a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.concurrency import run_in_threadpool

from api import schemas
from api.deps import Context, ContextOf, FeedOf, JobFilter, require_user
from api.feed import RECONNECT_MS, Feed, LastEventId, has_news_within, seen_last, streamed
from elastic.durations import SELDOM_S
from elastic.errors import StoreUnavailable
from elastic.store import Event

router = APIRouter(prefix="/v1", tags=["events"], dependencies=[Depends(require_user)])

_BATCH = 200

After = Annotated[
    int | None, Query(ge=0, le=2**53, description="Only events after the one of this id.")
]
EventLimit = Annotated[
    int, Query(ge=1, le=500, description="Most events to list; a stream has no end.")
]


@router.get(
    "/events",
    response_model=schemas.Page[schemas.EventOut],
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
def list_events(
    context: ContextOf,
    feed: FeedOf,
    job: JobFilter,
    after: After = None,
    limit: EventLimit = 200,
    accept: Annotated[str, Header()] = "",
    last_event_id: LastEventId = None,
) -> Response | schemas.Page[schemas.EventOut]:
    """Lists events, oldest first: those after `after`, else the newest.

    With `Accept: text/event-stream`, follows them. A stream begins after `Last-Event-ID` or
    `after`, or with the next event if neither is given.
    """
    if "text/event-stream" not in accept:
        found = context.store.events.listed(after=after, job_id=job, limit=limit)
        return schemas.Page[schemas.EventOut](
            items=[schemas.EventOut.of(each) for each in found], next_before=None
        )
    start = seen_last(last_event_id, after)
    if start is None:
        # Read before the answer begins: what happens from now on is in the stream.
        start = context.store.events.newest_id()
    return streamed(feed, follow(context, feed, job=job, after=start), what="event stream")


async def follow(
    context: Context, feed: Feed, *, job: str | None, after: int, silence_s: float = SELDOM_S
) -> AsyncIterator[bytes]:
    """Yields events until the feed closes, and a comment after `silence_s` without any.

    Proxies end a connection that is silent for a minute; browsers do not notice comments.
    """
    yield f"retry: {RECONNECT_MS}\n\n".encode()
    async with feed.stream() as is_news:
        while not feed.is_closed:
            is_news.clear()
            found = await _read(context, after=after, job=job)
            for event in found:
                yield _written(event)
                after = event.id
            # A full batch has more behind it, which is read at once.
            if len(found) < _BATCH and not await has_news_within(is_news, silence_s):
                yield KEEPALIVE_COMMENT


async def _read(context: Context, *, after: int, job: str | None) -> tuple[Event, ...]:
    try:
        return await run_in_threadpool(
            context.store.events.listed, after=after, job_id=job, limit=_BATCH
        )
    except StoreUnavailable:
        return ()  # the stream goes on when the store does


def _written(event: Event) -> bytes:
    # Without a name: a browser delivers named events only to listeners for that name.
    return format_sse_event(data_str=schemas.EventOut.of(event).model_dump_json(), id=str(event.id))
