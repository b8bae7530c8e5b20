"""Newcomers begin in turn, so that a crowd of them keeps nobody waiting."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from api.connections import Turns
from elastic.authority import Authority, listening_context
from tests.api.serving import serving
from tests.api.world import World

OURS = Authority(b"secret")
PER_S = 20.0


def test_the_first_begins_at_once_and_each_address_has_its_turn() -> None:
    async def told() -> list[str]:
        turns = Turns(1000.0)
        begun: list[str] = []
        crowd = [asyncio.Protocol() for _ in range(4)]
        for at, each in enumerate(crowd):
            turns.wait("10.0.0.1", each, partial(begun.append, f"stranger {at}"))
        assert begun == ["stranger 0"]
        turns.wait("10.0.0.2", asyncio.Protocol(), lambda: begun.append("node"))
        turns.give_up("10.0.0.1", crowd[2])
        while len(begun) < 4:
            await asyncio.sleep(0.001)
        return begun

    assert asyncio.run(told()) == ["stranger 0", "stranger 3", "node", "stranger 1"]


def test_who_comes_alone_waits_for_its_turn_too() -> None:
    async def between_s() -> float:
        turns = Turns(PER_S)
        begun_s: list[float] = []
        while len(begun_s) < 4:
            turns.wait("10.0.0.1", asyncio.Protocol(), lambda: begun_s.append(time.monotonic()))
            await asyncio.sleep(0)
        return begun_s[-1] - begun_s[0]

    assert asyncio.run(between_s()) >= 3 / PER_S * 0.99


@pytest.fixture
def port(world: World) -> Iterator[int]:
    context = listening_context(OURS.issue(["127.0.0.1"]))
    with serving(world, head_s=60.0, tls=context, handshakes_per_s=PER_S) as url:
        yield int(url.rpartition(":")[2])


def test_a_node_shakes_hands_before_a_crowd_from_elsewhere_is_through(port: int) -> None:
    trust = ssl.create_default_context(cadata=OURS.certificate)
    trust.check_hostname = False
    with ExitStack() as stack:
        crowd = []
        for _ in range(60):
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            stranger = trust.wrap_bio(incoming, outgoing)
            with pytest.raises(ssl.SSLWantReadError):
                stranger.do_handshake()
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(outgoing.read())
            crowd.append(connection)
        node = stack.enter_context(
            socket.create_connection(("127.0.0.1", port), 20.0, source_address=("127.0.0.2", 0))
        )
        stack.enter_context(trust.wrap_socket(node))
        answered = 0
        for each in crowd:
            each.setblocking(False)
            try:
                answered += bool(each.recv(1))
            except BlockingIOError:
                continue
    assert answered < 60, "the node waited for all of them"
