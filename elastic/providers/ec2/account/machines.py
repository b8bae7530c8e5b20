"""Checks what nodes are made of: security group, images, bootstrap, instance profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from elastic.clock import SystemClock
from elastic.distribution import own_wheel
from elastic.errors import InvalidInput, ProviderError
from elastic.finding import Finding
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.faults import RefusalKind, code_of, fault_in, translated
from elastic.providers.ec2.images import Images
from elastic.providers.ec2.network import found_group, group_name

_ANYWHERE = ("0.0.0.0/0", "::/0")


def check_group(survey: AccountFacts) -> Iterator[Finding]:
    """The cluster's group must admit only nodes; the daemon makes it at the first launch."""
    if survey.catalog is None:
        return
    name = group_name(survey.settings.cluster)
    with translated("describing the security group"):
        group = found_group(survey.account.aws, name, survey.catalog.vpc_id)
    if group is None:
        yield Finding("aws security group", "ok", f"{name} is made at the first launch")
        return
    open_to = sorted({block for rule in group.get("IpPermissions", []) for block in _blocks(rule)})
    if open_to:
        found = f"{name} admits {', '.join(open_to)}"
        advice = "nodes need only one another: revoke that rule"
        yield Finding("aws security group", "warning", found, advice)
    else:
        yield Finding(
            "aws security group",
            "ok",
            f"{name}: {group['GroupId']} admits no address from anywhere",
        )


def check_images(survey: AccountFacts) -> Iterator[Finding]:
    """Each kind of machine must have an image for its architecture."""
    if survey.catalog is None:
        return
    images = Images(survey.account.aws, survey.settings, SystemClock())
    # One look for each parameter: a hundred types share three images.
    sorts = {images.parameter(kind): kind for kind in survey.catalog.kinds.values()}
    for parameter, kind in sorts.items():
        try:
            image = images.newest(kind)
            disk_gib = images.disk_gib(kind)
            with translated(f"describing the image {image.id}"):
                found = survey.account.aws.reads.describe_images(ImageIds=[image.id])["Images"]
        except ProviderError as error:
            yield Finding(
                "aws image",
                "error",
                str(error),
                "correct the setting ec2.ami_parameter of that sort",
            )
            continue
        yield _judge_image(parameter, kind.architecture, image.id, disk_gib, found)


def _judge_image(
    parameter: str, architecture: str, image_id: str, disk_gib: int, found: list[Mapping[str, Any]]
) -> Finding:
    if not found:
        advice = "correct the setting ec2.ami_parameter of that sort"
        return Finding(
            "aws image", "error", f"{parameter} names {image_id}, which is not there", advice
        )
    real = found[0].get("Architecture")
    # Where the answer names none, the launch will tell.
    if real not in (None, architecture):
        advice = "correct the setting ec2.ami_parameter of that sort"
        return Finding(
            "aws image", "error", f"{image_id}: wanted one for {architecture}, found {real}", advice
        )
    if any(
        each.get("ProductCodeType") == "marketplace" for each in found[0].get("ProductCodes", [])
    ):
        sold = (
            f"{image_id} is sold on AWS Marketplace: what its maker charges is not in the prices "
            "here, nor in budgets"
        )
        return Finding(
            "aws image", "warning", sold, "look up that it is free, or correct ec2.ami_parameter"
        )
    return Finding(
        "aws image",
        "ok",
        f"{image_id} for {architecture} on a disk of {disk_gib} GiB, by {parameter}",
    )


def check_bootstrap(survey: AccountFacts) -> Iterator[Finding]:
    """Nodes must get elasticd, as a wheel from the daemon or by the settings' own lines."""
    own = ""
    if survey.settings.bootstrap is not None:
        own = "nodes run the lines of ec2.bootstrap"
    if not survey.settings.needs_wheel:
        yield Finding("aws bootstrap", "ok", own)
        return
    try:
        wheel = own_wheel()
    except InvalidInput as error:
        yield Finding("aws bootstrap", "error", "the daemon has no wheel for its nodes", str(error))
        return
    served = f"nodes install {wheel.name} from their daemon, and the rest from the package index"
    yield Finding("aws bootstrap", "ok", f"{own}; {served}" if own else served)


def check_profile(survey: AccountFacts) -> Iterator[Finding]:
    """The profile must exist and have a role, by which nodes reach the bucket."""
    name = survey.settings.instance_profile
    if name is None:
        yield Finding("aws instance profile", "ok", "none: nodes get no AWS credentials")
        return
    try:
        with translated(f"reading the instance profile {name}", service="iam"):
            roles = _roles(survey, name)
    except ProviderError as error:
        advice = "allow iam:GetInstanceProfile to be told"
        yield Finding(
            "aws instance profile", "warning", f"{name}: could not be told: {error}", advice
        )
        return
    if roles is None:
        advice = "make it: docs/how-to/aws-account.md, or correct ec2.instance_profile"
        yield Finding("aws instance profile", "error", f"there is no {name}", advice)
    elif not roles:
        advice = (
            f"aws iam add-role-to-instance-profile --instance-profile-name {name} --role-name ..."
        )
        yield Finding("aws instance profile", "error", f"{name} holds no role", advice)
    else:
        yield Finding("aws instance profile", "ok", f"{name} with the role {', '.join(roles)}")


def _roles(survey: AccountFacts, name: str) -> list[str] | None:
    try:
        profile = survey.account.roles.get_instance_profile(InstanceProfileName=name)[
            "InstanceProfile"
        ]
    except ClientError as error:
        if code_of(error) == "NoSuchEntity" and fault_in(error) is RefusalKind.REFUSED:
            return None
        raise
    return [str(role["RoleName"]) for role in profile["Roles"]]


def _blocks(rule: Mapping[str, Any]) -> list[str]:
    four = [each["CidrIp"] for each in rule.get("IpRanges", [])]
    six = [each["CidrIpv6"] for each in rule.get("Ipv6Ranges", [])]
    return [each for each in (*four, *six) if each in _ANYWHERE]
