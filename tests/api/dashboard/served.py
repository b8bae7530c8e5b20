"""The real app on a real port, over a real store, at an instant that stands still until it is told
to move."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from api.app import create_app
from api.deps import Context
from elastic.clock import ManualClock, SystemClock
from elastic.config import Settings
from elastic.job_logs import JobLogs
from elastic.model import NodeType
from elastic.providers import FakeCloud, FakeProvider
from elastic.reconciler import NodeTokens
from elastic.store import Store
from tests.api.dashboard.story import START_S

TOKEN = "a-token-for-tests"
TYPES = (
    NodeType("local.quarter", 0.25, 2.0),
    NodeType("local.half", 0.5, 2.0),
    NodeType("local.full", 1.0, 2.0),
)


@dataclass(frozen=True, slots=True)
class Site:
    """A running app: where it is, what it serves, and the hands to move it."""

    url: str
    store: Store
    clock: ManualClock
    settings: Settings
    logs: JobLogs

    @property
    def login(self) -> str:
        return f"{self.url}/login?token={TOKEN}"

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


def make_context(store: Store, data_dir: Path, clock: ManualClock) -> Context:
    """The daemon's parts, with a cloud in memory."""
    cloud = FakeCloud(TYPES, clock=clock)
    return Context(
        store=store,
        clock=clock,
        settings=Settings(data_dir=data_dir),
        provider=FakeProvider(cloud),
        node_tokens=NodeTokens(b"secret"),
        wake=lambda: None,
        user_token=TOKEN,
    )


@contextmanager
def serving(
    store: Store, data_dir: Path, *, now_s: float = START_S, port: int = 0
) -> Iterator[Site]:
    """Serves until the block ends, on a free port unless told which."""
    clock = ManualClock(now_s)
    context = make_context(store, data_dir, clock)
    app = create_app(context)
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    waited = SystemClock()
    while not server.started:
        waited.sleep(0.01)
    bound = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Site(f"http://127.0.0.1:{bound}", store, clock, context.settings, context.logs)
    finally:
        app.state.feed.close()
        app.state.log_feed.close()
        server.should_exit = True
        thread.join(timeout=10)
