"""moto's EC2 of one region, with a network that has a subnet for each of the scenario's zones."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from moto.backends import get_backend
from moto.core.base_backend import BackendDict
from moto.core.exceptions import ServiceException
from moto.core.model_instances import reset_model_data
from moto.ec2.models.instance_types import INSTANCE_TYPES

from elastic.errors import InvalidInput
from elastic.lab.scenario import Scenario
from elastic.lab.wire import Ec2Error
from elastic.model import Capacity, Offering

ACCOUNT_ID = "123456789012"


class Cloud:
    """All of moto's state in this process, emptied first: one lab at a time."""

    def __init__(self, scenario: Scenario, *, network: str) -> None:
        _require_real_types(scenario)
        BackendDict.reset()
        reset_model_data()
        self.region = scenario.region
        self.backend: Any = get_backend("ec2")[ACCOUNT_ID][scenario.region]
        vpc = self.backend.create_vpc(network)
        blocks = ipaddress.ip_network(network).subnets(new_prefix=20)
        next(blocks)  # The first one holds the lab's own address.
        self.vpc_id: str = vpc.id
        self.subnets: Mapping[str, str] = {
            zone: self.backend.create_subnet(vpc.id, str(block), availability_zone=zone).id
            for zone, block in zip(scenario.zones, blocks, strict=False)
        }

    def instances(self) -> Iterator[Any]:
        """Every instance that moto shows, of its own class."""
        return (instance for each in list(self.backend.reservations.values()) for instance in each.instances)

    def subnet_zone(self, subnet_id: str) -> str:
        """The zone of a subnet; raises Ec2Error if there is no such subnet."""
        try:
            return str(self.backend.get_subnet(subnet_id).availability_zone)
        except ServiceException as error:
            raise Ec2Error("InvalidSubnetID.NotFound", str(error)) from error

    def template(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """What a launch template's version holds; raises Ec2Error if there is none."""
        try:
            if "LaunchTemplateId" in named:
                template = self.backend.get_launch_template(template_id=named["LaunchTemplateId"])
            else:
                template = self.backend.get_launch_template_by_name(name=named["LaunchTemplateName"])
            return dict(template.get_version(named.get("Version", "$Default")).data)
        except ServiceException as error:
            raise Ec2Error(str(getattr(error, "code", "InvalidLaunchTemplateId.NotFound")), str(error)) from error

    def hide(self, reservation_id: str) -> Any:
        """Takes a reservation out of every answer, and gives what brings it back."""
        return self.backend.reservations.pop(reservation_id)

    def show(self, reservation: Any) -> None:
        """Puts a hidden reservation back."""
        self.backend.reservations[reservation.id] = reservation


def offering_of(instance: Any) -> Offering:
    """What an instance was bought as."""
    capacity = Capacity.SPOT if instance.lifecycle == "spot" else Capacity.ON_DEMAND
    return Offering(instance.instance_type, capacity, instance.placement.zone)


def disk_gib(instance: Any) -> float:
    """The size of its disks, GiB."""
    return float(sum(each.size or 0 for _, each in instance.get_block_device_mapping))


def _require_real_types(scenario: Scenario) -> None:
    unknown = sorted(set(scenario.node_types) - set(INSTANCE_TYPES))
    if unknown:
        raise InvalidInput(
            f"node_types: wanted names of EC2's instance types, such as c5.large; found {', '.join(unknown)}",
            field="node_types",
        )
