"""The security group of a cluster, whose nodes admit only one another."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from elastic.config import Ec2Settings
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated


def group_name(cluster: str) -> str:
    """The name of the cluster's group.

    >>> group_name("elasticd")
    'elasticd-elasticd'
    """
    return f"elasticd-{cluster}"


def ensure_group(aws: Aws, settings: Ec2Settings, vpc_id: str) -> str:
    """The id of the cluster's group in that VPC, made on first use."""
    name = group_name(settings.cluster)
    with translated(f"making the security group {name}"):
        group = found_group(aws, name, vpc_id) or _made(aws, name, settings, vpc_id)
        group_id = str(group["GroupId"])
        if not _admits_itself(group, group_id):
            _admit_itself(aws, group_id)
    return group_id


def found_group(aws: Aws, name: str, vpc_id: str) -> dict[str, Any] | None:
    """What EC2 says of the group of that name; None if there is none. Raises ClientError."""
    filters = [{"Name": "group-name", "Values": [name]}, {"Name": "vpc-id", "Values": [vpc_id]}]
    groups: list[dict[str, Any]] = aws.reads.describe_security_groups(Filters=filters)[
        "SecurityGroups"
    ]
    if groups:
        return groups[0]
    return None


def _made(aws: Aws, name: str, settings: Ec2Settings, vpc_id: str) -> dict[str, Any]:
    try:
        made: dict[str, Any] = aws.reads.create_security_group(
            GroupName=name,
            Description="elasticd: nodes of one cluster admit only one another",
            VpcId=vpc_id,
            TagSpecifications=tags.specifications(["security-group"], tags.common(settings)),
        )
    except ClientError as error:
        if (
            code_of(error) != "InvalidGroup.Duplicate"
            or (found := found_group(aws, name, vpc_id)) is None
        ):
            raise
        return found
    return made


def _admits_itself(group: dict[str, Any], group_id: str) -> bool:
    rules = group.get("IpPermissions", [])
    return any(
        pair.get("GroupId") == group_id
        for rule in rules
        for pair in rule.get("UserIdGroupPairs", [])
    )


def _admit_itself(aws: Aws, group_id: str) -> None:
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    try:
        aws.reads.authorize_security_group_ingress(GroupId=group_id, IpPermissions=[rule])
    except ClientError as error:
        if code_of(error) != "InvalidPermission.Duplicate":
            raise
