"""Checks whether nodes can reach the daemon's address."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence

from elastic.finding import Finding
from elastic.providers.ec2.account.facts import AccountFacts
from elastic.providers.ec2.refusals import host_address, shares_loopback, why_unreachable

_NAME = "aws daemon address"


def check_reach(survey: AccountFacts) -> Iterator[Finding]:
    """Nodes call the daemon; it never calls them."""
    if survey.catalog is None:
        return
    blocks = [str(raw["CidrBlock"]) for raw in survey.subnets(survey.catalog).values()]
    yield judge_reach(survey.host, blocks, endpoint_url=survey.account.aws.endpoint_url)


def judge_reach(host: str, blocks: Sequence[str], *, endpoint_url: str) -> Finding:
    """Whether nodes of an endpoint, with addresses in `blocks`, can reach a daemon at `host`.

    >>> ec2 = "https://ec2.us-east-1.amazonaws.com"
    >>> judge_reach("10.0.0.5", ["10.0.0.0/20"], endpoint_url=ec2).level
    'ok'
    """
    advice = (
        "set host to an address of this machine that nodes reach, such as its private one in "
        "their VPC"
    )
    address = host_address(host)
    if address is None:
        return Finding(
            _NAME, "warning", f"{host}: can nodes resolve and reach it? could not be told", advice
        )
    networks = [ipaddress.ip_network(block) for block in blocks]
    why = why_unreachable(host, endpoint_url)
    if why is not None:
        return Finding(
            _NAME, "error", f"{host}, which {why}; nodes are in {', '.join(blocks)}", advice
        )
    if shares_loopback(endpoint_url) or any(_same_network(address, each) for each in networks):
        return Finding(_NAME, "ok", f"{host} is where nodes are")
    return Finding(
        _NAME,
        "warning",
        f"{host}: is there a way from {', '.join(blocks)}? could not be told",
        advice,
    )


def _same_network(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
    network: ipaddress.IPv4Network | ipaddress.IPv6Network,
) -> bool:
    """Whether an address may be in the VPC of a subnet."""
    # A VPC has 65,536 addresses at most, and routes between all of its subnets.
    return address.version == network.version and address in network.supernet(
        new_prefix=min(16, network.prefixlen)
    )
