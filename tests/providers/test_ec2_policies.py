"""The printed policies allow what the code really calls, and nothing that it does not."""

from __future__ import annotations

import ast
import functools
import json

import boto3
import pytest
from botocore import xform_name

from elastic.checkpoints import parse_location
from elastic.config import Ec2Settings
from elastic.providers.ec2.account import PROBES, Scope, policy
from tests.docs.pages import ROOT
from tests.providers.iam import Asked, actions_of, is_allowed

REGION = "us-east-1"
SETTINGS = Ec2Settings(cluster="ours", types=("c5.large",), instance_profile="nodes")
SCOPE = Scope(SETTINGS, REGION, parse_location("s3://training/elasticd"))
HERE = {"aws:RequestedRegion": REGION}
OURS, OTHERS = (
    {"aws:ResourceTag/elasticd:cluster": "ours"},
    {"aws:ResourceTag/elasticd:cluster": "theirs"},
)
MARKED = {"aws:RequestTag/elasticd:cluster": "ours"}
GUARDED = {"ec2:MetadataHttpTokens": "required", "ec2:MetadataHttpPutResponseHopLimit": "1"}
CHOSEN = {"ec2:InstanceType": "c5.large"}

# What doctor calls though the daemon's policy leaves it out: it says so where it is refused. The
# first needs no permission at all (IAM User Guide, "GetCallerIdentity"), the others would show
# more than a daemon has to know.
ONLY_TRIED = {"sts:GetCallerIdentity", "iam:GetRole", "iam:SimulatePrincipalPolicy"}
# Handed over, not called: RunInstances passes the nodes' role.
NOT_CALLED = {"iam:PassRole"}
SERVICES = {
    "ec2": "ec2",
    "ssm": "ssm",
    "pricing": "pricing",
    "sts": "sts",
    "iam": "iam",
    "service-quotas": "servicequotas",
}


@functools.cache
def operations() -> dict[str, str]:
    """Each method of these services' clients, with the action that a policy calls it by."""
    known: dict[str, str] = {}
    for service, prefix in SERVICES.items():
        client = boto3.client(
            service, region_name=REGION, aws_access_key_id="a", aws_secret_access_key="b"
        )  # type: ignore[call-overload]
        for name in client.meta.service_model.operation_names:
            known.setdefault(xform_name(name), f"{prefix}:{name}")
    return known


def called(*folders: str) -> set[str]:
    """The actions whose methods the sources of these folders name, as attributes or as a
    paginator's name."""
    found = set()
    for path in (each for folder in folders for each in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                found.add(operations().get(node.attr))
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "get_paginator"
            ):
                found |= {
                    operations().get(str(each.value))
                    for each in node.args
                    if isinstance(each, ast.Constant)
                }
    return {each for each in found if each is not None}


def daemon_may(
    action: str, kind: str, context: dict[str, str], *, account: str = "123456789012"
) -> bool:
    resource = f"arn:aws:ec2:{REGION}:{account}:{kind}/x"
    return is_allowed(policy("daemon", SCOPE), Asked(action, resource, {**HERE, **context}))


def test_the_daemon_is_allowed_exactly_what_the_code_calls() -> None:
    sources = called("elastic/providers/ec2", "elastic/pricing/ec2")
    assert {
        "ec2:RunInstances",
        "ec2:DescribeInstances",
        "pricing:GetProducts",
        "ssm:GetParameter",
    } <= sources
    # What people do with rights of their own is not the daemon's.
    by_people = actions_of(policy("person", SCOPE))
    assert by_people <= sources
    assert (
        actions_of(policy("daemon", Scope(SETTINGS, REGION))) - NOT_CALLED
        == sources - ONLY_TRIED - by_people
    )


def test_doctor_tries_every_action_of_ec2_that_the_daemon_is_allowed() -> None:
    allowed = actions_of(policy("daemon", SCOPE))
    assert {each.removeprefix("ec2:") for each in allowed if each.startswith("ec2:")} == set(PROBES)


@pytest.mark.parametrize(
    ("kind", "context"),
    [
        ("instance", {**MARKED, **GUARDED, **CHOSEN}),
        ("volume", {**MARKED, "ec2:Encrypted": "true"}),
        ("subnet", {}),
        ("network-interface", {}),
        ("placement-group", {}),
        ("spot-instances-request", {}),
        ("security-group", OURS),
        ("launch-template", OURS),
    ],
)
def test_a_launch_as_the_provider_asks_for_it_is_allowed(
    kind: str, context: dict[str, str]
) -> None:
    assert daemon_may("ec2:RunInstances", kind, context)


def test_amazons_images_are_allowed_and_others_only_where_settings_name_them() -> None:
    image = Asked(
        "ec2:RunInstances", f"arn:aws:ec2:{REGION}::image/ami-1", {"ec2:Owner": "somebody"}
    )
    assert not is_allowed(policy("daemon", SCOPE), image)
    own = SETTINGS.model_copy(update={"ami_parameter": "/ours/image"})
    assert is_allowed(policy("daemon", Scope(own, REGION)), image)
    parameter = Asked("ssm:GetParameter", f"arn:aws:ssm:{REGION}:123456789012:parameter/ours/image")
    assert not is_allowed(policy("daemon", SCOPE), parameter)
    assert is_allowed(policy("daemon", Scope(own, REGION)), parameter)


