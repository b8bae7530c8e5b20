"""A metadata service for tests: it keeps the rules of version 2, and says what it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(slots=True)
class FakeMetadata:
    """`documents` are what is found below /latest; a machine reads them with a token of ours."""

    url: str = ""
    documents: dict[str, str] = field(default_factory=lambda: {"meta-data/instance-id": "i-1"})
    is_enabled: bool = True
    takes_tokens: bool = True
    tokens_given: int = 0
    _tokens: set[str] = field(default_factory=set)

    def announce(self, action: str, *, at: str | float) -> None:
        """The spot machine goes at an instant, in Unix seconds or as the service writes it."""
        time = (
            at
            if isinstance(at, str)
            else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        )
        self.documents["meta-data/spot/instance-action"] = json.dumps(
            {"action": action, "time": time}
        )

    def recommend_rebalance(self, *, at: str) -> None:
        self.documents["meta-data/events/recommendations/rebalance"] = json.dumps(
            {"noticeTime": at}
        )

    def forget_tokens(self) -> None:
        self._tokens.clear()

    def give_token(self) -> str:
        self.tokens_given += 1
        token = f"token-{self.tokens_given}"
        self._tokens.add(token)
        return token

    def takes(self, token: str | None) -> bool:
        return self.takes_tokens and token in self._tokens


@contextmanager
def serve_metadata() -> Iterator[FakeMetadata]:
    """Serves one on a free port of the loopback interface."""
    metadata = FakeMetadata()
    handler = type("Handler", (_Handler,), {"metadata": metadata})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    metadata.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield metadata
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    metadata: FakeMetadata

    def do_PUT(self) -> None:
        has_ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "").isdecimal()
        if not self.metadata.is_enabled:
            self._send(403)
        elif self.path != "/latest/api/token" or not has_ttl:
            self._send(400)
        else:
            self._send(200, self.metadata.give_token())

    def do_GET(self) -> None:
        document = self.metadata.documents.get(self.path.removeprefix("/latest/"))
        if not self.metadata.takes(self.headers.get("X-aws-ec2-metadata-token")):
            self._send(401)
        else:
            self._send(404 if document is None else 200, document or "")

    def _send(self, status: int, text: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass
