"""Buys one machine: by CreateFleet, whose refusals are data, or by RunInstances where that is not permitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from elastic.errors import ProviderError, ProviderUnavailable
from elastic.model import Capacity, Offering
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import Fault, as_error, code_of, fault_in, fault_of, translated
from elastic.providers.ec2.template import Template, client_token, drop_template, ensure_template

_NO_FLEETS = frozenset({"InvalidAction", "UnsupportedOperation", "AuthFailure.ServiceLinkedRoleCreationNotPermitted"})
MISMATCH = "IdempotentParameterMismatch"


@dataclass(frozen=True, slots=True)
class Refusal:
    """EC2 answered, and sold nothing. The token is spent: the same call would get the same answer."""

    fault: Fault
    code: str
    message: str


class Buyer:
    """Knows which of the two ways is open; finds out by trying."""

    def __init__(self, aws: Aws) -> None:
        self._aws = aws
        self._has_fleets = True

    def buy(self, offering: Offering, template: Template, *, subnet_id: str) -> str | Refusal:
        """The id of the one machine bought, or why there is none.

        Raises ProviderUnavailable if the outcome is unknown: repeat it with the same token.
        """
        if self._has_fleets:
            with translated(f"{offering}: preparing the launch"):
                ensure_template(self._aws, template)
            outcome = self._by_fleet(offering, template, subnet_id)
            if outcome is not None:
                drop_template(self._aws, template.name)
                return outcome
            self._has_fleets = False
            drop_template(self._aws, template.name)
        return self._by_run(offering, template, subnet_id)

    def _by_fleet(self, offering: Offering, template: Template, subnet_id: str) -> str | Refusal | None:
        """None if fleets are not permitted here."""
        with translated(f"{offering}: launching"):
            try:
                answer = self._aws.launches.create_fleet(**_fleet(offering, template, subnet_id))
            except ClientError as error:
                if code_of(error) in _NO_FLEETS or code_of(error) == "UnauthorizedOperation":
                    return None
                return _refused(error)
        for sold in answer.get("Instances", []):
            for instance_id in sold.get("InstanceIds", []):
                return str(instance_id)
        return _refusal(answer.get("Errors", []))

    def _by_run(self, offering: Offering, template: Template, subnet_id: str) -> str | Refusal:
        spot = {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"}
        market = {"InstanceMarketOptions": {"MarketType": "spot", "SpotOptions": spot}}
        with translated(f"{offering}: launching without CreateFleet, which is not permitted"):
            try:
                answer = self._aws.launches.run_instances(
                    **template.data(),
                    **(market if offering.capacity is Capacity.SPOT else {}),
                    InstanceType=offering.node_type,
                    SubnetId=subnet_id,
                    MinCount=1,
                    MaxCount=1,
                    ClientToken=client_token(template.token),
                )
            except ClientError as error:
                return _refused(error)
        return str(answer["Instances"][0]["InstanceId"])


def _fleet(offering: Offering, template: Template, subnet_id: str) -> dict[str, Any]:
    """One machine of one type in one zone, now or not at all."""
    is_spot = offering.capacity is Capacity.SPOT
    override = {"InstanceType": offering.node_type, "SubnetId": subnet_id}
    return {
        "Type": "instant",
        "ClientToken": client_token(template.token),
        "LaunchTemplateConfigs": [
            {
                "LaunchTemplateSpecification": {"LaunchTemplateName": template.name, "Version": "1"},
                "Overrides": [override],
            }
        ],
        "TargetCapacitySpecification": {
            "TotalTargetCapacity": 1,
            "DefaultTargetCapacityType": "spot" if is_spot else "on-demand",
        },
        **({"SpotOptions": {"AllocationStrategy": "price-capacity-optimized"}} if is_spot else {}),
    }


def _refused(error: ClientError) -> Refusal:
    """A refusal that leaves no doubt; raises the error again where the same call may well succeed later."""
    fault, code = fault_in(error), code_of(error)
    if code == MISMATCH:
        raise ProviderUnavailable("an earlier attempt with this token was different; waiting for what it bought")
    if fault in (Fault.THROTTLED, Fault.UNANSWERED, Fault.LATE):
        raise error
    return Refusal(fault, code, str(error.response.get("Error", {}).get("Message", "")))


def _refusal(errors: list[Mapping[str, Any]]) -> Refusal:
    """The first of a fleet's errors; one that sold nothing and says nothing had no capacity."""
    if not errors:
        return Refusal(Fault.CAPACITY, "UnfulfillableCapacity", "the fleet holds no instance and names no error")
    code = str(errors[0].get("ErrorCode", ""))
    return Refusal(fault_of(code), code, str(errors[0].get("ErrorMessage", "")))


def error_of(offering: Offering, refusal: Refusal) -> ProviderError:
    """The error that tells of a refusal; a spent token makes even that of a throttled launch a final one."""
    error = as_error(refusal.fault, f"{offering}: launching", code=refusal.code, message=refusal.message)
    return ProviderError(str(error)) if isinstance(error, ProviderUnavailable) else error
