"""A job's store as one of its members reaches it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from typing import Any

from elastic.rendezvous.connections import halt, ours, patient
from elastic.rendezvous.credential import Credential
from elastic.rendezvous.key_values import Missing
from elastic.rendezvous.wire import as_bytes, as_text, receive, send

# A store answers within milliseconds. One that is frozen for longer counts as lost, and a member
# that waits for a round looks for another (decision 0071).
CALL_TIMEOUT_S = 5.0


class StoreLost(Exception):
    """The store does not answer; the same call may be repeated on a new connection."""


class StoreClient:
    """One connection to a store, for any number of threads, one call at a time.

    A call raises StoreLost once no answer has come for `timeout_s` (beyond what it was to wait for
    keys), or for `CALL_TIMEOUT_S` if the store's machine is gone. Then the connection is of no use.
    """

    def __init__(
        self, address: str, credential: Credential, *, timeout_s: float = CALL_TIMEOUT_S
    ) -> None:
        """Connects, and hears that the store answers. Raises StoreLost."""
        self.address = address
        self._timeout_s = timeout_s
        # One call at a time: answers carry no number, so each belongs to the request before it.
        self._lock = threading.Lock()
        try:
            plain = socket.create_connection(place_of(address), timeout=timeout_s)
            try:
                # A request is one small write, and its answer is waited for.
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                patient(plain, for_s=CALL_TIMEOUT_S)
                self._connection = ours(credential.connecting(plain))
            except BaseException:
                plain.close()
                raise
        except OSError as error:
            raise StoreLost(f"no store answers at {address!r}: {error}") from error
        # Whether the store has accepted this end's proof shows only in its answer.
        self.ping()

    def ping(self) -> None:
        """Returns if the store answers. Raises StoreLost."""
        self._ask("ping")

    def set(self, key: str, value: bytes) -> None:
        self._ask("set", key, value=as_text(value))

    def get(self, key: str, *, timeout_s: float) -> bytes:
        return as_bytes(self._ask("get", key, timeout_s=timeout_s))

    def find(self, key: str) -> bytes | None:
        found = self._ask("find", key)
        return None if found is None else as_bytes(found)

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        told = self._ask("compare_set", key, expected=as_text(expected), value=as_text(desired))
        return as_bytes(told)

    def add(self, key: str, amount: int) -> int:
        return int(self._ask("add", key, amount=amount))

    def append(self, key: str, value: bytes) -> None:
        self._ask("append", key, value=as_text(value))

    def has(self, keys: Sequence[str]) -> bool:
        return bool(self._ask("has", *keys))

    def wait(self, keys: Sequence[str], *, timeout_s: float) -> None:
        self._ask("wait", *keys, timeout_s=timeout_s)

    def delete(self, key: str) -> bool:
        return bool(self._ask("delete", key))

    def count(self) -> int:
        return int(self._ask("count"))

    def close(self) -> None:
        """Ends the connection; a call of another thread then fails."""
        # Outside the lock, which a call that waits for hours may hold: this makes it fail.
        halt(self._connection)
        with self._lock:
            self._connection.close()

    def __del__(self) -> None:
        # As torch's stores do: one that is no longer needed is just forgotten.
        if hasattr(self, "_connection"):
            self._connection.close()

    def _ask(self, ask: str, *keys: str, timeout_s: float = 0.0, **more: Any) -> Any:
        request = {"ask": ask, "keys": keys, "timeout_s": timeout_s, **more}
        with self._lock:
            try:
                # First the time for which the store itself waits for keys, then that for its
                # answer.
                self._connection.settimeout(timeout_s + self._timeout_s)
                send(self._connection, request)
                answer = receive(self._connection)
                if answer is None:
                    raise ConnectionResetError("the store has ended the connection")
            except (OSError, ValueError) as error:
                # An answer that comes late would be taken for that of the next call.
                self._connection.close()
                raise StoreLost(f"no store answers at {self.address!r}: {error}") from error
        if "missing" in answer:
            raise Missing(answer["missing"])
        return answer["found"]


def place_of(address: str) -> tuple[str, int]:
    """Reads a store's address. Raises StoreLost."""
    if not address:
        raise StoreLost(
            "the file that is to name the store is not there, cannot be read or is empty"
        )
    host, _, port = address.rpartition(":")
    try:
        return host.removeprefix("[").removesuffix("]"), int(port)  # as IPv6 addresses are written
    except ValueError as error:
        raise StoreLost(f"no store answers at {address!r}, wanted host:port") from error
