"""The REST client of the daemon; it turns refusals into errors of `elastic.errors`."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import httpx2

from elastic.durations import TRANSFER_TIMEOUT_S
from elastic.errors import (
    Conflict,
    DaemonUnreachable,
    ElasticError,
    InvalidInput,
    NotFound,
    StoreUnavailable,
    Unauthorized,
)
from elastic.trust import is_refused_key, trust_for

JsonObject: TypeAlias = dict[str, Any]
# A list repeats the parameter.
QueryValue: TypeAlias = str | int | float | Sequence[str]

# The API's own limit for a page.
_PAGE_SIZE = 500
_ERRORS: Mapping[int, type[ElasticError]] = {
    400: InvalidInput,
    401: Unauthorized,
    403: Unauthorized,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    413: InvalidInput,
    415: InvalidInput,
    422: InvalidInput,
    429: StoreUnavailable,
    503: StoreUnavailable,
}


@dataclass(frozen=True, slots=True)
class Streamed:
    """One event of a stream."""

    # Empty if it has none.
    name: str
    # Its number; None if it has none.
    id: int | None
    data: JsonObject


class Client:
    """One daemon's REST interface under /v1.

    `trust` is what `trust_for` gives for the address; `transport` lets tests answer in process.
    `is_there` is asked before each request: whether something listens that may have the token.
    Raises InvalidInput for what is no address, and for plain HTTP to another machine.
    """

    def __init__(
        self,
        *,
        url: str,
        token: str,
        trust: ssl.SSLContext | bool | None = None,
        transport: httpx2.BaseTransport | None = None,
        is_there: Callable[[], bool] = lambda: True,
    ) -> None:
        self.url = url.rstrip("/")
        wanted = InvalidInput(f"wanted the daemon's address as http://host:port, got {url!r}")
        if not self.url.lower().startswith(("http://", "https://")):
            raise wanted

        def check(request: httpx2.Request) -> None:
            # Refused here: what begins to listen after this look must not get the token.
            if not is_there():
                raise httpx2.ConnectError("nothing listens there", request=request)

        try:
            self._http = httpx2.Client(
                base_url=self.url,
                headers={"Authorization": f"Bearer {token}", "User-Agent": "elasticd-cli"},
                timeout=TRANSFER_TIMEOUT_S,
                transport=transport,
                verify=trust_for(self.url) if trust is None else trust,
                # A proxy named in the environment must not see the token.
                trust_env=False,
                event_hooks={"request": [check]},
            )
        except httpx2.InvalidURL as error:
            raise wanted from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def get(
        self, path: str, *, within_s: float = TRANSFER_TIMEOUT_S, **query: QueryValue | None
    ) -> JsonObject:
        """Returns the object at `path`; None leaves a query parameter out.

        Raises DaemonUnreachable if the daemon stays silent for longer than `within_s`.
        """
        return self._found(path, query, within_s=within_s)

    def items(self, path: str, *, limit: int, **query: QueryValue | None) -> list[JsonObject]:
        """Returns up to `limit` items of the list at `path`, newest first."""
        found: list[JsonObject] = []
        before: int | None = None
        # Page by page, since the daemon limits how much one answer holds.
        while len(found) < limit:
            asked = {"limit": min(_PAGE_SIZE, limit - len(found)), "before": before, **query}
            page = self._found(path, asked)
            found += page["items"]
            before = page.get("next_before")
            if before is None:
                break
        return found

    def post(
        self, path: str, body: object = None, *, headers: Mapping[str, str] | None = None
    ) -> JsonObject:
        """Posts `body` as JSON, None as nothing, and returns the answer."""
        content = None
        sent = {}
        if body is not None:
            content = json.dumps(body).encode()
            sent = {"Content-Type": "application/json"}
        return _object(
            self._send("POST", path, content=content, headers={**sent, **(headers or {})})
        )

    def put(self, path: str, content: bytes, *, media_type: str) -> None:
        """Puts a file at `path`."""
        self._send("PUT", path, content=content, headers={"Content-Type": media_type})

    def text(self, path: str, **query: str | int | None) -> str:
        """Returns the text at `path`."""
        return self._send("GET", path, params=_given(query)).text

    def content(self, path: str) -> bytes:
        """Returns the file at `path`."""
        return self._send("GET", path).content

    def fetch(self, path: str, target: Path) -> str:
        """Writes the file at `path` to `target`; returns the SHA-256 that the daemon names."""
        try:
            with self._http.stream("GET", path) as answer, target.open("wb") as file:
                # The body of a streamed answer is not read yet, but the error needs it.
                if answer.is_error:
                    answer.read()
                    raise error_of(answer)
                for piece in answer.iter_bytes():
                    file.write(piece)
                return str(answer.headers.get("etag", "")).strip('"')
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error

    def events(self, *, after: int | None, job: str | None) -> Iterator[JsonObject]:
        """Yields events as they happen, until the daemon closes the stream."""
        for event in self.stream("/v1/events", after=after, job=job):
            yield event.data

    def stream(self, path: str, **query: str | int | None) -> Iterator[Streamed]:
        """Yields the events of the stream at `path`, until the daemon closes it."""
        headers = {"Accept": "text/event-stream"}
        timeout = httpx2.Timeout(TRANSFER_TIMEOUT_S)
        try:
            with self._http.stream(
                "GET", path, params=_given(query), headers=headers, timeout=timeout
            ) as answer:
                if answer.is_error:
                    answer.read()
                    raise error_of(answer)
                yield from _streamed(answer.iter_lines())
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error

    def _found(
        self,
        path: str,
        query: Mapping[str, QueryValue | None],
        *,
        within_s: float = TRANSFER_TIMEOUT_S,
    ) -> JsonObject:
        return _object(self._send("GET", path, params=_given(query), timeout=within_s))

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            answer = self._http.request(method, path, **options)
        except httpx2.TransportError as error:
            raise self._unreachable(error) from error
        if answer.is_error:
            raise error_of(answer)
        return answer

    def _unreachable(self, error: httpx2.TransportError) -> ElasticError:
        if is_refused_key(error):
            return Unauthorized(
                f"what answers at {self.url} does not show a certificate that is trusted here "
                f"({error}): name the daemon's with --ca-file or ELASTICD_CA_FILE "
                "(`elasticd certificate show`), or renew one that has expired, and start the "
                "daemon again"
            )
        if isinstance(error, httpx2.ReadTimeout):
            return DaemonUnreachable(
                f"wanted an answer of the daemon at {self.url}, found none in time: its log says "
                "what it does; ask again later"
            )
        return DaemonUnreachable(
            f"wanted a daemon at {self.url}, found none ({error}): start it with `elasticd serve`,"
            " or name another with --url or ELASTICD_URL"
        )


def _streamed(lines: Iterable[str]) -> Iterator[Streamed]:
    # Server-sent events (HTML Standard, 9.2.6): lines of fields, and an empty line ends an event.
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif "data" in fields:
            number = fields.get("id", "")
            yield Streamed(
                fields.get("event", ""),
                int(number) if number.isdecimal() else None,
                json.loads(fields["data"]),
            )
            fields = {}


def error_of(answer: httpx2.Response) -> ElasticError:
    """The error that a refusal means, with every fault that its problem document lists."""
    # Something between the client and the daemon may answer with a page of its own.
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    if not isinstance(problem, dict):
        problem = {}
    said = (
        problem.get("detail")
        or problem.get("title")
        or answer.text.strip()[:500]
        or answer.reason_phrase
    )
    default = ElasticError
    if answer.status_code >= 500:
        default = StoreUnavailable
    return _ERRORS.get(answer.status_code, default)(
        said + _faults(said, problem.get("errors") or ())
    )


def _faults(said: str, errors: Sequence[Mapping[str, object]]) -> str:
    """The faults, one a line; empty for a single fault that `said` contains already."""
    match errors:
        case [{"message": str(message)}] if message in said:
            return ""
        case _:
            return "".join(
                f"\n  {each.get('field') or 'body'}: {each.get('message')}" for each in errors
            )


def _object(answer: httpx2.Response) -> JsonObject:
    try:
        found = answer.json()
    except ValueError as error:
        kind = answer.headers.get("content-type", "no type")
        raise ElasticError(
            f"wanted JSON from {answer.url}, got {kind}: is this elasticd's address?"
        ) from error
    if not isinstance(found, dict):
        raise ElasticError(
            f"wanted a JSON object from {answer.url}, got {type(found).__name__}: versions may "
            "differ"
        )
    return found


def _given(query: Mapping[str, QueryValue | None]) -> dict[str, QueryValue]:
    return {name: value for name, value in query.items() if value is not None}
