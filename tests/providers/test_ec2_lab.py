"""The provider against the lab, as against a fresh account: nothing of its network is
configured."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import boto3
import pytest

from elastic.clock import ManualClock
from elastic.config import Ec2Settings
from elastic.model import Capacity, Offering
from elastic.providers import InstanceState
from elastic_lab import CapacityWindow, parse_scenario, running_lab
from tests.agent.conftest import FakeDaemon
from tests.lab import conftest
from tests.lab.conftest import StartLab
from tests.lab.world import FIELDS, eventually
from tests.providers import ec2_world
from tests.providers.contract import ProviderContract, World, buy, request
from tests.providers.few_images import few_images

start_lab = conftest.start_lab

SETTINGS = Ec2Settings(
    cluster="tested",
    region="us-east-1",
    types=("c5.large",),
    bootstrap="true",
    tags={"CostCenter": "4711"},
)
SPOT = Offering("c5.large", Capacity.SPOT, "us-east-1b")


class TestEc2ProviderOnTheLab(ProviderContract):
    """The lab honours tokens and minimums, boots and ends machines in time, and has a bound to what
    it sells."""

    @pytest.fixture
    def world(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
        started_at_s = float(math.floor(time.time()))
        clock = ManualClock(started_at_s)
        with few_images(), running_lab(parse_scenario(FIELDS), clock=clock) as lab:
            for name, value in lab.environment().items():
                monkeypatch.setenv(name, value)
            ec2 = boto3.client("ec2", region_name="us-east-1")

            def pass_time() -> None:
                clock.advance(60.0)
                lab.catch_up()

            def destroy(provider_id: str) -> None:
                ec2.terminate_instances(InstanceIds=[provider_id])
                pass_time()

            def limit(offering: Offering, most: int) -> None:
                # Windows add up, and the smallest holds.
                until_s = clock.now_s() - started_at_s + 30.0
                lab.add_trouble(
                    CapacityWindow(
                        offering.node_type, offering.zone, until_s=until_s, available=most
                    )
                )

            yield World(
                connect=lambda: ec2_world.provider_of(SETTINGS, clock=clock),
                clock=clock,
                pass_time=pass_time,
                destroy=destroy,
                limit=limit,
            )
            provider = ec2_world.provider_of(SETTINGS, clock=clock)
            for each in provider.instances():
                provider.terminate(each.provider_id, now_s=clock.now_s())
            pass_time()
            left = [each.instance_id for each in lab.running()]
        assert left == [], "whoever ends all machines that the provider tells of leaves none"


def test_why_a_machine_ended_at_its_launch_is_told_and_why_one_was_ended_is_not(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = start_lab(machines="none", launch_failures=[{"node_type": "c5.large", "launch": 1}])
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    provider = ec2_world.provider_of(SETTINGS)
    failed, good = (buy(provider, request(number, SPOT)).provider_id for number in (1, 2))
    lab.catch_up()
    provider.terminate(good, now_s=0.0)
    said = {each.provider_id: (each.state, each.ended_because) for each in provider.instances()}
    why = (
        "Client.InternalError: Client error on launch (often the account's own KMS key for disks, "
        "which these roles may not use: docs/how-to/aws-account.md, section 6)"
    )
    assert said[failed] == (InstanceState.GONE, why)
    assert said[good] == (InstanceState.GONE, "")


def test_without_settings_nodes_are_put_into_the_default_subnets(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = start_lab()
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    provider = ec2_world.provider_of(SETTINGS)
    assert {each.zone for each in provider.offerings()} == set(lab.subnets)
    assert provider.catalog().public_zones == set(lab.subnets), (
        "a default subnet gives public addresses, which cost"
    )
    bought = buy(provider, request(1, SPOT))
    (there,) = lab.running()
    assert (there.instance_id, there.zone) == (bought.provider_id, "us-east-1b")
    provider.terminate(bought.provider_id, now_s=0.0)
    assert provider.instances()[0].state is InstanceState.GONE


def test_a_node_with_gpus_is_bought_with_the_defaults(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = {
        "g4dn.xlarge": {"on_demand_usd_per_h": 0.526},
        "c5.large": {"on_demand_usd_per_h": 0.085},
    }
    lab = start_lab(machines="none", node_types=types)
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    provider = ec2_world.provider_of(SETTINGS.model_copy(update={"types": tuple(types)}))
    bought = [
        buy(provider, request(number, Offering(each, zone="us-east-1a")))
        for number, each in enumerate(types)
    ]
    ec2 = boto3.client("ec2", region_name="us-east-1")
    sizes = {each["Size"] for each in ec2.describe_volumes()["Volumes"]}
    assert sizes == {provider.disk_gib(each) for each in types} == {75 + 22, 15 + 22}
    for each in bought:
        provider.terminate(each.provider_id, now_s=0.0)


@pytest.mark.slow
def test_a_node_that_runinstances_bought_boots_and_joins(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbidden = {
        "effect": "error",
        "action": "CreateFleet",
        "code": "UnauthorizedOperation",
        "times": 10,
    }
    lab = start_lab(machines="processes", faults=[forbidden])
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    with closing(FakeDaemon()) as daemon:
        bought = buy(
            ec2_world.provider_of(SETTINGS), replace(request(1, SPOT), daemon_url=daemon.url)
        )
        eventually(lambda: bool(daemon.heartbeats), within_s=60.0)
        assert [each["join_token"] for each in daemon.registrations] == ["secret-1"]
        daemon.shutdown = True
        eventually(lambda: not lab.running(), within_s=60.0)
        assert [each.instance_id for each in lab.instances()] == [bought.provider_id]
