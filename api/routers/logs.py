"""The routes for jobs' logs: nodes send lines, people read or follow them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response
from fastapi.responses import PlainTextResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from api import schemas
from api.deps import Context, ContextOf, JobKey, LogFeedOf, node_speaking, require_user
from api.feed import RECONNECT_MS, Feed, LastEventId, has_news_within, seen_last, streamed
from api.job_logs import shown, written
from elastic.durations import END_GRACE_S
from elastic.errors import InvalidInput, NotFound, StoreUnavailable
from elastic.job_logs import LINE_BYTES
from elastic.log_line import LogLine
from elastic.protocol import LogBatch, LogsStored

router = APIRouter(tags=["jobs"])
agent_router = APIRouter(prefix="/v1/agent", tags=["agent"])

DEFAULT_LINES = 100
_BATCH = 500

Tail = Annotated[
    int | None,
    Query(
        ge=1,
        le=10_000,
        description=f"Most lines, the last ones; {DEFAULT_LINES} if absent, or of a failed job "
        "those from the traceback of the worker that failed first.",
    ),
]
Rank = Annotated[int | None, Query(ge=0, lt=2**31, description="Only this rank's.")]
NodeId = Annotated[
    str | None,
    Query(
        max_length=64,
        alias="node",
        description="Only this node's, by its id; torchrun's own lines, too.",
    ),
]
After = Annotated[
    int | None, Query(ge=0, le=2**53, description="Only lines after the one of this number.")
]


@router.get(
    "/v1/jobs/{job}/logs",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
    dependencies=[Depends(require_user)],
)
def get_job_logs(
    job: JobKey,
    context: ContextOf,
    feed: LogFeedOf,
    tail: Tail = None,
    rank: Rank = None,
    node: NodeId = None,
    after: After = None,
    accept: Annotated[str, Header()] = "",
    last_event_id: LastEventId = None,
) -> Response:
    """Returns the last lines that the job's workers wrote, as text.

    With `Accept: text/event-stream`, follows them. A stream begins after `Last-Event-ID` or
    `after`, or with the last lines if neither is given. Its events hold `lines`, and `open`, the
    lines that have not ended yet; one named `end` says that the job is over.
    """
    found = context.store.jobs.get(job)
    if node is not None and context.store.nodes.get(node).job_id != found.id:
        raise NotFound(
            f"job {found.spec.name} has no node {node}; `elasticd node ls --all` names its nodes"
        )
    if "text/event-stream" not in accept:
        # Without a stream: the last lines, as plain text.
        lines = shown(
            context.logs, found, tail=tail, rank=rank, node_id=node, default=DEFAULT_LINES
        )
        return PlainTextResponse("".join(written(lines, is_labelled=rank is None)))
    lines_of = follow(
        context,
        feed,
        found.id,
        tail=tail or DEFAULT_LINES,
        after=seen_last(last_event_id, after),
        rank=rank,
        node_id=node,
    )
    return streamed(feed, lines_of, what="stream of logs")


@agent_router.post("/logs")
def store_logs(
    batch: LogBatch, context: ContextOf, authorization: Annotated[str, Header()] = ""
) -> LogsStored:
    """Stores lines that a node's workers wrote. A batch that was stored before changes nothing."""
    node = node_speaking(
        context, authorization, node_id=batch.node_id, instance_id=batch.instance_id
    )
    now_s = context.clock.now_s()
    size = sum(LINE_BYTES + len(line) for stream in batch.streams for line in stream.lines)
    # 429 and not a cut: the agent keeps the lines, and sends them again.
    if not context.log_rates.takes(node.id, size, now_s=now_s):
        raise HTTPException(429, f"{node.id} sends more lines than it may; send these again later")
    generation = context.store.generations.latest(node.job_id)
    newest = 0 if generation is None else generation.number
    for stream in batch.streams:
        # It would be shown above all later ones for ever: a node cannot know of it yet.
        if stream.generation > newest:
            raise InvalidInput(
                f"wanted a generation up to {newest}, got {stream.generation}", field="generation"
            )
    # What a node writes before its first generation is shown beside the others' newest one.
    pieces = [replace(each, generation=each.generation or max(newest, 1)) for each in batch.streams]
    context.logs.add(node.job_id, node.id, pieces, seq=batch.seq, now_s=now_s)
    return LogsStored(acked_seq=batch.seq)


async def follow(
    context: Context,
    feed: Feed,
    job_id: str,
    *,
    tail: int,
    after: int | None,
    rank: int | None,
    node_id: str | None,
    silence_s: float = END_GRACE_S,
) -> AsyncIterator[bytes]:
    """Yields lines as they come, until the job is over, or the feed closes.

    A node may send its last lines after the end of the job. So the stream ends only when nothing
    came for `silence_s` after the end was seen.
    """

    def read() -> tuple[tuple[LogLine, ...], tuple[LogLine, ...]]:
        limit = tail if after is None else _BATCH
        lines = context.logs.lines(job_id, limit=limit, after=after, rank=rank, node_id=node_id)
        return lines, context.logs.open_lines(job_id, rank=rank, node_id=node_id)

    yield f"retry: {RECONNECT_MS}\n\n".encode()
    # None: nothing was told yet. The first look is told also if it found nothing, so that a
    # follower knows where to go on after a restart of the daemon.
    told_open: tuple[LogLine, ...] | None = None
    was_over = False
    async with feed.stream() as is_news:
        while not feed.is_closed:
            # Cleared before the look: what comes during the look sets it again, and is not missed.
            is_news.clear()
            lines, open_lines = await run_in_threadpool(read)
            after = lines[-1].id if lines else after or 0
            # Send only what is new, also when a line that has not ended has grown.
            if lines or open_lines != told_open:
                told_open = open_lines
                yield _event(lines, open_lines, after)
            # More lines may be waiting already. Else wait for news, but not for ever.
            if len(lines) >= _BATCH or await has_news_within(is_news, silence_s):
                continue
            is_over = await run_in_threadpool(_is_over, context, job_id)
            if is_over and was_over:
                yield b"event: end\ndata: {}\n\n"
                return
            was_over = is_over
            # Proxies close a connection on which nothing moves.
            yield KEEPALIVE_COMMENT


def _is_over(context: Context, job_id: str) -> bool:
    try:
        return context.store.jobs.get(job_id).phase.is_final
    except StoreUnavailable:
        return False  # the stream goes on until the store says so


def _event(lines: tuple[LogLine, ...], open_lines: tuple[LogLine, ...], last_id: int) -> bytes:
    said = schemas.LogLines(
        lines=[schemas.LogLineOut.of(each) for each in lines],
        open=[schemas.LogLineOut.of(each) for each in open_lines],
    )
    return format_sse_event(data_str=said.model_dump_json(), id=str(last_id))
