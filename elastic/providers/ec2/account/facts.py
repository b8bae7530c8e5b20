"""The facts that the checks of an account share: clients, caller, offerings, instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elastic.config import Ec2Settings
from elastic.providers.ec2 import tags
from elastic.providers.ec2.account.clients import Account
from elastic.providers.ec2.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Caller:
    """The owner of the credentials."""

    account_id: str
    arn: str
    # AWS's clock when it answered; None if it did not say.
    answered_at_s: float | None


@dataclass(frozen=True, slots=True)
class Running:
    """An instance of any owner that is not terminated."""

    instance_id: str
    node_type: str
    is_spot: bool
    cluster: str | None
    vcpus: int | None


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """Everything that a check may look at."""

    account: Account
    settings: Ec2Settings
    caller: Caller
    # None if EC2 did not say what it sells.
    catalog: Catalog | None
    # None if EC2 did not say what runs.
    instances: tuple[Running, ...] | None
    # Whether IAM says what the caller may do.
    can_simulate: bool
    # The address at which nodes reach the daemon.
    host: str
    # The daemon's port, and those of rendezvous stores.
    ports: tuple[range, ...]
    # How many nodes the largest job may have.
    nodes: int
    # This machine's clock when `caller` was read.
    now_s: float

    def own(self) -> Running | None:
        """Any machine of this cluster; None if there is none."""
        return next(
            (each for each in self.instances or () if each.cluster == self.settings.cluster), None
        )

    def foreign(self) -> Running | None:
        """Any machine outside this cluster; None if there is none."""
        return next(
            (each for each in self.instances or () if each.cluster != self.settings.cluster), None
        )


def read_running(account: Account) -> tuple[Running, ...]:
    """Every instance of the region that is not terminated. Raises botocore's errors."""
    pages = account.aws.reads.get_paginator("describe_instances").paginate(
        PaginationConfig={"PageSize": 1000}
    )
    return tuple(
        _running(raw)
        for page in pages
        for reservation in page["Reservations"]
        for raw in reservation["Instances"]
        if raw["State"]["Name"] != "terminated"
    )


def _running(raw: Mapping[str, Any]) -> Running:
    cpu = raw.get("CpuOptions", {})
    return Running(
        instance_id=str(raw["InstanceId"]),
        node_type=str(raw["InstanceType"]),
        is_spot=raw.get("InstanceLifecycle") == "spot",
        cluster=tags.tags_of(raw).get(tags.CLUSTER),
        vcpus=cpu["CoreCount"] * cpu["ThreadsPerCore"]
        if "CoreCount" in cpu and "ThreadsPerCore" in cpu
        else None,
    )
