"""Checks that credentials do not permit too much, such as ending other owners' machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from elastic.finding import Finding
from elastic.providers.ec2 import tags
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.account.permissions import Probe, arn, launch_data, requested
from elastic.providers.ec2.account.trying import Act, TryOutcome, attempt

_POLICY = "narrow these credentials to what `elasticd doctor --print-policy daemon` prints"
_OTHERS = {f"aws:ResourceTag/{tags.CLUSTER}": "somebody-elses"}


def _end_anothers(survey: AccountFacts) -> Act:
    foreign = survey.foreign()
    asked = None
    if foreign is not None:
        asked = {"InstanceIds": [foreign.instance_id]}
    return Act("TerminateInstances", asked, arn(survey, "instance/*"), _OTHERS)


def _tag_anothers(survey: AccountFacts) -> Act:
    foreign = survey.foreign()
    tag = {tags.CLUSTER: survey.settings.cluster}
    asked = None
    if foreign is not None:
        asked = {"Resources": [foreign.instance_id], "Tags": tags.tag_list(tag)}
    return Act(
        "CreateTags", asked, arn(survey, "instance/*"), {**_OTHERS, "aws:TagKeys": tags.CLUSTER}
    )


def _launch_untagged(survey: AccountFacts) -> Act:
    data = launch_data(survey)
    asked = None
    if data is not None:
        asked = {name: value for name, value in data.items() if name != "TagSpecifications"}
    context = {
        name: value
        for name, value in requested(survey).items()
        if not name.startswith("aws:RequestTag/")
    }
    return Act("RunInstances", asked, arn(survey, "instance/*"), context)


def _launch_unguarded(survey: AccountFacts) -> Act:
    data = launch_data(survey)
    asked = None
    if data is not None:
        asked = {**data, "MetadataOptions": {"HttpTokens": "optional"}}
    return Act(
        "RunInstances",
        asked,
        arn(survey, "instance/*"),
        {**requested(survey), "ec2:MetadataHttpTokens": "optional"},
    )


# What the daemon never does, and what leaked credentials must not permit.
FENCES: Mapping[str, Probe] = {
    "end a machine that is not the cluster's": _end_anothers,
    "take such a machine by a tag": _tag_anothers,
    "launch without the cluster's tag": _launch_untagged,
    "launch without IMDSv2": _launch_unguarded,
}


def check_fences(survey: AccountFacts) -> Iterator[Finding]:
    """Tries each of them; one that is permitted is only a warning, since elasticd works."""
    trials = {name: attempt(survey, act(survey)) for name, act in FENCES.items()}
    for name, trial in trials.items():
        match trial.verdict:
            case TryOutcome.DENIED:
                yield Finding("aws fence", "ok", f"may not {name}")
            case TryOutcome.ALLOWED:
                yield Finding("aws fence", "warning", f"may {name}", _POLICY)
            case TryOutcome.UNTOLD | TryOutcome.REFUSED:
                advice = "allow iam:SimulatePrincipalPolicy to be told"
                yield Finding(
                    "aws fence",
                    "warning",
                    f"may it {name}? could not be told: {trial.answer}",
                    advice,
                )
