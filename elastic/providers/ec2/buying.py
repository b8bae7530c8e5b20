"""Buys machines with CreateFleet, or with RunInstances where CreateFleet is not permitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from elastic.errors import ProviderError, ProviderUnavailable, QuotaReached
from elastic.model import Capacity, Offering
from elastic.providers.base import LaunchRequest
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import (
    NO_SPOT_ROLE,
    RefusalKind,
    as_error,
    code_of,
    fault_in,
    fault_of,
    translated,
)
from elastic.providers.ec2.machines import end_machine
from elastic.providers.ec2.quotas import what_is_missing
from elastic.providers.ec2.template import Template, client_token, ensure_template, ensure_version

_FLEET = "CreateFleet"
_RUN = "RunInstances"
# AWS allows some accounts no fleet at all, often new ones, and yet single launches.
_NO_MORE_FLEETS = "MaxFleetCountExceeded"
# With these errors CreateFleet is not permitted here.
_NO_FLEETS = frozenset(
    {
        "InvalidAction",
        "UnauthorizedOperation",
        "UnsupportedOperation",
        NO_SPOT_ROLE,
        _NO_MORE_FLEETS,
    }
)
MISMATCH = "IdempotentParameterMismatch"
# EC2 gives these refusals only after it has checked whether the token bought before. In that case
# it would return those machines instead.
_OF_THE_TOKEN = frozenset({RefusalKind.CAPACITY, RefusalKind.QUOTA})


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of EC2 that sold nothing. The same call would get the same answer."""

    fault: RefusalKind
    code: str
    message: str
    # Whether it holds for the token. If not, an earlier call with it may have bought.
    of_the_token: bool = True


@dataclass(frozen=True, slots=True)
class Purchase:
    """A launch with what EC2 needs: all machines of it, or none."""

    request: LaunchRequest
    template: Template
    subnet_id: str

    @property
    def offering(self) -> Offering:
        return self.request.offering

    @property
    def count(self) -> int:
        return len(self.request.node_ids)

    @property
    def client_token(self) -> str:
        return client_token(self.template.token)


