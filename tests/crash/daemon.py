"""The daemon's process: the real store, reconciler, provider, prices and routes, told by a pipe
what happens when."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from api.deps import Context
from api.routers import agent
from elastic.clock import ManualClock
from elastic.config import Ec2Settings, Settings
from elastic.errors import ElasticError
from elastic.model import Action, Capacity, Group, Job, JobSpec, Limits, Plan, Reason, Snapshot
from elastic.pricing.ec2 import Ec2Prices, Feeds, PricedOffers
from elastic.protocol import Heartbeat, HeartbeatReply, Registered, Registration
from elastic.providers.ec2 import Aws, Ec2Provider, Paths
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    NodeTokens,
    Reconciler,
    TerminationPermission,
)
from elastic.store import migrate
from tests.builders import timeouts
from tests.crash.points import Point, Watch, WatchedStore, watch_cloud
from tests.reconciler.virtual import FakeRendezvous

SECRET = b"a secret"
NODES = 2
LEASE_S = 600.0


def cheapest(snapshot: Snapshot) -> Plan:
    """A policy that wants two nodes of whatever spot capacity costs least now."""
    newest = {
        price.offering: price.usd_per_h
        for price in sorted(snapshot.prices, key=lambda each: each.valid_from_s)
    }
    spot = [
        (usd_per_h, offering)
        for offering, usd_per_h in newest.items()
        if offering.capacity is Capacity.SPOT
    ]
    if not spot:
        return Plan(Action.HOLD, snapshot.target, Reason("no_price", "no price is known"))
    usd_per_h, offering = min(spot)
    wanted = Group.of(offering, NODES)
    reason = Reason("cheapest", f"{offering} costs least", {"usd_per_h": usd_per_h})
    if snapshot.target == wanted:
        return Plan(Action.HOLD, wanted, reason)
    return Plan(Action.START if snapshot.target is None else Action.MOVE, wanted, reason)


@dataclass(frozen=True, slots=True)
class Site:
    """What every daemon of one run starts from: the folder with its database, its cluster's name,
    and its clients."""

    folder: Path
    cluster: str
    aws: Aws
    feeds: Feeds
    started_at_s: float

    @property
    def url(self) -> str:
        return f"sqlite:///{self.folder / 'elasticd.db'}"


class Daemon:
    """A daemon in a child process; each of its answers is None if it died over the question."""

    def __init__(self, site: Site, *, die_at: Point | None) -> None:
        self._line, theirs = multiprocessing.Pipe()
        self.points: list[Point] = []
        self.pid = os.fork()
        if self.pid == 0:
            self._line.close()
            _run(site, die_at, theirs)
        theirs.close()

    def ask(self, what: str, *args: Any, stage: str, now_s: float) -> tuple[str, Any] | None:
        """Gives `("ok", answer)`, `("error", its name)`, or None once the daemon is dead."""
        try:
            self._line.send((what, args, stage, now_s))
            status, answer, points = self._line.recv()
        except (EOFError, ConnectionError):
            return None
        self.points += points
        return status, answer

    def end(self) -> int:
        """Waits for its end, asking for it if it still lives; gives the status that it ended
        with."""
        self._line.close()
        return os.waitpid(self.pid, 0)[1]


def _run(site: Site, die_at: Point | None, line: Connection) -> None:
    """Answers until nobody asks any more; leaves by `os._exit`, for all around is its parent's."""
    code = 1
    try:
        crossed: list[Point] = []
        watch = Watch(die_at, tell=crossed.append)
        for client in (site.aws.reads, site.aws.launches, site.aws.endings):
            watch_cloud(client, watch)
        parts = Parts(site, watch)
        while True:
            line.send((*parts.answer(*line.recv()), crossed))
            crossed.clear()
    except EOFError:
        code = 0
    except Exception:  # noqa: BLE001 (its traceback is all that will be left of this process)
        traceback.print_exc()
    finally:
        os._exit(code)


class Rehearsal:
    """A daemon in this very process, which cannot die: what it warms up, its forks inherit."""

    def __init__(self, site: Site) -> None:
        self.points: list[Point] = []
        self._parts = Parts(site, Watch(None))

    def ask(self, what: str, *args: Any, stage: str, now_s: float) -> tuple[str, Any] | None:
        return self._parts.answer(what, args, stage, now_s)

    def end(self) -> None:
        self._parts.store.close()


class Parts:
    """What a daemon is made of, and what may be asked of it."""

    def __init__(self, site: Site, watch: Watch) -> None:
        self.watch, self.clock = watch, ManualClock(site.started_at_s)
        migrate(site.url)
        self.store = WatchedStore(site.url, watch)
        ec2 = Ec2Settings(
            cluster=site.cluster,
            region="us-east-1",
            types=("c5.large", "c5.xlarge"),
            zones=("us-east-1a",),
            capacities=("spot",),
            bootstrap="true",
        )
        provider = Ec2Provider(
            ec2,
            aws=site.aws,
            clock=self.clock,
            paths=Paths(str(site.folder), str(site.folder)),
            lease_s=LEASE_S,
        )
        market = PricedOffers(
            lambda: provider.catalog().offerings,
            lambda: provider.catalog().public_zones,
            provider.disk_gib,
        )
        prices = Ec2Prices(
            ec2,
            feeds=site.feeds,
            market=market,
            observed_to_s=self.store.prices.observed_to_s("ec2", Capacity.SPOT),
        )
        tokens = NodeTokens(SECRET)
        right = TerminationPermission(provider.prove_end, LEASE_S, self.clock.now_s)
        self.reconciler = Reconciler(
            store=self.store,
            provider=provider,
            prices=prices,
            machines=Machines(
                store=self.store,
                provider=provider,
                right=right,
                terms=LaunchTerms("http://127.0.0.1:1", tokens.join_token),
                leader_lease=LeaseHolder(
                    site.cluster,
                    self.store.holder(),
                    str(site.folder),
                    self.clock,
                    provider.lease_register,
                ),
            ),
            rendezvous=FakeRendezvous(),
            decide=cheapest,
            limits=Limits(),
            timeouts=timeouts(lease_s=LEASE_S, reaction_s=0.0),
            max_failures=3,
        )
        self.context = Context(
            store=self.store,
            clock=self.clock,
            settings=Settings(data_dir=site.folder),
            provider=provider,
            node_tokens=tokens,
            wake=_no_wake,
            user_token="",
            right=right,
        )

    def answer(self, what: str, args: Sequence[Any], stage: str, now_s: float) -> tuple[str, Any]:
        """Does what the method of this name does, in this stage and at this instant."""
        self.clock.advance(now_s - self.clock.now_s())
        self.watch.stage = stage
        try:
            return "ok", getattr(self, what)(*args)
        except (ElasticError, ExceptionGroup) as error:
            return "error", repr(error)

    def submit(self, key: str) -> Job:
        spec = JobSpec("crash", ("train.py",), nodes_min=NODES, nodes_max=NODES)
        return self.store.jobs.submit(spec, key=key, request_hash="h", now_s=self.clock.now_s())[0]

    def tick(self) -> None:
        self.reconciler.tick(now_s=self.clock.now_s())

    def job(self, job_id: str) -> Job:
        return self.store.jobs.get(job_id)

    def register(self, registration: Registration) -> Registered:
        return agent.register(registration, self.context)

    def heartbeat(self, said: Heartbeat, token: str) -> HeartbeatReply:
        return agent.answer_heartbeat(said, self.context, f"Bearer {token}")


def _no_wake() -> None:
    pass
