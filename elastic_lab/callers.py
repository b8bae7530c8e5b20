"""The callers of a lab. It runs what it is sent, as its own user, and asks for no signature."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_address

from elastic.rendezvous import Address, user_of
from elastic_lab.price_list import json_answer
from elastic_lab.wire import Environ, StartResponse, WsgiApp


@dataclass(frozen=True, slots=True)
class OwnCallers:
    """Lets the lab's own user in, root, and the lab's instances; no other user and no web page."""

    app: WsgiApp
    # The lab's own address.
    gateway: str
    # Where instances with a network of their own are; None where they are processes of the user.
    network: IPv4Network | None

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        why = self._refusal(environ)
        if not why:
            return self.app(environ, start_response)
        told = {"error": why}
        return json_answer(told, status="403 Forbidden", kind="application/json").send(
            start_response
        )

    def _refusal(self, environ: Environ) -> str:
        # The browser is the user's own process, and the pages in it are anybody's. No program of
        # AWS's sends these headers. A page's own name may resolve to the lab's address.
        is_asked_by_page = (
            "HTTP_ORIGIN" in environ or environ.get("HTTP_SEC_FETCH_SITE", "none") != "none"
        )
        host = environ.get("HTTP_HOST", "").rpartition(":")[0] or environ.get("HTTP_HOST", "")
        if is_asked_by_page or host not in (self.gateway, "127.0.0.1", "localhost"):
            return "wanted a program of the lab's user, found a web page"
        connection = environ["werkzeug.socket"]
        if self._may_call(connection.getpeername(), connection.getsockname()):
            return ""
        return f"wanted a program of the lab's user {os.geteuid()}, found another user's"

    def _may_call(self, peer: Address, own: Address) -> bool:
        # A user of this machine has one of its own addresses, which is none of an instance's.
        is_instance = (
            self.network is not None
            and peer[0] != self.gateway
            and ip_address(peer[0]) in self.network
        )
        return is_instance or is_own_user(peer, own)


def is_own_user(peer: Address, own: Address) -> bool:
    """Whether a connection comes from a process of this user, or of root, on this machine."""
    return user_of(peer, own) in (0, os.geteuid())
