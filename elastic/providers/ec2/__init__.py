"""The provider whose nodes are EC2 instances."""

from elastic.providers.ec2.aws import Aws, connect
from elastic.providers.ec2.catalog import Catalog, Subnet, read_catalog
from elastic.providers.ec2.leader_lease import ParameterLeases, lease_name
from elastic.providers.ec2.machines import Ec2Machine, end_machine, read_machines
from elastic.providers.ec2.provider import Ec2Provider, Paths
from elastic.providers.ec2.refusals import here, reaches_no_bucket, refuse
from elastic.providers.ec2.requirements import Requirements, parse_requirements
from elastic.providers.ec2.tags import CLUSTER
from elastic.providers.ec2.template import sweep_templates
from elastic.providers.ec2.user_data import DEFAULT_BOOTSTRAP, user_data, wheel_url

__all__ = [
    "CLUSTER",
    "DEFAULT_BOOTSTRAP",
    "Aws",
    "Catalog",
    "Ec2Machine",
    "Ec2Provider",
    "ParameterLeases",
    "Paths",
    "Requirements",
    "Subnet",
    "connect",
    "end_machine",
    "here",
    "lease_name",
    "parse_requirements",
    "reaches_no_bucket",
    "read_catalog",
    "read_machines",
    "refuse",
    "sweep_templates",
    "user_data",
    "wheel_url",
]
