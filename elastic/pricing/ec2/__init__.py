"""The live prices of EC2, and its price history."""

from elastic.pricing.ec2.aws import Feeds, connect_feeds
from elastic.pricing.ec2.history import Ec2History
from elastic.pricing.ec2.prices import Ec2Prices, PricedOffers
from elastic.pricing.ec2.proof import prove_prices

__all__ = [
    "Ec2History",
    "Ec2Prices",
    "Feeds",
    "PricedOffers",
    "connect_feeds",
    "prove_prices",
]
