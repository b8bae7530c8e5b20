"""What an instance has printed: the one witness of a machine whose agent never came to speak."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from elastic.providers.ec2.aws import Aws

_LINES = 12
_CHARACTERS = 1500


def console_tail(aws: Aws, provider_id: str) -> str:
    """The last lines of an instance's console, printable; empty where EC2 gives none, or not to us.

    What EC2 has kept is minutes old, and nothing yet of a machine that has just booted: the newest
    is asked for, which types older than Nitro do not have.
    """
    printed = _printed(aws, provider_id, Latest=True) or _printed(aws, provider_id)
    lines = ["".join(each for each in line if each.isprintable()) for line in printed.splitlines()]
    return "\n".join([line for line in lines if line.strip()][-_LINES:])[-_CHARACTERS:]


def _printed(aws: Aws, provider_id: str, **options: bool) -> str:
    try:
        return str(
            aws.reads.get_console_output(InstanceId=provider_id, **options).get("Output", "")
        )
    except (ClientError, BotoCoreError):
        return ""
