"""Newcomers begin in turn, so that a crowd of them keeps nobody waiting."""

from __future__ import annotations

import asyncio
import doctest
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import pytest

from api import connections
from api.connections import Turns
from elastic.authority import Authority, listening_context
from tests.api.serving import serving
from tests.api.world import World

OURS = Authority(b"secret")
PER_S = 20.0


def test_the_example_holds() -> None:
    assert doctest.testmod(connections) == (0, 1)


def test_a_node_from_elsewhere_need_not_wait_for_a_crowd_of_which_the_last_is_next() -> None:
    async def told() -> list[int | None]:
        turns = Turns(1000.0)
        begun: list[int | None] = []
        crowd = [asyncio.Protocol() for _ in range(50)]
        for at, each in enumerate(crowd):
            turns.wait("10.0.0.1", each, partial(begun.append, at))
        assert begun == [0], "the first one begins at once"
        turns.wait("10.0.0.2", asyncio.Protocol(), partial(begun.append, None))
        turns.give_up("10.0.0.1", crowd[48])
        while len(begun) < 50:
            await asyncio.sleep(0.001)
        return begun

    begun = asyncio.run(told())
    # Each turn is the node's by a chance of one half: that it comes so late is one in 10^12.
    assert begun.index(None) < 41
    assert [at for at in begun if at is not None] == [0, 49, *range(47, 0, -1)]


def test_after_a_few_who_come_at_once_each_waits_for_its_turn() -> None:
    async def between_s() -> float:
        turns = Turns(200.0)
        begun_s: list[float] = []
        while len(begun_s) < 31:
            turns.wait("10.0.0.1", asyncio.Protocol(), lambda: begun_s.append(time.monotonic()))
            await asyncio.sleep(0)
        return begun_s[-1] - begun_s[0]

    assert asyncio.run(between_s()) >= 20 / 200 * 0.99


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
