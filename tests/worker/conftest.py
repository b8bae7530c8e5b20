"""A stand-in for the agent's end of the socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from elastic.worker.outbox import Outbox
from elastic.worker.unix_address import address_of


class AgentSocket:
    """What workers have sent, as the agent would read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._outboxes: list[Outbox] = []
        self.reopen()

    def reopen(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        with address_of(str(self.path)) as address:
            self._socket.bind(address)

    def close(self) -> None:
        self._socket.close()
        self.path.unlink(missing_ok=True)

    def end(self) -> None:
        self.close()
        for outbox in self._outboxes:
            outbox.close(timeout_s=0.0)

    def received(self) -> list[dict[str, Any]]:
        result = []
        while True:
            try:
                result.append(json.loads(self._socket.recv(65536)))
            except BlockingIOError:
                return result

    def outbox(self, **common: int) -> Outbox:
        result = Outbox(str(self.path), worker="w", common=common)
        self._outboxes.append(result)
        return result

    def drain(self, outbox: Outbox) -> list[dict[str, Any]]:
        """Reads until the outbox has said all: a socket's queue holds about ten datagrams."""
        result = self.received()
        while not outbox.flush():
            result += self.received()
        return result + self.received()


@pytest.fixture
def agent_socket(tmp_path: Path) -> Iterator[AgentSocket]:
    result = AgentSocket(tmp_path / "s")
    yield result
    result.end()
