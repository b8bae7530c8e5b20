"""Finds the operation of a call to S3, whose requests do not name it, and refuses calls as S3."""

from __future__ import annotations

import functools
import urllib.parse
from collections.abc import Mapping
from typing import NamedTuple
from xml.sax.saxutils import escape

from moto.core.utils import get_service_model

from elastic_lab.wire import Answer, Environ

_SCOPE = "/s3/aws4_request"  # of a signature: DATE/REGION/SERVICE/aws4_request (SigV4)
# Amazon S3 API Reference, "List of error codes". Others have 403, like AccessDenied.
_STATUSES = {
    "InternalError": 500,
    "SlowDown": 503,
    "ServiceUnavailable": 503,
    "NoSuchBucket": 404,
    "NoSuchKey": 404,
}


class _Mark(NamedTuple):
    """What identifies calls of an operation: their method, depth of path, query and headers."""

    method: str
    depth: int
    query: frozenset[tuple[str, str | None]]
    headers: frozenset[str]

    def is_on(self, environ: Environ, depth: int, query: Mapping[str, str]) -> bool:
        has_query = all(
            name in query and value in (None, query[name]) for name, value in self.query
        )
        has_headers = all(
            f"HTTP_{name.upper().replace('-', '_')}" in environ for name in self.headers
        )
        return (
            (self.method, self.depth) == (environ["REQUEST_METHOD"], depth)
            and has_query
            and has_headers
        )


def s3_action_of(environ: Environ) -> str:
    """The operation of a request; "" if it is not for S3, or unknown."""
    query = dict(urllib.parse.parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    if _SCOPE not in environ.get("HTTP_AUTHORIZATION", "") + query.get("X-Amz-Credential", ""):
        return ""
    depth = _depth(environ.get("PATH_INFO", ""))
    fitting = [name for name, mark in _marks() if mark.is_on(environ, depth, query)]
    if fitting:
        return fitting[0]
    return ""


def s3_refusal(code: str, message: str) -> Answer:
    """S3's answer for an error."""
    body = (
        f"<Error><Code>{escape(code)}</Code><Message>{escape(message)}</Message></Error>".encode()
    )
    headers = ("Content-Type", "application/xml"), ("Content-Length", str(len(body)))
    return Answer(f"{_STATUSES.get(code, 403)} -", headers, body)


def _depth(path: str) -> int:
    """The depth of a path: 0 for all buckets, 1 for a bucket, 2 for an object."""
    bucket, _, key = path.removeprefix("/").partition("/")
    return bool(bucket) + bool(key)


@functools.cache
def _marks() -> tuple[tuple[str, _Mark], ...]:
    """The marks of all operations, the most specific first.

    An upload of a part, for example, looks like that of an object with more parameters.
    """
    marks = [
        (str(name), _mark(str(name))) for name in sorted(get_service_model("s3").operation_names)
    ]
    return tuple(sorted(marks, key=lambda each: -len(each[1].query) - len(each[1].headers)))


def _mark(name: str) -> _Mark:
    operation = get_service_model("s3").operation_model(name)
    path, _, query = operation.http["requestUri"].partition("?")
    shape = operation.input_shape
    if shape is None:
        needed = []
    else:
        needed = [shape.members[each].serialization for each in shape.required_members]
    # Parameters without a value mark an operation as well.
    fixed = {
        (key, value or None) for key, value in urllib.parse.parse_qsl(query, keep_blank_values=True)
    }
    return _Mark(
        method=operation.http["method"],
        depth=_depth(path),
        query=frozenset(
            fixed
            | {(each["name"], None) for each in needed if each.get("location") == "querystring"}
        ),
        headers=frozenset(each["name"] for each in needed if each.get("location") == "header"),
    )
