"""Reads and writes EC2's wire format with AWS's service model."""

from __future__ import annotations

import functools
import io
import urllib.parse
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import botocore.session
from botocore.model import ServiceModel
from botocore.serialize import create_serializer
from moto.core.exceptions import ServiceException
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.serialize import get_serializer_class
from moto.core.utils import get_service_model
from werkzeug.datastructures import MultiDict

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]


class Ec2Error(ServiceException):
    """An error of EC2, with its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP response."""

    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def is_success(self) -> bool:
        return self.status.startswith("2")

    def send(self, start_response: StartResponse) -> list[bytes]:
        start_response(self.status, list(self.headers))
        return [self.body]


@dataclass(frozen=True, slots=True)
class Ec2Call:
    """One call, with its parameters as boto3 names them."""

    action: str
    # What was sent.
    form: Mapping[str, str]
    environ: Environ

    @property
    def parameters(self) -> dict[str, Any]:
        model = get_service_model("ec2").operation_model(self.action)
        parser: Any = PROTOCOL_PARSERS["ec2"](model)
        return dict(parser.parse({"values": MultiDict(self.form)}))

    def answer(self, result: Mapping[str, Any] | Ec2Error) -> Answer:
        """Writes an answer that boto3 reads as `result`, or raises."""
        model = get_service_model("ec2").operation_model(self.action)
        response = get_serializer_class("ec2", "ec2")(model).serialize(result)
        if _is_throttle(result):
            status = "503 Service Unavailable"
        else:
            status = f"{response['status_code']} -"
        # moto's serializer writes the same words into each answer; AWS gives each an id.
        body = str(response["body"]).replace("request-id", str(uuid.uuid4())).encode()
        return Answer(
            status, (("Content-Type", "text/xml"), ("Content-Length", str(len(body)))), body
        )

    def with_parameters(self, action: str, parameters: Mapping[str, Any]) -> Ec2Call:
        """Another call by the same caller."""
        model = _botocore_model().operation_model(action)
        serializer = create_serializer("ec2", include_validation=False)
        form = serializer.serialize_to_request(dict(parameters), model)["body"]
        return Ec2Call(action, {name: _text(value) for name, value in form.items()}, self.environ)

    def forward(self, app: WsgiApp) -> Answer:
        """Lets moto answer the call."""
        body = urllib.parse.urlencode(self.form).encode()
        environ = dict(self.environ)
        # These keep the parsed form of the first call, and moto would read that in place of ours.
        for name in [name for name in environ if name.startswith(("werkzeug.request", "flask."))]:
            del environ[name]
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["QUERY_STRING"] = ""
        return run(app, environ)


@functools.cache
def parameters_of(action: str) -> frozenset[str]:
    """The names of an action's parameters."""
    shape = _botocore_model().operation_model(action).input_shape
    if shape is None:
        return frozenset()
    return frozenset(shape.members)


def read_ec2_call(environ: Environ, body: bytes) -> Ec2Call | None:
    """The call if it is one of EC2's; None otherwise."""
    scope = (
        environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2].split(",")[0].split("/")
    )
    if len(scope) < 5 or scope[3] != "ec2":
        return None
    form = dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    action = form.get("Action", "")
    if action not in get_service_model("ec2").operation_names:
        return None
    return Ec2Call(action, form, environ)


def run(app: WsgiApp, environ: Environ) -> Answer:
    """Calls a WSGI application and gathers its whole answer."""
    told: list[tuple[str, tuple[tuple[str, str], ...]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> None:
        told.append((status, tuple(headers)))

    chunks = app(environ, start_response)
    try:
        body = b"".join(chunks)
    finally:
        # By PEP 3333 an answer is closed by its reader, where it can be closed.
        close = getattr(chunks, "close", None)
        if close is not None:
            close()
    status, headers = told[-1]
    return Answer(status, headers, body)


@functools.cache
def _botocore_model() -> ServiceModel:
    return botocore.session.get_session().get_service_model("ec2")


def _is_throttle(result: object) -> bool:
    return isinstance(result, Ec2Error) and result.code == "RequestLimitExceeded"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
