"""Whether the account's quotas leave room for the nodes of the largest job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from elastic.finding import Finding
from elastic.model import Capacity
from elastic.providers.ec2.account.survey import Survey
from elastic.providers.ec2.faults import code_of

# Service Quotas, service `ec2`: "Running On-Demand ... instances" and "All ... Spot Instance Requests", in vCPUs.
_CODES: Mapping[str, Mapping[Capacity, str]] = {
    "standard": {Capacity.ON_DEMAND: "L-1216C47A", Capacity.SPOT: "L-34B43A08"},
    "G and VT": {Capacity.ON_DEMAND: "L-DB2E81BA", Capacity.SPOT: "L-3819A6DF"},
    "P": {Capacity.ON_DEMAND: "L-417A185B", Capacity.SPOT: "L-7212CCBC"},
}
_CLASS_OF: Mapping[str, str] = {"g": "G and VT", "vt": "G and VT", "p": "P"} | dict.fromkeys("acdhimrtz", "standard")
_OTHERS = "inf trn dl f x u hpc mac"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the chosen types of a class need: vCPUs of the smallest and of the largest."""

    family: str
    capacity: Capacity
    smallest: int
    largest: int


def family_of(node_type: str) -> str | None:
    """The quota's name for a node type; None for those that have quotas of their own.

    >>> family_of("c5.large"), family_of("g4dn.xlarge"), family_of("p3.2xlarge"), family_of("inf2.xlarge")
    ('standard', 'G and VT', 'P', None)
    """
    letters = re.match(r"[a-z]+", node_type)
    name = letters[0] if letters else ""
    if name in _OTHERS.split():
        return None
    return _CLASS_OF.get(name) or _CLASS_OF.get(name[:1])


def check_quotas(survey: Survey) -> Iterator[Finding]:
    """A quota that admits no node of the chosen types is an error, one that the largest job outgrows a warning."""
    for wanted in _wanted(survey):
        yield _judge(survey, wanted)
    for name in sorted(survey.catalog.kinds if survey.catalog else ()):
        if family_of(name) is None:
            advice = "look it up in the Service Quotas console"
            yield Finding("aws quota", "warning", f"{name}: its quota could not be told", advice)


def _wanted(survey: Survey) -> Iterator[_Wanted]:
    offerings = survey.catalog.offerings if survey.catalog else ()
    kinds = survey.catalog.kinds if survey.catalog else {}
    for family, codes in _CODES.items():
        for capacity in codes:
            sizes = [
                int(kinds[each.node_type].node_type.cpu)
                for each in offerings
                if each.capacity is capacity and family_of(each.node_type) == family
            ]
            if sizes:
                yield _Wanted(family, capacity, min(sizes), max(sizes))


def _judge(survey: Survey, wanted: _Wanted) -> Finding:
    code = _CODES[wanted.family][wanted.capacity]
    name, what = "aws quota", f"{wanted.family} {wanted.capacity} ({code})"
    try:
        quota = survey.account.quotas.get_service_quota(ServiceCode="ec2", QuotaCode=code)["Quota"]["Value"]
    except (ClientError, BotoCoreError, ResponseParserError) as error:
        said = code_of(error) if isinstance(error, ClientError) else str(error)
        advice = "allow servicequotas:GetServiceQuota, or look it up in the Service Quotas console"
        return Finding(name, "warning", f"{what}: could not be told: {said}", advice)
    used = _used(survey, wanted)
    if used is None:
        return Finding(name, "warning", f"{what}: {quota:g} vCPUs; what is in use could not be told", "see above")
    left, needed = quota - used, survey.nodes * wanted.largest
    found = f"{what}: {left:g} of {quota:g} vCPUs free; {survey.nodes} of the largest chosen type need {needed}"
    ask = f"have it raised: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code {code}"
    if left < wanted.smallest:
        return Finding(name, "error", f"{found}; the smallest needs {wanted.smallest}", ask)
    return Finding(name, "warning", found, ask) if left < needed else Finding(name, "ok", found)


def _used(survey: Survey, wanted: _Wanted) -> int | None:
    """vCPUs of the machines that count against it; None if one of them does not tell its size."""
    if survey.instances is None:
        return None
    kinds = survey.catalog.kinds if survey.catalog else {}
    used = 0
    for each in survey.instances:
        if family_of(each.node_type) != wanted.family or each.is_spot != (wanted.capacity is Capacity.SPOT):
            continue
        kind = kinds.get(each.node_type)
        vcpus = each.vcpus if kind is None else int(kind.node_type.cpu)
        if vcpus is None:
            return None
        used += vcpus
    return used
