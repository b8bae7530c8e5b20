"""The AWS clients for checking an account, beside those of the provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from elastic.durations import ANSWER_TIMEOUT_S, CONNECT_TIMEOUT_S
from elastic.errors import InvalidInput
from elastic.providers.ec2.aws import Aws, connect

_CONFIG = Config(
    connect_timeout=CONNECT_TIMEOUT_S,
    read_timeout=ANSWER_TIMEOUT_S,
    retries={"mode": "standard", "total_max_attempts": 3},
)


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


def connect_account(region: str | None) -> Account:
    """Makes clients in `region`, by default that of AWS_REGION or the profile.

    Makes no request yet. Raises InvalidInput.
    """
    aws = connect(region)
    try:
        session = boto3.Session(region_name=aws.reads.meta.region_name)
        return Account(
            aws=aws,
            identity=session.client("sts", config=_CONFIG),
            roles=session.client(
                "iam", config=_CONFIG.merge(Config(retries={"total_max_attempts": 1}))
            ),
            quotas=session.client("service-quotas", config=_CONFIG),
        )
    except (BotoCoreError, ValueError) as error:
        raise InvalidInput(
            f"AWS: wanted clients for region {region!r}: {error}", field="ec2.region"
        ) from error
