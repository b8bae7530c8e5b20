"""An EC2 to test against: plain moto behind an HTTP endpoint, whose answers a test may replace or
lose."""

from __future__ import annotations

import io
import json
import threading
import urllib.parse
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.providers.few_images import few_images

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Scripted:
    """One answer that replaces moto's; with `is_done` moto does the work all the same, and only its
    answer is lost."""

    status: str
    body: bytes
    content_type: str = "text/xml"
    is_done: bool = False


@dataclass(slots=True)
class Endpoint:
    """The middleware: `calls` are all that arrived, by action, with their parameters as they were
    sent."""

    url: str = ""
    calls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    scripted: dict[str, deque[Scripted]] = field(default_factory=lambda: defaultdict(deque))
    always: dict[str, Scripted] = field(default_factory=dict)
    most: int | None = None

    def reset(self) -> None:
        self.calls.clear()
        self.scripted.clear()
        self.always.clear()
        self.most = None

    def fail(
        self,
        action: str,
        code: str,
        *,
        message: str = "scripted",
        status: int = 400,
        times: int = 1,
    ) -> None:
        """The next calls of `action` are refused."""
        self.scripted[action].extend([_error(code, message, status)] * times)

    def forbid(self, action: str, code: str = "UnauthorizedOperation") -> None:
        """Every call of `action` is refused."""
        self.always[action] = _error(code, f"You are not authorized to perform ec2:{action}", 403)

    def bound(self, most: int) -> None:
        """No fleet gets more machines, whatever minimum it names: moto itself knows neither bound
        nor minimum."""
        self.most = most

    def lose(self, action: str) -> None:
        """The next call of `action` is carried out, and its answer is lost."""
        self.scripted[action].append(Scripted("500 Internal Server Error", b"", is_done=True))

    def answer(self, action: str, body: str, *, times: int = 1) -> None:
        """The next calls of `action` get this XML inside their response element."""
        text = f'<{action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">{body}</{action}Response>'
        self.scripted[action].extend([Scripted("200 OK", text.encode())] * times)

    def answer_json(self, action: str, body: object, *, status: str = "200 OK") -> None:
        """The next call of `action` of a service that speaks JSON gets this."""
        self.scripted[action].append(
            Scripted(status, json.dumps(body).encode(), "application/x-amz-json-1.1")
        )

    def sent(self, action: str) -> list[dict[str, str]]:
        """The parameters of every call of `action`."""
        return [parameters for name, parameters in self.calls if name == action]


@dataclass(slots=True)
class _Application:
    endpoint: Endpoint
    moto: Any = field(default_factory=lambda: DomainDispatcherApplication(create_backend_app))

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        action, parameters = _call(environ, body)
        if action == "CreateFleet" and self.endpoint.most is not None:
            body = _with_at_most(self.endpoint.most, body)
            environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = io.BytesIO(body)
        if action:
            self.endpoint.calls.append((action, parameters))
        waiting = self.endpoint.scripted.get(action)
        scripted = waiting.popleft() if waiting else self.endpoint.always.get(action)
        if scripted is None:
            return self.moto(environ, start_response)  # type: ignore[no-any-return]
        if scripted.is_done:
            list(self.moto(environ, lambda *_: None))
        headers = [
            ("Content-Type", scripted.content_type),
            ("Content-Length", str(len(scripted.body))),
        ]
        start_response(scripted.status, headers)
        return [scripted.body]


def _call(environ: Environ, body: bytes) -> tuple[str, dict[str, str]]:
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    if target:
        return target.rpartition(".")[2], {"json": body.decode()}
    form = {
        name: values[0]
        for name, values in urllib.parse.parse_qs(body.decode("utf-8", "replace")).items()
    }
    return form.get("Action", ""), form


def _with_at_most(most: int, body: bytes) -> bytes:
    name = "TargetCapacitySpecification.TotalTargetCapacity"
    form = dict(urllib.parse.parse_qsl(body.decode()))
    return urllib.parse.urlencode(form | {name: str(min(int(form[name]), most))}).encode()


def _error(code: str, message: str, status: int) -> Scripted:
    body = (
        f"<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors>"
        "<RequestID>r</RequestID></Response>"
    )
    return Scripted(f"{status} Scripted", body.encode())


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, as by EC2

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - werkzeug's own name
        pass


@contextmanager
def serve_endpoint() -> Iterator[Endpoint]:
    """Serves a fresh endpoint on a free port of the loopback interface."""
    endpoint = Endpoint()
    server = make_server(
        "127.0.0.1", 0, _Application(endpoint), threaded=True, request_handler=_Silent
    )
    endpoint.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with few_images():
            yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
