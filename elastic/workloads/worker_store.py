"""The store at which the workers of one node meet those of the others.

torch's workers meet at a TCPStore, which has no authentication. So each node serves one to its own
workers only: on loopback, and only to processes of its own user. What it holds is in the job's
store, where the workers of all nodes find it, behind the job's certificate.

The messages are those of torch's TCPStore (torch/csrc/distributed/c10d/TCPStoreBackend.hpp, 2.13).
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading
from collections.abc import Callable

from elastic.durations import GLANCE_S
from elastic.rendezvous import (
    Missing,
    OpenConnections,
    StoreLost,
    Values,
    accepted,
    halt,
    ours,
    user_of,
)

HOST = "127.0.0.1"
MAGIC = 0x3C85F7CE
# Limits for one value, and for the keys that one message names.
MAX_BYTES = 64 << 20
MAX_KEYS = 1 << 16
(
    VALIDATE,
    SET,
    COMPARE_SET,
    GET,
    ADD,
    CHECK,
    WAIT,
    COUNT,
    DELETE,
    APPEND,
    MULTI_GET,
    MULTI_SET,
    CANCEL_WAIT,
    PING,
) = range(14)
STOP_WAITING = b"\0"
WAIT_CANCELED = b"\1"


class WorkerStore:
    """A TCPStore for the workers of this node; `open_values` connects to the job's store.

    Each worker has a connection of its own there, so that none waits while another does.
    """

    def __init__(self, open_values: Callable[[], Values], *, prefix: str) -> None:
        """All keys begin with `prefix`, so that workers of another round are not met."""
        self._open_values = open_values
        self._prefix = prefix
        # Connections of other users, which were closed unread.
        self.refused = 0
        self._listener = ours(socket.create_server((HOST, 0)))
        self.port: int = self._listener.getsockname()[1]
        self._workers = OpenConnections()
        self._closed = threading.Event()
        threading.Thread(target=self._accept, name="worker-store", daemon=True).start()

    def close(self) -> None:
        """Ends all connections, and stops listening."""
        self._closed.set()
        halt(self._listener)
        self._listener.close()
        self._workers.halt()

    def _accept(self) -> None:
        for connection, address in accepted(self._listener, self._closed):
            if user_of(address, connection.getsockname()) != os.geteuid():
                self.refused += 1
                connection.close()
                continue
            threading.Thread(
                target=self._serve, args=(ours(connection),), name="worker-store", daemon=True
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        # A worker whose connection ends fails as if there were no store.
        ends = contextlib.suppress(OSError, ValueError, StoreLost, Missing)
        with self._workers.holding(connection), ends:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            conversation = _Conversation(connection, self._open_values(), self._prefix)
            while not self._closed.is_set():
                conversation.answer()


class _Conversation:
    """One worker's connection, and its requests."""

    def __init__(self, connection: socket.socket, values: Values, prefix: str) -> None:
        self._connection = connection
        self._values = values
        self._prefix = prefix

    def answer(self) -> None:
        """Waits for one message, and answers it.

        Raises OSError and StoreLost at an end, ValueError for a message that is not torch's, and
        Missing.
        """
        (kind,) = self._exactly(1)
        answers = {
            VALIDATE: self._validate,
            SET: self._set,
            COMPARE_SET: self._compare_set,
            GET: self._get,
            ADD: self._add,
            CHECK: self._check,
            WAIT: self._wait,
            COUNT: self._count,
            DELETE: self._delete,
            APPEND: self._append,
            MULTI_GET: self._multi_get,
            MULTI_SET: self._multi_set,
            # The wait has just ended: its answer is on its way.
            CANCEL_WAIT: lambda: None,
            PING: self._ping,
        }
        if kind not in answers:
            raise ValueError(f"no store answers message {kind}")
        answers[kind]()

    def _validate(self) -> None:
        if self._number("=I") != MAGIC:
            raise ValueError("no client of torch's")

    def _ping(self) -> None:
        self._connection.sendall(self._exactly(4))

    def _set(self) -> None:
        key = self._key()
        self._values.set(key, self._bytes())

    def _compare_set(self) -> None:
        key = self._key()
        expected = self._bytes()
        self._send(self._values.compare_set(key, expected, self._bytes()))

    def _get(self) -> None:
        self._send(self._values.get(self._key(), timeout_s=0.0))

    def _add(self) -> None:
        key = self._key()
        self._send_number(self._values.add(key, self._number("=q")))

    def _append(self) -> None:
        key = self._key()
        self._values.append(key, self._bytes())

    def _check(self) -> None:
        self._connection.sendall(b"\0" if self._values.has(self._keys()) else b"\1")

    def _wait(self) -> None:
        keys = self._keys()
        while True:
            try:
                self._values.wait(keys, timeout_s=GLANCE_S)
            except Missing:
                if not select.select([self._connection], [], [], 0)[0]:
                    continue
                # The worker has waited for long enough, or is gone.
                if self._exactly(1) != bytes([CANCEL_WAIT]):
                    raise ValueError("another message while one is not answered") from None
                self._connection.sendall(WAIT_CANCELED)
                return
            self._connection.sendall(STOP_WAITING)
            return

    def _count(self) -> None:
        # This counts the keys of all rounds: torch itself does not use it.
        self._send_number(self._values.count())

    def _delete(self) -> None:
        self._send_number(int(self._values.delete(self._key())))

    def _multi_get(self) -> None:
        for key in self._keys():
            self._send(self._values.get(key, timeout_s=0.0))

    def _multi_set(self) -> None:
        for _ in range(self._many()):
            self._set()

    def _keys(self) -> list[str]:
        return [self._key() for _ in range(self._many())]

    def _key(self) -> str:
        return self._prefix + self._bytes().decode()

    def _bytes(self) -> bytes:
        size = self._number("=Q")
        if size > MAX_BYTES:
            raise ValueError(f"wanted at most {MAX_BYTES} bytes in a value, got {size}")
        return self._exactly(size)

    def _many(self) -> int:
        count = self._number("=Q")
        if count > MAX_KEYS:
            raise ValueError(f"wanted at most {MAX_KEYS} keys in a message, got {count}")
        return count

    def _number(self, kind: str) -> int:
        found: int = struct.unpack(kind, self._exactly(struct.calcsize(kind)))[0]
        return found

    def _send(self, value: bytes) -> None:
        self._connection.sendall(struct.pack("=Q", len(value)) + value)

    def _send_number(self, value: int) -> None:
        self._connection.sendall(struct.pack("=q", value))

    def _exactly(self, size: int) -> bytes:
        content = bytearray()
        while len(content) < size:
            piece = self._connection.recv(min(size - len(content), 1 << 20))
            if not piece:
                raise ConnectionResetError("the worker has gone")
            content += piece
        return bytes(content)
