"""A cluster's claim in the Parameter Store, whose versions are one number for every daemon."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from elastic.errors import ProviderUnavailable
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated
from elastic.providers.leader_lease import LeaderLease

# Writes in a row that lost a race; more of them is a crowd that will settle.
_MOST_VOID = 20


@dataclass(frozen=True, slots=True)
class ParameterLeases:
    """Writes that lost a race are void: each says after which version it was written, and counts
    only as the next one.

    So the Parameter Store, which lets everybody overwrite, lets one daemon win.
    """

    aws: Aws
    name: str

    def read(self) -> tuple[int, LeaderLease | None]:
        with translated(f"reading the claim in {self.name}", service="ssm"):
            newest = self._get(self.name)
            version = 0
            if newest is not None:
                version = int(newest["Version"])
            for number in range(version, max(version - _MOST_VOID, 0), -1):
                if number == version:
                    written = newest
                else:
                    written = self._get(f"{self.name}:{number}")
                if written is None:
                    return version, None
                claim = _valid_claim(written)
                if claim is not None:
                    return version, claim
        if version > _MOST_VOID:
            raise ProviderUnavailable(
                f"{self.name}: wanted the claim that counts, found {_MOST_VOID} that lost a race"
            )
        return version, None

    def write(self, claim: LeaderLease, *, after: int) -> bool:
        value = {
            "holder": claim.holder,
            "run": claim.run,
            "place": claim.place,
            "epoch": claim.epoch,
            "since_s": claim.since_s,
            "is_over": claim.is_over,
            "after": after,
        }
        with translated(f"writing the claim in {self.name}", service="ssm"):
            answer = self.aws.parameters.put_parameter(
                Name=self.name, Value=json.dumps(value), Type="String", Overwrite=True
            )
        return bool(answer["Version"] == after + 1)

    def _get(self, name: str) -> dict[str, Any] | None:
        try:
            return dict(self.aws.parameters.get_parameter(Name=name)["Parameter"])
        except ClientError as error:
            if code_of(error) in ("ParameterNotFound", "ParameterVersionNotFound"):
                return None
            raise


def lease_name(cluster: str) -> str:
    """The parameter that holds a cluster's claim.

    >>> claim_name("elasticd")
    '/elasticd/elasticd/claim'
    """
    return f"/elasticd/{cluster}/claim"


def _valid_claim(parameter: dict[str, Any]) -> LeaderLease | None:
    """What was written, unless it lost its race or was written by no daemon."""
    with suppress(ValueError, KeyError, TypeError):
        value = json.loads(parameter["Value"])
        if int(value["after"]) + 1 == int(parameter["Version"]):
            return LeaderLease(
                holder=str(value["holder"]),
                run=str(value["run"]),
                place=str(value["place"]),
                epoch=int(value["epoch"]),
                since_s=float(value["since_s"]),
                seen_at_s=parameter["LastModifiedDate"].timestamp(),
                is_over=bool(value["is_over"]),
            )
    return None
