"""The facts that the checks of an account share: clients, caller, offerings, instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError

from elastic.config import Ec2Settings
from elastic.errors import InvalidInput
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws, client_config, connect
from elastic.providers.ec2.catalog import Catalog
from elastic.providers.ec2.faults import translated


@dataclass(frozen=True, slots=True)
class Account:
    """The clients of one account."""

    # Those of EC2.
    aws: Aws
    # STS, which says whose the credentials are.
    identity: Any
    # IAM.
    roles: Any
    # Service Quotas.
    quotas: Any

    @property
    def region(self) -> str:
        return str(self.aws.reads.meta.region_name)


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
    is_stopped: bool


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
    # Whose policies IAM simulates to say what the caller may do; None if the caller may not ask.
    simulated: str | None
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

    def subnets(self, catalog: Catalog) -> Mapping[str, Mapping[str, Any]]:
        """What EC2 says of the subnets of nodes, by their ids. Raises ProviderError."""
        ids = [each.id for each in catalog.subnets.values()]
        with translated("describing the subnets"):
            told = self.account.aws.reads.describe_subnets(SubnetIds=ids)["Subnets"]
        return {str(raw["SubnetId"]): raw for raw in told}


def connect_account(region: str | None) -> Account:
    """Makes clients in `region`, by default that of AWS_REGION or the profile.

    Makes no request yet. Raises InvalidInput.
    """
    aws = connect(region)
    config = client_config(attempts=3)
    try:
        session = boto3.Session(region_name=aws.reads.meta.region_name)
        return Account(
            aws=aws,
            identity=session.client("sts", config=config),
            roles=session.client("iam", config=client_config(attempts=1)),
            quotas=session.client("service-quotas", config=config),
        )
    except (BotoCoreError, ValueError) as error:
        raise InvalidInput(
            f"AWS: wanted clients for region {region!r}: {error}", field="ec2.region"
        ) from error


def read_caller(account: Account) -> Caller:
    """Asks AWS whose the credentials are. Raises ProviderError if they are not valid."""
    with translated("asking AWS who we are", service="sts"):
        told = account.identity.get_caller_identity()
    date = told["ResponseMetadata"].get("HTTPHeaders", {}).get("date")
    return Caller(
        account_id=str(told["Account"]),
        arn=str(told["Arn"]),
        answered_at_s=None if date is None else parsedate_to_datetime(date).timestamp(),
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
        is_stopped=raw["State"]["Name"] == "stopped",
    )
