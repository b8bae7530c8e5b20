"""A connection to every other member.

Its end reports a death at once. Its silence reports a process that hangs, or a machine that
vanished. Members report how far they are twice a second, and other changes at once. None of this
uses the store, so training does not depend on it. A name once gone stays gone: a member that comes
back has a new one.
"""

from __future__ import annotations

import contextlib
import json
import math
import select
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

from elastic.durations import CONNECT_TIMEOUT_S
from elastic.figures import duration
from elastic.liveness import LifeSign, TimeBound
from elastic.rendezvous import Address, Credential, family, ours
from elastic.workloads.session.messages import tell

# Messages in the time after which silence counts. Two may be lost, or late by more than half of it.
BEATS = 2.5
MAX_LINE = 4096
MOST_STRANGERS = 64  # at a time; a member that is turned away connects again


@dataclass(frozen=True, slots=True)
class Status:
    """What a member reports of itself."""

    # The round that it trains in; 0 for none.
    round: int = 0
    # The steps that it has committed.
    step: int = 0
    # The oldest round in which it would still train.
    need: int = 0
    # How many sums it has begun in its round.
    begun: int = 0
    # After how many steps the job is over for it; None while it is not.
    ending: int | None = None
    # The round that it sees in the store; 0 if it sees no store.
    seen: int = 0

    def fields(self) -> dict[str, int | None]:
        # Not `asdict`: its deep copy takes four times as long as the rest of the message.
        counts = {
            "round": self.round,
            "step": self.step,
            "need": self.need,
            "begun": self.begun,
        }
        return {**counts, "ending": self.ending, "seen": self.seen}

    def news(self) -> tuple[int, int, int]:
        """Returns the part that is sent at once, and wakes the others. Steps are sent with every
        beat only."""
        return self.round, self.need, self.seen


@dataclass(slots=True)
class _Stranger:
    """A process that has connected, but has not proven that it is of this job, or not said a known
    name."""

    connection: ssl.SSLSocket
    since_s: float
    is_proven: bool = False
    # The last whole line that it has sent, and what follows.
    said: bytes = b""


@dataclass(slots=True)
class _Peer:
    address: Address
    since_s: float
    # Plain until it is connected. Then its other end still has to prove that it is of this job.
    connection: socket.socket | None = None
    is_proven: bool = False
    is_told: bool = False
    # A line that was sent only in part: OpenSSL wants the same one again.
    unsent: bytes = b""
    heard_s: float | None = None
    buffer: bytes = b""
    status: Status = field(default_factory=Status)


