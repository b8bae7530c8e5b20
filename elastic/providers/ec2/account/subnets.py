"""Checks whether the subnets have free addresses, and a way to the internet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elastic.finding import Finding
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.faults import translated


def check_subnets(survey: AccountFacts) -> Iterator[Finding]:
    """One finding a zone."""
    if survey.catalog is None:
        return
    reads = survey.account.aws.reads
    told = survey.subnets(survey.catalog)
    with translated("describing the routes"):
        pages = reads.get_paginator("describe_route_tables").paginate(
            Filters=[{"Name": "vpc-id", "Values": [survey.catalog.vpc_id]}]
        )
        tables = [table for page in pages for table in page["RouteTables"]]
    for zone, subnet in survey.catalog.subnets.items():
        yield _judge(
            survey, zone, told[subnet.id], way_out(tables, subnet.id), is_public=subnet.is_public
        )


def way_out(tables: Sequence[Mapping[str, Any]], subnet_id: str) -> str | None:
    """The id of the gateway by which the subnet reaches the internet; None if there is none.

    >>> everything = {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1"}
    >>> main = {"Associations": [{"Main": True}], "Routes": [everything]}
    >>> own = {"Associations": [{"SubnetId": "subnet-1"}], "Routes": []}
    >>> way_out([main, own], "subnet-2"), way_out([main, own], "subnet-1")
    ('igw-1', None)
    """
    own = [
        each
        for each in tables
        if any(link.get("SubnetId") == subnet_id for link in each["Associations"])
    ]
    main = [each for each in tables if any(link.get("Main") for link in each["Associations"])]
    for route in (own or main or [{"Routes": []}])[0]["Routes"]:
        if (
            route.get("DestinationCidrBlock") == "0.0.0.0/0"
            and route.get("State", "active") == "active"
        ):
            names = (
                "NatGatewayId",
                "TransitGatewayId",
                "NetworkInterfaceId",
                "VpcPeeringConnectionId",
                "GatewayId",
            )
            return next((str(route[name]) for name in names if route.get(name)), None)
    return None


def _judge(
    survey: AccountFacts, zone: str, raw: Mapping[str, Any], gateway: str | None, *, is_public: bool
) -> Finding:
    free = int(raw.get("AvailableIpAddressCount", 0))
    name = f"aws subnet {zone}"
    found = f"{raw['SubnetId']} of {raw['VpcId']}, {raw['CidrBlock']}: {free} addresses free"
    if free < survey.nodes:
        return Finding(
            name, "error", f"{found}, {survey.nodes} wanted", "name a larger subnet (ec2.subnets)"
        )
    if gateway is None:
        advice = "route it to a gateway, or see to it that ec2.bootstrap needs no internet"
        return Finding(name, "warning", f"{found}, no way to the internet", advice)
    if gateway.startswith("igw-") and not is_public:
        advice = "let it give public addresses, or route it to a NAT gateway"
        return Finding(
            name,
            "warning",
            f"{found}; its way out is {gateway}, but nodes get no public address",
            advice,
        )
    return Finding(name, "ok", f"{found}; way out by {gateway}")
