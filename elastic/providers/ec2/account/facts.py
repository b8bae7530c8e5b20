"""What the checks of an account share: the clients, who calls, what is on sale, what runs there
already."""

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
    """Whose credentials these are. `answered_at_s` is AWS's clock when it answered, None if it did
    not say."""

    account_id: str
    arn: str
    answered_at_s: float | None


@dataclass(frozen=True, slots=True)
class Running:
    """An instance that is not terminated, whoever owns it."""

    instance_id: str
    node_type: str
    is_spot: bool
    cluster: str | None
    vcpus: int | None


@dataclass(frozen=True, slots=True)
class AccountFacts:
    """Everything that a check may look at.

    `catalog` is None where EC2 did not tell what it sells, `instances` where it did not tell what
    runs. `can_simulate` says that IAM tells what the caller may. `host` is the address that nodes
    are to reach the daemon at, `ports` are where: its own port, and those of rendezvous stores.
    `nodes` is how many nodes the largest job may have, `now_s` this machine's clock when `caller`
    was told.
    """

    account: Account
    settings: Ec2Settings
    caller: Caller
    catalog: Catalog | None
    instances: tuple[Running, ...] | None
    can_simulate: bool
    host: str
    ports: tuple[range, ...]
    nodes: int
    now_s: float

    def own(self) -> Running | None:
        """Some machine of this cluster."""
        return next(
            (each for each in self.instances or () if each.cluster == self.settings.cluster), None
        )

    def foreign(self) -> Running | None:
        """Some machine that is not this cluster's."""
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