@pytest.mark.parametrize(
    ("action", "kind", "context"),
    [
        ("ec2:RunInstances", "instance", {**GUARDED, **CHOSEN}),
        (
            "ec2:RunInstances",
            "instance",
            {**MARKED, **CHOSEN, **GUARDED, "ec2:MetadataHttpTokens": "optional"},
        ),
        (
            "ec2:RunInstances",
            "instance",
            {**MARKED, **CHOSEN, **GUARDED, "ec2:MetadataHttpPutResponseHopLimit": "2"},
        ),
        ("ec2:RunInstances", "instance", {**MARKED, **GUARDED, "ec2:InstanceType": "p5.48xlarge"}),
        ("ec2:RunInstances", "volume", {**MARKED, "ec2:Encrypted": "false"}),
        ("ec2:RunInstances", "security-group", OTHERS),
        ("ec2:TerminateInstances", "instance", OTHERS),
        ("ec2:TerminateInstances", "instance", {}),
        ("ec2:CreateTags", "instance", {**OTHERS, "aws:TagKeys": "elasticd:attended"}),
        ("ec2:CreateTags", "instance", {**OURS, "aws:TagKeys": "elasticd:cluster"}),
        (
            "ec2:CreateTags",
            "instance",
            {**MARKED, "ec2:CreateAction": "CreateSnapshot", "aws:TagKeys": "x"},
        ),
        ("ec2:DeleteLaunchTemplate", "launch-template", OTHERS),
        ("ec2:CreateLaunchTemplateVersion", "launch-template", OTHERS),
        ("ec2:AuthorizeSecurityGroupIngress", "security-group", OTHERS),
        ("ec2:CreateLaunchTemplate", "launch-template", {}),
        ("ec2:StopInstances", "instance", OURS),
    ],
)
def test_what_the_daemon_never_does_is_forbidden(
    action: str, kind: str, context: dict[str, str]
) -> None:
    assert not daemon_may(action, kind, context)


@pytest.mark.parametrize(
    ("action", "kind", "context"),
    [
        ("ec2:TerminateInstances", "instance", OURS),
        ("ec2:CreateTags", "instance", {**OURS, "aws:TagKeys": "elasticd:attended"}),
        ("ec2:CreateTags", "volume", {**MARKED, "ec2:CreateAction": "RunInstances"}),
        ("ec2:CreateTags", "network-interface", {"ec2:CreateAction": "RunInstances"}),
        ("ec2:CreateTags", "fleet", {"ec2:CreateAction": "CreateFleet"}),
        ("ec2:CreateTags", "instance", {**OURS, "aws:TagKeys": "elasticd:node"}),
        ("ec2:DeleteLaunchTemplate", "launch-template", OURS),
        ("ec2:CreateLaunchTemplateVersion", "launch-template", OURS),
        ("ec2:AuthorizeSecurityGroupIngress", "security-group", OURS),
        ("ec2:CreateSecurityGroup", "security-group", MARKED),
        ("ec2:CreateSecurityGroup", "vpc", {}),
        ("ec2:CreateLaunchTemplate", "launch-template", MARKED),
        ("ec2:CreateFleet", "fleet", {}),
    ],
)
def test_what_the_daemon_does_to_its_own_is_allowed(
    action: str, kind: str, context: dict[str, str]
) -> None:
    assert daemon_may(action, kind, context)


def test_nothing_is_launched_in_another_region() -> None:
    told = policy("daemon", SCOPE)
    there = "arn:aws:ec2:eu-west-1:123456789012:instance/x"
    assert not is_allowed(told, Asked("ec2:RunInstances", there, {**MARKED, **GUARDED, **CHOSEN}))
    assert not is_allowed(
        told, Asked("ec2:DescribeInstances", "*", {"aws:RequestedRegion": "eu-west-1"})
    )


def test_the_nodes_role_is_handed_to_ec2_alone_and_only_where_there_is_one() -> None:
    role = "arn:aws:iam::123456789012:role/nodes"
    told = policy("daemon", SCOPE)
    assert is_allowed(
        told, Asked("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"})
    )
    assert not is_allowed(
        told, Asked("iam:PassRole", role, {"iam:PassedToService": "lambda.amazonaws.com"})
    )
    without = SETTINGS.model_copy(update={"instance_profile": None})
    assert "iam:PassRole" not in actions_of(policy("daemon", Scope(without, REGION)))


def test_the_reaper_may_only_look_and_end() -> None:
    told = policy("reaper", SCOPE)
    arn = f"arn:aws:ec2:{REGION}:123456789012:instance/x"
    assert is_allowed(told, Asked("ec2:TerminateInstances", arn, OURS))
    assert not is_allowed(told, Asked("ec2:TerminateInstances", arn, OTHERS))
    gc = (ROOT / "elastic/cli/gc.py").read_text(encoding="utf-8")
    assert all(name in gc for name in ("read_machines", "end_machine", "sweep_templates")), (
        "what it is made of"
    )
    assert actions_of(told) == {
        "ec2:DescribeInstances",
        "ec2:DescribeLaunchTemplateVersions",
        "ec2:DescribeLaunchTemplates",
        "ec2:TerminateInstances",
        "ec2:DeleteLaunchTemplate",
    }


def test_the_daemon_reads_artifacts_and_outputs_and_no_checkpoint() -> None:
    told = policy("daemon", SCOPE)
    bucket = "arn:aws:s3:::training"
    assert is_allowed(told, Asked("s3:GetObject", f"{bucket}/elasticd/job-1/artifacts/sample.png"))
    assert is_allowed(
        told, Asked("s3:ListBucket", bucket, {"s3:prefix": "elasticd/job-1/artifacts/"})
    )
    assert is_allowed(
        told, Asked("s3:GetObject", f"{bucket}/elasticd/job-1/outputs/data/g000001-i-1/abc")
    )
    assert is_allowed(
        told, Asked("s3:ListBucket", bucket, {"s3:prefix": "elasticd/job-1/outputs/manifests/"})
    )
    for refused in (
        Asked("s3:GetObject", f"{bucket}/elasticd/job-1/checkpoints/data/x"),
        Asked("s3:PutObject", f"{bucket}/elasticd/job-1/artifacts/sample.png"),
        Asked("s3:ListBucket", bucket, {"s3:prefix": "elasticd/job-1/checkpoints/"}),
        Asked("s3:GetObject", "arn:aws:s3:::other/elasticd/job-1/artifacts/sample.png"),
    ):
        assert not is_allowed(told, refused)
    assert not any(
        each.startswith("s3:") for each in actions_of(policy("daemon", Scope(SETTINGS, REGION)))
    )


def test_only_the_daemon_of_a_cluster_reaches_its_records_of_jobs() -> None:
    bucket = "arn:aws:s3:::training"
    own = f"{bucket}/elasticd/daemon/{SETTINGS.cluster}/jobs/job-1.json"
    listed = Asked("s3:ListBucket", bucket, {"s3:prefix": f"elasticd/daemon/{SETTINGS.cluster}/"})
    assert is_allowed(policy("daemon", SCOPE), listed)
    for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject"):
        assert is_allowed(policy("daemon", SCOPE), Asked(action, own))
        assert not is_allowed(policy("daemon", SCOPE), Asked(action, own.replace("n/", "n/x", 2)))
        assert not is_allowed(policy("node", SCOPE), Asked(action, own))


def test_a_node_is_allowed_its_jobs_bucket_below_the_root_and_nothing_else() -> None:
    told = policy("node", SCOPE)
    inside, outside = "arn:aws:s3:::training/elasticd/job-1/x", "arn:aws:s3:::training/theirs/x"
    for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"):
        assert is_allowed(told, Asked(action, inside))
        assert not is_allowed(told, Asked(action, outside))
    bucket = "arn:aws:s3:::training"
    assert is_allowed(
        told, Asked("s3:ListBucket", bucket, {"s3:prefix": "elasticd/job-1/checkpoints"})
    )
    assert not is_allowed(told, Asked("s3:ListBucket", bucket, {"s3:prefix": ""}))


def test_a_node_whose_checkpoints_are_in_a_folder_is_allowed_to_be_entered_and_nothing_else() -> (
    None
):
    told = actions_of(policy("node", Scope(SETTINGS, REGION)))
    assert told < actions_of(policy("node", SCOPE))
    assert "ssmmessages:OpenDataChannel" in told
    assert {each.partition(":")[0] for each in told} == {"ssm", "ssmmessages"}


def test_a_person_enters_the_clusters_nodes_by_two_documents_and_ends_only_own_sessions() -> None:
    told = policy("person", SCOPE)

    def may_start(resource: str, **context: str) -> bool:
        return is_allowed(told, Asked("ssm:StartSession", resource, context))

    instance = f"arn:aws:ec2:{REGION}:123456789012:instance/i-1"
    assert may_start(instance, **{"ssm:resourceTag/elasticd:cluster": "ours"})
    assert not may_start(instance, **{"ssm:resourceTag/elasticd:cluster": "theirs"})
    assert not may_start(instance)
    document = f"arn:aws:ssm:{REGION}::document/"
    assert may_start(f"{document}AWS-StartInteractiveCommand")
    assert not may_start(f"{document}AWS-StartPortForwardingSession")
    others = f"arn:aws:ssm:{REGION}:123456789012:session/other-1"
    assert not is_allowed(told, Asked("ssm:TerminateSession", others))


@pytest.mark.parametrize("name", ["daemon", "node", "reaper", "person"])
def test_a_policy_fits_a_managed_policy(name: str) -> None:
    assert len(json.dumps(policy(name, SCOPE), separators=(",", ":"))) <= 6144
