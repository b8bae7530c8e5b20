"""The live prices of EC2."""

from elastic.pricing.ec2.aws import Feeds, connect_feeds
from elastic.pricing.ec2.prices import Ec2Prices, Market

__all__ = ["Ec2Prices", "Feeds", "Market", "connect_feeds"]
