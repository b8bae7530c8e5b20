"""Two ways to buy, CreateFleet and RunInstances: a machine is the same by either, and one intent buys by one alone."""

from __future__ import annotations

import base64
import gzip

import pytest

from elastic.model import Capacity, Offering
from tests.providers import ec2_world
from tests.providers.contract import buy, request
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_world import PLAIN, provider_of

served, endpoint = ec2_world.served, ec2_world.endpoint

pytestmark = pytest.mark.usefixtures("endpoint")

HERE = Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a")


@pytest.mark.parametrize("bootstrap", ["true", "true\n" + "".join(f"echo {n}\n" for n in range(2000))])
def test_user_data_is_the_same_by_either_way(endpoint: Endpoint, bootstrap: str) -> None:
    endpoint.forbid("CreateFleet")
    buy(provider_of(PLAIN.model_copy(update={"bootstrap": bootstrap})), request(1, HERE))
    (version,) = endpoint.sent("CreateLaunchTemplateVersion")
    (sent,) = endpoint.sent("RunInstances")
    got = base64.b64decode(sent["UserData"], validate=True)
    assert got == base64.b64decode(version["LaunchTemplateData.UserData"], validate=True)
    script = got if got.startswith(b"#!") else gzip.decompress(got)
    assert script.startswith(b"#!/bin/")
    assert b"secret-1" in script, "the agent's settings are in it"
