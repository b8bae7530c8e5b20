"""The part of `elasticd doctor` that proves an AWS account: EC2's own checks, then the prices of what it sells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from elastic.clock import Clock
from elastic.errors import ElasticError
from elastic.finding import Finding

if TYPE_CHECKING:
    from elastic.config import Settings
    from elastic.model import Offering

_NAME = "aws prices"
_MOST_NAMED = 6


def findings_of_account(settings: Settings, clock: Clock, *, nodes: int) -> Iterator[Finding]:
    """Everything that is to be known of the account before it is trusted with a job of so many nodes."""
    from elastic.providers.ec2.account import account_findings, connect_account  # boto3 takes 0.3 s

    try:
        account = connect_account(settings.ec2.region)
    except ElasticError as error:
        yield Finding("aws identity", "error", str(error), "set ec2.region or AWS_REGION")
        return
    yield from account_findings(account, settings.ec2, host=settings.host, nodes=nodes, clock=clock)
    yield check_prices(settings, clock)


def check_prices(settings: Settings, clock: Clock) -> Finding:
    """What has no price is never launched."""
    from elastic.pricing.ec2 import Ec2Prices, Market, connect_feeds
    from elastic.providers.ec2 import connect, read_catalog

    now_s = clock.now_s()
    try:
        catalog = read_catalog(connect(settings.ec2.region), settings.ec2)
        market = Market(lambda: catalog.offerings, lambda: catalog.public_zones)
        feeds = connect_feeds(settings.ec2.region)
        quotes = Ec2Prices(settings.ec2, feeds=feeds, market=market, started_at_s=now_s).refresh(now_s)
    except ElasticError as error:
        return Finding(_NAME, "error", str(error), "allow pricing:GetProducts and ec2:DescribeSpotPriceHistory")
    priced = {quote.offering for quote in quotes if quote.doubt is None}
    return judge_prices(catalog.offerings, priced)


def judge_prices(offerings: tuple[Offering, ...], priced: set[Offering]) -> Finding:
    """A market without any price is an error, one with gaps a warning."""
    missing = sorted(set(offerings) - priced)
    if not missing:
        return Finding(_NAME, "ok", f"of all {len(offerings)} offerings")
    names = ", ".join(str(each) for each in missing[:_MOST_NAMED])
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    found = f"of {len(priced)} of {len(offerings)} offerings; none of {names}{more}"
    if not priced:
        return Finding(_NAME, "error", found, "allow pricing:GetProducts and ec2:DescribeSpotPriceHistory")
    return Finding(_NAME, "warning", found, "what has no price is not bought; name other types (ec2.types) or wait")
