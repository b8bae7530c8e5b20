"""Doctor looks at the security groups of the daemon's own machine, where EC2 shows them."""

from __future__ import annotations

from typing import Any

import pytest

from elastic.finding import Finding
from elastic.providers.ec2 import read_catalog
from elastic.providers.ec2.account import connect_account
from elastic.providers.ec2.account.facts import AccountFacts, Caller
from elastic.providers.ec2.account.firewall import judge_firewall
from tests.lab.world import IMAGE
from tests.providers import ec2_world
from tests.providers.ec2_world import PLAIN, REGION

served, endpoint, ec2 = ec2_world.served, ec2_world.endpoint, ec2_world.ec2

pytestmark = pytest.mark.usefixtures("endpoint")

PORTS = (range(8470, 8471), range(8471, 8971))


def judged(host: str, *, ports: tuple[range, ...] = PORTS) -> Finding:
    account = connect_account(REGION)
    catalog = read_catalog(account.aws, PLAIN)
    survey = AccountFacts(
        account, PLAIN, Caller("1", "arn", None), catalog, None, simulated=None, host=host,
        ports=ports, nodes=1, now_s=0.0,
    )  # fmt: skip
    return judge_firewall(survey, catalog)


def machine(ec2: Any) -> tuple[str, str]:
    """A machine for the daemon: its address, and its security group."""
    vpc_id = ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
    group_id = ec2.create_security_group(GroupName="daemon", Description="d", VpcId=vpc_id)[
        "GroupId"
    ]
    asked = {"ImageId": IMAGE, "MinCount": 1, "MaxCount": 1, "SecurityGroupIds": [group_id]}
    return ec2.run_instances(**asked)["Instances"][0]["PrivateIpAddress"], group_id


def admit(ec2: Any, group_id: str, first: int, last: int, **whom: Any) -> None:
    rule = {"IpProtocol": "tcp", "FromPort": first, "ToPort": last, **whom}
    ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=[rule])


def test_a_group_that_admits_nodes_at_some_ports_only_is_an_error_until_it_does_at_all(
    ec2: Any,
) -> None:
    host, group_id = machine(ec2)
    shut = judged(host)
    assert (shut.level, "does not admit nodes at 8470, 8471-8970" in shut.found) == ("error", True)
    nodes = ec2.create_security_group(GroupName="elasticd-tested", Description="n")["GroupId"]
    whom = {"UserIdGroupPairs": [{"GroupId": nodes}]}
    admit(ec2, group_id, 8470, 8470, **whom)
    half = judged(host)
    assert (half.level, "does not admit nodes at 8471-8970:" in half.found) == ("error", True)
    admit(ec2, group_id, 8471, 8970, **whom)
    assert judged(host).level == "ok"


def test_a_group_may_admit_the_nodes_subnets(ec2: Any) -> None:
    host, group_id = machine(ec2)
    admit(ec2, group_id, 8000, 9000, IpRanges=[{"CidrIp": "10.99.0.0/16"}])
    assert judged(host).level == "error"
    admit(ec2, group_id, 8000, 9000, IpRanges=[{"CidrIp": "172.31.0.0/16"}])
    assert judged(host).level == "ok"


def test_whether_a_prefix_list_holds_the_nodes_cannot_be_seen(ec2: Any) -> None:
    host, group_id = machine(ec2)
    company = {"PrefixListIds": [{"PrefixListId": "pl-0123456789abcdef0"}]}
    admit(ec2, group_id, 22, 22, **company)
    assert judged(host).level == "error"
    admit(ec2, group_id, 8000, 9000, **company)
    found = judged(host)
    assert (found.level, "admits prefix lists" in found.found) == ("warning", True)


def test_what_cannot_be_seen_is_said() -> None:
    assert "cannot be seen" in judged("192.168.1.4").found
    assert (
        judged("192.168.1.4", ports=(range(8470, 8471), range(1))).found
        == "the daemon takes any ports"
    )
