"""Checks whether the account's quotas leave room for the nodes of the largest job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from elastic.finding import Finding
from elastic.model import Capacity
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.faults import code_of
from elastic.providers.ec2.quotas import QUOTAS, Quota, family_of, how_to_raise, quota_of


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the chosen types of one quota need."""

    quota: Quota
    family: str
    capacity: Capacity
    # In vCPUs.
    smallest: int
    largest: int


def check_quotas(survey: AccountFacts) -> Iterator[Finding]:
    """A quota too small for any chosen type is an error, for the largest job a warning."""
    for wanted in _wanted(survey):
        yield _judge(survey, wanted)
    for name in sorted(survey.catalog.kinds if survey.catalog else ()):
        if family_of(name) is None:
            advice = "look it up in the Service Quotas console"
            yield Finding("aws quota", "warning", f"{name}: its quota could not be told", advice)


def _wanted(survey: AccountFacts) -> Iterator[_Wanted]:
    offerings = survey.catalog.offerings if survey.catalog else ()
    kinds = survey.catalog.kinds if survey.catalog else {}
    named: dict[Quota, tuple[str, Capacity]] = {}
    for family, quotas in QUOTAS.items():
        for capacity, quota in quotas.items():
            named.setdefault(quota, (family, capacity))  # families may share one
    for quota, (family, capacity) in named.items():
        sizes = [
            int(kinds[each.node_type].node_type.cpu)
            for each in offerings
            if quota_of(each.node_type, each.capacity) == quota
        ]
        if sizes:
            yield _Wanted(quota, family, capacity, min(sizes), max(sizes))


def _judge(survey: AccountFacts, wanted: _Wanted) -> Finding:
    told_of = wanted.quota
    name = "aws quota"
    what = f"{wanted.family} {wanted.capacity} ({told_of.code})"
    try:
        quota = survey.account.quotas.get_service_quota(ServiceCode="ec2", QuotaCode=told_of.code)[
            "Quota"
        ]["Value"]
    except (ClientError, BotoCoreError, ResponseParserError) as error:
        if isinstance(error, ClientError):
            said = code_of(error)
        else:
            said = str(error)
        advice = "allow servicequotas:GetServiceQuota, or look it up in the Service Quotas console"
        return Finding(name, "warning", f"{what}: could not be told: {said}", advice)
    used = _used(survey, wanted)
    if used is None:
        return Finding(
            name,
            "warning",
            f"{what}: {quota:g} vCPUs; what is in use could not be told",
            "see above",
        )
    left = quota - used
    needed = survey.nodes * wanted.largest
    found = (
        f"{what}: {left:g} of {quota:g} vCPUs free; {survey.nodes} of the largest chosen type need "
        f"{needed}"
    )
    ask = f"have it raised: {how_to_raise(told_of)}"
    if left < wanted.smallest:
        return Finding(name, "error", f"{found}; the smallest needs {wanted.smallest}", ask)
    if left < needed:
        return Finding(name, "warning", found, ask)
    return Finding(name, "ok", found)


def _used(survey: AccountFacts, wanted: _Wanted) -> int | None:
    """vCPUs of the machines that count against it; None if the size of one is unknown."""
    if survey.instances is None:
        return None
    kinds = survey.catalog.kinds if survey.catalog else {}
    used = 0
    for each in survey.instances:
        # Quotas are on running machines (EC2 User Guide, "On-Demand Instance quotas").
        if each.is_stopped:
            continue
        if (
            quota_of(each.node_type, Capacity.SPOT if each.is_spot else Capacity.ON_DEMAND)
            != wanted.quota
        ):
            continue
        kind = kinds.get(each.node_type)
        if kind is None:
            vcpus = each.vcpus
        else:
            vcpus = int(kind.node_type.cpu)
        if vcpus is None:
            return None
        used += vcpus
    return used
