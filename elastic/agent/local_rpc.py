"""A local socket for questions from workers to their agent: one line of JSON each way."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from elastic.durations import ANSWER_TIMEOUT_S, END_GRACE_S
from elastic.worker.unix_address import address_of

MOST_BYTES = 1000

Answer: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class LocalRpcServer:
    """Answers each question in a thread of its own, so `answer` may take its time."""

    def __init__(self, path: Path, answer: Answer) -> None:
        self._path = path
        path.unlink(missing_ok=True)
        self._server = _Server(str(path), answer)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.2,), name=path.stem, daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join(timeout=END_GRACE_S)
        self._server.server_close()
        self._path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path: str, answer: Answer) -> None:
        self.answer = answer
        with address_of(path) as address:
            super().__init__(address, _Visit)


class _Visit(socketserver.StreamRequestHandler):
    timeout = ANSWER_TIMEOUT_S

    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        answer = self.server.answer(json.loads(self.rfile.readline(MOST_BYTES)))
        self.wfile.write(json.dumps(answer).encode() + b"\n")
