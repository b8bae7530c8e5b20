"""A stand-in for the agent's end of the socket."""

from __future__ import annotations

import gzip
import json
import lzma
import socket
import zipfile
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
        self.beginnings: list[dict[str, Any]] = []
        """Where each worker said that its script begins; every one says it, most tests are not
        about it."""
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

    def received(self, *, of_life: bool = False) -> list[dict[str, Any]]:
        """What workers have said since; by default without what each says of its beginning, first
        turn and end."""
        result: list[dict[str, Any]] = []
        while True:
            try:
                message = json.loads(self._socket.recv(65536))
            except BlockingIOError:
                return result
            if message["kind"] == "begins":
                self.beginnings.append(message)
            elif (message["kind"] in ("began", "turns", "left")) is of_life:
                result.append(message)

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


# What python itself writes out only when it lets go of a script's own names, and what is in a
# circle with them.
LEAVES_OPEN = """
import gzip, lzma, os, sys, zipfile
os.chdir(sys.argv[1])
packed = gzip.open('left.gz', 'wb')
small = lzma.open('left.xz', 'wt')
archive = zipfile.ZipFile('left.zip', 'w')
line = open('line', 'w')
packed.write(b'in gzip')
small.write('in lzma')
archive.writestr('it', 'in zip')
line.write('in a line')
class Circle:
    def __init__(self): self.me, self.file = self, open('circle', 'w')
    def __del__(self): self.file.write('in a circle')
circle = Circle()
def names_them(): return packed, small, archive, line, circle
"""

IN_ALL = ["in gzip", "in zip", "in lzma", "in a circle", "in a line"]


def what_was_left(folder: Path) -> list[str]:
    """What LEAVES_OPEN wrote in `folder`."""
    with gzip.open(folder / "left.gz") as packed, zipfile.ZipFile(folder / "left.zip") as archive:
        try:
            found = [packed.read().decode()]
        except EOFError:
            found = ["a gzip that is cut off"]
        found.append(archive.read("it").decode())
    with lzma.open(folder / "left.xz", "rt") as small:
        found.append(small.read())
    return found + [(folder / name).read_text() for name in ("circle", "line")]
