"""Runs the two listeners, of users and of nodes, until they are told to stop."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Sequence
from types import FrameType

import uvicorn
from anyio import to_thread
from fastapi import FastAPI

from api.app import ListenerSide, create_app
from api.connections import Repeats, guarded, raise_limit
from api.deps import Context
from api.feed import Feed
from elastic.authority import listening_context
from elastic.durations import END_GRACE_S
from elastic.errors import ElasticError
from elastic.listeners import ListenAddress

# Requests that each listener answers at once; the store has eight connections that read.
_THREADS = 12
# Pages, streams and commands of people, of which a browser opens a handful. Nodes have the rest.
_MOST_OF_USERS = 512


def run(
    context: Context, *, users: ListenAddress, nodes: ListenAddress, on_started: Callable[[], None]
) -> None:
    """Serves until SIGTERM or Ctrl-C; `on_started` is called once requests are answered.

    Each side has an event loop and threads of its own, so that no page keeps heartbeats waiting.
    Raises ElasticError if nodes cannot be answered, or not any more.
    """
    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(Repeats())
    most = raise_limit()
    # Nodes first: a browser that opens too many streams must not keep heartbeats out.
    most_of_users = min(_MOST_OF_USERS, most // 4)
    app = create_app(context, ListenerSide.USERS)
    are_nodes_answered = threading.Event()
    of_nodes = Server(
        _config(create_app(context, ListenerSide.NODES), nodes, most - most_of_users),
        on_started=are_nodes_answered.set,
    )
    of_users = Server(
        _config(app, users, most_of_users),
        feeds=(app.state.feed, app.state.log_feed),
        on_started=on_started,
    )

    def answer_nodes() -> None:
        try:
            of_nodes.run()
        finally:
            # One side alone would be a daemon that is half there. Its supervisor starts it again
            # whole.
            of_users.should_exit = True
            are_nodes_answered.set()

    thread = threading.Thread(target=answer_nodes, name="nodes")
    thread.start()
    # Users come after nodes: what `on_started` tells, such as the ready file, holds for both sides.
    are_nodes_answered.wait()
    try:
        if of_nodes.started:
            of_users.run()
        has_failed = not thread.is_alive()
    finally:
        of_nodes.should_exit = True
        thread.join()
    if has_failed:
        raise ElasticError(
            f"wanted to answer nodes on {nodes.host}:{nodes.port}, and that failed: see the log"
        )


class Server(uvicorn.Server):
    """A server that closes its streams first, since it would wait for them forever."""

    def __init__(
        self, config: uvicorn.Config, *, feeds: Sequence[Feed] = (), on_started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._feeds = feeds
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # The limiter belongs to the loop, so it can be set only from within.
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


def _config(app: FastAPI, listener: ListenAddress, most: int) -> uvicorn.Config:
    tls = None
    if listener.pem is not None:
        tls = listening_context(listener.pem)
    return uvicorn.Config(
        app,
        http=guarded(most, tls=tls),
        # The loop accepts as many at once before the door sees the first one: fewer than the files
        # that are kept back for everything else.
        backlog=128,
        host=listener.host,
        port=listener.port,
        log_config=None,
        access_log=False,
        server_header=False,
        # No header may change a client's address: there is no proxy that would be trusted.
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=round(END_GRACE_S),
        h11_max_incomplete_event_size=32 * 1024,
    )
