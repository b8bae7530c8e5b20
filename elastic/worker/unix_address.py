"""The address of a Unix socket, however long the path of its file is, and a question asked
there."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

MOST_BYTES = 107
"""What a socket's address holds of a path (`sun_path` of unix(7), without the byte that ends it).
"""


@contextmanager
def address_of(path: str) -> Iterator[str]:
    """Gives the name by which a socket may be bound at, or reached by, `path`; good for as long as
    the context lasts.

    A longer one is named by its folder, which this process opens for that. Nothing is put anywhere
    else: no folder in a short place that whoever made it must remove, and that somebody else might
    have made before.

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
    """Gives the answer to a question: one line of JSON there, one back. Raises OSError or
    ValueError if none comes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        with address_of(path) as address:
            connection.connect(address)
        connection.sendall(json.dumps(question).encode() + b"\n")
        with connection.makefile("rb") as answer:
            return json.loads(answer.readline())
