"""Checks the host and size of every request, and adds headers to every answer."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import problem
from elastic.figures import size

# Our pages load only our own files, and no other site may frame them.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# Other answers, such as jobs' files, must not run at all.
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class SecurityHeaders:
    """Adds security headers to every answer; a route's own header wins."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_page = headers.get("content-type", "").startswith("text/html")
                headers.setdefault(
                    "Content-Security-Policy", _PAGE_POLICY if is_page else _DATA_POLICY
                )
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class HostCheck:
    """Refuses requests to a host name that is not ours, to prevent DNS rebinding."""

    # A page elsewhere could let its own name resolve to loopback, and so reach the daemon. A
    # written address cannot be rebound, so all of those are admitted.

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names) | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_ours(Headers(scope=scope).getlist("host")):
            await self._app(scope, receive, send)
            return
        detail = "wanted a host name of this daemon; the setting allowed_hosts adds others"
        await problem(HTTPStatus.MISDIRECTED_REQUEST, detail)(scope, receive, send)

    def _is_ours(self, hosts: list[str]) -> bool:
        # Two Host headers may be read differently by two programs.
        if len(hosts) != 1:
            return False
        name = hosts[0].lower()
        if not name.endswith("]"):  # an IPv6 address without a port
            name = name.rpartition(":")[0] or name
        if name.removesuffix(".") in self._names:
            return True
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


class BodyLimit:
    """Refuses bodies over the limit of their path, by declared and by actual size.

    `limits` maps the beginning of a path to bytes; `default` is for all others.
    """

    def __init__(self, app: ASGIApp, default: int, limits: Mapping[str, int]) -> None:
        self._app = app
        self._default = default
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope["path"])
        declared = Headers(scope=scope).get("content-length", "")
        # Refused before a byte of it is read.
        if declared.isdecimal() and int(declared) > limit:
            await problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))(
                scope, receive, send
            )
            return
        received = 0

        async def receive_at_most() -> Message:
            nonlocal received
            message = await receive()
            # Counted too, since a body may be longer than declared, or declare no length.
            received += len(message.get("body", b""))
            if received > limit:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large(limit))
            return message

        await self._app(scope, receive_at_most, send)

    def _limit_of(self, path: str) -> int:
        return next(
            (limit for start, limit in self._limits.items() if path.startswith(start)),
            self._default,
        )


def _too_large(limit: int) -> str:
    return f"wanted a body of at most {size(limit)}, got more"
