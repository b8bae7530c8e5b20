"""Real receivers of messages: an HTTP server and an SMTP server, each on a port of its own."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller


@dataclass(slots=True)
class Webhook:
    """What came to an HTTP server, and what it answers next: 200 once the list is empty."""

    port: int = 0
    taken: list[dict[str, Any]] = field(default_factory=list)
    refusals: list[int] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self.port}/hook/T0K3N-OF-HOOK"

    @property
    def titles(self) -> list[str]:
        return [each["title"] for each in self.taken]


@contextmanager
def running_webhook() -> Iterator[Webhook]:
    webhook = Webhook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = webhook.refusals.pop(0) if webhook.refusals else 200
            if status == 200:
                webhook.taken.append(json.loads(body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    webhook.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield webhook
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(slots=True)
class Mailbox:
    """The mails that came to an SMTP server."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)

    @property
    def address(self) -> str:
        return (
            f"mailto://127.0.0.1:{self.port}?smtp=127.0.0.1&mode=insecure"
            "&from=elasticd@example.com&to=me@example.com"
        )

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        return "250 taken"


@contextmanager
def running_mailbox() -> Iterator[Mailbox]:
    mailbox = Mailbox()
    # Port 0 would be asked for again when the server looks whether it answers.
    controller = Controller(mailbox, hostname="127.0.0.1", port=_free_port())
    controller.start()
    mailbox.port = controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
