from __future__ import annotations

import boto3
import pytest

from elastic.errors import ProviderError, ProviderUnavailable
from elastic.providers import LeaseRegister
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.leases import MINE, OTHERS, LeaseContract

served = ec2_world.served
endpoint = ec2_world.endpoint
NAME = "/elasticd/tested/claim"


@pytest.fixture
def register(endpoint: Endpoint) -> LeaseRegister:
    return ec2_world.provider_of().lease_register


class TestLeases(LeaseContract):
    """The Parameter Store's register keeps the contract."""


def test_what_no_daemon_wrote_is_no_lease(register: LeaseRegister) -> None:
    register.write(MINE, after=0)
    boto3.client("ssm", region_name=ec2_world.REGION).put_parameter(
        Name=NAME, Value="hello", Overwrite=True
    )
    version, lease = register.read()
    assert (version, lease and lease.holder) == (2, "mine")
    assert register.write(OTHERS, after=2)


def test_a_write_whose_answer_was_lost_is_found_by_reading(
    register: LeaseRegister, endpoint: Endpoint
) -> None:
    endpoint.lose("PutParameter")
    assert not register.write(MINE, after=0), (
        "the client asked twice, and the second write lost to its first"
    )
    version, lease = register.read()
    assert (version, lease and lease.holder) == (2, "mine")


def test_a_crowd_of_losers_is_no_answer(register: LeaseRegister) -> None:
    for _ in range(25):
        register.write(MINE, after=0)
    with pytest.raises(ProviderUnavailable, match="lost a race"):
        register.read()


def test_a_refusal_says_what_to_allow(register: LeaseRegister, endpoint: Endpoint) -> None:
    endpoint.fail("PutParameter", "AccessDeniedException")
    with pytest.raises(ProviderError):
        register.write(MINE, after=0)


def test_a_write_beside_another_daemons_may_be_repeated(
    register: LeaseRegister, endpoint: Endpoint
) -> None:
    error = {"__type": "TooManyUpdates", "message": "There are concurrent updates for a resource"}
    endpoint.answer_json("PutParameter", error, status="400 Bad Request")
    with pytest.raises(ProviderUnavailable, match="it may be repeated"):
        register.write(MINE, after=0)
    assert register.write(MINE, after=0)
