"""The AWS clients for prices, with short time-outs, since a tick waits for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError

from elastic.aws import AwsAccess, session_in, wrong_region
from elastic.durations import CONNECT_TIMEOUT_S, TICK_S


@dataclass(frozen=True, slots=True)
class Feeds:
    """The price list and EC2's spot prices, for `region`."""

    region: str
    # botocore makes the clients' methods at run time, hence `Any`.
    price_list: Any
    ec2: Any


def connect_feeds(region: str | None, *, attempts: int = 2) -> Feeds:
    """Makes clients for `region`, by default that of AWS_REGION or the profile.

    Makes no request yet. A failed call is repeated at once, up to `attempts` times in all. Raises
    InvalidInput.
    """
    config = _config(attempts)
    try:
        access = AwsAccess(partial(session_in, region))
        ec2 = access.client("ec2", config=config)
        found = str(ec2.meta.region_name)
        return Feeds(
            found,
            access.client("pricing", region_name=price_list_region(found), config=config),
            ec2,
        )
    except (BotoCoreError, ValueError) as error:
        raise wrong_region(region, error) from error


def price_list_region(region: str) -> str:
    """The nearest of the three regions with a price list (Billing User Guide, "Price List API").

    >>> price_list_region("eu-west-3"), price_list_region("us-west-2")
    ('eu-central-1', 'us-east-1')
    """
    nearest = {"eu": "eu-central-1", "me": "eu-central-1", "af": "eu-central-1", "ap": "ap-south-1"}
    return nearest.get(region.partition("-")[0], "us-east-1")


def _config(attempts: int) -> Config:
    return Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        # A tick waits for prices, and there may be two attempts.
        read_timeout=TICK_S,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )
