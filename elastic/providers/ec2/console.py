"""Reads an instance's console, the only source about a machine whose agent never started."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from elastic.providers.ec2.aws import Aws

_LINES = 12
_CHARACTERS = 1500


def console_tail(aws: Aws, provider_id: str) -> str:
    """The last lines of an instance's console, printable; empty if EC2 gives none."""
    # The stored output is minutes old. The newest is asked for first, which types older than Nitro
    # do not have.
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