class Links(threading.Thread):
    """All of one process's links, served by one thread."""

    def __init__(
        self,
        job: str,
        credential: Credential,
        *,
        silence_s: float,
        notify: Callable[[], None],
    ) -> None:
        super().__init__(name="session-links", daemon=True)
        self._me = ""
        self._job = job
        self._notify = notify
        self._credential = credential
        # How long a member may send nothing. There is no earlier bound for suspects, because the
        # others may wait for it in every sum.
        self._silence = TimeBound(silence_s)
        self._every_s = silence_s / BEATS
        self._listener: socket.socket
        self.port = 0
        self._lock = threading.Lock()
        self._wanted: dict[str, Address] = {}
        self._peers: dict[str, _Peer] = {}
        self._strangers: list[_Stranger] = []
        self._gone: set[str] = set()
        self._status = Status()
        self._is_closed = False
        self._failure: Exception | None = None
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)

    def begin(self, me: str, host: str) -> None:
        """Takes a new name. Links under the last one end, and the first call begins to listen at
        `host`."""
        with self._lock:
            self._me = me
            self._wanted = {}
            self._status = Status()
            self._gone.clear()
        self._ring()
        if self.ident is None:
            self._listener = ours(socket.create_server((host, 0), family=family(host)))
            self._listener.setblocking(False)
            self.port = self._listener.getsockname()[1]
            self.start()

    def reach(self, peers: Mapping[str, Address]) -> None:
        """Keeps links with exactly these peers."""
        with self._lock:
            if peers == self._wanted:
                return
            self._wanted = dict(peers)
        self._ring()

    def gone(self) -> frozenset[str]:
        """Returns the names that are known to be dead, silent or out of reach."""
        with self._lock:
            return frozenset(self._gone)

    def statuses(self) -> dict[str, Status]:
        """Returns each member's last report."""
        with self._lock:
            return {
                name: peer.status for name, peer in self._peers.items() if peer.heard_s is not None
            }

    def say(self, status: Status, *, is_urgent: bool = False) -> None:
        """Reports this process's status to all others: at once, if it is news."""
        with self._lock:
            is_urgent = is_urgent or status.news() != self._status.news()
            self._status = status
        if is_urgent:
            self._ring()

    def check(self) -> None:
        """Raises the error that ended the thread of the links, if one did."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Ends all links."""
        self._is_closed = True
        self._ring()
        if self.ident is None:
            self._bell.close()
            self._rope.close()

    def run(self) -> None:
        try:
            self._serve()
        # Whatever it is: without links no member would know of this process, nor it of them.
        except Exception as error:
            self._failure = error
            self._notify()
            raise
        finally:
            self._end()

    def _serve(self) -> None:
        beat_s = monotonic()
        while not self._is_closed:
            # Wake for the next beat, or when a member will have been silent for too long.
            due_s = min(beat_s + self._every_s, self._silent_s())
            ready = self._wait(max(0.0, due_s - monotonic()))
            now_s = monotonic()
            if now_s - due_s > self._silence.least_s / 4:
                # This process itself stood still, so the others' silence proves nothing.
                self._forgive(now_s)
                self._confess(now_s - beat_s)
            with self._lock:
                before = self._news()
                self._read(ready, now_s)
                self._adjust(now_s)
                self._judge(now_s)
                is_news = before != self._news()
                # A member that is awake sends a little early. So members fall into step, and wake
                # once for all messages.
                every_s = self._every_s / 2 if ready else self._every_s
                if now_s >= beat_s + every_s or self._bell in ready or self._is_linked_anew():
                    self._beat()
                    beat_s = now_s
            if is_news:
                self._notify()

    def _wait(self, timeout_s: float) -> set[socket.socket]:
        strangers = (each.connection for each in self._strangers)
        watched = {
            each.fileno(): each
            for each in (self._listener, self._bell, *strangers, *self._linked())
        }
        connecting = {
            peer.connection
            for peer in self._peers.values()
            if not isinstance(peer.connection, ssl.SSLSocket)
        }
        # Not epoll, nor select: nothing to keep from one look to the next, and no bound.
        poll = select.poll()
        for number, each in watched.items():
            poll.register(
                number, select.POLLIN | select.POLLOUT if each in connecting else select.POLLIN
            )
        return {watched[number] for number, _ in poll.poll(1000.0 * timeout_s)}

    def _is_linked_anew(self) -> bool:
        """Whether a new link waits for this process's first message."""
        return any(peer.is_proven and not peer.is_told for peer in self._peers.values())

    def _linked(self) -> list[socket.socket]:
        return [peer.connection for peer in self._peers.values() if peer.connection is not None]

    def _news(self) -> tuple[set[str], dict[str, tuple[int, int, int]]]:
        return set(self._gone), {name: peer.status.news() for name, peer in self._peers.items()}

    def _read(self, ready: set[socket.socket], now_s: float) -> None:
        if self._bell in ready:
            with contextlib.suppress(BlockingIOError):
                self._bell.recv(4096)
        if self._listener in ready:
            self._accept(now_s)
        for name, peer in self._peers.items():
            if peer.connection in ready:
                self._heed(name, peer, now_s)

    def _heed(self, name: str, peer: _Peer, now_s: float) -> None:
        """Continues to connect a link, or reads what its other end has sent."""
        if peer.is_proven:
            self._hear(name, peer, now_s)
            return
        try:
            assert peer.connection is not None
            if not isinstance(peer.connection, ssl.SSLSocket):
                # The connection is made, or has failed. Next comes the handshake.
                if failure := peer.connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                    raise OSError(failure, "no link")
                peer.connection = ours(
                    self._credential.connecting(peer.connection, handshakes=False)
                )
            peer.is_proven = _has_proven(peer.connection)
        except OSError:
            self._drop(name, peer)

    def _accept(self, now_s: float) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._listener.accept()
            if len(self._strangers) >= MOST_STRANGERS:
                connection.close()
                return
            connection.setblocking(False)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            proving = self._credential.accepting(connection, handshakes=False)
            self._strangers.append(_Stranger(ours(proving), now_s))

    def _hear(self, name: str, peer: _Peer, now_s: float) -> None:
        assert peer.connection is not None
        try:
            data = peer.connection.recv(65536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError:
            data = b""
        if not data:
            self._drop(name, peer)
            return
        self._take(peer, data, now_s)

    def _take(self, peer: _Peer, data: bytes, now_s: float) -> None:
        peer.heard_s = now_s
        *lines, peer.buffer = (peer.buffer + data).split(b"\n")
        for line in lines[-1:]:
            with contextlib.suppress(ValueError, TypeError):
                peer.status = Status(**json.loads(line)["status"])

    def _drop(self, name: str, peer: _Peer) -> None:
        self._gone.add(name)
        if peer.connection is not None:
            peer.connection.close()
        peer.connection = None
        peer.is_proven = False
        peer.is_told = False
        peer.buffer = b""
        peer.unsent = b""

    def _adjust(self, now_s: float) -> None:
        """Makes the links that are wanted, and ends the others."""
        for name in set(self._peers) - set(self._wanted):
            peer = self._peers.pop(name)
            if peer.connection is not None:
                peer.connection.close()
        for name, address in self._wanted.items():
            if name not in self._peers:
                self._peers[name] = _Peer(address, now_s)
            # Of two members only the one whose name sorts later connects, or there would be two
            # links.
            if self._peers[name].connection is None and name not in self._gone and name < self._me:
                self._connect(name, self._peers[name])
        self._greet(now_s)

    def _connect(self, name: str, peer: _Peer) -> None:
        connection = ours(socket.socket(family(peer.address[0]), socket.SOCK_STREAM))
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            connection.connect(peer.address)
        except BlockingIOError:  # as expected
            pass
        # For example there is no route now. It is tried again until the peer is judged.
        except OSError:
            connection.close()
            return
        peer.connection = connection

    def _greet(self, now_s: float) -> None:
        """Identifies processes that connected: first that they are of this job, then their name."""
        kept = []
        for stranger in self._strangers:
            name = None
            try:
                self._listen(stranger)
                name = self._named(stranger.said)
            except OSError:
                is_over = True
            else:
                is_over = now_s - stranger.since_s > 2 * CONNECT_TIMEOUT_S
            # A known name: the connection becomes that member's link.
            if name is not None and (peer := self._peers.get(name)) and peer.connection is None:
                peer.connection = stranger.connection
                peer.is_proven = True
                self._take(peer, stranger.said, now_s)
            elif is_over:
                stranger.connection.close()
            else:
                kept.append(stranger)
        self._strangers = kept

    def _listen(self, stranger: _Stranger) -> None:
        """Reads what a stranger has sent, once it has proven itself. Raises OSError if it should be
        dropped."""
        if not stranger.is_proven:
            stranger.is_proven = _has_proven(stranger.connection)
        if not stranger.is_proven:
            return
        try:
            while True:
                data = stranger.connection.recv(65536)
                if not data:
                    raise ConnectionResetError("it has gone")
                *lines, rest = (stranger.said + data).split(b"\n")
                stranger.said = b"".join(line + b"\n" for line in lines[-1:]) + rest
                if len(stranger.said) > 2 * MAX_LINE:
                    raise ConnectionAbortedError("it says too much")
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return

    def _named(self, said: bytes) -> str | None:
        line, end, _ = said.partition(b"\n")
        if not end:
            return None
        try:
            hello = json.loads(line)
            return str(hello["name"]) if hello["job"] == self._job else None
        except (ValueError, KeyError, TypeError):
            return None

    def _judge(self, now_s: float) -> None:
        for name, peer in self._peers.items():
            if name not in self._gone and now_s >= self._stalls_at_s(peer):
                self._drop(name, peer)

    def _stalls_at_s(self, peer: _Peer) -> float:
        """Returns the instant at which a member will have been silent for too long."""
        if peer.heard_s is None:
            return peer.since_s + CONNECT_TIMEOUT_S
        return peer.heard_s + self._silence.after_s()

    def _silent_s(self) -> float:
        """Returns the earliest such instant of all members."""
        return min(
            (self._stalls_at_s(p) for n, p in self._peers.items() if n not in self._gone),
            default=math.inf,
        )

    def _forgive(self, now_s: float) -> None:
        with self._lock:
            for peer in self._peers.values():
                peer.since_s = now_s
                peer.heard_s = None if peer.heard_s is None else now_s

    def _confess(self, still_s: float) -> None:
        """Says why the others have given this process up, if they have."""
        if self._silence.is_over(LifeSign(still_s)) and self._peers:
            tell(
                f"session: this process has sent nothing for {duration(still_s)}: it was stopped, "
                "or a call held Python's lock; the others give it up after "
                f"{duration(self._silence.least_s)} (ELASTICD_SESSION_SILENCE_S)"
            )

    def _beat(self) -> None:
        word = {"name": self._me, "job": self._job, "status": self._status.fields()}
        line = json.dumps(word).encode() + b"\n"
        for peer in self._peers.values():
            if peer.is_proven:
                self._tell(peer, line)

    def _tell(self, peer: _Peer, line: bytes) -> None:
        assert peer.connection is not None
        try:
            if peer.unsent:
                peer.connection.send(peer.unsent)
                peer.unsent = b""
            peer.unsent = line
            peer.connection.send(line)
            peer.unsent = b""
        except OSError:
            # A member that does not read is silent too, and is judged by that.
            return
        finally:
            peer.is_told = True

    def _ring(self) -> None:
        with contextlib.suppress(OSError):
            self._rope.send(b"!")

    def _end(self) -> None:
        with self._lock:
            for connection in (
                *self._linked(),
                *(stranger.connection for stranger in self._strangers),
            ):
                connection.close()
        for each in (self._listener, self._bell, self._rope):
            each.close()


def _has_proven(connection: ssl.SSLSocket) -> bool:
    """Continues a handshake; returns whether it is complete. Raises OSError if it failed."""
    try:
        connection.do_handshake()
    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return False
    return True
