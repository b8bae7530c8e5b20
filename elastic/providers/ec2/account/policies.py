"""The IAM policies with the least permissions for daemon, nodes, reaper and people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elastic.aws import session_in
from elastic.checkpoints import Location
from elastic.config import Ec2Settings
from elastic.errors import InvalidInput
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import require_commercial
from elastic.providers.ec2.leader_lease import lease_name
from elastic.providers.ec2.session_manager import INTERACTIVE, PLAIN

Statement = Mapping[str, Any]
_PUBLIC = "/aws/service/"
_AT_LAUNCH = [
    *("instance", "volume", "network-interface", "spot-instances-request"),
    *("fleet", "launch-template", "security-group"),
]
_MAKERS = ["RunInstances", "CreateFleet", "CreateLaunchTemplate", "CreateSecurityGroup"]
_USED_BY_LAUNCH = ["subnet", "network-interface", "placement-group"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What policies are limited to."""

    settings: Ec2Settings
    # May be `*`.
    region: str = "*"
    # Where checkpoints are; None if they are in a folder.
    bucket: Location | None = None


def policy(name: str, scope: Scope) -> dict[str, object]:
    """A policy document. Raises InvalidInput for an unknown name, and for other partitions."""
    require_commercial(session_in(scope.region))
    if name not in POLICIES:
        raise InvalidInput(
            f"--print-policy: wanted {', '.join(POLICIES)}, got {name!r}", field="print_policy"
        )
    return {"Version": "2012-10-17", "Statement": list(POLICIES[name](scope))}


def daemon(scope: Scope) -> Sequence[Statement]:
    """What `elasticd serve` and `elasticd doctor` call."""
    settings = scope.settings
    region = scope.region
    cluster = settings.cluster
    return [
        _allow("Look", _DAEMON_LOOKS, "*", _here(region)),
        _allow("ReadPrices", ["pricing:GetProducts"], "*"),
        _allow("ReadNewestImages", ["ssm:GetParameter"], _parameters(settings, region)),
        _allow(
            "HoldLeaderLease",
            ["ssm:GetParameter", "ssm:PutParameter"],
            _parameter(region, lease_name(cluster)),
        ),
        _allow("ReadQuotas", ["servicequotas:GetServiceQuota"], "*", _here(region)),
        # A fleet of type instant makes its machines by RunInstances, which the statements below
        # limit.
        _allow("AskForFleets", ["ec2:CreateFleet"], "*", _here(region)),
        _allow("LaunchNodes", ["ec2:RunInstances"], _arn(region, "instance"), _node(settings)),
        _allow("LaunchWithDisks", ["ec2:RunInstances"], _arn(region, "volume"), _disk(cluster)),
        _allow(
            "LaunchFromImages",
            ["ec2:RunInstances"],
            f"arn:aws:ec2:{region}::image/*",
            _image(settings),
        ),
        _allow(
            "LaunchInto", ["ec2:RunInstances"], [_arn(region, each) for each in _USED_BY_LAUNCH]
        ),
        _allow("LaunchOnSpot", ["ec2:RunInstances"], _arn(region, "spot-instances-request")),
        _allow(
            "LaunchByOwnTemplatesAndGroup",
            ["ec2:RunInstances"],
            [_arn(region, "launch-template"), _arn(region, "security-group")],
            _carried(cluster),
        ),
        _allow(
            "MakeTemplatesAndGroup",
            ["ec2:CreateLaunchTemplate", "ec2:CreateSecurityGroup"],
            [_arn(region, "launch-template"), _arn(region, "security-group")],
            _requested(cluster),
        ),
        _allow("MakeGroupInNetwork", ["ec2:CreateSecurityGroup"], _arn(region, "vpc")),
        _allow(
            "MendOwnGroup",
            ["ec2:AuthorizeSecurityGroupIngress"],
            _arn(region, "security-group"),
            _carried(cluster),
        ),
        _allow(
            "KeepOwnTemplates",
            ["ec2:CreateLaunchTemplateVersion", "ec2:DeleteLaunchTemplate"],
            _arn(region, "launch-template"),
            _carried(cluster),
        ),
        _allow(
            "TagAtCreation",
            ["ec2:CreateTags"],
            [_arn(region, each) for each in _AT_LAUNCH],
            # Only what these calls make, as they make it: tags of what is there already stay as
            # they are.
            {"StringEquals": {"ec2:CreateAction": _MAKERS}},
        ),
        _allow(
            "KeepOwnNodesAlive",
            ["ec2:CreateTags"],
            _arn(region, "instance"),
            _keeping_alive(cluster),
        ),
        _allow(
            "EndOwnNodes", ["ec2:TerminateInstances"], _arn(region, "instance"), _carried(cluster)
        ),
        _allow(
            "ReadOwnConsoles", ["ec2:GetConsoleOutput"], _arn(region, "instance"), _carried(cluster)
        ),
        *_profile(settings),
        *_artifacts(scope.bucket),
        *_own_records(scope),
    ]


