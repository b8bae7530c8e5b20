"""Heartbeats of many nodes while strangers hold thousands of connections open.

python -m benchmarks.overload [--nodes 1000] [--strangers 5000] [--files 1024] [--seconds 20]

The API runs in a process of its own, which may have so many files as `--files` says; 0: as many as
this machine lets it. Each node sends a heartbeat every five seconds on a connection that it keeps,
as agents do with `heartbeat_s: 5`, by TLS. Half of the strangers send half a request each, the others stop within the
handshake; they come again when they are shut out. Printed are the heartbeats' times without and
with strangers, and the API's processor time for each heartbeat, in the same run. Exits 1 where a heartbeat
with strangers around was lost, or their 99th percentile is a second or more. Nodes and strangers are a
process each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import socket
import ssl
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import psutil

from elastic.authority import Authority
from elastic.clock import SystemClock
from elastic.config import Settings
from elastic.durations import TICK_S
from elastic.listeners import ListenAddress
from elastic.model import ONE_WORKER, JobSpec, NodeType, Offering
from elastic.protocol import PROTOCOL
from elastic.providers import FakeCloud, FakeProvider
from elastic.reconciler import NodeTokens
from elastic.store import PriceReport, Store, open_store
from elastic.ticker import Ticker

_INTERVAL_S = 5.0
_GOAL_S = 1.0
_TOKENS = NodeTokens(b"secret")
_AUTHORITY = Authority(b"secret")
_TRUST = ssl.create_default_context(cadata=_AUTHORITY.certificate)
# The beginning of a record of the handshake (RFC 8446, 5.1), which never comes.
_HALF_A_RECORD = b"\x16\x03\x01\x02\x00"
_HALF = b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "


def main() -> int:
    """Prints the times of heartbeats, and gives the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--strangers", type=int, default=5000)
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20.0)
    told = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{folder}/elasticd.db")
        nodes = _nodes(store, told.nodes)
        store.close()
        with _api(Path(folder), told.files) as (port, api):
            return asyncio.run(_measure(port, api, nodes, told.strangers, told.seconds))


async def _measure(
    port: int,
    api: psutil.Process,
    known: list[tuple[str, str]],
    strangers: int,
    seconds: float,
) -> int:
    nodes = [_Node(port, *each) for each in known]
    # All connect, and each one's first heartbeat is a commit of its own.
    await _heartbeats(nodes, _INTERVAL_S / 2)
    before_s = _computed_s(api)
    quiet_s, lost = await _heartbeats(nodes, seconds)
    cost_s = (_computed_s(api) - before_s) / len(quiet_s)
    print(f"{len(nodes)} nodes alone: {_described(quiet_s)}, {lost} lost")
    print(f"  {cost_s * 1e3:.2f} ms of the API's processor time for each")
    with _crowd(port, strangers) as came:
        while came() < strangers:
            await _heartbeats(nodes, _INTERVAL_S / 2)
        before_s = _computed_s(api)
        arrivals = asyncio.create_task(_arrivals(port, seconds))
        crowded_s, lost = await _heartbeats(nodes, seconds)
        arrived_s = await arrivals
        times = came()
    cost_s = (_computed_s(api) - before_s) / len(crowded_s)
    print(
        f"with {strangers} strangers, who came {times} times: {_described(crowded_s)}, {lost} lost"
    )
    print(f"  {cost_s * 1e3:.2f} ms of the API's processor time for each, strangers included")
    print(f"  newcomers from another address are in after: {_described(arrived_s)}")
    return 1 if lost or _p99(crowded_s) >= _GOAL_S else 0


