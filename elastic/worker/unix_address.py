"""The address of a Unix socket, for a path of any length, and a question asked there."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# The longest path in a socket's address, in bytes (`sun_path` of unix(7), without its final zero).
MOST_BYTES = 107


@contextmanager
def address_of(path: str) -> Iterator[str]:
    """Returns the name to bind or connect `path` by; valid inside the context.

    A path that is too long is reached through its folder, which this process opens. No short folder
    is made elsewhere, because it would have to be removed, and another user could have made it
    first.

    Raises:
        FileNotFoundError: where the path is long and its folder is not there.
    """
    if len(os.fsencode(path)) <= MOST_BYTES:
        yield path
        return
    folder, name = os.path.split(path)
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{name}"
    finally:
        os.close(descriptor)


def asked(path: str, question: Mapping[str, object], *, timeout_s: float | None = None) -> Any:
    """Returns the answer to a question: one line of JSON each way.

    Raises OSError or ValueError if no answer comes.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        with address_of(path) as address:
            connection.connect(address)
        connection.sendall(json.dumps(question).encode() + b"\n")
        with connection.makefile("rb") as answer:
            return json.loads(answer.readline())