def node(scope: Scope) -> Sequence[Statement]:
    """What a node calls: the bucket of checkpoints, and Session Manager to let people in."""
    # None of these can be limited to resources. They let a machine be entered by people with rights
    # of their own, and nothing else (Session Manager's user guide, "minimal permissions").
    entered = _allow("LetPeopleIn", _SESSION_AGENT, "*")
    if scope.bucket is None:
        return [entered]
    bucket = f"arn:aws:s3:::{scope.bucket.bucket}"
    below = scope.bucket.key("*")
    return [
        _allow("List", ["s3:ListBucket"], bucket, {"StringLike": {"s3:prefix": below}}),
        _allow(
            "KeepCheckpoints",
            ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
            f"{bucket}/{below}",
        ),
        # Records of jobs say what other jobs run: they are for the daemon alone.
        {
            "Sid": "LeaveTheDaemonsOwn",
            "Effect": "Deny",
            "Action": "s3:*Object",
            "Resource": f"{bucket}/{scope.bucket.key('daemon/*')}",
        },
        entered,
    ]


def reaper(scope: Scope) -> Sequence[Statement]:
    """What `elasticd gc --terminate` calls, wherever it runs."""
    own = _carried(scope.settings.cluster)
    region = scope.region
    return [
        _allow("Look", _REAPER_LOOKS, "*", _here(region)),
        _allow("EndOwnNodes", ["ec2:TerminateInstances"], _arn(region, "instance"), own),
        _allow(
            "DropOwnTemplates", ["ec2:DeleteLaunchTemplate"], _arn(region, "launch-template"), own
        ),
    ]


def person(scope: Scope) -> Sequence[Statement]:
    """What a person needs who enters nodes by `elasticd node ssh` and `elasticd node exec`."""
    region = scope.region
    documents = [f"arn:aws:ssm:{region}::document/{each}" for each in (INTERACTIVE, PLAIN)]
    own = [f"arn:aws:ssm:{region}:*:session/${{aws:{each}}}-*" for each in ("username", "userid")]
    # Session Manager compares an instance's tags by a key of its own.
    tagged = {"StringEquals": {f"ssm:resourceTag/{tags.CLUSTER}": scope.settings.cluster}}
    return [
        _allow("EnterNodes", ["ssm:StartSession"], _arn(region, "instance"), tagged),
        _allow("RunCommandsThere", ["ssm:StartSession"], documents),
        _allow("EndOwnSessions", ["ssm:TerminateSession"], own),
    ]


# Every policy that `elasticd doctor --print-policy` prints.
POLICIES: Mapping[str, Callable[[Scope], Sequence[Statement]]] = {
    "daemon": daemon,
    "node": node,
    "reaper": reaper,
    "person": person,
}

_SESSION_AGENT = [
    "ssm:UpdateInstanceInformation",
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
]
# None of these can be limited to resources (Service Authorization Reference, Amazon EC2).
_REAPER_LOOKS = [
    "ec2:DescribeInstances",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:DescribeLaunchTemplates",
]
_DAEMON_LOOKS = [
    "ec2:DescribeImages",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets",
]


def _allow(
    sid: str,
    actions: list[str],
    resource: str | list[str],
    condition: Mapping[str, object] | None = None,
) -> Statement:
    told = {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}
    if condition:
        return {**told, "Condition": condition}
    return told


