"""Checks whose the credentials are, and whether AWS's clock agrees with ours."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Literal

from elastic.clock import AGREES_S
from elastic.durations import AWS_SKEW_S
from elastic.figures import duration
from elastic.finding import Finding
from elastic.providers.ec2.account.clients import Account
from elastic.providers.ec2.account.facts import AccountFacts, Caller
from elastic.providers.ec2.faults import translated


def read_caller(account: Account) -> Caller:
    """Asks AWS whose the credentials are. Raises ProviderError if they are not valid."""
    with translated("asking AWS who we are", service="sts"):
        told = account.identity.get_caller_identity()
    date = told["ResponseMetadata"].get("HTTPHeaders", {}).get("date")
    return Caller(
        account_id=str(told["Account"]),
        arn=str(told["Arn"]),
        answered_at_s=None if date is None else parsedate_to_datetime(date).timestamp(),
    )


def check_identity(survey: AccountFacts) -> Iterator[Finding]:
    """The owner of the credentials; a warning for root, whose permissions cannot be limited."""
    caller = survey.caller
    found = f"{caller.arn}, account {caller.account_id}, region {survey.account.region}"
    if caller.arn.endswith(":root"):
        yield Finding(
            "aws identity",
            "warning",
            found,
            "do not run a daemon as root: make a user or a role for it",
        )
    else:
        yield Finding("aws identity", "ok", found)


def check_clock(survey: AccountFacts) -> Iterator[Finding]:
    """The clock must be right, since signatures, prices and the ledger depend on it."""
    if survey.caller.answered_at_s is None:
        yield Finding(
            "aws clock",
            "warning",
            "could not be told: the answer has no date",
            "look at this clock yourself",
        )
        return
    skew_s = abs(survey.now_s - survey.caller.answered_at_s)
    if skew_s <= AGREES_S:
        yield Finding("aws clock", "ok", f"within {duration(AGREES_S)} of AWS's")
        return
    level: Literal["warning", "error"] = "error" if skew_s > AWS_SKEW_S else "warning"
    yield Finding(
        "aws clock",
        level,
        f"{duration(skew_s)} apart from AWS's",
        "synchronise this machine's clock",
    )
