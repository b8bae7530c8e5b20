"""The AWS clients, each with the patience that its calls deserve."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from elastic.errors import InvalidInput

_CONNECT_TIMEOUT_S = 5
_LAUNCH_TIMEOUT_S = 60
_READ_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Aws:
    """EC2 for looking, for buying and for ending, and the parameter store that knows the newest images.

    botocore's clients make their methods at run time, hence `Any`; no answer of theirs leaves the module that asked.
    """

    reads: Any
    launches: Any
    endings: Any
    parameters: Any


def connect(region: str | None) -> Aws:
    """Clients in `region`, else where AWS_REGION or the profile says. Asks nothing yet. Raises InvalidInput."""
    try:
        # boto3 itself heeds AWS_DEFAULT_REGION only; AWS's other programs know this name as well.
        session = boto3.Session(region_name=region or os.environ.get("AWS_REGION"))
        return Aws(
            reads=session.client("ec2", config=_config(attempts=4)),
            # A launch that got no answer is repeated by its intent, which is on record, and not from here.
            launches=session.client("ec2", config=_config(attempts=1, read_timeout_s=_LAUNCH_TIMEOUT_S)),
            endings=session.client("ec2", config=_config(attempts=5)),
            parameters=session.client("ssm", config=_config(attempts=4)),
        )
    except (BotoCoreError, ValueError) as error:
        raise InvalidInput(
            f"ec2.region: wanted a region that AWS knows, got {region!r}: {error}", field="ec2.region"
        ) from error


def _config(*, attempts: int, read_timeout_s: int = _READ_TIMEOUT_S) -> Config:
    return Config(
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )
