"""Checks whether the security groups of the daemon's own machine let nodes in."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elastic.finding import Finding
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.catalog import Catalog
from elastic.providers.ec2.faults import translated
from elastic.providers.ec2.network import group_name
from elastic.providers.ec2.refusals import here

_NAME = "aws daemon firewall"
_ADVICE = "admit the nodes' group there: docs/how-to/aws-account.md, section 2"


def check_firewall(survey: AccountFacts) -> Iterator[Finding]:
    """Nodes on other machines call the daemon's port, and those of rendezvous stores."""
    if survey.catalog is not None and here(survey.account.aws.endpoint_url) is None:
        yield judge_firewall(survey, survey.catalog)


def judge_firewall(survey: AccountFacts, catalog: Catalog) -> Finding:
    """Whether the groups of the machine with the daemon's address admit the nodes."""
    if any(0 in ports for ports in survey.ports):
        return Finding(
            _NAME,
            "warning",
            "the daemon takes any ports",
            "set port and rendezvous_ports, and admit these",
        )
    told = ", ".join(_told(ports) for ports in survey.ports)
    machine = _machine(survey, catalog.vpc_id)
    if machine is None:
        found = (
            f"{survey.host} is no machine of {catalog.vpc_id}: whether nodes reach {told} cannot "
            "be seen"
        )
        return Finding(_NAME, "warning", found, _ADVICE)
    ids = [str(each["GroupId"]) for each in machine["SecurityGroups"]]
    where = f"{machine['InstanceId']} ({', '.join(ids)})"
    rules = _rules(survey, ids)
    shut = _shut(survey, catalog, rules)
    if shut and all(any(_names_lists(rule, ports) for rule in rules) for ports in shut):
        found = (
            f"{where} admits prefix lists: whether they hold the nodes' addresses cannot be seen"
        )
        return Finding(_NAME, "warning", found, _ADVICE)
    if shut:
        at = ", ".join(_told(ports) for ports in shut)
        found = f"{where} does not admit nodes at {at}: they would be paid for and never join"
        return Finding(_NAME, "error", found, _ADVICE)
    return Finding(_NAME, "ok", f"{where} admits nodes at {told}")


def admits(rule: Mapping[str, Any], ports: range, groups: set[str], blocks: Sequence[str]) -> bool:
    """Whether a rule of a security group admits calls to all ports from these groups or blocks.

    >>> rule = {"IpProtocol": "tcp", "FromPort": 8470, "ToPort": 8970}
    >>> rule |= {"UserIdGroupPairs": [{"GroupId": "sg-1"}]}
    >>> admits(rule, range(8470, 8471), {"sg-1"}, []), admits(rule, range(8471, 8972), {"sg-1"}, [])
    (True, False)
    """
    if not _is_open(rule, ports):
        return False
    if any(pair.get("GroupId") in groups for pair in rule.get("UserIdGroupPairs", [])):
        return True
    admitted = [ipaddress.IPv4Network(each["CidrIp"]) for each in rule.get("IpRanges", [])]
    nodes = [ipaddress.IPv4Network(block) for block in blocks]
    return bool(nodes) and all(any(block.subnet_of(each) for each in admitted) for block in nodes)


def _is_open(rule: Mapping[str, Any], ports: range) -> bool:
    """Whether a rule is about all of these ports, whomever it admits."""
    if rule["IpProtocol"] == "-1":
        return True
    return bool(
        rule["IpProtocol"] == "tcp" and rule["FromPort"] <= ports[0] and ports[-1] <= rule["ToPort"]
    )


def _names_lists(rule: Mapping[str, Any], ports: range) -> bool:
    return bool(rule.get("PrefixListIds")) and _is_open(rule, ports)


def _machine(survey: AccountFacts, vpc_id: str) -> Mapping[str, Any] | None:
    """The instance with the daemon's address; None if there is none."""
    wanted = {"private-ip-address": survey.host, "vpc-id": vpc_id}
    filters = [{"Name": name, "Values": [value]} for name, value in wanted.items()]
    with translated("looking for the daemon's machine"):
        pages = survey.account.aws.reads.get_paginator("describe_instances").paginate(
            Filters=filters
        )
        return next(
            (each for page in pages for some in page["Reservations"] for each in some["Instances"]),
            None,
        )


def _rules(survey: AccountFacts, ids: Sequence[str]) -> list[Mapping[str, Any]]:
    with translated("describing the security groups of the daemon's machine"):
        groups = survey.account.aws.reads.describe_security_groups(GroupIds=list(ids))[
            "SecurityGroups"
        ]
    return [rule for group in groups for rule in group.get("IpPermissions", [])]


def _shut(
    survey: AccountFacts, catalog: Catalog, rules: Sequence[Mapping[str, Any]]
) -> list[range]:
    """The ports at which none of these rules admits the nodes' group or subnets."""
    named = [{"Name": "group-name", "Values": [group_name(survey.settings.cluster)]}]
    with translated("describing the nodes' security group"):
        found = survey.account.aws.reads.describe_security_groups(Filters=named)["SecurityGroups"]
    nodes = {str(each["GroupId"]) for each in found}
    blocks = [str(each["CidrBlock"]) for each in survey.subnets(catalog).values()]
    return [
        ports
        for ports in survey.ports
        if not any(admits(rule, ports, nodes, blocks) for rule in rules)
    ]


def _told(ports: range) -> str:
    if len(ports) == 1:
        return str(ports[0])
    return f"{ports[0]}-{ports[-1]}"
