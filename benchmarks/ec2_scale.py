"""What EC2's side costs at 1,000 instances: launching, listing, a tick, ending, prices; ours and
the server's share.

Run: python benchmarks/ec2_scale.py [--nodes 1000] The server is a lab in a process of its own whose
instances boot nothing, so that its CPU-seconds can be told from ours: they are moto's, whose lists
take the longer the more it holds. Of real EC2 only our own share is to be expected again.
"""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import boto3
import psutil
import structlog
from botocore.config import Config

from benchmarks.standins import AlwaysThere
from elastic.clock import SystemClock
from elastic.config import Ec2Settings
from elastic.model import JobSpec, Limits
from elastic.policy import decide
from elastic.pricing.ec2 import Ec2Prices, PricedOffers, connect_feeds
from elastic.providers import InstanceState, LaunchRequest
from elastic.providers.ec2 import CLUSTER, Aws, Ec2Provider, Paths, connect
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    Reconciler,
    TerminationPermission,
    Timeouts,
)
from elastic.store import open_store

TYPES = [
    f"{family}.{size}"
    for family in ("c5", "m5", "r5", "c6i", "m6i")
    for size in ("large", "xlarge", "2xlarge")
]
ZONES = [f"us-east-1{letter}" for letter in "abcdef"]
JOB_NODES = 10
SETTINGS = Ec2Settings(
    cluster="scale",
    region="us-east-1",
    types=tuple(TYPES),
    capacities=("on-demand", "spot"),
    bootstrap="true",
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the wall, CPU-seconds of this process and of the server."""

    wall_s: float
    ours_s: float
    server_s: float


@dataclass(frozen=True, slots=True)
class Meter:
    """Measures against one server."""

    server: psutil.Process

    def cost(self, act: Callable[[], object]) -> Cost:
        wall_s, ours_s, server_s = time.perf_counter(), time.process_time(), self._server_s()
        act()
        return Cost(
            time.perf_counter() - wall_s, time.process_time() - ours_s, self._server_s() - server_s
        )

    def median(self, act: Callable[[], object], *, runs: int = 5) -> Cost:
        costs = [self.cost(act) for _ in range(runs)]
        middle = statistics.median
        return Cost(
            middle(each.wall_s for each in costs),
            middle(each.ours_s for each in costs),
            middle(each.server_s for each in costs),
        )

    def _server_s(self) -> float:
        times = self.server.cpu_times()
        return float(times.user + times.system)


def main() -> None:
    """Runs every part in one lab and prints its numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--parts", default="calls,ticks", help="calls, ticks or both")
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    for name in arguments.parts.split(","):
        with tempfile.TemporaryDirectory() as folder, lab(Path(folder)) as server:
            provider = Ec2Provider(
                SETTINGS, aws=patient(), clock=SystemClock(), paths=Paths(folder, folder)
            )
            PARTS[name](Meter(server), provider, Path(folder), arguments.nodes)


def calls(meter: Meter, provider: Ec2Provider, folder: Path, nodes: int) -> None:
    """Single calls while so many machines are there, and while as many that are gone are
    listed too."""
    prices(meter)
    ec2 = boto3.client("ec2")
    for each in (1, 2):
        for _ in range(4):
            fill(ec2, provider, nodes // 4)
        tell(f"list {len(provider.instances())} machines", meter.median(provider.instances, runs=3))
        launches(meter, provider, first=each * 100)
        if each == 1:
            end_all(meter, provider)
    end_all(meter, provider)


def patient() -> Aws:
    """The provider's clients, but for their patience: moto takes longer for a page than EC2 may."""
    slow = Config(read_timeout=600, retries={"total_max_attempts": 1})
    return replace(connect("us-east-1"), reads=boto3.client("ec2", config=slow))


@contextmanager
def lab(folder: Path) -> Iterator[psutil.Process]:
    """A lab in a process of its own, and the environment that leads there."""
    scenario = folder / "scale.yaml"
    types = "".join(
        f"  {name}: {{on_demand_usd_per_h: 0.2, spot_usd_per_h: 0.07}}\n" for name in TYPES
    )
    scenario.write_text(f"machines: none\nzones: [{', '.join(ZONES)}]\nnode_types:\n{types}")
    command = [sys.executable, "-m", "elastic.cli", "lab", "--scenario", str(scenario)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("export "):
                name, _, value = line.removeprefix("export ").strip().partition("=")
                os.environ[name] = shlex.split(value)[0]
            if line.startswith("# bill"):
                break
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)


def prices(meter: Meter) -> None:
    """A first refresh of everything that is sold, the catalog read before."""
    offerings = Ec2Provider(
        SETTINGS, aws=connect("us-east-1"), clock=SystemClock(), paths=Paths("/", "/")
    ).offerings()
    feeds = connect_feeds("us-east-1")
    market = PricedOffers(lambda: offerings, frozenset, lambda node_type: 30.0)

    def refresh() -> None:
        quotes = Ec2Prices(SETTINGS, feeds=feeds, market=market).refresh(time.time())
        assert len(quotes) >= len(offerings)

    tell(
        f"refresh {len(offerings)} prices ({len(TYPES)} types, {len(ZONES)} zones)",
        meter.median(refresh),
    )


def fill(ec2: Any, provider: Ec2Provider, count: int) -> None:
    """Machines of this cluster that the provider did not buy, so that lists are long."""
    subnet_id = next(iter(provider.catalog().subnets.values())).id
    tag = {"ResourceType": "instance", "Tags": [{"Key": CLUSTER, "Value": SETTINGS.cluster}]}
    image = "ami-12c6146b"
    ec2.run_instances(
        ImageId=image,
        InstanceType="c5.large",
        SubnetId=subnet_id,
        MinCount=count,
        MaxCount=count,
        TagSpecifications=[tag],
    )


def launches(meter: Meter, provider: Ec2Provider, *, first: int, runs: int = 3) -> None:
    """Single launches, while so many machines are there already."""
    numbers = iter(range(first, first + runs))

    def launch() -> None:
        number = next(numbers)
        provider.launch(
            LaunchRequest(
                token=f"token-{number}",
                node_ids=(f"node-{number}",),
                job_id="job-1",
                offering=provider.offerings()[0],
                daemon_url="http://127.0.0.1:8470",
                join_token="j",
            )
        )

    tell("launch one more", meter.median(launch, runs=runs))


def ticks(meter: Meter, provider: Ec2Provider, folder: Path, nodes: int) -> None:
    """Ticks of the daemon's loop, with real prices, over jobs that already have all their
    machines."""
    clock = SystemClock()
    store = open_store(f"sqlite:///{folder / 'elasticd.db'}")
    source = Ec2Prices(
        SETTINGS,
        feeds=connect_feeds("us-east-1"),
        market=PricedOffers(
            provider.offerings, lambda: provider.catalog().public_zones, provider.disk_gib
        ),
    )
    reconciler = Reconciler(
        store=store,
        provider=provider,
        prices=source,
        machines=Machines(
            store=store,
            provider=provider,
            terms=LaunchTerms("http://127.0.0.1:1", str),
            right=TerminationPermission(provider.prove_end, 600.0),
            leader_lease=LeaseHolder(
                SETTINGS.cluster, store.holder(), "here", clock, provider.lease_register
            ),
        ),
        rendezvous=AlwaysThere(),
        decide=decide,
        limits=Limits(),
        timeouts=Timeouts(
            register_s=6000.0,
            lease_s=600.0,
            reaction_s=0.0,
            standstill_s=0.0,
        ),
        max_failures=3,
    )
    for number in range(max(1, nodes // JOB_NODES)):
        spec = JobSpec(
            f"job-{number}",
            ("train.py",),
            nodes_min=JOB_NODES,
            nodes_max=JOB_NODES,
            iterations=1_000_000,
            policy="fixed",
            fixed_node_type=TYPES[number % len(TYPES)],
        )
        store.jobs.submit(spec, key=None, request_hash="h", now_s=clock.now_s())
    tell(
        f"tick that launches {nodes} nodes for {max(1, nodes // JOB_NODES)} jobs",
        meter.cost(lambda: reconciler.tick(now_s=clock.now_s())),
    )
    for node in store.nodes.listed():
        store.nodes.joined(node.id, now_s=clock.now_s())
    reconciler.tick(now_s=clock.now_s())
    tell(
        f"tick with {len(store.nodes.listed())} nodes, nothing to do",
        meter.median(lambda: reconciler.tick(now_s=clock.now_s()), runs=3),
    )
    store.close()
    end_all(meter, provider)


def end_all(meter: Meter, provider: Ec2Provider) -> None:
    ids = [
        each.provider_id for each in provider.instances() if each.state is not InstanceState.GONE
    ]

    def end() -> None:
        for provider_id in ids:
            provider.terminate(provider_id, now_s=0.0)

    tell(f"end {len(ids)} machines, one call each", meter.cost(end))


def tell(what: str, cost: Cost) -> None:
    print(
        f"{what:55} {cost.wall_s:8.3f} s; CPU ours {cost.ours_s:7.3f} s, server "
        f"{cost.server_s:7.3f} s",
        flush=True,
    )


PARTS: Mapping[str, Callable[[Meter, Ec2Provider, Path, int], None]] = {
    "calls": calls,
    "ticks": ticks,
}


if __name__ == "__main__":
    main()