class Buyer:
    """Buys machines; CreateFleet is tried at each purchase, since permissions change."""

    # The two calls do not know each other's tokens. So what one of them may have bought is never
    # asked of the other. Which one it was is stored with the intent.

    def __init__(self, aws: Aws) -> None:
        self._aws = aws
        # The templates that are known to exist.
        self._made: set[str] = set()

    def buy(self, wanted: Purchase) -> tuple[str, ...] | Refusal:
        """The ids of the machines bought, or why there are none.

        Raises ProviderUnavailable if the outcome is unknown: repeat it with the same token.
        """
        version = self._version(wanted)
        if wanted.request.asked_by == _RUN:
            outcome = None
        else:
            outcome = self._by_fleet(wanted, version)
        if outcome is None:
            return self._by_run(wanted)
        return outcome

    def _version(self, wanted: Purchase) -> str:
        """Makes the launch's version of the template; returns its number."""
        # Also for RunInstances, which does not need it: the template records the job's image.
        name = wanted.template.name
        with translated(f"{wanted.offering}: preparing the launch"):
            if name not in self._made:
                ensure_template(self._aws, wanted.template)
            # It may have been removed meanwhile; then the next attempt makes it again.
            self._made.discard(name)
            version = ensure_version(self._aws, wanted.template)
            self._made.add(name)
            return version

    def _by_fleet(self, wanted: Purchase, version: str) -> tuple[str, ...] | Refusal | None:
        """Buys with CreateFleet; None if that is not permitted and cannot have bought before."""
        was_in_doubt = wanted.request.asked_by == _FLEET
        if not was_in_doubt:
            wanted.request.note_asked(_FLEET)
        with translated(f"{wanted.offering}: launching"):
            try:
                answer = self._aws.launches.create_fleet(**_fleet(wanted, version))
            except ClientError as error:
                if code_of(error) not in _NO_FLEETS:
                    if not was_in_doubt and fault_in(error) in (
                        RefusalKind.THROTTLED,
                        RefusalKind.LATE,
                    ):
                        wanted.request.note_asked("")
                    return _refused(error)
                if was_in_doubt:
                    raise ProviderUnavailable(
                        f"{wanted.offering}: an earlier CreateFleet, whose answer was lost, may "
                        "have bought; permit CreateFleet again, or wait until its machines are "
                        f"listed (EC2 says {code_of(error)})"
                    ) from error
                return None
        bought = [
            str(each)
            for sold in answer.get("Instances", [])
            for each in sold.get("InstanceIds", [])
        ]
        if len(bought) >= wanted.count:
            return tuple(sorted(bought))
        # EC2 was asked for all or none. If it sold some, these are of no use and are ended.
        for provider_id in bought:
            end_machine(self._aws, provider_id)
        refusal = _refusal(answer.get("Errors", []))
        if refusal.code == _NO_MORE_FLEETS:
            return None
        return refusal

    def _by_run(self, wanted: Purchase) -> tuple[str, ...] | Refusal:
        spot = {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"}
        market = {"InstanceMarketOptions": {"MarketType": "spot", "SpotOptions": spot}}
        if wanted.request.asked_by != _RUN:
            wanted.request.note_asked(_RUN)
        with translated(
            f"{wanted.offering}: launching without CreateFleet, which is not permitted"
        ):
            try:
                answer = self._aws.launches.run_instances(
                    **wanted.template.run_data(),
                    **(market if wanted.offering.capacity is Capacity.SPOT else {}),
                    SubnetId=wanted.subnet_id,
                    MinCount=wanted.count,
                    MaxCount=wanted.count,
                    ClientToken=wanted.client_token,
                )
            except ClientError as error:
                return _refused(error)
        return tuple(sorted(str(each["InstanceId"]) for each in answer["Instances"]))


def _fleet(wanted: Purchase, version: str) -> dict[str, Any]:
    """The request for machines of one type in one zone, all or none."""
    offering = wanted.offering
    together = {
        "SingleInstanceType": True,
        "SingleAvailabilityZone": True,
        "MinTargetCapacity": wanted.count,
    }
    spot = {"SpotOptions": {"AllocationStrategy": "price-capacity-optimized", **together}}
    return {
        "Type": "instant",
        "ClientToken": wanted.client_token,
        "LaunchTemplateConfigs": [
            {
                "LaunchTemplateSpecification": {
                    "LaunchTemplateName": wanted.template.name,
                    "Version": version,
                },
                "Overrides": [{"InstanceType": offering.node_type, "SubnetId": wanted.subnet_id}],
            }
        ],
        "TargetCapacitySpecification": {
            "TotalTargetCapacity": wanted.count,
            "DefaultTargetCapacityType": offering.capacity.value,
        },
        "TagSpecifications": tags.specifications(["fleet"], wanted.template.own_tags),
        **(spot if offering.capacity is Capacity.SPOT else {"OnDemandOptions": together}),
    }


def _refused(error: ClientError) -> Refusal:
    """The final refusal in an error; raises the error again if the call may succeed later."""
    fault = fault_in(error)
    code = code_of(error)
    if code == MISMATCH:
        raise ProviderUnavailable(
            "an earlier attempt with this token was different; waiting for what it bought"
        )
    if fault in (RefusalKind.THROTTLED, RefusalKind.UNANSWERED, RefusalKind.LATE):
        raise error
    message = str(error.response.get("Error", {}).get("Message", ""))
    return Refusal(fault, code, message, of_the_token=fault in _OF_THE_TOKEN)


def _refusal(errors: list[Mapping[str, Any]]) -> Refusal:
    """The first of a fleet's errors; without any, a fleet that sold nothing had no capacity."""
    if not errors:
        return Refusal(
            RefusalKind.CAPACITY,
            "UnfulfillableCapacity",
            "the fleet holds no instance and names no error",
        )
    code = str(errors[0].get("ErrorCode", ""))
    message = str(errors[0].get("ErrorMessage", ""))
    return Refusal(fault_of(code, message=message), code, message)


def error_of(offering: Offering, refusal: Refusal, *, count: int, vcpus: float) -> ProviderError:
    """The error to raise after a refusal to sell `count` machines with `vcpus` each."""
    if refusal.fault is RefusalKind.QUOTA:
        missing = what_is_missing(refusal.code, offering, count=count, vcpus=vcpus)
        said = f"{offering}: launching: {missing} (EC2 says {refusal.code}: {refusal.message})"
        return QuotaReached(said, bought_nothing=refusal.of_the_token)
    if count == 1:
        launching = "launching"
    else:
        launching = f"launching {count} at once"
    error = as_error(
        refusal.fault, f"{offering}: {launching}", code=refusal.code, message=refusal.message
    )
    # The token is used up, so even the refusal of a throttled launch is final.
    kind = ProviderError if isinstance(error, ProviderUnavailable) else type(error)
    return kind(str(error), bought_nothing=refusal.of_the_token)
