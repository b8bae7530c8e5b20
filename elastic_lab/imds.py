"""An instance's metadata service, version 2, which needs a token."""

from __future__ import annotations

import hmac
import json
import re
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from elastic.clock import Clock
from elastic_lab.callers import is_own_user

ADDRESS = "169.254.169.254"
PORT = 80
_VERSION = re.compile(r"latest|\d{4}-\d\d-\d\d")
_TOKEN_PATH = "/latest/api/token"
# The longest that a token lives (EC2 User Guide, "Use the Instance Metadata Service").
_LONGEST_TOKEN_S = 21_600
_TTL_HEADER = "X-aws-ec2-metadata-token-ttl-seconds"
_TOKEN_HEADER = "X-aws-ec2-metadata-token"


@dataclass(frozen=True, slots=True)
class ImdsNotice:
    """The cloud will take the instance back at `at_s`."""

    at_s: float
    action: str = "terminate"


@dataclass(frozen=True, slots=True)
class Metadata:
    """All that the service shows."""

    instance_id: str
    instance_type: str
    image_id: str
    region: str
    zone: str
    account_id: str
    local_ipv4: str
    hostname: str
    lifecycle: str
    launched_at_s: float
    user_data: bytes | None
    # None: the service does not show tags.
    tags: Mapping[str, str] | None = None
    notice: ImdsNotice | None = None
    rebalance_at_s: float | None = None
    profile: str | None = None
    is_enabled: bool = True
    needs_token: bool = True
    hop_limit: int = 1


class MetadataServer:
    """Answers on one listening socket, for one instance."""

    def __init__(
        self,
        listener: socket.socket,
        read: Callable[[], Metadata],
        *,
        clock: Clock,
        is_shared: bool = False,
    ) -> None:
        """With `is_shared` other users of this machine reach the listener, and get no answer."""
        handler = type(
            "Handler", (_Handler,), {"read": staticmethod(read), "tokens": _Tokens(clock)}
        )
        kind = _OwnUserServer if is_shared else ThreadingHTTPServer
        self._server = kind(("127.0.0.1", 0), handler, bind_and_activate=False)
        # The listener was made inside the machine's network; that of the server is only in the way.
        self._server.socket.close()
        self._server.socket = listener
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="imds", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _OwnUserServer(ThreadingHTTPServer):
    """Hangs up on other users: user data tells how to join as this instance."""

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return is_own_user(client_address, request.getsockname())


def documents(metadata: Metadata) -> dict[str, str | bytes]:
    """The documents by their paths below /latest."""
    told: dict[str, str | bytes] = {
        "meta-data/instance-id": metadata.instance_id,
        "meta-data/instance-type": metadata.instance_type,
        "meta-data/instance-life-cycle": metadata.lifecycle,
        "meta-data/ami-id": metadata.image_id,
        "meta-data/local-ipv4": metadata.local_ipv4,
        "meta-data/hostname": metadata.hostname,
        "meta-data/local-hostname": metadata.hostname,
        "meta-data/placement/availability-zone": metadata.zone,
        "meta-data/placement/region": metadata.region,
        "meta-data/services/domain": "amazonaws.com",
        "meta-data/services/partition": "aws",
        "dynamic/instance-identity/document": json.dumps(_identity(metadata), indent=2),
        **{
            f"meta-data/tags/instance/{name}": value
            for name, value in (metadata.tags or {}).items()
        },
    }
    if metadata.user_data is not None:
        told["user-data"] = metadata.user_data
    # Documents that exist only while there is something to say.
    if metadata.notice is not None:
        instant = _iso(metadata.notice.at_s)
        # Both: agents read the first, and older programs the second.
        told["meta-data/spot/instance-action"] = json.dumps(
            {"action": metadata.notice.action, "time": instant}
        )
        told["meta-data/spot/termination-time"] = instant
    if metadata.rebalance_at_s is not None:
        rebalance = {"noticeTime": _iso(metadata.rebalance_at_s)}
        told["meta-data/events/recommendations/rebalance"] = json.dumps(rebalance)
    if metadata.profile is not None:
        told[f"meta-data/iam/security-credentials/{metadata.profile}"] = json.dumps(
            _credentials(metadata)
        )
    return told


class _Tokens:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ends: dict[str, float] = {}

    def give(self, ttl_s: int) -> str:
        token = secrets.token_urlsafe(40)
        self._ends[token] = self._clock.now_s() + ttl_s
        return token

    def is_good(self, token: str) -> bool:
        now_s = self._clock.now_s()
        return any(
            hmac.compare_digest(each, token) and now_s < end_s
            for each, end_s in list(self._ends.items())
        )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "EC2ws"
    sys_version = ""
    read: Callable[[], Metadata]
    tokens: _Tokens

    def do_PUT(self) -> None:
        metadata = self.read()
        ttl = self.headers.get(_TTL_HEADER, "")
        # As on EC2: a proxy that forwards strangers' requests gets no token.
        if not metadata.is_enabled or self.headers.get("X-Forwarded-For") is not None:
            self._send(403)
        elif self.path != _TOKEN_PATH:
            self._send(404)
        elif self._hops(metadata) > metadata.hop_limit:
            # On EC2 the answer's hop limit drops it, so a container behind a bridge gets nothing.
            self.close_connection = True
        elif not ttl.isdecimal() or not 1 <= int(ttl) <= _LONGEST_TOKEN_S:
            self._send(400)
        else:
            self._send(200, self.tokens.give(int(ttl)), {_TTL_HEADER: ttl})

    def do_GET(self) -> None:
        metadata = self.read()
        token = self.headers.get(_TOKEN_HEADER)
        if not metadata.is_enabled:
            self._send(403)
        elif (token is None and metadata.needs_token) or (
            token is not None and not self.tokens.is_good(token)
        ):
            self._send(401)
        else:
            told = _look_up(documents(metadata), self.path.partition("?")[0])
            # 404 is the usual answer: without a notice there is no such document.
            self._send(404 if told is None else 200, told or "")

    def _hops(self, metadata: Metadata) -> int:
        """The hops of a request: 1 from the node itself, 2 from a container."""
        peer = str(self.client_address[0])
        if peer in (ADDRESS, metadata.local_ipv4) or peer.startswith("127."):
            return 1
        return 2

    def log_request(self, code: object = "-", size: object = "-") -> None:
        return None

    def _send(
        self, status: int, told: str | bytes = "", headers: Mapping[str, str] | None = None
    ) -> None:
        if isinstance(told, str):
            body = told.encode()
        else:
            body = told
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _look_up(told: Mapping[str, str | bytes], path: str) -> str | bytes | None:
    """The document at the path, or the list of what is below it; all versions are the same."""
    version, _, rest = path.lstrip("/").partition("/")
    if not _VERSION.fullmatch(version):
        return None
    wanted = rest.strip("/")
    if wanted in told:
        return told[wanted]
    start = f"{wanted}/" if wanted else ""
    below = [name.removeprefix(start) for name in told if name.startswith(start)]
    children = {f"{name.partition('/')[0]}/" if "/" in name else name for name in below}
    return "\n".join(sorted(children)) or None


def _identity(metadata: Metadata) -> dict[str, object]:
    return {
        "accountId": metadata.account_id,
        "architecture": "x86_64",
        "availabilityZone": metadata.zone,
        "imageId": metadata.image_id,
        "instanceId": metadata.instance_id,
        "instanceType": metadata.instance_type,
        "pendingTime": _iso(metadata.launched_at_s),
        "privateIp": metadata.local_ipv4,
        "region": metadata.region,
        "version": "2017-09-30",
    }


def _credentials(metadata: Metadata) -> dict[str, str]:
    return {
        "Code": "Success",
        "Type": "AWS-HMAC",
        "AccessKeyId": "ASIALAB" + metadata.instance_id.removeprefix("i-")[:13].upper(),
        "SecretAccessKey": "lab",
        "Token": metadata.instance_id,
        "LastUpdated": _iso(metadata.launched_at_s),
        "Expiration": _iso(metadata.launched_at_s + 10 * 365 * 86_400),
    }


def _iso(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
