"""The live prices of EC2, and its price history."""

from elastic.pricing.ec2.aws import Feeds, connect_feeds
from elastic.pricing.ec2.feeds import prove_prices
from elastic.pricing.ec2.prices import Ec2Prices, PricedOffers
from elastic.pricing.ec2.spot import Ec2History

__all__ = [
    "Ec2History",
    "Ec2Prices",
    "Feeds",
    "PricedOffers",
    "connect_feeds",
    "prove_prices",
]