def _arn(region: str, kind: str) -> str:
    return f"arn:aws:ec2:{region}:*:{kind}/*"


def _here(region: str) -> Mapping[str, object] | None:
    if region == "*":
        return None
    return {"StringEquals": {"aws:RequestedRegion": region}}


def _requested(cluster: str) -> Mapping[str, object]:
    return {"StringEquals": {f"aws:RequestTag/{tags.CLUSTER}": cluster}}


def _carried(cluster: str) -> Mapping[str, object]:
    return {"StringEquals": {f"aws:ResourceTag/{tags.CLUSTER}": cluster}}


def _node(settings: Ec2Settings) -> Mapping[str, object]:
    """Conditions for machines: tagged, IMDSv2 within one hop, and of the types in the settings."""
    exact = {
        f"aws:RequestTag/{tags.CLUSTER}": settings.cluster,
        "ec2:MetadataHttpTokens": "required",
    }
    types = {"ec2:InstanceType": list(settings.types)} if settings.types else {}
    return {
        "StringEquals": {**exact, **types},
        "NumericEquals": {"ec2:MetadataHttpPutResponseHopLimit": "1"},
    }


def _disk(cluster: str) -> Mapping[str, object]:
    return {**_requested(cluster), "Bool": {"ec2:Encrypted": "true"}}


def _image(settings: Ec2Settings) -> Mapping[str, object] | None:
    """Amazon's own images only, if the settings name only AWS's public parameters."""
    named = (settings.ami_parameter, settings.ami_parameter_arm64, settings.ami_parameter_gpu)
    if all(each.startswith(_PUBLIC) for each in named):
        return {"StringEquals": {"ec2:Owner": "amazon"}}
    return None


def _parameters(settings: Ec2Settings, region: str) -> list[str]:
    named = (settings.ami_parameter, settings.ami_parameter_arm64, settings.ami_parameter_gpu)
    own = [_parameter(region, each) for each in named if not each.startswith(_PUBLIC)]
    return [f"arn:aws:ssm:{region}::parameter{_PUBLIC}*", *own]


def _parameter(region: str, name: str) -> str:
    return f"arn:aws:ssm:{region}:*:parameter{name}"


def _keeping_alive(cluster: str) -> Mapping[str, object]:
    """Only the tags that keep a machine alive and name its node, never that of its cluster."""
    return {
        **_carried(cluster),
        "ForAllValues:StringEquals": {"aws:TagKeys": [tags.KEEP_ALIVE, tags.NODE]},
    }


def _artifacts(bucket: Location | None) -> list[Statement]:
    """Reads jobs' artifacts and outputs; only nodes may read checkpoints."""
    if bucket is None:
        return []
    arn = f"arn:aws:s3:::{bucket.bucket}"
    below = [bucket.key("*/artifacts/*"), bucket.key("*/outputs/*")]
    return [
        _allow("ListArtifacts", ["s3:ListBucket"], arn, {"StringLike": {"s3:prefix": below}}),
        _allow("ShowArtifacts", ["s3:GetObject"], [f"{arn}/{each}" for each in below]),
    ]


def _own_records(scope: Scope) -> list[Statement]:
    """Keeps what the daemon needs if it loses its database."""
    if scope.bucket is None:
        return []
    arn = f"arn:aws:s3:::{scope.bucket.bucket}"
    below = scope.bucket.key(f"daemon/{scope.settings.cluster}/*")
    return [
        _allow("ListOwnRecords", ["s3:ListBucket"], arn, {"StringLike": {"s3:prefix": below}}),
        _allow(
            "KeepOwnRecords",
            ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
            f"{arn}/{below}",
        ),
    ]


def _profile(settings: Ec2Settings) -> list[Statement]:
    """Passes the role to nodes only; it has its profile's name (docs/how-to/aws-account.md)."""
    name = settings.instance_profile
    if name is None:
        return []
    # Without it the role could be given to any service of AWS, with code of anybody.
    handed = {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}
    return [
        _allow("HandNodesTheirRole", ["iam:PassRole"], f"arn:aws:iam::*:role/{name}", handed),
        _allow(
            "LookAtTheirRole", ["iam:GetInstanceProfile"], f"arn:aws:iam::*:instance-profile/{name}"
        ),
    ]
