"""Keeps the door open for nodes and users while strangers connect.

A connection that does not send its request in time is closed. Where there are as many as the
process may have, one that was never admitted makes room for the next. Newcomers begin their
handshakes in turn, so that a crowd of them leaves time for those who are in.
"""

from __future__ import annotations

import asyncio
import logging
import random
import resource
import ssl
import time
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Network, ip_address
from math import ceil
from typing import Any, cast

import h11
from starlette.types import Message, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from elastic.durations import ANSWER_TIMEOUT_S, MINUTE_S, TRANSFER_TIMEOUT_S

# More make the loop slow, and no user has as many nodes and pages.
_MOST = 4096
# A handshake takes about a millisecond of the loop's time, so a crowd gets a fifth of it. A
# thousand nodes whose daemon was restarted are in within five seconds.
_HANDSHAKES_PER_S = 200
# Files, sockets and pipes of everything else: the database, the rendezvous stores, child processes.
_RESERVED = 256
# Where requests are answered only for a token that is right.
_GUARDED = "/v1/"
_MOST_KEPT = 1000


def raise_limit() -> int:
    """Lets the process have as many files as it may; gives how many connections that leaves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST + _RESERVED
    # Only root may raise the hard limit. What there is, is used.
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    elif soft != resource.RLIM_INFINITY:
        wanted = soft
    # Where files are very few, half for connections: with none at all no user could look.
    return min(_MOST, max(wanted - _RESERVED, wanted // 2))


class Door:
    """The connections of a listener, and which have not proven yet that they may be here."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._present: set[asyncio.BaseProtocol] = set()
        # How each is put out, oldest first.
        self._strangers: dict[asyncio.BaseProtocol, Callable[[], None]] = {}

    def enter(self, connection: asyncio.BaseProtocol, put_out: Callable[[], None]) -> None:
        """Lets a connection in. If there are too many, the oldest stranger leaves for it."""
        # With TLS it enters twice: when it connects, and when the handshake is done.
        if connection in self._present:
            return
        self._present.add(connection)
        self._strangers[connection] = put_out
        if len(self._present) > self._most:
            # The oldest: an honest client shows its token within a second, so it is hardly ever the
            # one.
            oldest = next(iter(self._strangers))
            put_out = self._strangers[oldest]
            # At once: `connection_lost` comes only later, and until then it would count as present.
            self.leave(oldest)
            put_out()

    def know(self, connection: asyncio.BaseProtocol) -> None:
        """This one has shown a token; it is no stranger any more."""
        self._strangers.pop(connection, None)

    def leave(self, connection: asyncio.BaseProtocol) -> None:
        """This one is gone."""
        self._present.discard(connection)
        self._strangers.pop(connection, None)


class Turns:
    """Newcomers that wait to begin: so many a second may, and all sources have the same chance.

    Of those from one source the last one is next. In a crowd the first ones are put out for
    others, or have given up, before their turn comes.
    """

    def __init__(self, per_s: float) -> None:
        self._pause_s = 1 / per_s
        # How each begins, by its source.
        self._waiting: dict[str, dict[asyncio.BaseProtocol, Callable[[], None]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        # When the next one may begin, by the loop's clock.
        self._next_s = 0.0

    def wait(self, source: str, newcomer: asyncio.BaseProtocol, begin: Callable[[], None]) -> None:
        """Calls `begin` once it is this one's turn: at once, if no other one waits."""
        self._waiting.setdefault(source, {})[newcomer] = begin
        if self._timer is None:
            self._next()

    def give_up(self, source: str, newcomer: asyncio.BaseProtocol) -> None:
        """This one waits no more."""
        neighbours = self._waiting.get(source, {})
        neighbours.pop(newcomer, None)
        if not neighbours:
            self._waiting.pop(source, None)

    def _next(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        # Drawn, not in order. Where more sources wait than can have their turn before a node gives
        # up, a node that comes again would always find others before it.
        source = random.choice(list(self._waiting))
        neighbours = self._waiting[source]
        _, begin = neighbours.popitem()
        if not neighbours:
            del self._waiting[source]
        loop = asyncio.get_running_loop()
        # A timer that is late is made up for, by ten turns at most.
        self._next_s = max(self._next_s, loop.time() - 10 * self._pause_s) + self._pause_s
        self._timer = loop.call_at(self._next_s, self._next)
        begin()


def _source(peer: Any) -> str:
    """Says where a connection comes from: an IPv4 address, or the network of an IPv6 one.

    One machine may have any address of its /64 (RFC 4291, 2.5.4).

    >>> _source(("10.0.0.7", 5000)), _source(("2001:db8::7", 5000, 0, 0)), _source(None)
    ('10.0.0.7', '2001:db8::/64', '')
    """
    if not peer:
        return ""
    address = ip_address(str(peer[0]).partition("%")[0])
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))


class GuardedProtocol(H11Protocol):
    """uvicorn's protocol with a time for each part of a request, and a door."""

    door: Door
    head_s: float
    body_s: float

    def __init__(self, config: Config, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        # By what the door knows this connection.
        self.guest: asyncio.BaseProtocol = self
        self._answer_by_app = self.app
        # uvicorn calls `self.app` for each request: this is the one place to see the answer's
        # status.
        self.app = self._answer
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(self.head_s)
        self.door.enter(self.guest, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.door.leave(self.guest)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing():
            self._stop_waiting()
        elif self.conn.their_state is h11.SEND_BODY:
            self._wait(self.body_s)
        elif self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._deadline is None:
            # The head of the next request has begun. Its bytes, one by one, win no more time.
            self._wait(self.head_s)

    def _wait(self, duration_s: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(duration_s, self._close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.SEND_BODY and self.flow.read_paused:
            self._wait(self.body_s)  # it is we who do not read
        else:
            self.transport.abort()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_and_look(message: Message) -> None:
            is_admitted = message["type"] == "http.response.start" and message["status"] < 400
            if is_admitted and str(scope["path"]).startswith(_GUARDED):
                self.door.know(self.guest)
            await send(message)

        await self._answer_by_app(scope, receive, send_and_look)


class _Newcomer(asyncio.Protocol):
    """A connection of which nothing is read before its turn; then its handshake begins."""

    def __init__(
        self, door: Door, turns: Turns, connections: set[Any], make: Callable[[_Newcomer], _Channel]
    ) -> None:
        self._door = door
        self._turns = turns
        # uvicorn calls `shutdown` of each one here when it stops.
        self._connections = connections
        self._make = make
        self._source = ""
        self._transport: asyncio.Transport | None = None
        self._channel: _Channel | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # What it sends stays with the kernel, and so does its end.
        transport.pause_reading()
        self._transport = transport
        self._source = _source(transport.get_extra_info("peername"))
        self._connections.add(self)
        self._door.enter(self, transport.abort)
        self._turns.wait(self._source, self, self._begin)

    def connection_lost(self, exc: Exception | None) -> None:
        self._turns.give_up(self._source, self)
        self.leave()

    def leave(self) -> None:
        """The connection is gone, before its turn or after it."""
        self._connections.discard(self)
        self._door.leave(self)

    def shutdown(self) -> None:
        """Ends what has not shaken hands yet. What has is told by itself."""
        is_through = self._channel is not None and self._channel.inside.transport is not None
        if self._transport is not None and not is_through:
            self._transport.abort()

    def _begin(self) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        self._channel = self._make(self)
        transport.set_protocol(self._channel)
        self._channel.connection_made(transport)
        transport.resume_reading()


class _Channel(SSLProtocol):
    """The TLS of a connection; a stranger counts from its first packet on."""

    # 256 KiB for each connection would be a gigabyte for 4,096. A record has at most 16 KiB
    # (RFC 8446, 5.1).
    max_size = 32 << 10

    def __init__(
        self, inside: GuardedProtocol, context: ssl.SSLContext, newcomer: _Newcomer
    ) -> None:
        super().__init__(
            asyncio.get_running_loop(),
            inside,
            context,
            None,  # type: ignore[arg-type]  # nobody waits for the handshake
            server_side=True,
            ssl_handshake_timeout=ceil(inside.head_s),
            ssl_shutdown_timeout=ceil(inside.head_s),
        )
        inside.guest = newcomer
        self.inside = inside
        self._newcomer = newcomer

    def connection_lost(self, exc: BaseException | None) -> None:
        self._newcomer.leave()
        super().connection_lost(exc)


def guarded(
    most: int,
    *,
    tls: ssl.SSLContext | None = None,
    head_s: float = ANSWER_TIMEOUT_S,
    body_s: float = TRANSFER_TIMEOUT_S,
    handshakes_per_s: float = _HANDSHAKES_PER_S,
) -> type[asyncio.Protocol]:
    """The protocol of one server, with a door for so many connections.

    Without `tls` it is plain HTTP. `head_s` is the time for the handshake, and for a request's
    head; `body_s` the longest silence within its body.
    """
    door = Door(most)
    settings = {"door": door, "head_s": head_s, "body_s": body_s}
    inside: type[GuardedProtocol] = type("Guarded", (GuardedProtocol,), settings)
    if tls is None:
        return inside
    turns = Turns(handshakes_per_s)

    def newcomer(*, server_state: ServerState, **more: Any) -> _Newcomer:
        def channel(waited: _Newcomer) -> _Channel:
            return _Channel(inside(server_state=server_state, **more), tls, waited)

        return _Newcomer(door, turns, server_state.connections, channel)

    # uvicorn only calls it, as it would call a class.
    return cast(type[asyncio.Protocol], newcomer)


class Repeats(logging.Filter):
    """Lets the same message through once a minute, so that no stranger fills the log's disk."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        # When a message was let through, by its first line, and how often it came since.
        self._last: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.name != "asyncio":
            return True  # an error of ours, each with its own traceback
        now_s = self._now_s()
        # The text before its values are put in: they differ each time, and the message is the same.
        said = str(record.msg).partition("\n")[0]
        since_s, left_out = self._last.get(said, (-MINUTE_S, 0))
        if now_s - since_s < MINUTE_S:
            self._last[said] = since_s, left_out + 1
            return False
        if len(self._last) >= _MOST_KEPT:
            # All at once: to find the oldest would cost more than a few lines that come again.
            self._last.clear()
        self._last[said] = now_s, 0
        if left_out:
            record.msg = f"{record.getMessage()} (and {left_out} times more since the last one)"
            record.args = None
        return True
