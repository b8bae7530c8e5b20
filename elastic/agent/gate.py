"""The gate that a worker passes before its script begins: by then the node's folder holds the newest checkpoint."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable
from pathlib import Path

MOST_BYTES = 1000
READ_TIMEOUT_S = 10.0


class Gate:
    """Answers on a socket of this node. `fill` blocks until the folder is filled, and gives why it could not be."""

    def __init__(self, path: Path, *, fill: Callable[[int], str | None]) -> None:
        self._path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._server = _Server(str(path), fill)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.2,), name="gate", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join(timeout=5.0)
        self._server.server_close()
        self._path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path: str, fill: Callable[[int], str | None]) -> None:
        self.fill = fill
        super().__init__(path, _Visit)


class _Visit(socketserver.StreamRequestHandler):
    timeout = READ_TIMEOUT_S

    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        generation = int(json.loads(self.rfile.readline(MOST_BYTES))["generation"])
        refusal = self.server.fill(generation)
        self.wfile.write(json.dumps({"refusal": refusal}).encode() + b"\n")
