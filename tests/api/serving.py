"""A real server in a thread: a test client would wait for the end of a stream that has none."""

from __future__ import annotations

import signal
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from api.app import create_app
from api.connections import guarded
from api.server import Server
from tests.api.world import World


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(
    world: World,
    *,
    most: int = 100,
    head_s: float = 10.0,
    body_s: float = 20.0,
    tls: ssl.SSLContext | None = None,
    handshakes_per_s: float = 200.0,
) -> Iterator[str]:
    """The URL of a server with room for so many connections, which wait so long for a request."""
    app, port, is_up = create_app(world.context), free_port(), threading.Event()
    config = uvicorn.Config(
        app,
        http=guarded(
            most, tls=tls, head_s=head_s, body_s=body_s, handshakes_per_s=handshakes_per_s
        ),
        host="127.0.0.1",
        port=port,
        log_config=None,
        ws="none",
        lifespan="on",
    )
    server = Server(config, feeds=(app.state.feed, app.state.log_feed), on_started=is_up.set)
    thread = threading.Thread(target=server.run)
    thread.start()
    assert is_up.wait(20)
    scheme = "http"
    if tls is not None:
        scheme = "https"
    yield f"{scheme}://127.0.0.1:{port}"
    server.handle_exit(signal.SIGTERM, None)
    thread.join(20)
    assert not thread.is_alive(), "the server waits for its streams"
