"""A cluster's leader lease in the Parameter Store, whose versions are one number for every
daemon."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from elastic.errors import InvalidInput, ProviderUnavailable
from elastic.protocol import from_json, to_json
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated
from elastic.providers.leader_lease import LeaderLease

# Lost writes in a row that are skipped; with more, so many daemons write that it is better to wait.
_MOST_VOID = 20


@dataclass(frozen=True, slots=True)
class ParameterLeases:
    """The register of leases in one parameter."""

    # The Parameter Store lets every daemon overwrite. So each write names the version that it
    # follows, and is valid only as the next version: of several writers one wins.
    aws: Aws
    name: str

    def read(self) -> tuple[int, LeaderLease | None]:
        with translated(f"reading the leader lease in {self.name}", service="ssm"):
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
                lease = _valid_lease(written)
                if lease is not None:
                    return version, lease
        if version > _MOST_VOID:
            raise ProviderUnavailable(
                f"{self.name}: wanted the leader lease that counts, found {_MOST_VOID} that lost a "
                "race"
            )
        return version, None

    def write(self, lease: LeaderLease, *, after: int) -> bool:
        value = to_json(lease) | {"after": after}
        with translated(f"writing the leader lease in {self.name}", service="ssm"):
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
    """The parameter that holds a cluster's leader lease.

    Its name is older than the word. A daemon that used another name would not see one that still
    runs under this name, and both would act.

    >>> lease_name("elasticd")
    '/elasticd/elasticd/claim'
    """
    return f"/elasticd/{cluster}/claim"


def _valid_lease(parameter: dict[str, Any]) -> LeaderLease | None:
    """The lease that was written; None if it lost a race, or is none of a daemon's."""
    with suppress(ValueError, KeyError, TypeError, InvalidInput):
        value = json.loads(parameter["Value"])
        if int(value["after"]) + 1 == int(parameter["Version"]):
            seen_at_s = parameter["LastModifiedDate"].timestamp()
            return from_json(LeaderLease, value | {"seen_at_s": seen_at_s})
    return None
