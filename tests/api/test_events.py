from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest

from api.feed import MAX_STREAMS, Feed
from api.routers import events
from tests.api.serving import free_port, serving
from tests.api.world import TOKEN, World, train

Result = TypeVar("Result")
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/event-stream"}


@pytest.fixture
def url(world: World) -> Iterator[str]:
    with serving(world) as url:
        yield url


def read(url: str, count: int, **options: object) -> list[dict[str, str]]:
    """The first `count` events of a stream, by field."""
    found: list[dict[str, str]] = [{}]
    headers = HEADERS | dict(options.get("headers", {}))  # type: ignore[call-overload]
    params: Any = options.get("params")
    with httpx2.stream(
        "GET", f"{url}/v1/events", headers=headers, params=params, timeout=20
    ) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if name in ("id", "data"):
                found[-1][name] = value
            elif not line and found[-1]:
                found.append({})
            if len(found) > count:
                return found[:count]
    return found


def test_a_stream_resumes_after_the_event_seen_last(url: str, world: World) -> None:
    job, _ = train(world)
    everything = world.store.events.listed(job_id=job.id)
    streamed = read(url, len(everything), params={"after": 0, "job": "first"})
    assert [json.loads(each["data"])["text"] for each in streamed] == [
        each.text for each in everything
    ]
    rest = read(
        url,
        len(everything) - 1,
        headers={"Last-Event-ID": streamed[0]["id"]},
        params={"after": 0, "job": job.id},
    )
    assert [each["id"] for each in rest] == [str(each.id) for each in everything[1:]]


def test_a_stream_tells_of_what_happens_while_it_is_open(url: str, world: World) -> None:
    is_heard = threading.Event()

    def happen() -> None:
        while not is_heard.wait(0.1):
            # A stream without a start tells of what comes after it opened.
            world.store.events.add("note", "again", now_s=world.clock.now_s())

    thread = threading.Thread(target=happen)
    thread.start()
    try:
        (event,) = read(url, 1)
    finally:
        is_heard.set()
        thread.join()
    assert json.loads(event["data"])["kind"] == "note"


def test_a_stream_needs_a_token_and_a_job_that_is_there(url: str) -> None:
    assert (
        httpx2.get(f"{url}/v1/events", headers={"Accept": "text/event-stream"}).status_code == 401
    )
    assert (
        httpx2.get(f"{url}/v1/events", headers=HEADERS, params={"job": "nobody"}).status_code == 404
    )


def in_a_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs it in a thread of its own: in this one a browser's loop may run, which admits no
    other."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def test_streams_have_a_bound() -> None:
    async def open_all() -> bool:
        feed = Feed(lambda: 0)
        streams = [feed.stream() for _ in range(MAX_STREAMS)]
        for each in streams:
            await each.__aenter__()
        is_full = feed.is_full
        await streams[0].__aexit__(None, None, None)
        return is_full and not feed.is_full

    assert in_a_loop(open_all())


def test_a_silent_stream_is_kept_alive_by_comments(world: World) -> None:
    async def first_chunks() -> list[bytes]:
        stream = events.follow(
            world.context, Feed(lambda: 0), job=None, after=10**6, silence_s=0.01
        )
        return [await anext(stream) for _ in range(3)]

    assert in_a_loop(first_chunks())[1:] == [b": ping\n\n", b": ping\n\n"]


DAEMON = """
import sys
from pathlib import Path
from tests.api.world import make_world
from api.server import run
from elastic.authority import Authority
from elastic.listeners import ListenAddress
folder = Path(sys.argv[1])
world = make_world(folder, template=Path(sys.argv[2]))
users, nodes = map(int, sys.argv[3:])
run(
    world.context,
    users=ListenAddress("127.0.0.1", users, is_encrypted=False),
    nodes=ListenAddress(
        "127.0.0.1", nodes, is_encrypted=True, pem=Authority(b"secret").issue({"localhost"})
    ),
    on_started=lambda: print("up", flush=True),
)
world.store.close()
print("closed")
"""


def test_sigterm_ends_the_daemon_at_once_with_a_stream_open(
    tmp_path: Path, empty_database: Path
) -> None:
    port = free_port()
    ports = [str(port), str(free_port())]
    arguments = [sys.executable, "-c", DAEMON, str(tmp_path), str(empty_database), *ports]
    root = Path(__file__).parents[2]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=root, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        with httpx2.stream(
            "GET", f"http://127.0.0.1:{port}/v1/events", headers=HEADERS, timeout=20
        ) as answer:
            lines = answer.iter_lines()
            assert next(lines).startswith("retry")
            begun_s = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert [line for line in lines if line] == []
        last_words = process.stdout.read()
        process.wait(10)
    assert time.monotonic() - begun_s < 15, "who waited for the stream would wait for ever"
    assert process.returncode == 0
    assert last_words == "closed\n"
