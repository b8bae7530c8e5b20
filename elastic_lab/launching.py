"""RunInstances as on EC2: with the whole launch template, capacity and price limits."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elastic.clock import Clock
from elastic.model import Capacity, Offering
from elastic_lab.cloud import Cloud
from elastic_lab.fault_injector import FaultInjector, matches
from elastic_lab.guests import Guest, Guests
from elastic_lab.prices import PriceBook
from elastic_lab.timeline import Timeline
from elastic_lab.wire import Answer, Ec2Call, Ec2Error, WsgiApp, parameters_of

_NO_CAPACITY = (
    "We currently do not have sufficient {node_type} capacity in the Availability Zone you "
    "requested ({zone}). "
    "Our system will be working on provisioning additional capacity."
)
_MAX_USER_DATA_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class InstanceLauncher:
    """Makes moto's instances, as far as the scenario permits."""

    app: WsgiApp
    cloud: Cloud
    guests: Guests
    book: PriceBook
    fault_injector: FaultInjector
    timeline: Timeline
    clock: Clock

    def run_instances(self, call: Ec2Call) -> tuple[Answer, tuple[Guest, ...]]:
        """Does what the call asks, or raises Ec2Error."""
        parameters = self.with_template(call.parameters)
        offering = self.offering_of(parameters)
        self.cloud.check_disk(parameters)
        wanted = int(parameters.get("MaxCount", 1))
        least = int(parameters.get("MinCount", 1))
        if parameters.get("DryRun"):
            return call.with_parameters("RunInstances", parameters).forward(self.app), ()
        # EC2 gives as many as there are, if that is at least `MinCount`.
        count = min(wanted, self.room(offering))
        if not 1 <= least <= count:
            raise Ec2Error("InsufficientInstanceCapacity", no_capacity(offering))
        return self._buy(call, parameters, count)

    def with_template(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters, completed by those of their launch template, and a subnet."""
        named = parameters.get("LaunchTemplate")
        merged = _merge({} if named is None else self.cloud.template(named), parameters)
        nics = merged.get("NetworkInterfaces")
        if not nics and "SubnetId" not in merged:
            merged["SubnetId"] = self._default_subnet(
                merged.get("Placement", {}).get("AvailabilityZone")
            )
        # EC2 wants the subnet in one place only: here that is the first network interface.
        if nics:
            subnet_id = (
                merged.pop("SubnetId", None)
                or nics[0].get("SubnetId")
                or self._default_subnet(None)
            )
            merged["NetworkInterfaces"] = [{**nics[0], "SubnetId": subnet_id}, *nics[1:]]
        size = len(base64.b64decode(merged.get("UserData", "")))
        if size > _MAX_USER_DATA_BYTES:
            raise Ec2Error(
                "InvalidParameterValue", f"User data is limited to 16384 bytes, found {size}"
            )
        return merged

    def offering_of(self, parameters: Mapping[str, Any]) -> Offering:
        """What the parameters would buy; raises Ec2Error if it is not on sale."""
        nics = parameters.get("NetworkInterfaces") or [{}]
        zone = self.cloud.subnet_zone(parameters.get("SubnetId") or nics[0].get("SubnetId", ""))
        market = parameters.get("InstanceMarketOptions", {}).get("MarketType")
        if market == "spot":
            capacity = Capacity.SPOT
        else:
            capacity = Capacity.ON_DEMAND
        offering = Offering(str(parameters.get("InstanceType", "m1.small")), capacity, zone)
        # Sold is what has a price here, so that the bill can charge it.
        if self.book.usd_per_h(offering, at_s=self.clock.now_s()) is None:
            message = (
                f"Your requested instance type ({offering.node_type}) is not supported in {zone} "
                f"as {capacity}"
            )
            raise Ec2Error("Unsupported", message)
        self._check_price(parameters, offering)
        return offering

    def room(self, offering: Offering) -> int:
        """How many more instances of the offering are available now."""
        live = [guest.offering for guest in self.guests.all() if guest.phase.is_live]
        limits = self.fault_injector.limits(
            offering, after_s=self.timeline.after_s(self.clock.now_s())
        )
        left = [window.available - sum(matches(window, each) for each in live) for window in limits]
        return max(0, min(left, default=100_000))

    def _check_price(self, parameters: Mapping[str, Any], offering: Offering) -> None:
        options = parameters.get("InstanceMarketOptions", {}).get("SpotOptions", {})
        price = self.book.usd_per_h(offering, at_s=self.clock.now_s())
        limit = options.get("MaxPrice")
        if (
            offering.capacity is Capacity.SPOT
            and limit
            and price is not None
            and float(limit) < price
        ):
            message = (
                f"Your Spot request price of {limit} is lower than the minimum required Spot "
                f"request price of {price}"
            )
            raise Ec2Error("SpotMaxPriceTooLow", message)

    def _buy(
        self, call: Ec2Call, parameters: Mapping[str, Any], count: int
    ) -> tuple[Answer, tuple[Guest, ...]]:
        exact = {**parameters, "MinCount": count, "MaxCount": count}
        # Held from moto's answer to the end: no call finds an instance that still lacks its role.
        with self.guests.lock:
            answer = call.with_parameters("RunInstances", exact).forward(self.app)
            new = self.guests.take_over()
            for guest in new:
                _carry_over(guest.instance, parameters)
                self._give_role(guest.id, parameters.get("IamInstanceProfile"))
            self.guests.hide_new(new)
        body = answer.body.replace(
            # moto's instances run at once. Real ones boot first.
            b"<code>16</code><name>running</name>",
            b"<code>0</code><name>pending</name>",
        )
        return Answer(answer.status, answer.headers, body), new

    def _give_role(self, instance_id: str, profile: Mapping[str, str] | None) -> None:
        """Gives an instance its profile, since moto gives it only to a launch's first instance."""
        if profile and instance_id not in self.cloud.backend.iam_instance_profile_associations:
            self.cloud.backend.associate_iam_instance_profile(
                instance_id,
                iam_instance_profile_name=profile.get("Name"),
                iam_instance_profile_arn=profile.get("Arn"),
            )

    def _default_subnet(self, zone: str | None) -> str:
        if zone is None:
            return next(iter(self.cloud.subnets.values()))
        if zone not in self.cloud.subnets:
            raise Ec2Error("InvalidParameterValue", f"Invalid availability zone: [{zone}]")
        return self.cloud.subnets[zone]


def no_capacity(offering: Offering) -> str:
    """EC2's message if an offering is not available."""
    return _NO_CAPACITY.format(node_type=offering.node_type, zone=offering.zone)


def _merge(template: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    known = {
        name: value for name, value in template.items() if name in parameters_of("RunInstances")
    }
    merged = {**known, **parameters}
    for name in ("MetadataOptions", "Placement", "InstanceMarketOptions"):
        if name in known and name in parameters:
            merged[name] = {**known[name], **parameters[name]}
    if "TagSpecifications" in known:
        merged["TagSpecifications"] = _merge_tags(
            known["TagSpecifications"], parameters.get("TagSpecifications", [])
        )
    if merged.get("UserData") is not None:
        merged["UserData"] = str(merged["UserData"])
    return {name: value for name, value in merged.items() if value is not None}


def _merge_tags(below: list[dict[str, Any]], above: list[dict[str, Any]]) -> list[dict[str, Any]]:
    tags: dict[str, dict[str, str]] = {}
    for spec in (*below, *above):
        own = tags.setdefault(spec["ResourceType"], {})
        own.update({tag["Key"]: tag.get("Value", "") for tag in spec.get("Tags", [])})
    return [
        {"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in own.items()]}
        for kind, own in tags.items()
        if kind in ("instance", "volume", "network-interface")
    ]


def _carry_over(instance: Any, parameters: Mapping[str, Any]) -> None:
    """Copies what moto ignores but DescribeInstances shows."""
    group = parameters.get("Placement", {}).get("GroupName")
    if group is not None:
        instance.placement.group_name = group
    if instance.lifecycle == "spot":
        instance.spot_instance_request_id = f"sir-{instance.id[-8:]}"
    instance.client_token = parameters.get("ClientToken", "")
