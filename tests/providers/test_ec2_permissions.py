"""What doctor tries and simulates is what the daemon will really ask for, as its own policy weighs
it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from elastic.providers.ec2.account import Scope, policy
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_world import PLAIN, REGION
from tests.providers.iam import Asked, is_allowed
from tests.providers.simulated_policies import of, proved, simulated

served, endpoint, ec2 = ec2_world.served, ec2_world.endpoint, ec2_world.ec2

UNKNOWN = "InvalidPlacementGroup.Unknown"
TYPES = {"NumericEquals": "numeric", "ForAllValues:StringEquals": "stringList"}


def asked_of_iam(endpoint: Endpoint) -> list[tuple[Asked, dict[str, str]]]:
    """Every simulation whose verdict counts, and of which type its context said to be; the first
    only tries to ask."""
    return [_asked(sent) for sent in endpoint.sent("SimulatePrincipalPolicy")[1:]]


def _asked(sent: dict[str, str]) -> tuple[Asked, dict[str, str]]:
    context, types = {}, {}
    for number in itertools.count(1):
        entry = f"ContextEntries.member.{number}."
        if f"{entry}ContextKeyName" not in sent:
            break
        name = sent[f"{entry}ContextKeyName"]
        context[name] = sent[f"{entry}ContextKeyValues.member.1"]
        types[name] = sent[f"{entry}ContextKeyType"]
    return Asked(sent["ActionNames.member.1"], sent["ResourceArns.member.1"], context), types


@pytest.mark.parametrize("is_told_what_is_sold", [True, False])
def test_all_but_the_fences_that_is_simulated_is_allowed_by_the_daemons_own_policy(
    endpoint: Endpoint, is_told_what_is_sold: bool
) -> None:
    endpoint.always["SimulatePrincipalPolicy"] = _always(simulated("allowed"))
    for action in ("RunInstances", "CreateFleet", "CreateLaunchTemplate", "CreateSecurityGroup"):
        endpoint.fail(action, "InsufficientInstanceCapacity", times=9)
    if not is_told_what_is_sold:
        endpoint.forbid("DescribeInstanceTypeOfferings")
    proved(endpoint)
    told = policy("daemon", Scope(PLAIN, REGION))
    allowed = {asked.action for asked, _ in asked_of_iam(endpoint) if is_allowed(told, asked)}
    denied = [asked for asked, _ in asked_of_iam(endpoint) if not is_allowed(told, asked)]
    assert {
        "ec2:RunInstances",
        "ec2:CreateFleet",
        "ec2:CreateLaunchTemplate",
        "ec2:CreateTags",
    } <= allowed
    assert sorted(each.action for each in denied) == [
        "ec2:CreateTags",
        "ec2:RunInstances",
        "ec2:RunInstances",
        "ec2:TerminateInstances",
    ], "the four fences, and nothing else"


def test_what_is_simulated_is_of_the_type_that_the_policys_conditions_compare(
    endpoint: Endpoint,
) -> None:
    endpoint.always["SimulatePrincipalPolicy"] = _always(simulated("allowed"))
    endpoint.fail("RunInstances", "InsufficientInstanceCapacity", times=9)
    proved(endpoint)
    sent = {name: kind for _, types in asked_of_iam(endpoint) for name, kind in types.items()}
    compared = {
        name: TYPES.get(operator, "string")
        for statement in policy("daemon", Scope(PLAIN, REGION))["Statement"]  # type: ignore[attr-defined]
        for operator, pairs in statement.get("Condition", {}).items()
        for name in pairs
    }
    assert {name: kind for name, kind in compared.items() if name in sent} == {
        name: kind for name, kind in sent.items() if name in compared
    }
    assert {"numeric", "stringList", "string"} == set(sent.values())


def test_a_fence_is_open_where_only_what_it_guards_is_allowed(endpoint: Endpoint) -> None:
    """A simulation that lacks more than the fence is about would be denied for another reason."""
    endpoint.always["SimulatePrincipalPolicy"] = _always(simulated("allowed"))
    endpoint.fail("RunInstances", "InsufficientInstanceCapacity", times=9)
    proved(endpoint)
    launches = [asked for asked, _ in asked_of_iam(endpoint) if asked.action == "ec2:RunInstances"]
    (whole, *fences) = [dict(each.context) for each in launches]
    apart = [{name for name in whole if fence.get(name) != whole[name]} for fence in fences]
    assert apart == [{"aws:RequestTag/elasticd:cluster"}, {"ec2:MetadataHttpTokens"}]


def test_a_launch_is_tried_with_the_role_and_the_placement_group_that_nodes_get(
    endpoint: Endpoint,
) -> None:
    settings = PLAIN.model_copy(update={"instance_profile": "nodes", "placement_group": "near"})
    proved(endpoint, settings)
    tried = endpoint.sent("RunInstances")[0]
    assert (tried["IamInstanceProfile.Name"], tried["Placement.GroupName"]) == ("nodes", "near")
    assert tried["DryRun"] == "true"
    endpoint.forbid("RunInstances")
    ((level, found),) = of(proved(endpoint, settings), "aws ec2:RunInstances")
    assert (level, "may not: UnauthorizedOperation" in found) == ("error", True)


def test_what_is_made_is_tried_with_the_settings_tags_and_so_is_it_simulated(
    endpoint: Endpoint,
) -> None:
    endpoint.always["SimulatePrincipalPolicy"] = _always(simulated("allowed"))
    proved(endpoint, PLAIN.model_copy(update={"tags": {"CostCenter": "4711"}}))
    for action in ("RunInstances", "CreateFleet", "CreateLaunchTemplate", "CreateSecurityGroup"):
        tried = endpoint.sent(action)[0]
        given = {name for name, value in tried.items() if value == "CostCenter"}
        assert given, action
        assert {tried[f"{name.removesuffix('Key')}Value"] for name in given} == {"4711"}, action
    endpoint.fail("RunInstances", "InsufficientInstanceCapacity", times=9)
    endpoint.calls.clear()
    proved(endpoint, PLAIN.model_copy(update={"tags": {"CostCenter": "4711"}}))
    asked = next(each for each, _ in asked_of_iam(endpoint) if each.action == "ec2:RunInstances")
    assert asked.context["aws:RequestTag/CostCenter"] == "4711"


def test_a_launch_is_tried_in_the_clusters_group_once_that_is_made(
    endpoint: Endpoint, ec2: Any
) -> None:
    (vpc,) = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    group = ec2.create_security_group(
        GroupName="elasticd-tested", Description="nodes", VpcId=vpc["VpcId"]
    )
    proved(endpoint, PLAIN)
    tried = endpoint.sent("RunInstances")
    assert {each.get("SecurityGroupId.1") for each in tried} == {group["GroupId"]}


def test_the_default_group_is_refused_to_who_may_launch_in_the_clusters(endpoint: Endpoint) -> None:
    denied = (
        "You are not authorized to perform this operation. User: arn:aws:sts::1:assumed-role/d/i is "
        "not authorized to perform: ec2:RunInstances on resource: "
        "arn:aws:ec2:us-east-1:1:security-group/sg-1 because no identity-based policy allows it"
    )
    endpoint.fail("RunInstances", "UnauthorizedOperation", message=denied, times=9)
    found = proved(endpoint, PLAIN)
    assert of(found, "aws ec2:RunInstances") == []
    assert "the cluster's security group is not made yet" in of(found, "aws permissions")[1][1]


def test_a_permission_that_another_policy_denies_names_resource_and_policy(
    endpoint: Endpoint,
) -> None:
    who = f"arn:aws:sts::123456789012:assumed-role/elasticd-daemon-of-a-team/{'i-0' * 7}"
    denied = (
        f"You are not authorized to perform this operation. User: {who} is not authorized to "
        "perform: ec2:RunInstances on resource: arn:aws:ec2:us-east-1:123456789012:instance/* with "
        "an explicit deny in a service control policy."
    )
    code = f" Encoded authorization failure message: {'nwq907' * 200}"
    endpoint.fail("RunInstances", "UnauthorizedOperation", message=denied + code, times=9)
    (found,) = [each for each in proved(endpoint, PLAIN) if each.name == "aws ec2:RunInstances"]
    assert found.found == f"may not: UnauthorizedOperation: {denied}"
    assert found.advice.startswith("a service control policy denies it")


@pytest.mark.parametrize("may_simulate", [True, False])
def test_a_placement_group_that_is_not_there_is_an_error(
    endpoint: Endpoint, may_simulate: bool
) -> None:
    if may_simulate:
        endpoint.always["SimulatePrincipalPolicy"] = _always(simulated("allowed"))
    endpoint.fail("RunInstances", UNKNOWN, message="The Placement Group 'near' is unknown.")
    found = proved(endpoint, PLAIN.model_copy(update={"placement_group": "near"}))
    assert of(found, "aws ec2:RunInstances") == [
        ("error", f"is refused: {UNKNOWN}: The Placement Group 'near' is unknown.")
    ]


@pytest.mark.parametrize("code", ["PendingVerification", "OptInRequired", "AuthFailure"])
def test_what_no_policy_mends_is_told_as_a_refusal_and_keeps_no_fence_shut(
    endpoint: Endpoint, code: str
) -> None:
    endpoint.forbid("RunInstances", code)
    found = proved(endpoint)
    ((level, text),) = of(found, "aws ec2:RunInstances")
    assert (level, text.startswith(f"is refused: {code}")) == ("error", True)
    assert ("ok", "may not launch without IMDSv2") not in of(found, "aws fence")


def _always(body: str) -> Any:
    scratch = Endpoint()
    scratch.answer("SimulatePrincipalPolicy", body)
    return scratch.scripted["SimulatePrincipalPolicy"][0]
