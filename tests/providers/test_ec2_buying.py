"""Two ways to buy, CreateFleet and RunInstances: a machine is the same by either, and one intent
buys by one alone."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import pytest

from elastic.clock import ManualClock
from elastic.errors import Forbidden, ProviderError, ProviderUnavailable
from elastic.model import Capacity, Offering
from tests.providers import ec2_world
from tests.providers.contract import OnRecord, buy, request
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_world import PLAIN, provider_of

served, endpoint, clock = ec2_world.served, ec2_world.endpoint, ec2_world.clock
ec2 = ec2_world.ec2

pytestmark = pytest.mark.usefixtures("endpoint")

HERE = Offering("c5.large", Capacity.ON_DEMAND, "us-east-1a")
NOTHING_SOLD = "<fleetId>fleet-1</fleetId><fleetInstanceSet/><errorSet/>"


@pytest.mark.parametrize(
    "bootstrap", ["true", "true\n" + "".join(f"echo {n}\n" for n in range(2000))]
)
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


@pytest.mark.parametrize("restarts", [False, True])
def test_what_runinstances_may_have_bought_is_asked_of_no_fleet(
    endpoint: Endpoint, restarts: bool
) -> None:
    endpoint.forbid("CreateFleet")
    provider, intent = provider_of(), OnRecord(request(1, HERE))
    for _ in range(5):  # the client tries again by itself
        endpoint.lose("RunInstances")
    with pytest.raises(ProviderUnavailable):
        buy(provider, intent.request())
    endpoint.scripted.clear()
    endpoint.always.clear()
    provider = provider_of() if restarts else provider
    endpoint.answer("DescribeInstances", "<reservationSet/>", times=3)  # it is not listed yet
    buy(provider, intent.request())
    assert len(endpoint.sent("CreateFleet")) == 1, "of before it was permitted"
    assert {sent["ClientToken"] for sent in endpoint.sent("RunInstances")} == {"token-1"}, (
        "EC2 gives what it sold then"
    )


@pytest.mark.parametrize("restarts", [False, True])
def test_what_a_fleet_may_have_bought_is_asked_of_no_other_call(
    endpoint: Endpoint, restarts: bool
) -> None:
    provider, intent = provider_of(), OnRecord(request(1, HERE))
    endpoint.lose("CreateFleet")
    endpoint.answer("DescribeInstances", "<reservationSet/>", times=9)  # it is not listed yet
    with pytest.raises(ProviderUnavailable):
        buy(provider, intent.request())
    provider = provider_of() if restarts else provider
    endpoint.forbid("CreateFleet")
    for _ in range(2):
        with pytest.raises(ProviderUnavailable, match="may have bought"):
            buy(provider, intent.request())
    assert endpoint.sent("RunInstances") == []
    buy(provider, request(2, HERE))
    assert [sent["ClientToken"] for sent in endpoint.sent("RunInstances")] == ["token-2"], (
        "of that there is no doubt"
    )
    endpoint.scripted.clear()
    assert buy(provider, intent.request()).token == "token-1", "once it is listed"


def refuse_fleets(endpoint: Endpoint, code: str, *, is_in_answer: bool) -> None:
    """Lets EC2 refuse each fleet: by an error, or in an answer whose fleet holds nothing."""
    if is_in_answer:
        refusal = f"<errorSet><item><errorCode>{code}</errorCode></item></errorSet>"
        endpoint.answer("CreateFleet", NOTHING_SOLD.replace("<errorSet/>", refusal))
    else:
        endpoint.fail("CreateFleet", code)


@pytest.mark.parametrize("is_in_answer", [False, True])
def test_an_account_that_may_have_no_fleet_buys_by_runinstances(
    endpoint: Endpoint, is_in_answer: bool
) -> None:
    code = "MaxFleetCountExceeded"
    refuse_fleets(endpoint, code, is_in_answer=is_in_answer)
    assert buy(provider_of(), request(1, HERE)).offering == HERE
    assert len(endpoint.sent("RunInstances")) == 1


@pytest.mark.parametrize("has_fleets", [True, False])
def test_an_account_on_the_free_plan_is_told_what_it_may_buy(
    endpoint: Endpoint, has_fleets: bool
) -> None:
    code = "InvalidParameterCombination"
    said = "The specified instance type is not eligible for Free Tier."
    if has_fleets:
        item = f"<item><errorCode>{code}</errorCode><errorMessage>{said}</errorMessage></item>"
        refusal = f"<errorSet>{item}</errorSet>"
        endpoint.answer("CreateFleet", NOTHING_SOLD.replace("<errorSet/>", refusal))
    else:
        endpoint.forbid("CreateFleet")
        endpoint.fail("RunInstances", code, message=said)
    with pytest.raises(Forbidden, match="upgrade it to the paid plan, or name types"):
        buy(provider_of(), request(1, HERE))


def test_a_fleet_that_was_throttled_bought_nothing(endpoint: Endpoint, clock: ManualClock) -> None:
    provider, intent = provider_of(clock=clock), OnRecord(request(1, HERE))
    endpoint.fail("CreateFleet", "RequestLimitExceeded", status=503)
    with pytest.raises(ProviderUnavailable):
        buy(provider, intent.request())
    endpoint.forbid("CreateFleet")
    clock.advance(2)
    buy(provider, intent.request())
    assert len(endpoint.sent("RunInstances")) == 1


@pytest.mark.parametrize(
    ("action", "code", "is_of_the_token"),
    [
        ("CreateFleet", "InsufficientInstanceCapacity", True),
        ("CreateFleet", "InsufficientVolumeCapacity", True),
        ("CreateFleet", "FleetLimitExceeded", True),
        ("CreateFleet", "ExpiredToken", False),
        ("CreateFleet", "RequestExpired", False),
        ("CreateLaunchTemplateVersion", "VersionLimitExceeded", False),
        ("CreateLaunchTemplate", "LaunchTemplateLimitExceeded", False),
        ("DescribeSubnets", "UnauthorizedOperation", False),
    ],
)
def test_only_a_refusal_of_the_purchase_itself_says_that_its_token_bought_nothing(
    endpoint: Endpoint, action: str, code: str, is_of_the_token: bool
) -> None:
    endpoint.forbid(action, code)
    with pytest.raises(ProviderError) as told:
        buy(provider_of(), request(1, HERE))
    assert told.value.bought_nothing is is_of_the_token


def test_a_fleet_that_sold_nothing_says_that_its_token_bought_nothing(endpoint: Endpoint) -> None:
    endpoint.answer("CreateFleet", NOTHING_SOLD)
    with pytest.raises(ProviderError) as told:
        buy(provider_of(), request(1, HERE))
    assert told.value.bought_nothing


def _group_asked_for(endpoint: Endpoint) -> str:
    return endpoint.sent("CreateLaunchTemplateVersion")[-1]["LaunchTemplateData.SecurityGroupId.1"]


@pytest.mark.parametrize("is_in_the_fleets_errors", [False, True])
def test_a_security_group_that_was_removed_is_made_anew_for_the_next_purchase(
    endpoint: Endpoint, ec2: Any, is_in_the_fleets_errors: bool
) -> None:
    provider = provider_of()
    buy(provider, request(1, HERE))
    removed = _group_asked_for(endpoint)
    ec2.delete_security_group(GroupId=removed)
    code = "InvalidGroup.NotFound"
    refuse_fleets(endpoint, code, is_in_answer=is_in_the_fleets_errors)
    with pytest.raises(ProviderError, match=code) as refused:
        buy(provider, request(2, HERE))
    assert not isinstance(refused.value, ProviderUnavailable), (
        "the same call would name the group that is gone"
    )
    buy(provider, request(3, HERE))
    (group,) = ec2.describe_security_groups(GroupIds=[_group_asked_for(endpoint)])["SecurityGroups"]
    assert group["GroupId"] != removed


@pytest.mark.parametrize(
    "code", ["InvalidGroup.NotFound", "InvalidLaunchTemplateId.VersionNotFound"]
)
def test_what_was_made_a_moment_ago_and_is_not_seen_yet_is_asked_for_again(
    endpoint: Endpoint, code: str
) -> None:
    provider, intent = provider_of(), OnRecord(request(1, HERE))
    endpoint.fail("CreateFleet", code)
    with pytest.raises(ProviderUnavailable, match="not visible yet"):
        buy(provider, intent.request())
    assert buy(provider, intent.request()).token == "token-1"
