"""CreateFleet of type instant: its answer lists what was bought, and why the rest was not."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elastic.model import Capacity, Offering
from elastic_lab.guests import Guest
from elastic_lab.launching import InstanceLauncher, no_capacity
from elastic_lab.wire import Answer, Ec2Call, Ec2Error


@dataclass(frozen=True, slots=True)
class FleetPool:
    """One way to fill the fleet: a template with one of its overrides."""

    template: Mapping[str, Any]
    override: Mapping[str, Any]
    offering: Offering
    usd_per_h: float
    # Its priority, by default its position in the request.
    rank: float

    @property
    def weight(self) -> float:
        return float(self.override.get("WeightedCapacity", 1))

    def as_dict(self) -> dict[str, Any]:
        return {
            "LaunchTemplateSpecification": dict(self.template),
            "Overrides": dict(self.override),
        }


@dataclass(frozen=True, slots=True)
class _Purchase:
    pool: FleetPool
    guests: tuple[Guest, ...]


def create_fleet(call: Ec2Call, launcher: InstanceLauncher) -> tuple[Answer, tuple[Guest, ...]]:
    """Does what the call asks, or raises Ec2Error; the type must be instant."""
    parameters = call.parameters
    target = parameters["TargetCapacitySpecification"]
    # Said by an error, as EC2 does: it means that the call would have been allowed.
    if parameters.get("DryRun"):
        raise Ec2Error("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
    purchases: list[_Purchase] = []
    errors: list[dict[str, Any]] = []
    # Spot and on-demand are filled separately, each by its own strategy.
    for capacity, wanted in _wanted(target).items():
        pools, refused = _pools(parameters, capacity, launcher)
        # Errors do not fail the call: a fleet buys what it can, and tells what it could not.
        errors += refused
        options = parameters.get(
            "SpotOptions" if capacity is Capacity.SPOT else "OnDemandOptions", {}
        )
        bought, missing = _fill(
            _in_order(pools, options), wanted, options, call, launcher, _tags(parameters)
        )
        purchases += bought
        errors += missing
    fleet_id = f"fleet-{secrets.token_hex(4)}-{secrets.token_hex(2)}-4{secrets.token_hex(6)}"
    guests = tuple(guest for purchase in purchases for guest in purchase.guests)
    for guest in guests:
        guest.instance.add_tags({"aws:ec2:fleet-id": fleet_id})
    told = {"FleetId": fleet_id, "Errors": errors, "Instances": [_told(each) for each in purchases]}
    return call.answer(told), guests


def _wanted(target: Mapping[str, Any]) -> dict[Capacity, float]:
    spot = float(target.get("SpotTargetCapacity", 0))
    on_demand = float(target.get("OnDemandTargetCapacity", 0))
    # What is not named as either is of the default type.
    rest = float(target["TotalTargetCapacity"]) - spot - on_demand
    if target.get("DefaultTargetCapacityType", "on-demand") == "spot":
        spot += rest
    else:
        on_demand += rest
    return {
        kind: wanted
        for kind, wanted in ((Capacity.SPOT, spot), (Capacity.ON_DEMAND, on_demand))
        if wanted > 0
    }


def _pools(
    parameters: Mapping[str, Any], capacity: Capacity, launcher: InstanceLauncher
) -> tuple[list[FleetPool], list[dict[str, Any]]]:
    """The pools on sale, and an error for each that is not."""
    pools: list[FleetPool] = []
    errors = []
    for config in parameters.get("LaunchTemplateConfigs", []):
        template = config["LaunchTemplateSpecification"]
        for override in config.get("Overrides") or [{}]:
            try:
                offering = launcher.offering_of(
                    launcher.with_template(_request(template, override, capacity))
                )
            except Ec2Error as error:
                told = {"LaunchTemplateSpecification": dict(template), "Overrides": dict(override)}
                errors.append(_error(told, capacity, error.code, str(error.message)))
                continue
            # A pool without a price comes last.
            price = launcher.book.usd_per_h(offering, at_s=launcher.clock.now_s())
            rank = float(override.get("Priority", len(pools)))
            pools.append(
                FleetPool(template, override, offering, math.inf if price is None else price, rank)
            )
    return pools, errors


def _in_order(pools: list[FleetPool], options: Mapping[str, Any]) -> list[FleetPool]:
    if str(options.get("AllocationStrategy", "lowest-price")).endswith("prioritized"):
        return sorted(pools, key=lambda pool: pool.rank)
    return sorted(pools, key=lambda pool: (pool.usd_per_h / pool.weight, pool.rank))


def _fill(
    pools: list[FleetPool],
    wanted: float,
    options: Mapping[str, Any],
    call: Ec2Call,
    launcher: InstanceLauncher,
    tags: list[dict[str, Any]],
) -> tuple[list[_Purchase], list[dict[str, Any]]]:
    """Buys from the first pools with room; nothing if a minimum cannot be met."""
    chosen: list[tuple[FleetPool, int]] = []
    errors = []
    left = wanted
    for pool in pools:
        # An order of preference ends at the first pool that may not join those before it.
        if left <= 0 or (chosen and not _may_mix(chosen[0][0], pool, options)):
            break
        needed = math.ceil(left / pool.weight)
        count = min(needed, launcher.room(pool.offering))
        if count < needed:
            errors.append(_no_room(pool))
        if count:
            chosen.append((pool, count))
            left -= count * pool.weight
    # Nothing was bought yet, so nothing has to be given back.
    if wanted - left < float(options.get("MinTargetCapacity", 0)):
        return [], errors or [_no_room(pool) for pool in pools]
    return [_buy(pool, count, call, launcher, tags) for pool, count in chosen], errors


def _may_mix(first: FleetPool, other: FleetPool, options: Mapping[str, Any]) -> bool:
    is_type_fine = (
        not options.get("SingleInstanceType")
        or first.offering.node_type == other.offering.node_type
    )
    is_zone_fine = (
        not options.get("SingleAvailabilityZone") or first.offering.zone == other.offering.zone
    )
    return is_type_fine and is_zone_fine


def _buy(
    pool: FleetPool,
    count: int,
    call: Ec2Call,
    launcher: InstanceLauncher,
    tags: list[dict[str, Any]],
) -> _Purchase:
    request = {
        **_request(pool.template, pool.override, pool.offering.capacity),
        "MinCount": count,
        "MaxCount": count,
    }
    if tags:
        request["TagSpecifications"] = tags
    answer, guests = launcher.run_instances(call.with_parameters("RunInstances", request))
    if not answer.is_success:
        raise Ec2Error(
            "InternalError", f"moto refused what the fleet asked of it: {answer.body.decode()}"
        )
    return _Purchase(pool, guests)


def _request(
    template: Mapping[str, Any], override: Mapping[str, Any], capacity: Capacity
) -> dict[str, Any]:
    request: dict[str, Any] = {"LaunchTemplate": dict(template), "MinCount": 1, "MaxCount": 1}
    for name in ("InstanceType", "SubnetId", "ImageId"):
        if name in override:
            request[name] = override[name]
    zone = override.get("AvailabilityZone")
    placement = {
        **override.get("Placement", {}),
        **({} if zone is None else {"AvailabilityZone": zone}),
    }
    if placement:
        request["Placement"] = placement
    if capacity is Capacity.SPOT:
        limit = override.get("MaxPrice")
        request["InstanceMarketOptions"] = {
            "MarketType": "spot",
            **({} if limit is None else {"SpotOptions": {"MaxPrice": limit}}),
        }
    return request


def _tags(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        spec
        for spec in parameters.get("TagSpecifications", [])
        if spec["ResourceType"] in ("instance", "volume")
    ]


def _no_room(pool: FleetPool) -> dict[str, Any]:
    offering = pool.offering
    return _error(
        pool.as_dict(), offering.capacity, "InsufficientInstanceCapacity", no_capacity(offering)
    )


def _error(told: Mapping[str, Any], capacity: Capacity, code: str, message: str) -> dict[str, Any]:
    return {
        "LaunchTemplateAndOverrides": dict(told),
        "Lifecycle": capacity.value,
        "ErrorCode": code,
        "ErrorMessage": message,
    }


def _told(purchase: _Purchase) -> dict[str, Any]:
    return {
        "LaunchTemplateAndOverrides": purchase.pool.as_dict(),
        "Lifecycle": purchase.pool.offering.capacity.value,
        "InstanceIds": [guest.id for guest in purchase.guests],
        "InstanceType": purchase.pool.offering.node_type,
    }
