"""Finds out whether a call would be permitted, by EC2's DryRun or IAM's policy simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from elastic.aws import without_code
from elastic.providers.ec2.account.facts import Account, AccountFacts, Caller
from elastic.providers.ec2.faults import RefusalKind, code_of, fault_in

# EC2 names the caller, the action, the resource and the policy, each by a long name.
_MOST_CHARACTERS = 500

# The types of context keys that are no strings (Service Authorization Reference, Amazon EC2).
_TYPES: Mapping[str, Literal["numeric", "stringList"]] = {
    "ec2:MetadataHttpPutResponseHopLimit": "numeric",
    "aws:TagKeys": "stringList",
}


class TryOutcome(StrEnum):
    """The outcome of a try."""

    ALLOWED = "allowed"
    DENIED = "denied"
    REFUSED = "refused"
    UNTOLD = "could not be told"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a try."""

    verdict: TryOutcome
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """A call to try."""

    action: str
    # None if there is nothing yet to try the call on.
    parameters: Mapping[str, Any] | None
    resource: str = "*"
    # What a policy's conditions may check.
    context: Mapping[str, str] | None = None
    # Whether the parameters are those of the daemon. Then a refusal of them is an error too.
    is_whole: bool = False


def attempt(survey: AccountFacts, act: Act) -> Trial:
    """Tries whether the caller may make a call. Changes nothing."""
    tried = Trial(TryOutcome.UNTOLD, "there is nothing to try it on")
    if act.parameters is not None:
        tried = _dry_run(survey, act, act.parameters)
    if tried.verdict is TryOutcome.UNTOLD and survey.simulated is not None:
        context = {"aws:RequestedRegion": survey.account.region, **(act.context or {})}
        simulated = _simulate(
            survey.account, survey.simulated, f"ec2:{act.action}", act.resource, context
        )
        if simulated is None:
            return tried
        return simulated
    return tried


def simulated_principal(account: Account, caller: Caller) -> str | None:
    """Whose policies IAM simulates for the caller; None if the caller may not ask. Few may."""
    arn = _principal(account, caller.arn)
    if _simulate(account, arn, "ec2:DescribeInstances", "*", {}) is None:
        return None
    return arn


def _dry_run(survey: AccountFacts, act: Act, parameters: Mapping[str, Any]) -> Trial:
    call = getattr(survey.account.aws.reads, xform_name(act.action))
    try:
        call(DryRun=True, **parameters)
    except ClientError as error:
        code = code_of(error)
        if code == "DryRunOperation":
            return Trial(TryOutcome.ALLOWED)
        message = without_code(str(error.response.get("Error", {}).get("Message", "")))
        said = f"{code}: {message}"[:_MOST_CHARACTERS]
        fault = fault_in(error)
        if (
            fault is RefusalKind.PERMISSION
            and act.action == "RunInstances"
            and "SecurityGroupIds" not in parameters
            and ":security-group/" in said
        ):
            return Trial(TryOutcome.UNTOLD, f"the cluster's security group is not made yet; {said}")
        if (
            fault in (RefusalKind.REFUSED, RefusalKind.CREDENTIALS, RefusalKind.ACCOUNT)
            and act.is_whole
        ):
            return Trial(TryOutcome.REFUSED, said)
        return Trial(
            TryOutcome.DENIED if fault is RefusalKind.PERMISSION else TryOutcome.UNTOLD, said
        )
    except (BotoCoreError, ResponseParserError) as error:
        return Trial(TryOutcome.UNTOLD, str(error)[:_MOST_CHARACTERS])
    return Trial(TryOutcome.ALLOWED)


def _simulate(
    account: Account, principal: str, action: str, resource: str, context: Mapping[str, str]
) -> Trial | None:
    """Simulates the principal's policies; None if that is not permitted, or if it has none."""
    entries = [
        {
            "ContextKeyName": name,
            "ContextKeyValues": [value],
            "ContextKeyType": _TYPES.get(name, "string"),
        }
        for name, value in context.items()
    ]
    try:
        told = account.roles.simulate_principal_policy(
            PolicySourceArn=principal,
            ActionNames=[action],
            ResourceArns=[resource],
            ContextEntries=entries,
        )
    except (ClientError, BotoCoreError, ResponseParserError):
        return None
    decisions = [each["EvalDecision"] for each in told.get("EvaluationResults", [])]
    if not decisions:
        return None
    is_allowed = all(each == "allowed" for each in decisions)
    return Trial(
        TryOutcome.ALLOWED if is_allowed else TryOutcome.DENIED,
        "by simulation: " + ", ".join(decisions),
    )


def _principal(account: Account, arn: str) -> str:
    """The user or role behind a caller; the session of a role has another name."""
    head, mark, rest = arn.partition(":assumed-role/")
    if not mark:
        return arn
    name = rest.partition("/")[0]
    # A session does not name the path of its role, such as that of IAM Identity Center's roles.
    try:
        return str(account.roles.get_role(RoleName=name)["Role"]["Arn"])
    except (ClientError, BotoCoreError, ResponseParserError):
        return f"{head.replace(':sts:', ':iam:')}:role/{name}"
