"""Asks a rendezvous store whether it answers.

A connection alone proves nothing: a stopped process accepts connections too.

The messages are those of torch's TCPStore (torch/csrc/distributed/c10d/TCPStoreBackend.hpp, 2.13).
"""

from __future__ import annotations

import os
import socket
import struct

_VALIDATE = 0
_MAGIC = 0x3C85F7CE
_PING = 13


def answers(host: str, port: int, *, timeout_s: float) -> bool:
    """Whether a store at this address echoes a nonce.

    Connection and answer may take `timeout_s` each.
    """
    word = os.urandom(4)
    try:
        with socket.create_connection((host, port), timeout=timeout_s) as connection:
            connection.sendall(struct.pack("=BIB", _VALIDATE, _MAGIC, _PING) + word)
            return connection.recv(len(word)) == word
    except OSError:
        return False
