"""The AWS clients, each with time-outs and retries that fit its calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, UnknownRegionError

from elastic.aws import AwsAccess, session_in, wrong_region
from elastic.durations import ANSWER_TIMEOUT_S, CONNECT_TIMEOUT_S, TRANSFER_TIMEOUT_S
from elastic.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Aws:
    """EC2's clients, and that of the parameter store, which knows the newest images."""

    # botocore's clients make their methods at run time, hence `Any`. Their answers do not leave the
    # module that asked.
    reads: Any
    launches: Any
    endings: Any
    parameters: Any

    @property
    def endpoint_url(self) -> str:
        """The address of EC2's API."""
        return str(self.reads.meta.endpoint_url)


def connect(region: str | None, told: Callable[[float], None] | None = None) -> Aws:
    """Makes clients in `region`, by default that of AWS_REGION or the profile.

    `told` is called with the time that each answer names. Makes no request yet.

    Raises InvalidInput.
    """
    try:
        access = AwsAccess(partial(session_in, region), told)
        require_commercial(access.session)
        return Aws(
            reads=access.client("ec2", config=client_config(attempts=4)),
            # CreateFleet of type `instant` answers when all instances are started, or refused.
            # A launch without an answer is not repeated here, but by its recorded intent.
            launches=access.client(
                "ec2", config=client_config(attempts=1, read_timeout_s=TRANSFER_TIMEOUT_S)
            ),
            endings=access.client("ec2", config=client_config(attempts=5)),
            parameters=access.client("ssm", config=client_config(attempts=4)),
        )
    except (BotoCoreError, ValueError) as error:
        raise wrong_region(region, error) from error


def require_commercial(session: boto3.Session) -> None:
    """Raises InvalidInput for a region of China, of a government or of Europe's own cloud."""
    # Prices there are in other currencies, or known only to commercial credentials. Budgets here
    # are in USD.
    try:
        partition = session.get_partition_for_region(session.region_name or "")
    except UnknownRegionError:  # botocore itself reports such a name
        return
    if partition != "aws":
        raise InvalidInput(
            "ec2.region: wanted a region of AWS's commercial partition, with prices in USD, got "
            f"{session.region_name} of its partition {partition}; name another",
            field="ec2.region",
        )


def client_config(*, attempts: int, read_timeout_s: float = ANSWER_TIMEOUT_S) -> Config:
    """The time-outs of a client, and how often it tries."""
    return Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )
