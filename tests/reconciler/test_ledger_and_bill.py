"""The ledger against the lab's bill: random prices, launches, interruptions and daemons that were
away."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic.model import (
    Action,
    Capacity,
    Group,
    JobPhase,
    JobSpec,
    Limits,
    Offering,
    Plan,
    Reason,
    Snapshot,
)
from elastic.pricing import PRICE_SOURCES, PriceSetup
from elastic.providers.ec2 import Ec2Provider, Paths, connect
from elastic.reconciler import LaunchTerms, LeaseHolder, Machines, Reconciler, TerminationPermission
from elastic.store import Store, open_store
from elastic_lab import Lab, parse_scenario, running_lab
from tests.builders import timeouts
from tests.empty_database import lay_out
from tests.reconciler.virtual import FakeRendezvous

TICK_S, SOON_S = 60.0, 5.0
LASTS_S = 2 * 3600.0
TYPES = ("c5.large", "c5.xlarge")
ZONES = ("us-east-1a", "us-east-1b")
OFFERINGS = tuple(
    Offering(each, capacity, zone) for each in TYPES for capacity in Capacity for zone in ZONES
)


def scenario(chance: random.Random) -> dict[str, object]:
    changes = [
        {
            "after_s": chance.uniform(60, LASTS_S),
            "node_type": chance.choice(TYPES),
            "zone": chance.choice((None, *ZONES)),
            "spot_usd_per_h": round(chance.uniform(0.03, 0.09), 4),
        }
        for _ in range(20)
    ]
    return {
        "node_types": {
            "c5.large": {"on_demand_usd_per_h": 0.085, "spot_usd_per_h": 0.034},
            "c5.xlarge": {"on_demand_usd_per_h": 0.17, "spot_usd_per_h": 0.062},
        },
        "zones": ZONES,
        "machines": "none",
        "boot_delay_s": 3.0,
        "prices": changes,
    }


class World:
    """A daemon's inner parts over a lab, both on one clock; `restart` forgets all but the
    database."""

    def __init__(
        self, folder: Path, lab: Lab, clock: ManualClock, decide: Callable[[Snapshot], Plan]
    ) -> None:
        self.folder, self.lab, self.clock, self.decide = folder, lab, clock, decide
        self.aws = connect(lab.region)
        self.settings = Ec2Settings(
            cluster="billed", region=lab.region, types=TYPES, bootstrap="true"
        )
        self.started_at_s = clock.now_s()
        self.restart()

    def restart(self) -> None:
        self.store: Store = open_store(lay_out(self.folder / "elasticd.db"))
        paths = Paths(str(self.folder), str(self.folder))
        provider = Ec2Provider(self.settings, aws=self.aws, clock=self.clock, paths=paths)
        setup = PriceSetup(
            started_at_s=self.started_at_s,
            ec2=self.settings,
            offerings=lambda: provider.catalog().offerings,
            public_zones=lambda: provider.catalog().public_zones,
            disk_gib=provider.disk_gib,
            observed_to_s=self.store.prices.observed_to_s,
        )
        self.reconciler = Reconciler(
            store=self.store,
            provider=provider,
            prices=PRICE_SOURCES["ec2"](setup),
            machines=Machines(
                store=self.store,
                provider=provider,
                right=TerminationPermission(provider.prove_end, 1e9),
                leader_lease=LeaseHolder(
                    "tested", self.store.holder(), "here", self.clock, provider.lease_register
                ),
                terms=LaunchTerms("http://127.0.0.1:1", str),
            ),
            rendezvous=FakeRendezvous(),
            decide=self.decide,
            limits=Limits(),
            timeouts=timeouts(register_s=1e9, lease_s=1e9, reaction_s=0.0),
            max_failures=10**9,
        )

    def tick(self) -> None:
        self.reconciler.tick(now_s=self.clock.now_s())

    def pass_by(self, duration_s: float) -> None:
        self.clock.advance(duration_s)
        self.lab.catch_up()


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))]
)
def test_the_ledger_is_the_bill_within_one_percent(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    wanted = Group(((chance.choice(OFFERINGS), 1),))

    def decide(snapshot: Snapshot) -> Plan:
        return Plan(
            Action.HOLD if snapshot.target == wanted else Action.MOVE,
            wanted,
            Reason("told", "as told"),
        )

    clock = ManualClock(time.time())
    with running_lab(parse_scenario(scenario(chance)), clock=clock) as lab:
        for name, value in lab.environment().items():
            monkeypatch.setenv(name, value)
        world = World(tmp_path, lab, clock, decide)
        spec = JobSpec("billed", ("train.py",), nodes_max=4)
        job = world.store.jobs.submit(spec, key=None, request_hash="h", now_s=clock.now_s())[0]
        ends_at_s = clock.now_s() + LASTS_S
        while clock.now_s() < ends_at_s:
            world.tick()
            is_pending = any(each.phase == "pending" for each in lab.running())
            world.pass_by(chance.uniform(0.1, 1.0) * (SOON_S if is_pending else TICK_S))
            if chance.random() < 0.04:
                wanted = Group(((chance.choice(OFFERINGS), chance.randint(1, 3)),))
            if chance.random() < 0.02:
                spot = [each for each in lab.running() if each.capacity == "spot"]
                for each in spot[:1]:
                    lab.interrupt(each.instance_id, notice_s=0.0)
                    world.pass_by(0.0)
            if chance.random() < 0.02:
                for _ in range(10):  # the daemon is away, its world is not
                    world.pass_by(chance.uniform(0, 240))
                world.restart()
        world.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=clock.now_s())
        for _ in range(5):
            world.tick()
            world.pass_by(TICK_S)
        billed_usd = lab.bill().usd
        assert lab.running() == ()
        assert len(lab.bill().lines) > 10
        by_node = compared(world, lab, job.id)
        assert world.store.ledger.spent(job.id, clock.now_s()) == pytest.approx(
            billed_usd, rel=0.01
        ), by_node


@pytest.mark.parametrize(("is_crash", "is_waived"), [(False, True), (True, False)])
def test_an_instance_that_never_ran_costs_no_more_than_its_disk_and_address(
    is_crash: bool, is_waived: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """EC2 ends both by the same code; the one that crashed was seen running."""
    wanted = Group(((OFFERINGS[0], 1),))

    def decide(snapshot: Snapshot) -> Plan:
        return Plan(
            Action.HOLD if snapshot.target else Action.START, wanted, Reason("told", "as told")
        )

    clock = ManualClock(time.time())
    failures = (
        [] if is_crash else [{"node_type": "c5.large", "launch": 1, "code": "Server.InternalError"}]
    )
    fields = scenario(random.Random(0)) | {"prices": [], "launch_failures": failures}
    with running_lab(parse_scenario(fields), clock=clock) as lab:
        for name, value in lab.environment().items():
            monkeypatch.setenv(name, value)
        world = World(tmp_path, lab, clock, decide)
        spec = JobSpec("billed", ("train.py",))
        job = world.store.jobs.submit(spec, key=None, request_hash="h", now_s=clock.now_s())[0]
        for _ in range(5):  # it is bought, then seen as pending for 3 s
            world.tick()
            world.pass_by(1.0)
        if is_crash:
            lab.crash(lab.running()[0].instance_id)
        world.store.jobs.request_stop(job.id, JobPhase.CANCELLED, None, now_s=clock.now_s())
        for _ in range(3):
            world.pass_by(TICK_S)
            world.tick()
        rows = world.store.ledger.of_job(job.id)
        assert [rows[-1].is_waived, all(row.is_waived for row in rows)] == [is_waived] * 2
        told_apart_usd = 1e-4 if is_waived else 0.0  # the ledger knows disk and address as one
        billed_usd = pytest.approx(lab.bill().usd, rel=0.01, abs=told_apart_usd)
        assert world.store.ledger.spent(job.id, clock.now_s()) == billed_usd, compared(
            world, lab, job.id
        )


def compared(world: World, lab: Lab, job_id: str) -> str:
    """Each node's dollars by the ledger and by the bill, for whoever must find out why they
    differ."""
    rows, now_s = world.store.ledger.of_job(job_id), world.clock.now_s()
    billed = {line.instance_id: line for line in lab.bill().lines}
    lines = []
    for node in world.store.nodes.listed(job_id, include_gone=True):
        usd = sum(row.usd(now_s) for row in rows if row.node_id == node.id)
        if (line := billed.pop(node.provider_id or "", None)) is not None:
            lines.append(
                f"{node.offering}: ledger {usd:.5f}, bill {line.usd:.5f}, ran {line.running_s:.1f} "
                "s"
            )
    return "\n".join([*lines, *(f"not in the ledger: {line}" for line in billed.values())])
