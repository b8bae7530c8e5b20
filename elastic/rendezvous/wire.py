"""Requests and answers between a store and its clients, as frames of JSON on a connection."""

from __future__ import annotations

import json
import socket
from base64 import b64decode, b64encode
from typing import Any

MAX_BYTES = 64 << 20  # of a frame: a script may hand its state on through a store


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Sends one frame. Raises OSError."""
    content = json.dumps(message).encode()
    if len(content) > MAX_BYTES:
        raise ValueError(f"wanted at most {MAX_BYTES} bytes in a message, got {len(content)}")
    connection.sendall(len(content).to_bytes(4, "big") + content)


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Waits for one frame; None at the connection's end.

    Raises OSError, and ValueError if it is no frame.
    """
    head = _exactly(connection, 4)
    if head is None:
        return None
    size = int.from_bytes(head, "big")
    # Before the content is read: four bytes must not make this process reserve 4 GiB.
    if size > MAX_BYTES:
        raise ValueError(f"wanted at most {MAX_BYTES} bytes in a message, got {size}")
    content = _exactly(connection, size)
    if content is None:
        raise ConnectionResetError("the connection ended within a message")
    message = json.loads(content)
    if not isinstance(message, dict):
        raise ValueError("wanted an object")
    return message


def as_text(value: bytes) -> str:
    """Bytes as JSON carries them."""
    return b64encode(value).decode()


def as_bytes(text: str) -> bytes:
    """What `as_text` was given. Raises ValueError."""
    # Without `validate` strange characters would be skipped, and a damaged value be kept.
    return b64decode(text, validate=True)


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    content = bytearray()
    while len(content) < size:
        piece = connection.recv(min(size - len(content), 1 << 20))
        if not piece:
            if content:
                raise ConnectionResetError("the connection ended within a message")
            return None
        content += piece
    return bytes(content)
