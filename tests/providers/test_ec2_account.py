"""An account is proved: each thing that can be wrong with it is told, with what to do."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.clock import ManualClock, SystemClock
from elastic.config import Ec2Settings
from elastic.model import Capacity, Offering
from elastic.providers.ec2.account import PROBES, account_findings, connect_account
from elastic.providers.ec2.account.reach import judge_reach
from elastic.providers.ec2.quotas import QUOTAS, family_of, what_is_missing
from tests.lab import conftest
from tests.lab.conftest import StartLab
from tests.lab.world import IMAGE
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_world import PLAIN
from tests.providers.simulated_policies import (
    PORTS,
    account_at,
    of,
    proved,
    simulated,
)

served, endpoint, ec2 = ec2_world.served, ec2_world.endpoint, ec2_world.ec2

start_lab = conftest.start_lab

ROLE = '{"Version":"2012-10-17","Statement":[]}'


def quota(vcpus: float) -> dict[str, object]:
    return {"Quota": {"ServiceCode": "ec2", "Value": vcpus}}


def test_an_account_in_order_has_no_errors_and_nothing_is_changed(
    endpoint: Endpoint, ec2: Any
) -> None:
    before = _made(ec2)
    found = proved(endpoint)
    assert [each for each in found if each.level == "error"] == []
    assert all(each.advice for each in found if each.level != "ok"), (
        "whatever is not in order says what to do"
    )
    assert _made(ec2) == before


def _made(ec2: Any) -> tuple[int, ...]:
    groups = ec2.describe_security_groups()["SecurityGroups"]
    templates, instances = (
        ec2.describe_launch_templates()["LaunchTemplates"],
        ec2.describe_instances()["Reservations"],
    )
    return len(groups), len(templates), len(instances), len(ec2.describe_fleets()["Fleets"])


def test_against_the_lab_quotas_and_ways_out_are_told_as_well(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = start_lab()
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    settings = Ec2Settings(types=tuple(lab.scenario.node_types), region=lab.region)
    account = connect_account(lab.region)
    found = list(
        account_findings(
            account, settings, host=lab.gateway, ports=PORTS, nodes=2, clock=SystemClock()
        )
    )
    assert [each for each in found if each.level == "error"] == []
    assert [level for level, _ in of(found, "aws quota")] == ["ok", "ok"]
    assert [level for level, _ in of(found, "aws subnet us-east-1a")] == ["ok"]
    assert lab.instances() == ()


def test_the_lab_denies_what_a_scenario_forbids(
    start_lab: StartLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = {"effect": "error", "code": "UnauthorizedOperation"}
    lab = start_lab(
        faults=[
            {**denied, "action": "CreateFleet"},
            {"effect": "error", "code": "AccessDeniedException", "action": "GetServiceQuota"},
            {"effect": "error", "code": "AccessDenied", "action": "GetInstanceProfile"},
        ]
    )
    for name, value in lab.environment().items():
        monkeypatch.setenv(name, value)
    settings = Ec2Settings(types=("c5.large",), region=lab.region, instance_profile="nodes")
    account = connect_account(lab.region)
    found = list(
        account_findings(
            account, settings, host=lab.gateway, ports=PORTS, nodes=1, clock=SystemClock()
        )
    )
    assert [level for level, _ in of(found, "aws ec2:CreateFleet")] == ["error"]
    assert all("could not be told: AccessDenied" in text for _, text in of(found, "aws quota"))
    assert of(found, "aws instance profile")[0][0] == "warning"


def test_bad_credentials_are_the_only_finding(endpoint: Endpoint) -> None:
    endpoint.fail("GetCallerIdentity", "InvalidClientTokenId", status=403)
    (found,) = proved(endpoint)
    assert (found.name, found.level) == ("aws identity", "error")
    assert "sts:GetCallerIdentity" in found.found


@pytest.mark.parametrize(
    ("ahead_s", "level"), [(0.0, "ok"), (100.0, "warning"), (-1000.0, "error")]
)
def test_a_clock_apart_from_awss_is_told(endpoint: Endpoint, ahead_s: float, level: str) -> None:
    clock = ManualClock(SystemClock().now_s() + ahead_s)
    assert [each for each, _ in of(proved(endpoint, clock=clock), "aws clock")] == [level]


UNTRIED = {
    "CreateLaunchTemplateVersion",
    "CreateTags",
    "DeleteLaunchTemplate",
    "GetConsoleOutput",
    "TerminateInstances",
}


@pytest.mark.parametrize("action", sorted(set(PROBES) - UNTRIED))
def test_each_missing_permission_is_named(endpoint: Endpoint, action: str) -> None:
    endpoint.forbid(action)
    told = {each.name: each for each in proved(endpoint)}
    if action == "AuthorizeSecurityGroupIngress":
        assert action in told["aws permissions"].found, "there is no group of ours to try it on"
    else:
        assert told[f"aws ec2:{action}"].level == "error"
        assert "--print-policy daemon" in told[f"aws ec2:{action}"].advice


@pytest.mark.parametrize("action", ["CreateTags", "GetConsoleOutput", "TerminateInstances"])
def test_what_may_be_done_to_own_machines_is_tried_on_one(
    endpoint: Endpoint, ec2: Any, action: str
) -> None:
    _launch(ec2, cluster=PLAIN.cluster)
    assert of(proved(endpoint), f"aws ec2:{action}") == []
    endpoint.forbid(action)
    assert of(proved(endpoint), f"aws ec2:{action}")[0][0] == "error"
    assert all(each["DryRun"] == "true" for each in endpoint.sent(action))


def test_what_cannot_be_tried_is_simulated_where_that_is_allowed(endpoint: Endpoint) -> None:
    endpoint.answer("SimulatePrincipalPolicy", simulated("allowed"))
    endpoint.answer("SimulatePrincipalPolicy", simulated("implicitDeny"), times=5)
    endpoint.answer("SimulatePrincipalPolicy", simulated("explicitDeny"), times=2)
    found = proved(endpoint)
    assert of(found, "aws ec2:TerminateInstances") == [
        ("error", "may not: by simulation: implicitDeny")
    ]
    assert ("ok", "may not end a machine that is not the cluster's") in of(found, "aws fence")
    asked = endpoint.sent("SimulatePrincipalPolicy")[-1]
    assert asked["ActionNames.member.1"] == "ec2:CreateTags"
    assert "somebody-elses" in asked.values()


PLAIN_ROLE = "arn:aws:iam::123456789012:role/daemon"
OF_IDENTITY_CENTER = "arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/daemon"


@pytest.mark.parametrize("role", [PLAIN_ROLE, OF_IDENTITY_CENTER, None])
def test_policies_are_simulated_of_the_role_behind_a_session(
    endpoint: Endpoint, role: str | None
) -> None:
    session = "arn:aws:sts::123456789012:assumed-role/daemon/me@example.com"
    told = f"<Arn>{session}</Arn><UserId>AROA:me</UserId><Account>123456789012</Account>"
    endpoint.answer(
        "GetCallerIdentity", f"<GetCallerIdentityResult>{told}</GetCallerIdentityResult>"
    )
    if role is None:  # it may not ask
        endpoint.forbid("GetRole", "AccessDenied")
    else:
        endpoint.answer("GetRole", f"<GetRoleResult><Role><Arn>{role}</Arn></Role></GetRoleResult>")
    endpoint.answer("SimulatePrincipalPolicy", simulated("allowed"), times=9)
    proved(endpoint)
    asked = {each["PolicySourceArn"] for each in endpoint.sent("SimulatePrincipalPolicy")}
    assert asked == {role or PLAIN_ROLE}
    assert len(endpoint.sent("GetRole")) == 1


def test_open_fences_are_told(endpoint: Endpoint, ec2: Any) -> None:
    _launch(ec2, cluster="somebody-elses")
    assert [level for level, _ in of(proved(endpoint), "aws fence")] == ["warning"] * 4


def test_closed_fences_are_told(endpoint: Endpoint, ec2: Any) -> None:
    _launch(ec2, cluster="somebody-elses")
    for action in ("TerminateInstances", "CreateTags", "RunInstances"):
        endpoint.forbid(action)
    assert [level for level, _ in of(proved(endpoint), "aws fence")] == ["ok"] * 4


def test_without_anything_to_try_them_on_fences_cannot_be_told(endpoint: Endpoint) -> None:
    told = of(proved(endpoint), "aws fence")
    assert sum("could not be told" in text for _, text in told) == 2


@pytest.mark.parametrize(
    ("vcpus", "nodes", "level"),
    [(8, 2, "ok"), (6, 2, "warning"), (3, 1, "warning"), (1, 1, "error"), (0, 1, "error")],
)
def test_a_quota_must_hold_the_largest_job(
    endpoint: Endpoint, vcpus: float, nodes: int, level: str
) -> None:
    for _ in range(2):
        endpoint.answer_json("GetServiceQuota", quota(vcpus))
    assert [each for each, _ in of(proved(endpoint, nodes=nodes), "aws quota")] == [level, level]


def test_what_runs_already_counts_against_the_quota(endpoint: Endpoint, ec2: Any) -> None:
    _launch(ec2, cluster="somebody-elses")
    for _ in range(2):
        endpoint.answer_json("GetServiceQuota", quota(4))
    on_demand, spot = of(proved(endpoint), "aws quota")
    assert on_demand[1].startswith("standard on-demand (L-1216C47A): 2 of 4 vCPUs free")
    assert spot[1].startswith("standard spot (L-34B43A08): 4 of 4 vCPUs free")


def test_a_stopped_machine_counts_against_no_quota(endpoint: Endpoint, ec2: Any) -> None:
    _launch(ec2, cluster="somebody-elses")
    (reservation,) = ec2.describe_instances()["Reservations"]
    ec2.stop_instances(InstanceIds=[reservation["Instances"][0]["InstanceId"]])
    for _ in range(2):
        endpoint.answer_json("GetServiceQuota", quota(4))
    on_demand, _ = of(proved(endpoint), "aws quota")
    assert on_demand[1].startswith("standard on-demand (L-1216C47A): 4 of 4 vCPUs free")


def test_a_quota_that_is_not_told_is_a_warning(endpoint: Endpoint) -> None:
    assert {level for level, _ in of(proved(endpoint), "aws quota")} == {"warning"}


def test_types_with_quotas_of_their_own_are_known() -> None:
    assert [
        family_of(each)
        for each in ("m7i.large", "g5.xlarge", "p4d.24xlarge", "x1.16xlarge", "inf1.xlarge")
    ] == [
        "standard",
        "G and VT",
        "P",
        None,
        None,
    ]


def test_p5_shares_a_quota_on_demand_and_has_its_own_on_spot() -> None:
    codes = [
        quota.code
        for name in ("p4d.24xlarge", "p5.48xlarge")
        for quota in QUOTAS[family_of(name) or ""].values()
    ]
    assert codes == ["L-417A185B", "L-7212CCBC", "L-417A185B", "L-C4BD4855"]
    refused = what_is_missing(
        "MaxSpotInstanceCountExceeded", Offering("p5.48xlarge", Capacity.SPOT), count=1, vcpus=192
    )
    assert "All P5 Spot Instance Requests" in refused


def test_a_subnet_without_a_way_out_is_told(endpoint: Endpoint, ec2: Any) -> None:
    assert "no way to the internet" in of(proved(endpoint), "aws subnet us-east-1a")[0][1]
    vpc = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0][
        "VpcId"
    ]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])[
        "RouteTables"
    ]
    ec2.create_route(
        RouteTableId=table["RouteTableId"], DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway
    )
    assert of(proved(endpoint), "aws subnet us-east-1a")[0][0] == "ok"
    subnets = ec2.describe_subnets(
        Filters=[{"Name": "availability-zone", "Values": ["us-east-1a"]}]
    )["Subnets"]
    ec2.modify_subnet_attribute(
        SubnetId=subnets[0]["SubnetId"], MapPublicIpOnLaunch={"Value": False}
    )
    assert "nodes get no public address" in of(proved(endpoint), "aws subnet us-east-1a")[0][1]


def test_a_subnet_without_enough_addresses_is_an_error(endpoint: Endpoint) -> None:
    assert of(proved(endpoint, nodes=5000), "aws subnet us-east-1a")[0][0] == "error"


def test_a_wrong_subnet_is_an_error_and_the_rest_is_told_all_the_same(endpoint: Endpoint) -> None:
    found = proved(endpoint, PLAIN.model_copy(update={"subnets": ("subnet-0123456789abcdef0",)}))
    assert of(found, "aws offerings")[0][0] == "error"
    assert of(found, "aws permissions") != []
    assert of(found, "aws image") == []


def test_a_group_that_is_open_to_the_world_is_told(endpoint: Endpoint, ec2: Any) -> None:
    vpc = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0][
        "VpcId"
    ]
    group = ec2.create_security_group(GroupName="elasticd-tested", Description="d", VpcId=vpc)[
        "GroupId"
    ]
    assert of(proved(endpoint), "aws security group")[0][0] == "ok"
    ec2.authorize_security_group_ingress(
        GroupId=group, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
    )
    assert of(proved(endpoint), "aws security group") == [
        ("warning", "elasticd-tested admits 0.0.0.0/0")
    ]


def test_an_image_that_does_not_resolve_is_an_error(endpoint: Endpoint) -> None:
    found = proved(endpoint, PLAIN.model_copy(update={"ami_parameter": "/none/such"}))
    assert of(found, "aws image")[0][0] == "error"
    assert "RunInstances" not in of(found, "aws permissions")[0][1], "there is nothing to launch"


@pytest.mark.parametrize(
    ("change", "level"),
    [
        ({}, "ok"),
        ({"Architecture": "arm64"}, "error"),
        ({"size": 100}, "ok"),
        ({"more": "<usageOperation>RunInstances:000g</usageOperation>"}, "error"),
        ({"more": "<productCodes><item><type>marketplace</type></item></productCodes>"}, "warning"),
        (None, "error"),
    ],
)
def test_an_image_must_be_there_for_the_architecture_and_cost_no_more_than_linux(
    endpoint: Endpoint, change: dict[str, Any] | None, level: str
) -> None:
    endpoint.always["DescribeImages"] = _images(change)
    assert [each for each, _ in of(proved(endpoint), "aws image")] == [level]


def test_an_image_is_told_with_the_disk_that_its_nodes_get(endpoint: Endpoint) -> None:
    endpoint.always["DescribeImages"] = _images({"size": 100})
    ((_, said),) = of(proved(endpoint), "aws image")
    assert "on a disk of 122 GiB" in said


def _images(change: dict[str, Any] | None) -> Any:
    if change is None:
        return _always("DescribeImages", "<imagesSet/>")
    architecture, size = change.get("Architecture", "x86_64"), change.get("size", 8)
    disk = (
        f"<item><deviceName>/dev/xvda</deviceName><ebs><volumeSize>{size}</volumeSize></ebs></item>"
    )
    image = f"<imageId>{IMAGE}</imageId><architecture>{architecture}</architecture>"
    return _always(
        "DescribeImages",
        f"<imagesSet><item>{image}<blockDeviceMapping>{disk}</blockDeviceMapping>{change.get('more', '')}</item>"
        "</imagesSet>",
    )


def _always(action: str, body: str) -> Any:
    scratch = Endpoint()
    scratch.answer(action, body)
    return scratch.scripted[action][0]


def test_an_instance_profile_must_be_there_and_hold_a_role(endpoint: Endpoint, ec2: Any) -> None:
    settings = PLAIN.model_copy(update={"instance_profile": "nodes"})
    name, iam = "aws instance profile", account_at(endpoint.url).roles
    assert of(proved(endpoint, settings), name) == [("error", "there is no nodes")]
    iam.create_instance_profile(InstanceProfileName="nodes")
    assert of(proved(endpoint, settings), name) == [("error", "nodes holds no role")]
    iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=ROLE)
    iam.add_role_to_instance_profile(InstanceProfileName="nodes", RoleName="nodes")
    assert of(proved(endpoint, settings), name) == [("ok", "nodes with the role nodes")]
    endpoint.fail("GetInstanceProfile", "AccessDenied", status=403)
    assert of(proved(endpoint, settings), name)[0][0] == "warning"


def test_a_type_that_is_not_sold_is_named(endpoint: Endpoint) -> None:
    settings = PLAIN.model_copy(update={"types": ("c5.large", "m1.retired")})
    (found,) = (each for each in proved(endpoint, settings) if each.name == "aws offerings")
    assert (found.level, "ec2.types: m1.retired" in found.advice) == ("warning", True)


@pytest.mark.parametrize(
    ("bootstrap", "said"),
    [
        (None, "nodes install elasticd-"),
        ("true", "nodes run the lines of ec2.bootstrap"),
        (
            'pip install "$ELASTICD_WHEEL"',
            "nodes run the lines of ec2.bootstrap; nodes install elasticd-",
        ),
    ],
)
def test_where_nodes_get_elasticd_from_is_said(
    endpoint: Endpoint, bootstrap: str | None, said: str
) -> None:
    ((level, found),) = of(
        proved(endpoint, PLAIN.model_copy(update={"bootstrap": bootstrap})), "aws bootstrap"
    )
    assert level == "ok"
    assert found.startswith(said)


@pytest.mark.parametrize(
    ("host", "level"),
    [
        ("172.31.200.1", "ok"),
        ("127.0.0.1", "error"),
        ("localhost", "error"),
        ("0.0.0.0", "error"),
        ("192.168.1.4", "warning"),
        ("daemon.example", "warning"),
        ("::1", "error"),
    ],
)
def test_nodes_must_reach_the_daemon(host: str, level: str) -> None:
    blocks = ["172.31.0.0/20", "172.31.16.0/20"]
    assert (
        judge_reach(host, blocks, endpoint_url="https://ec2.us-east-1.amazonaws.com").level == level
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_nodes_of_this_machine_reach_its_loopback_addresses(host: str) -> None:
    assert (
        judge_reach(host, ["127.100.16.0/20"], endpoint_url="http://localhost:8469").level == "ok"
    )


def _launch(ec2: Any, *, cluster: str) -> str:
    tag = {"ResourceType": "instance", "Tags": [{"Key": "elasticd:cluster", "Value": cluster}]}
    asked = {
        "ImageId": IMAGE,
        "InstanceType": "c5.large",
        "MinCount": 1,
        "MaxCount": 1,
        "TagSpecifications": [tag],
    }
    return str(ec2.run_instances(**asked)["Instances"][0]["InstanceId"])
