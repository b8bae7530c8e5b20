"""Runs the app until it is told to stop, even while event streams are open."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from types import FrameType

import uvicorn
from anyio import to_thread

from api.app import create_app
from api.connections import Repeats, guarded, raise_limit
from api.deps import Context
from api.feed import Feed

# Requests answered at once; the store has eight connections that read.
_THREADS = 24
_GRACE_S = 5


def run(context: Context, *, host: str, port: int, on_started: Callable[[], None]) -> None:
    """Serves until SIGTERM or Ctrl-C; `on_started` is called once requests are answered."""
    app = create_app(context)
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(Repeats())
    config = uvicorn.Config(
        app,
        http=guarded(raise_limit()),
        # The loop accepts as many at once before the door sees the first one: fewer than the files
        # that are kept back for everything else.
        backlog=128,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        # No header may change a client's address: there is no proxy that would be trusted.
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE_S,
        h11_max_incomplete_event_size=32 * 1024,
    )
    Server(config, feeds=(app.state.feed, app.state.log_feed), on_started=on_started).run()


class Server(uvicorn.Server):
    """A server that closes its streams first, since it would wait for them forever."""

    def __init__(
        self, config: uvicorn.Config, *, feeds: Sequence[Feed], on_started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._feeds = feeds
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        to_thread.current_default_thread_limiter().total_tokens = _THREADS
        if self.started:
            self._on_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # The parent raises the signal again at the end. The process would die of it before the
        # daemon has stopped its ticker and closed its store. At a second signal the server does not
        # wait for open requests.
        for feed in self._feeds:
            feed.close()
        self.force_exit = self.should_exit
        self.should_exit = True
