"""Messages about the state, from one member to another: each has a head and maybe a content."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class TransferMessage:
    """A kind, what it is about, and its content."""

    kind: str
    about: dict[str, Any]
    content: Tensor | None = None


class Room:
    """Memory for one message's content at a time, allocated once: new pages cost more than reading
    into them."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def of(self, size: int) -> memoryview:
        """Returns that many bytes; those returned before must no longer be used."""
        if size > len(self._bytes):
            self._bytes = bytearray(size)
        return memoryview(self._bytes)[:size]


class Sending(Protocol):
    """Something that sends a part of what it is given, and returns how many bytes."""

    def send(self, content: memoryview, /) -> int: ...


def send(connection: Sending, message: TransferMessage) -> None:
    """Sends one whole message, however long that takes. Raises OSError.

    The connection's timeout is for each part of it.
    """
    content = (
        None
        if message.content is None
        else message.content.contiguous().view(torch.uint8).numpy().data
    )
    head = {
        "kind": message.kind,
        "about": message.about,
        "bytes": 0 if content is None else content.nbytes,
    }
    # A message is the length of its head, the head as JSON, and the content.
    line = json.dumps(head).encode()
    _send_all(connection, memoryview(len(line).to_bytes(4, "big") + line))
    if content is not None:
        _send_all(connection, content)


def receive(connection: socket.socket, room: Room) -> TransferMessage:
    """Waits for one message, whose content is in `room`.

    Raises OSError if it does not arrive, ValueError if it is not valid.
    """
    size = int.from_bytes(_exactly(connection, room.of(4)), "big")
    if size > 65536:
        raise ValueError(f"a message's head of {size} bytes")
    head = json.loads(bytes(_exactly(connection, room.of(size))))
    content = _exactly(connection, room.of(head["bytes"]))
    return TransferMessage(
        head["kind"],
        head["about"],
        torch.frombuffer(content, dtype=torch.uint8) if content else None,
    )


def _send_all(connection: Sending, view: memoryview) -> None:
    # The timeout of `sendall` is for the whole: a large unit would never get through a slow link.
    sent = 0
    while sent < len(view):
        sent += connection.send(view[sent:])


def _exactly(connection: socket.socket, view: memoryview) -> memoryview:
    """Fills `view` and returns it."""
    have = 0
    while have < len(view):
        count = connection.recv_into(view[have:])
        if not count:
            raise ConnectionResetError("the stream ended within a message")
        have += count
    return view
