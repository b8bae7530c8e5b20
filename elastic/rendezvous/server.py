"""Serves a job's store to the processes that prove to be of the job."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from elastic.durations import END_GRACE_S, HOUR_S, MINUTE_S
from elastic.rendezvous.client import CALL_TIMEOUT_S
from elastic.rendezvous.connections import OpenConnections, accepted, halt, ours, patient
from elastic.rendezvous.credential import Credential
from elastic.rendezvous.key_values import KeyValues, Missing
from elastic.rendezvous.listening import listen_among
from elastic.rendezvous.wire import as_bytes, as_text, receive, send

# Strangers at a time. Others are turned away at once, and members try again.
MOST_STRANGERS = 64


class StoreServer:
    """A store at one address, with a thread for each connection.

    It holds `known` before anybody can ask. What a connection sends is looked at only once the
    other end has proven to hold the job's key.
    """

    def __init__(
        self,
        credential: Credential,
        *,
        host: str = "127.0.0.1",
        ports: range = range(1),
        known: Mapping[str, str] | None = None,
    ) -> None:
        """Listens at a free one of `ports`; 0 is any. Raises OSError if none is free."""
        self.host = host
        self.values = KeyValues(known)
        # Connections that did not prove themselves, and requests that were served.
        self.refused = 0
        self.served = 0
        self._credential = credential
        self._strangers = threading.BoundedSemaphore(MOST_STRANGERS)
        self._members = OpenConnections()
        self._idle_since_s = monotonic()
        self._closed = threading.Event()
        listener = listen_among(host, ports)
        self.port = listener.port
        self._listener = ours(socket.socket(fileno=listener.descriptor))
        # A daemon's thread: a store that is left open must not keep its process from ending.
        self._thread = threading.Thread(target=self._accept, name="store-accept", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where it listens, as `host:port` or `[host]:port`."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def idle_s(self) -> float:
        """For how long no member has been connected."""
        if len(self._members):
            return 0.0
        return monotonic() - self._idle_since_s

    def close(self) -> None:
        """Ends all connections, and listens no more."""
        self._closed.set()
        # Closing alone would not wake the thread that waits in accept().
        halt(self._listener)
        self._listener.close()
        self._members.halt()
        self._thread.join(END_GRACE_S)

    def _accept(self) -> None:
        for connection, _ in accepted(self._listener, self._closed):
            if not self._strangers.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(
                target=self._serve, args=(connection,), name="store-client", daemon=True
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            proven = self._proven(connection)
        finally:
            # Proven or not, it is no stranger any more: members are as many as they like.
            self._strangers.release()
        if proven is None:
            return
        # What is no request ends the connection: it comes from another version, and no answer would
        # fit.
        ends = contextlib.suppress(OSError, ValueError, LookupError, TypeError)
        with self._members.holding(proven):
            try:
                with ends:
                    while not self._closed.is_set() and (request := receive(proven)) is not None:
                        self.served += 1
                        send(proven, self._answer(request))
            finally:
                self._idle_since_s = monotonic()

    def _proven(self, connection: socket.socket) -> socket.socket | None:
        # A member gives up after this time, so a stranger may take no longer to prove itself.
        connection.settimeout(CALL_TIMEOUT_S)
        try:
            proven = ours(self._credential.accepting(connection))
            # A member may be silent for hours. Only a stranger has to hurry.
            proven.settimeout(None)
            # Answers are small, and each is waited for: Nagle's algorithm would hold some back.
            proven.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A machine that has vanished holds no thread for ever.
            patient(proven, for_s=MINUTE_S)
        except OSError:
            self.refused += 1
            connection.close()
            return None
        return proven

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"found": self._found(request)}
        except Missing as error:
            return {"missing": str(error)}

    def _found(self, request: dict[str, Any]) -> Any:
        keys = [str(each) for each in request["keys"]]
        return _ANSWERS[request["ask"]](self.values, keys, request)


def _timeout_s(request: dict[str, Any]) -> float:
    # A client that waits for longer asks again.
    return min(float(request["timeout_s"]), HOUR_S)


def _get(values: KeyValues, keys: list[str], request: dict[str, Any]) -> str:
    return as_text(values.get(keys[0], timeout_s=_timeout_s(request)))


def _find(values: KeyValues, keys: list[str], _: dict[str, Any]) -> str | None:
    found = values.find(keys[0])
    return None if found is None else as_text(found)


def _compare_set(values: KeyValues, keys: list[str], request: dict[str, Any]) -> str:
    expected = as_bytes(request["expected"])
    return as_text(values.compare_set(keys[0], expected, as_bytes(request["value"])))


_Answer = Callable[[KeyValues, list[str], dict[str, Any]], Any]
_ANSWERS: dict[str, _Answer] = {
    "ping": lambda values, keys, request: None,
    "set": lambda values, keys, request: values.set(keys[0], as_bytes(request["value"])),
    "get": _get,
    "find": _find,
    "compare_set": _compare_set,
    "add": lambda values, keys, request: values.add(keys[0], int(request["amount"])),
    "append": lambda values, keys, request: values.append(keys[0], as_bytes(request["value"])),
    "has": lambda values, keys, request: values.has(keys),
    "wait": lambda values, keys, request: values.wait(keys, timeout_s=_timeout_s(request)),
    "delete": lambda values, keys, request: values.delete(keys[0]),
    "count": lambda values, keys, request: values.count(),
}
