"""All checks of an account, in the order in which to fix what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from elastic.clock import AGREES_S, Clock
from elastic.config import Ec2Settings
from elastic.durations import AWS_SKEW_S
from elastic.errors import ElasticError, ProviderError
from elastic.figures import duration
from elastic.finding import Finding
from elastic.providers.ec2.account.facts import (
    Account,
    AccountFacts,
    Running,
    read_caller,
    read_running,
)
from elastic.providers.ec2.account.fences import check_fences
from elastic.providers.ec2.account.firewall import check_firewall
from elastic.providers.ec2.account.machines import (
    check_bootstrap,
    check_group,
    check_images,
    check_profile,
)
from elastic.providers.ec2.account.permissions import check_permissions
from elastic.providers.ec2.account.quotas import check_quotas
from elastic.providers.ec2.account.reach import check_reach
from elastic.providers.ec2.account.subnets import check_subnets
from elastic.providers.ec2.account.trying import simulated_principal
from elastic.providers.ec2.catalog import Catalog, read_catalog
from elastic.providers.ec2.faults import translated

Check = Callable[[AccountFacts], Iterable[Finding]]


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


CHECKS: tuple[Check, ...] = (
    check_identity,
    check_clock,
    check_permissions,
    check_fences,
    check_quotas,
    check_subnets,
    check_group,
    check_images,
    check_bootstrap,
    check_profile,
    check_reach,
    check_firewall,
)


def account_findings(
    account: Account,
    settings: Ec2Settings,
    *,
    host: str,
    ports: tuple[range, ...],
    nodes: int,
    clock: Clock,
) -> Iterator[Finding]:
    """Runs every check; without valid credentials there is only one finding."""
    try:
        caller = read_caller(account)
    except ProviderError as error:
        yield Finding(
            "aws identity",
            "error",
            str(error),
            "give credentials: AWS_PROFILE, AWS_ACCESS_KEY_ID or a role",
        )
        return
    now_s = clock.now_s()
    catalog, told = _catalog(account, settings)
    yield told
    survey = AccountFacts(
        account=account,
        settings=settings,
        caller=caller,
        catalog=catalog,
        instances=_instances(account),
        simulated=simulated_principal(account, caller),
        host=host,
        ports=ports,
        nodes=nodes,
        now_s=now_s,
    )
    for check in CHECKS:
        yield from _held(check, survey)


def _held(check: Check, survey: AccountFacts) -> Iterator[Finding]:
    """The findings of a check; an error of AWS becomes a finding too."""
    try:
        yield from check(survey)
    except ProviderError as error:
        name = check.__name__.removeprefix("check_").replace("_", " ")
        yield Finding(
            f"aws {name}",
            "error",
            f"could not be told: {error}",
            "fix what it says, and look again",
        )


def _catalog(account: Account, settings: Ec2Settings) -> tuple[Catalog | None, Finding]:
    try:
        catalog = read_catalog(account.aws, settings)
    except ElasticError as error:
        return None, Finding(
            "aws offerings",
            "error",
            str(error),
            "fix the settings ec2.types, ec2.zones, ec2.subnets",
        )
    zones = ", ".join(catalog.subnets)
    found = f"{len(catalog.kinds)} node types in {zones}: {len(catalog.offerings)} offerings"
    if catalog.not_sold:
        return catalog, Finding("aws offerings", "warning", found, catalog.not_sold_text())
    return catalog, Finding("aws offerings", "ok", found)


def _instances(account: Account) -> tuple[Running, ...] | None:
    try:
        with translated("listing the account's instances"):
            return read_running(account)
    except ProviderError:
        return None  # the probe of DescribeInstances says why
