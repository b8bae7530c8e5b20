"""Nodes that are EC2 instances."""

from elastic.providers.ec2.aws import Aws, connect
from elastic.providers.ec2.catalog import Catalog, Subnet
from elastic.providers.ec2.provider import Ec2Provider, Paths
from elastic.providers.ec2.requirements import Requirements, parse_requirements

__all__ = ["Aws", "Catalog", "Ec2Provider", "Paths", "Requirements", "Subnet", "connect", "parse_requirements"]
