"""Wakes event streams when there is something new, or when the daemon stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Header
from fastapi.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from elastic.durations import GLANCE_S, LOOK_S
from elastic.errors import StoreUnavailable

# How many streams of each kind may be open.
MAX_STREAMS = 64
# A browser whose stream was cut waits this long: a daemon that is restarted is back soon.
RECONNECT_MS = round(1000 * LOOK_S)


class Feed:
    """Looks for news ten times a second, for all streams that wait.

    `newest_id` gives the id of the latest news. `close` may be called from a signal handler.
    """

    def __init__(self, newest_id: Callable[[], int]) -> None:
        self._newest_id = newest_id
        self._waiting: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._seen = 0
        self.is_closed = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Watches the store while the block lasts."""
        self._loop = asyncio.get_running_loop()
        watcher = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self.close()
            watcher.cancel()

    @asynccontextmanager
    async def stream(self) -> AsyncIterator[asyncio.Event]:
        """Yields an event that is set when there may be something new; the stream clears it."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            yield event
        finally:
            self._waiting.discard(event)

    @property
    def is_full(self) -> bool:
        return len(self._waiting) >= MAX_STREAMS

    def close(self) -> None:
        """Ends all streams for good."""
        self.is_closed = True
        if self._loop is not None and not self._loop.is_closed():
            # A signal handler runs in the main thread, between any two steps of the loop's.
            self._loop.call_soon_threadsafe(self._wake_all)

    async def _watch(self) -> None:
        while not self.is_closed:
            # Without streams the store is not asked.
            if self._waiting:
                await self._look()
            await asyncio.sleep(GLANCE_S)

    async def _look(self) -> None:
        try:
            # The store waits for the disk, and the loop must not: it serves all other requests.
            newest = await run_in_threadpool(self._newest_id)
        except StoreUnavailable:
            return  # the streams go on when the store does
        # Asked for, and not told by those who write: they may be other threads, and need not know
        # of pages.
        if newest != self._seen:
            self._seen = newest
            self._wake_all()

    def _wake_all(self) -> None:
        for event in self._waiting:
            event.set()


LastEventId = Annotated[
    str | None, Header(max_length=20, description="What a browser sends when it reconnects.")
]


def streamed(feed: Feed, news: AsyncIterator[bytes], *, what: str) -> EventSourceResponse:
    """The answer that is a stream of this feed. Raises 503 if there are too many."""
    if feed.is_full:
        raise HTTPException(503, f"wanted one more {what}, but {MAX_STREAMS} are open; close one")
    # nginx would otherwise hold lines back until its buffer is full.
    return EventSourceResponse(news, headers={"X-Accel-Buffering": "no"})


def seen_last(last_event_id: str | None, after: int | None) -> int | None:
    """The id after which a stream begins; None where nothing says it."""
    # What the browser saw last counts more than the address, which is the same at a reconnect.
    if last_event_id is not None and last_event_id.isdecimal():
        return int(last_event_id)
    return after


async def has_news_within(is_news: asyncio.Event, timeout_s: float) -> bool:
    """Waits for news; returns whether there was some in time."""
    try:
        await asyncio.wait_for(is_news.wait(), timeout_s)
    except TimeoutError:
        return False
    return True
