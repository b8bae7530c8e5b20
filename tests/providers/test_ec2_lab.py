"""The provider against the lab, as against a fresh account: nothing of its network is configured."""

from __future__ import annotations

import pytest

from elastic.config import Ec2Settings
from elastic.model import Capacity, Offering
from elastic.providers.base import InstanceState
from tests.lab import conftest
from tests.lab.conftest import StartLab
from tests.providers import ec2_world
from tests.providers.contract import buy, request

start_lab = conftest.start_lab

SETTINGS = Ec2Settings(cluster="tested", region="us-east-1", types=("c5.large",), bootstrap="true")
SPOT = Offering("c5.large", Capacity.SPOT, "us-east-1b")


def test_without_settings_nodes_are_put_into_the_default_subnets(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = start_lab()
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    provider = ec2_world.provider_of(SETTINGS)
    assert {each.zone for each in provider.offerings()} == set(lab.subnets)
    assert provider.catalog().public_zones == set(lab.subnets), "a default subnet gives public addresses, which cost"
    bought = buy(provider, request(1, SPOT))
    (there,) = lab.running()
    assert (there.instance_id, there.zone) == (bought.provider_id, "us-east-1b")
    provider.terminate(bought.provider_id, now_s=0.0)
    assert provider.instances()[0].state is InstanceState.GONE
