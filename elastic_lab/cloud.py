"""moto's EC2 of one region, with the lab's network as its default VPC."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moto.backends import get_backend
from moto.core.base_backend import BackendDict
from moto.core.exceptions import ServiceException
from moto.core.model_instances import reset_model_data
from moto.ec2.models.instance_types import INSTANCE_TYPES

from elastic.errors import InvalidInput
from elastic.model import Capacity, Offering
from elastic_lab.images import add_gpu_image, least_gib
from elastic_lab.scenario import Scenario
from elastic_lab.wire import Ec2Error

ACCOUNT_ID = "123456789012"


class Cloud:
    """All of moto's state in this process, which is cleared first."""

    def __init__(self, scenario: Scenario, *, network: str) -> None:
        _require_real_types(scenario)
        # moto keeps its state in the process, so an earlier lab's would still be there.
        BackendDict.reset()
        reset_model_data()
        self.region = scenario.region
        self.backend: Any = get_backend("ec2")[ACCOUNT_ID][scenario.region]
        self.vpc_id: str = _make_default_vpc(self.backend, network)
        add_gpu_image(self.backend, ACCOUNT_ID, scenario.region)
        self.subnets: Mapping[str, str] = _make_subnets(
            self.backend, self.vpc_id, network, scenario.zones
        )

    def instances(self) -> Iterator[Any]:
        """Every instance that moto shows, of its own class."""
        return (
            instance
            for each in list(self.backend.reservations.values())
            for instance in each.instances
        )

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
                template = self.backend.get_launch_template_by_name(
                    name=named["LaunchTemplateName"]
                )
            return dict(template.get_version(named.get("Version", "$Default")).data)
        except ServiceException as error:
            raise Ec2Error(
                str(getattr(error, "code", "InvalidLaunchTemplateId.NotFound")), str(error)
            ) from error

    def check_disk(self, parameters: Mapping[str, Any]) -> None:
        """Raises Ec2Error if a launch's disk is smaller than the image that it is made from."""
        wanted_gib = least_gib(self.backend, str(parameters.get("ImageId")))
        sizes = [
            each.get("Ebs", {}).get("VolumeSize")
            for each in parameters.get("BlockDeviceMappings") or ()
        ]
        # moto takes any size. EC2 refuses it, which costs a launch.
        if sizes and sizes[0] is not None and int(sizes[0]) < wanted_gib:
            message = (
                f"Volume of size {sizes[0]}GB is smaller than snapshot, expect size >= "
                f"{wanted_gib}GB"
            )
            raise Ec2Error("InvalidBlockDeviceMapping", message)

    def hide(self, reservation_id: str) -> Any:
        """Takes a reservation out of every answer, and returns what brings it back."""
        return self.backend.reservations.pop(reservation_id)

    def show(self, reservation: Any) -> None:
        """Puts a hidden reservation back."""
        self.backend.reservations[reservation.id] = reservation


def offering_of(instance: Any) -> Offering:
    """What an instance was bought as."""
    if instance.lifecycle == "spot":
        capacity = Capacity.SPOT
    else:
        capacity = Capacity.ON_DEMAND
    return Offering(instance.instance_type, capacity, instance.placement.zone)


def disk_gib(instance: Any) -> float:
    """The size of its disks, GiB."""
    return float(sum(each.size or 0 for _, each in instance.get_block_device_mapping))


def _make_default_vpc(backend: Any, network: str) -> str:
    """Replaces moto's default VPC by the lab's network, with an internet gateway as on AWS."""
    # A VPC with subnets cannot be deleted.
    for subnet in list(backend.describe_subnets()):
        backend.delete_subnet(subnet.id)
    backend.delete_vpc(backend.default_vpc.id)
    vpc = backend.create_vpc(network, is_default=True)
    backend.default_vpc = vpc
    gateway = backend.create_internet_gateway()
    backend.attach_internet_gateway(gateway.id, vpc.id)
    (table,) = backend.describe_route_tables(filters={"vpc-id": [vpc.id]})
    backend.create_route(table.id, "0.0.0.0/0", gateway_id=gateway.id)
    return str(vpc.id)


def _make_subnets(backend: Any, vpc_id: str, network: str, zones: Sequence[str]) -> dict[str, str]:
    """Makes a subnet for each zone, which moto makes the default one with public addresses."""
    blocks = ipaddress.ip_network(network).subnets(new_prefix=20)
    next(blocks)  # the first one has the lab's own address
    return {
        zone: str(backend.create_subnet(vpc_id, str(block), availability_zone=zone).id)
        for zone, block in zip(zones, blocks, strict=False)
    }


def _require_real_types(scenario: Scenario) -> None:
    unknown = sorted(set(scenario.node_types) - set(INSTANCE_TYPES))
    if unknown:
        raise InvalidInput(
            "node_types: wanted names of EC2's instance types, such as c5.large; found "
            f"{', '.join(unknown)}",
            field="node_types",
        )
