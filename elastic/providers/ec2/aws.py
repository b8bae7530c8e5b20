"""The AWS clients, each with the patience that its calls deserve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, UnknownRegionError

from elastic.aws import LateClient, session_in
from elastic.errors import InvalidInput

_CONNECT_TIMEOUT_S = 5
_LAUNCH_TIMEOUT_S = 60
_READ_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Aws:
    """EC2 for looking, for buying and for ending, and the parameter store that knows the newest
    images.

    botocore's clients make their methods at run time, hence `Any`; no answer of theirs leaves the
    module that asked.
    """

    reads: Any
    launches: Any
    endings: Any
    parameters: Any

    @property
    def endpoint_url(self) -> str:
        """Where EC2 is asked."""
        return str(self.reads.meta.endpoint_url)


def connect(region: str | None) -> Aws:
    """Clients in `region`, else where AWS_REGION or the profile says. Asks nothing yet. Raises
    InvalidInput."""
    try:
        session = session_in(region)
        require_commercial(session)
        return Aws(
            reads=LateClient(session, "ec2", config=_config(attempts=4)),
            # A launch that got no answer is repeated by its intent, which is on record, and not
            # from here.
            launches=LateClient(
                session, "ec2", config=_config(attempts=1, read_timeout_s=_LAUNCH_TIMEOUT_S)
            ),
            endings=LateClient(session, "ec2", config=_config(attempts=5)),
            parameters=LateClient(session, "ssm", config=_config(attempts=4)),
        )
    except (BotoCoreError, ValueError) as error:
        raise InvalidInput(
            f"ec2.region: wanted a region that AWS knows, got {region!r}: {error}",
            field="ec2.region",
        ) from error


def require_commercial(session: boto3.Session) -> None:
    """Raises InvalidInput for a region of China, of a government or of Europe's own cloud, which
    AWS keeps apart.

    Their prices are in other money (spot prices do not even say so), or told to commercial
    credentials alone, and every budget is in USD.
    """
    try:
        partition = session.get_partition_for_region(session.region_name or "")
    except UnknownRegionError:  # botocore itself judges what such a name may be.
        return
    if partition != "aws":
        raise InvalidInput(
            "ec2.region: wanted a region whose prices AWS tells in USD to the credentials that "
            "buy there, got "
            f"{session.region_name} of its partition {partition}; name another",
            field="ec2.region",
        )


def _config(*, attempts: int, read_timeout_s: int = _READ_TIMEOUT_S) -> Config:
    return Config(
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )
