"""Checks whether the credentials permit everything that the daemon does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from elastic.aws import beyond_own_policy
from elastic.clock import SystemClock
from elastic.errors import ElasticError
from elastic.finding import Finding
from elastic.providers.ec2 import tags
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.account.trying import Act, TryOutcome, attempt
from elastic.providers.ec2.faults import translated
from elastic.providers.ec2.images import Images
from elastic.providers.ec2.network import found_group, group_name
from elastic.providers.ec2.template import Template

_NAME = "elasticd-doctor"
# Sold in every region; the answer about it does not matter.
_ANY_TYPE = "m5.large"
_POLICY = "attach what `elasticd doctor --print-policy daemon` prints"

Probe = Callable[[AccountFacts], Act]


def launch_data(survey: AccountFacts) -> dict[str, Any] | None:
    """A launch as the daemon would request it; None without a type, zone or image.

    Without the cluster's group, which the first launch makes, EC2 takes the default one.
    """
    if survey.catalog is None:
        return None
    offering = survey.catalog.offerings[0]
    try:
        images = Images(survey.account.aws, survey.settings, SystemClock())
        kind = survey.catalog.kinds[offering.node_type]
        image = images.newest(kind)
        disk_gib = images.disk_gib(kind)
        name = group_name(survey.settings.cluster)
        with translated(f"describing the security group {name}"):
            group = found_group(survey.account.aws, name, survey.catalog.vpc_id)
    except ElasticError:
        return None
    template = Template(
        name=_NAME,
        token=_NAME,
        node_type=offering.node_type,
        image=image,
        user_data=b"#!/bin/sh\n",
        security_group="" if group is None else str(group["GroupId"]),
        volume_gib=disk_gib,
        tags=tags.common(survey.settings),
        own_tags=survey.settings.tags,
        instance_profile=survey.settings.instance_profile,
        placement_group=survey.settings.placement_group,
        is_burstable=kind.is_burstable,
    )
    data = template.run_data()
    if group is None:
        del data["SecurityGroupIds"]
    subnet_id = survey.catalog.subnets[offering.zone].id
    return {**data, "SubnetId": subnet_id, "MinCount": 1, "MaxCount": 1}


def requested(survey: AccountFacts) -> dict[str, str]:
    """The context that a policy's conditions may check when the daemon makes something."""
    asked = {
        f"aws:RequestTag/{name}": value for name, value in tags.common(survey.settings).items()
    }
    return {
        **asked,
        "ec2:MetadataHttpTokens": "required",
        "ec2:MetadataHttpPutResponseHopLimit": "1",
        "ec2:InstanceType": next(iter(survey.settings.types), _ANY_TYPE),
    }


def _looking(action: str, **parameters: Any) -> Probe:
    return lambda survey: Act(action, parameters)


def _launching(survey: AccountFacts) -> Act:
    return Act(
        "RunInstances",
        launch_data(survey),
        arn(survey, "instance/*"),
        requested(survey),
        is_whole=True,
    )


def _fleet(survey: AccountFacts) -> Act:
    configs = [{"LaunchTemplateSpecification": {"LaunchTemplateName": _NAME, "Version": "1"}}]
    target = {"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"}
    asked = {
        "Type": "instant",
        "LaunchTemplateConfigs": configs,
        "TargetCapacitySpecification": target,
        "TagSpecifications": tags.specifications(["fleet"], survey.settings.tags),
    }
    return Act("CreateFleet", asked, arn(survey, "fleet/*"))


def _template(survey: AccountFacts) -> Act:
    asked = {
        "LaunchTemplateName": _NAME,
        "LaunchTemplateData": {"InstanceInitiatedShutdownBehavior": "terminate"},
        "TagSpecifications": tags.specifications(["launch-template"], tags.common(survey.settings)),
    }
    return Act("CreateLaunchTemplate", asked, arn(survey, "launch-template/*"), requested(survey))


def _group(survey: AccountFacts) -> Act:
    if survey.catalog is None:
        return Act("CreateSecurityGroup", None, arn(survey, "security-group/*"), requested(survey))
    asked = {
        "GroupName": _NAME,
        "Description": "only tried",
        "VpcId": survey.catalog.vpc_id,
        "TagSpecifications": tags.specifications(["security-group"], tags.common(survey.settings)),
    }
    return Act("CreateSecurityGroup", asked, arn(survey, "security-group/*"), requested(survey))


def _untried(action: str, resource: str) -> Probe:
    """An action on what carries the cluster's tag, with nothing to try it on."""
    return lambda survey: Act(action, None, arn(survey, resource), _carried(survey))


def _on_own(action: str, ask: Callable[[str], Mapping[str, Any]]) -> Probe:
    """An action on any machine of this cluster, with what `ask` makes of its id."""

    def probe(survey: AccountFacts) -> Act:
        own = survey.own()
        asked = None if own is None else ask(own.instance_id)
        return Act(action, asked, arn(survey, "instance/*"), _carried(survey))

    return probe


def _keeping_alive(survey: AccountFacts) -> Act:
    own = survey.own()
    if own is None:
        asked = None
    else:
        asked = {"Resources": [own.instance_id], "Tags": tags.tag_list({tags.KEEP_ALIVE: "0"})}
    context = {**_carried(survey), "aws:TagKeys": tags.KEEP_ALIVE}
    return Act("CreateTags", asked, arn(survey, "instance/*"), context)


# Every action of EC2 that the daemon calls, with a call to try it.
PROBES: Mapping[str, Probe] = {
    "DescribeInstances": _looking("DescribeInstances"),
    "DescribeInstanceTypes": _looking("DescribeInstanceTypes", InstanceTypes=[_ANY_TYPE]),
    "DescribeInstanceTypeOfferings": _looking(
        "DescribeInstanceTypeOfferings", Filters=[{"Name": "instance-type", "Values": [_ANY_TYPE]}]
    ),
    "DescribeSubnets": _looking("DescribeSubnets"),
    "DescribeRouteTables": _looking("DescribeRouteTables"),
    "DescribeSecurityGroups": _looking("DescribeSecurityGroups"),
    "DescribeImages": _looking("DescribeImages", Owners=["self"]),
    "DescribeLaunchTemplates": _looking("DescribeLaunchTemplates"),
    "DescribeLaunchTemplateVersions": _looking(
        "DescribeLaunchTemplateVersions", Versions=["$Default"]
    ),
    "DescribeSpotPriceHistory": _looking(
        "DescribeSpotPriceHistory", InstanceTypes=[_ANY_TYPE], MaxResults=1
    ),
    "CreateSecurityGroup": _group,
    "AuthorizeSecurityGroupIngress": _untried("AuthorizeSecurityGroupIngress", "security-group/*"),
    "CreateLaunchTemplate": _template,
    "CreateLaunchTemplateVersion": _untried("CreateLaunchTemplateVersion", "launch-template/*"),
    "CreateFleet": _fleet,
    "RunInstances": _launching,
    "CreateTags": _keeping_alive,
    "DeleteLaunchTemplate": _untried("DeleteLaunchTemplate", "launch-template/*"),
    "TerminateInstances": _on_own("TerminateInstances", lambda own: {"InstanceIds": [own]}),
    "GetConsoleOutput": _on_own("GetConsoleOutput", lambda own: {"InstanceId": own}),
}


def check_permissions(survey: AccountFacts) -> Iterator[Finding]:
    """Tries each action of EC2; other checks call the price list and the parameter store."""
    trials = {action: attempt(survey, probe(survey)) for action, probe in PROBES.items()}
    allowed = [action for action, trial in trials.items() if trial.verdict is TryOutcome.ALLOWED]
    if allowed:
        yield Finding("aws permissions", "ok", f"may {', '.join(allowed)}")
    for action, trial in trials.items():
        if trial.verdict is TryOutcome.DENIED:
            advice = beyond_own_policy(trial.answer) or _POLICY
            yield Finding(f"aws ec2:{action}", "error", f"may not: {trial.answer}", advice)
        elif trial.verdict is TryOutcome.REFUSED:
            yield Finding(
                f"aws ec2:{action}",
                "error",
                f"is refused: {trial.answer}",
                "correct the setting that it is about",
            )
    untold = [
        f"{action} ({trial.answer})"
        for action, trial in trials.items()
        if trial.verdict is TryOutcome.UNTOLD
    ]
    if untold:
        advice = "allow iam:SimulatePrincipalPolicy to be told, or look again while a node runs"
        yield Finding(
            "aws permissions", "warning", f"could not be told: {', '.join(untold)}", advice
        )


def _carried(survey: AccountFacts) -> dict[str, str]:
    return {f"aws:ResourceTag/{tags.CLUSTER}": survey.settings.cluster}


def arn(survey: AccountFacts, resource: str) -> str:
    """A resource of EC2 in this account and region."""
    return f"arn:aws:ec2:{survey.account.region}:{survey.caller.account_id}:{resource}"
