"""What the control plane carries: measurements stored per second, a tick of 1,000 nodes, a page of
a million windows.

Run: python benchmarks/control_plane.py [--windows 1000000] Each number is the median of several
runs in one process (CPU-seconds: their mean); the database is on disk, with full sync.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from benchmarks.standins import AlwaysThere
from elastic.clock import ManualClock
from elastic.model import (
    ONE_WORKER,
    AgentState,
    Capacity,
    JobSpec,
    Limits,
    Node,
    NodeReport,
    NodeType,
    Offering,
    Window,
)
from elastic.policy import decide
from elastic.pricing import static_prices
from elastic.providers import FakeCloud, FakeProvider
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    Reconciler,
    TerminationPermission,
    Timeouts,
)
from elastic.store import HeartbeatReport, PriceReport, Store, open_store

TYPES = [NodeType(f"type.{size}", cpu=size, memory_gib=size * 2.0) for size in (1.0, 2.0, 4.0, 8.0)]
OFFERINGS = [Offering(each.name, Capacity.ON_DEMAND, "zone-a") for each in TYPES]
START_S = 1_700_000_000.0


def main() -> None:
    """Runs the three parts and prints their numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--windows", type=int, default=1_000_000, help="windows stored for the page's part"
    )
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--days", type=int, default=90, help="of each node's ledger")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ingest(Path(folder))
    for jobs in sorted({1, max(arguments.jobs // 10, 1), arguments.jobs}):
        # What a job costs, and what a node.
        with tempfile.TemporaryDirectory() as folder:
            tick(Path(folder), jobs=jobs, nodes=arguments.nodes, days=arguments.days)
    with tempfile.TemporaryDirectory() as folder:
        page(Path(folder), count=arguments.windows)


def ingest(folder: Path) -> None:
    """Windows stored per second, in the batches that heartbeats bring."""
    store = open_store(f"sqlite:///{folder / 'elasticd.db'}")
    node = _training_node(store)
    for size in (2, 20, 200):
        seq = store.nodes.acked_seq(node.id)
        batches = [_windows(node, seq + index * size, size) for index in range(30)]
        spans_s = []
        for batch in batches:
            begun_s = time.perf_counter()
            store.heartbeats.take_in(
                node.id,
                HeartbeatReport(
                    NodeReport(AgentState.RUNNING, 1), windows=batch, acked_seq=batch[-1].seq
                ),
                now_s=START_S,
            )
            spans_s.append(time.perf_counter() - begun_s)
        median_s = statistics.median(spans_s)
        print(
            f"ingest, {size:3} windows a heartbeat: {size / median_s:9,.0f} windows/s  "
            f"({median_s * 1e3:.2f} ms each)"
        )
    store.close()


def tick(folder: Path, *, jobs: int, nodes: int, days: int = 0) -> None:
    """One tick's time when nothing changes: all jobs observed, decided, recorded, every node
    settled. Each node has so many days of ledger behind it, at four prices a day."""
    clock = ManualClock(START_S)
    cloud = FakeCloud(TYPES, clock=clock, offerings=OFFERINGS)
    provider = FakeProvider(cloud)
    store = open_store(f"sqlite:///{folder / 'elasticd.db'}")
    prices = {offering: 0.1 * (index + 1) for index, offering in enumerate(OFFERINGS)}
    reconciler = Reconciler(
        store=store,
        provider=provider,
        prices=static_prices(prices, valid_from_s=START_S),
        machines=Machines(
            store=store,
            provider=provider,
            terms=LaunchTerms("http://127.0.0.1:1", str),
            right=TerminationPermission(provider.prove_end, 600.0),
            leader_lease=LeaseHolder(
                "measured", store.holder(), "here", clock, provider.lease_register
            ),
        ),
        rendezvous=AlwaysThere(),
        decide=decide,
        limits=Limits(),
        timeouts=Timeouts(
            register_s=600.0,
            lease_s=600.0,
            reaction_s=0.0,
            standstill_s=0.0,
        ),
        max_failures=3,
    )
    size = nodes // jobs
    for number in range(jobs):
        spec = JobSpec(
            f"job-{number}",
            ("train.py",),
            nodes_min=size,
            nodes_max=size,
            iterations=1_000_000,
            policy="fixed",
            fixed_node_type=TYPES[number % len(TYPES)].name,
        )
        store.jobs.submit(spec, key=None, request_hash="h", now_s=START_S)
    reconciler.tick(now_s=clock.now_s())
    for node in store.nodes.listed():
        store.nodes.joined(node.id, now_s=clock.now_s())
    reconciler.tick(now_s=clock.now_s())
    for job in store.jobs.listed(limit=jobs):
        generation = store.generations.latest(job.id)
        assert generation is not None
        member = store.nodes.get(generation.node_ids[0])
        store.measurements.append(member.id, _windows(member, 0, 100))
    _charge(folder, store.nodes.listed(), days=days)
    cpu_s = time.process_time()
    median_s = _median_s(lambda: reconciler.tick(now_s=clock.now_s()), runs=5)
    cpu_s = (time.process_time() - cpu_s) / 5
    print(
        f"tick, {jobs:3} jobs with {len(store.nodes.listed())} nodes: {median_s:.3f} s, "
        f"{cpu_s:.3f} CPU-s"
    )
    store.close()


def _charge(folder: Path, nodes: tuple[Node, ...], *, days: int) -> None:
    """Gives each node a past in the ledger, as price changes write it."""
    with closing(sqlite3.connect(folder / "elasticd.db")) as database, database:
        for node in nodes:
            offering = node.offering
            row = (node.job_id, node.id, offering.node_type, offering.capacity, offering.zone)
            database.executemany(
                "INSERT INTO ledger (job_id, node_id, node_type, capacity, zone, price_id, "
                "usd_per_h, from_s, to_s, minimum_s, extras_usd_per_h, is_waived) "
                "VALUES (?, ?, ?, ?, ?, 1, 0.1, ?, ?, 0, 0, 0)",
                [
                    (*row, START_S - 21_600.0 * (each + 1), START_S - 21_600.0 * each)
                    for each in range(4 * days)
                ],
            )


def page(folder: Path, *, count: int) -> None:
    """The overview page's time with so many windows stored, against the same page with a thousandth
    of them."""
    from fastapi.testclient import TestClient

    from api.app import create_app
    from api.deps import Context
    from elastic.config import Settings
    from elastic.reconciler import NodeTokens

    store = open_store(f"sqlite:///{folder / 'elasticd.db'}")
    node = _training_node(store)
    clock = ManualClock(START_S + count * 0.5)
    context = Context(
        store=store,
        clock=clock,
        settings=Settings(data_dir=folder),
        provider=FakeProvider(FakeCloud(TYPES, clock=clock, offerings=OFFERINGS)),
        node_tokens=NodeTokens(b"secret"),
        wake=lambda: None,
        user_token="token",
    )
    headers = {"Authorization": "Bearer token"}
    stored = 0
    with TestClient(create_app(context), base_url="http://127.0.0.1", headers=headers) as client:
        for target in (count // 1000, count):
            while stored < target:
                step = min(5000, target - stored)
                store.measurements.append(node.id, _windows(node, stored, step))
                stored += step
            for path in ("/", f"/jobs/{node.job_id}", "/v1/jobs"):
                response = client.get(path)
                assert response.status_code == 200, (
                    path,
                    response.status_code,
                    response.text[:300],
                )
                median_s = _median_s(partial(client.get, path), runs=7)
                print(
                    f"page {path.replace(node.job_id, '...'):12} with {stored:9,} windows: "
                    f"{median_s * 1e3:7.1f} ms"
                )
    store.close()


def _training_node(store: Store) -> Node:
    job, _ = store.jobs.submit(
        JobSpec("job", ("train.py",), iterations=10**9), key=None, request_hash="h", now_s=START_S
    )
    store.ledger.add_prices([PriceReport(OFFERINGS[0], 0.1, START_S, START_S, "table")])
    node = store.nodes.intend_launch(
        job.id,
        OFFERINGS[0],
        count=1,
        workers=ONE_WORKER,
        reason="benchmark",
        request_hash="h",
        now_s=START_S,
    ).nodes[0]
    store.nodes.launched(node.id, "machine", launched_at_s=START_S, minimum_s=60.0)
    node = store.nodes.joined(node.id, now_s=START_S + 5)
    store.generations.start(job.id, (node,), rdzv_endpoint="127.0.0.1:1", now_s=START_S + 5)
    return node


def _windows(node: Node, done: int, count: int) -> list[Window]:
    return [
        Window(
            node_id=node.id,
            seq=number,
            generation=1,
            world_size=1,
            phase="main",
            iteration=number * 4,
            iterations=4,
            elapsed_s=0.5 + 0.01 * (number % 7),
            is_cold=False,
            ended_at_s=START_S + number * 0.5,
        )
        for number in range(done + 1, done + count + 1)
    ]


def _median_s(call: Callable[[], object], *, runs: int) -> float:
    spans_s = []
    for _ in range(runs):
        begun_s = time.perf_counter()
        call()
        spans_s.append(time.perf_counter() - begun_s)
    return statistics.median(spans_s)


if __name__ == "__main__":
    main()
