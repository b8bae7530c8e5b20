"""Datagrams to the agent: sent in order, without ever blocking."""

from __future__ import annotations

import functools
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from elastic.durations import SPIN_S
from elastic.worker.messages import BESIDE, Datagram, fault_of, note_of_dropped
from elastic.worker.unix_address import address_of

MAX_DATAGRAM_BYTES = 8000
MAX_WAITING = 1000
LEFTOVER_MARK = ".left-"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message and who said it, as the end of its JSON: its worker's place in the group then."""

    message: Datagram
    tail: str


class Outbox:
    """Messages of one worker, oldest first.

    If the agent is slow, restarting or gone, messages wait in memory. Those that still wait when
    the process ends are written beside the socket (``<socket>.left-<worker>``), where the agent
    finds them later. Without a socket nothing is kept. A message that the agent would refuse is
    dropped here, counted, and reported.
    """

    def __init__(
        self, socket_path: str | None, *, worker: str, common: Mapping[str, str | int | None]
    ) -> None:
        self._path = socket_path or ""
        self._worker = worker
        self.common = dict(common)
        self._waiting: deque[Waiting] = deque()
        self._next_seq = 1
        self.dropped = 0
        # Reentrant: a script's handler of a signal may save, and so report, amid a call of these.
        self._lock = threading.RLock()
        self._is_sending = False
        self._socket = _open_socket() if socket_path else None

    @property
    def common(self) -> Mapping[str, str | int | None]:
        """Fields of every message from now on; those that wait keep the fields they came with."""
        return self._common

    @common.setter
    def common(self, common: Mapping[str, str | int | None]) -> None:
        self._common = common
        self._tail = ", " + json.dumps({"worker": self._worker, **common})[1:]

    def put(self, message: Datagram) -> None:
        """Queues a message.

        If too many wait, windows are merged, and the oldest notes and checkpoints dropped.
        """
        if self._socket is None:
            return
        fault = fault_of(message, absent=BESIDE)
        if fault is not None:
            self.dropped += 1
            note = note_of_dropped(self.dropped, fault)
            if note is None:
                return
            message = note
        with self._lock:
            self._waiting.append(Waiting(message, self._tail))
            if len(self._waiting) > MAX_WAITING and not self._is_sending:
                self._waiting = deque(_merged(self._waiting))

    def flush(self) -> bool:
        """Sends what waits, as far as the socket takes it at once; True if nothing is left."""
        if self._socket is None:
            return True
        with self._lock:
            if self._is_sending:  # what waits is sent once the handler of a signal has returned
                return False
            self._is_sending = True
            try:
                return self._send_waiting(self._socket)
            finally:
                self._is_sending = False

    def _send_waiting(self, to: socket.socket) -> bool:
        while self._waiting:
            data = self._encoded(self._waiting[0])
            try:
                with address_of(self._path) as address:
                    to.sendto(data, address)
            # Full (EAGAIN) or gone (ENOENT, ECONNREFUSED): the message waits in any case.
            except OSError:
                return False
            self._waiting.popleft()
            self._next_seq += 1
        return True

    def close(self, *, timeout_s: float) -> None:
        """Sends the rest within ``timeout_s``, or leaves it in a file for the agent."""
        deadline = time.monotonic() + timeout_s
        while not self.flush():
            if time.monotonic() > deadline:
                self._leave_behind()
                break
            time.sleep(SPIN_S)
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _leave_behind(self) -> None:
        try:
            with open(f"{self._path}{LEFTOVER_MARK}{self._worker}", "ab") as file:
                while self._waiting:
                    file.write(self._encoded(self._waiting.popleft()) + b"\n")
                    self._next_seq += 1
        except OSError:  # the node's folder is gone with the agent: no reader is left
            self._waiting.clear()

    def _encoded(self, waiting: Waiting) -> bytes:
        return _encoded(waiting.message, self._next_seq, waiting.tail)


def _open_socket() -> socket.socket:
    result = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    result.setblocking(False)
    return result


def _encoded(message: Datagram, seq: int, tail: str) -> bytes:
    if message["kind"] == "window":
        return _encoded_window(message, seq, tail)
    data = f"{json.dumps(message | {'seq': seq})[:-1]}{tail}".encode()
    if len(data) > MAX_DATAGRAM_BYTES:
        text = str(message["text"])
        return _encoded(message | {"text": text[: len(text) // 2]}, seq, tail)
    return data


def _encoded_window(window: Datagram, seq: int, tail: str) -> bytes:
    # Written by hand: with the cold caches of a real step this takes 25 us and json.dumps 70 us.
    # Windows are sent twice a second, notes are not.
    iteration = "null" if window["iteration"] is None else window["iteration"]
    is_cold = "true" if window["is_cold"] else "false"
    return (
        f'{{"kind": "window", "phase": {_quoted(window["phase"])}, "iteration": {iteration}, '
        f'"iterations": {window["iterations"]}, "elapsed_s": {window["elapsed_s"]}, '
        f'"is_cold": {is_cold}, "ended_at_s": {window["ended_at_s"]}, "seq": {seq}{tail}'
    ).encode()


_quoted = functools.lru_cache(maxsize=64)(json.dumps)


def _merged(waiting: deque[Waiting]) -> list[Waiting]:
    """The same totals in fewer messages.

    Windows of one phase and one group become one. Of the other messages the newer half stays.
    """
    result: list[Waiting] = []
    places: dict[tuple[object, ...], int] = {}
    to_drop = sum(each.message["kind"] in {"note", "checkpoint"} for each in waiting) // 2
    for each in waiting:
        message = each.message
        key = (message.get("phase"), message.get("is_cold"), each.tail)
        if message["kind"] == "window" and key in places:
            place = places[key]
            result[place] = Waiting(joined(result[place].message, message), each.tail)
        elif message["kind"] == "window":
            places[key] = len(result)
            result.append(each)
        elif message["kind"] in {"note", "checkpoint"} and to_drop > 0:
            to_drop -= 1
        else:
            result.append(each)
    return result


def joined(earlier: Datagram, later: Datagram) -> Datagram:
    """One window that covers the turns of two.

    >>> a = {"kind": "window", "iteration": 4, "iterations": 4, "elapsed_s": 1.0}
    >>> b = {"kind": "window", "iteration": 6, "iterations": 2, "elapsed_s": 0.5}
    >>> joined(a, b)["elapsed_s"]
    1.5
    """
    return later | {
        "iterations": int(earlier["iterations"] or 0) + int(later["iterations"] or 0),
        "elapsed_s": float(earlier["elapsed_s"] or 0) + float(later["elapsed_s"] or 0),
    }