class _Node:
    """A node on a connection that it keeps."""

    def __init__(self, port: int, node_id: str, instance_id: str) -> None:
        self._port = port
        self._request = _request(node_id, instance_id)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def beat(self) -> None:
        """One heartbeat. Raises OSError, EOFError or ValueError without a good answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, ssl=_TRUST)
        reader, writer = self._streams
        try:
            writer.write(self._request)
            await _read_answer(reader)
        except (OSError, EOFError, ValueError):
            # An agent opens another connection, and asks again.
            self._streams = None
            writer.close()
            raise


async def _heartbeats(nodes: list[_Node], seconds: float) -> tuple[list[float], int]:
    """How long each heartbeat took, and how many had no answer."""
    took_s: list[float] = []
    lost = 0

    async def beats(node: _Node, first_in_s: float) -> None:
        nonlocal lost
        await asyncio.sleep(first_in_s)
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            begun_s = time.monotonic()
            try:
                await node.beat()
                took_s.append(time.monotonic() - begun_s)
            except (OSError, EOFError, ValueError):
                lost += 1
            await asyncio.sleep(max(0.0, begun_s + _INTERVAL_S - time.monotonic()))

    await asyncio.gather(
        *(beats(node, _INTERVAL_S * at / len(nodes)) for at, node in enumerate(nodes))
    )
    return took_s, lost


async def _arrivals(port: int, seconds: float) -> list[float]:
    """How long it took until each of some newcomers was in. They ask until they are."""
    took_s = []
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        begun_s = time.monotonic()
        is_in = False
        while not is_in:
            with suppress(OSError):
                _, writer = await asyncio.open_connection(
                    "127.0.0.1", port, ssl=_TRUST, local_addr=("127.0.0.2", 0)
                )
                writer.close()
                is_in = True
        took_s.append(time.monotonic() - begun_s)
        await asyncio.sleep(0.25)
    return took_s


@contextmanager
def _crowd(port: int, strangers: int) -> Iterator[Callable[[], int]]:
    """So many strangers; gives how often they came so far."""
    process = multiprocessing.get_context("spawn")
    opened = process.Value("i", 0)
    crowd = process.Process(target=_come_again, args=(port, strangers, opened), daemon=True)
    crowd.start()
    try:
        yield lambda: opened.value
    finally:
        crowd.terminate()
        crowd.join()


def _come_again(port: int, strangers: int, opened: Synchronized[int]) -> None:
    """Connections that send half a request, then a byte every few seconds.

    Strangers compute on machines of their own, so on this one they come last.
    """
    os.nice(19)

    async def come(*, shakes_hands: bool) -> None:
        trust = _TRUST if shakes_hands else None
        while True:
            with suppress(OSError):
                opening = asyncio.open_connection("127.0.0.1", port, ssl=trust)
                opened.value += 1
                reader, writer = await opening
                writer.write(_HALF if shakes_hands else _HALF_A_RECORD)
                while not reader.at_eof():
                    with suppress(TimeoutError):
                        await asyncio.wait_for(reader.read(1), 3.0)
                    if shakes_hands:
                        writer.write(b"x")
                writer.close()
            await asyncio.sleep(0.5)

    async def all_come() -> None:
        await asyncio.gather(*(come(shakes_hands=at % 2 == 0) for at in range(strangers)))

    asyncio.run(all_come())


async def _read_answer(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise ValueError(head.split(b"\r\n")[0].decode())
    length = head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
    await reader.readexactly(int(length))


def _request(node_id: str, instance_id: str) -> bytes:
    body = json.dumps(
        {
            "node_id": node_id,
            "instance_id": instance_id,
            "sent_at_s": time.time(),
            "report": {"state": "idle", "generation": 0},
            "protocol": PROTOCOL,
        }
    )
    return (
        "POST /v1/agent/heartbeat HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Content-Type: application/json\r\n"
        f"Authorization: Bearer {_TOKENS.node_token(node_id, instance_id)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


def _nodes(store: Store, count: int) -> list[tuple[str, str]]:
    """A job with so many nodes that have joined: the ids of nodes and instances."""
    offering = Offering("plain")
    now_s = SystemClock().now_s()
    store.ledger.add_prices([PriceReport(offering, 0.1, now_s - 60, now_s, "here")])
    spec = JobSpec("crowded", ("train.py",), nodes_max=count)
    job, _ = store.jobs.submit(spec, key=None, request_hash="h", now_s=now_s)
    bought = store.nodes.intend_launch(
        job.id, offering, count=count, workers=ONE_WORKER, reason="", request_hash="h", now_s=now_s
    )
    for node in bought.nodes:
        store.nodes.launched(node.id, f"i-{node.id}", launched_at_s=now_s, minimum_s=60.0)
        store.nodes.joined(node.id, now_s=now_s)
    return [(node.id, f"i-{node.id}") for node in bought.nodes]


@contextmanager
def _api(folder: Path, files: int) -> Iterator[tuple[int, psutil.Process]]:
    """The API in a process of its own; gives the port of nodes."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(folder, files, theirs)
    )
    process.start()
    try:
        yield ours.recv(), psutil.Process(process.pid)
    finally:
        process.terminate()
        process.join()


def _serve(folder: Path, files: int, told: Connection) -> None:
    from api.deps import Context
    from api.server import run

    if files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    clock = SystemClock()
    port = _free_port()
    certificate = _AUTHORITY.issue(["127.0.0.1"])
    store = open_store(f"sqlite:///{folder}/elasticd.db")
    context = Context(
        store=store,
        clock=clock,
        settings=Settings(data_dir=folder),
        provider=FakeProvider(FakeCloud([NodeType("plain", 1, 1)], clock=clock)),
        node_tokens=_TOKENS,
        wake=lambda: None,
        user_token="token",
    )

    def written() -> None:
        store.presence.write()

    def started() -> None:
        ticker.start()
        told.send(port)

    # As the loop does at each tick.
    ticker = Ticker(written, interval_s=TICK_S, clock=clock)
    run(
        context,
        users=ListenAddress("127.0.0.1", _free_port(), is_encrypted=False),
        nodes=ListenAddress("127.0.0.1", port, is_encrypted=True, pem=certificate),
        on_started=started,
    )
    ticker.stop()
    store.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _computed_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _described(took_s: list[float]) -> str:
    return (
        f"median {statistics.median(took_s) * 1e3:.0f} ms, p99 {_p99(took_s) * 1e3:.0f} ms, "
        f"longest {max(took_s) * 1e3:.0f} ms of {len(took_s)}"
    )


def _p99(took_s: list[float]) -> float:
    return statistics.quantiles(took_s, n=100, method="inclusive")[-1]


if __name__ == "__main__":
    raise SystemExit(main())
