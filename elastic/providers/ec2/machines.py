"""Reads EC2's instances, and turns them into values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from elastic.durations import FREE_S
from elastic.model import Capacity, Offering
from elastic.providers.base import Instance, InstanceState
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated
from elastic.providers.ec2.user_data import POWERING_OFF

_STATES: Mapping[str, InstanceState] = {
    "pending": InstanceState.PENDING,
    "running": InstanceState.RUNNING,
    "shutting-down": InstanceState.STOPPING,
    "stopping": InstanceState.STOPPING,
    # Its disk still costs, so it is not gone. elasticd itself never stops a machine.
    "stopped": InstanceState.STOPPING,
    "terminated": InstanceState.GONE,
}
_TRANSITION = re.compile(r"\((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:GMT|UTC)\)")
_PAGE = 1000
_INTERRUPTED = "Server.SpotInstanceTermination"
# For these EC2 has no room: it takes the machine back, or ends it during its launch.
_TAKEN = frozenset({_INTERRUPTED, "Server.InsufficientInstanceCapacity"})
_ASKED = "Client.UserInitiatedShutdown"
# EC2 says no more where it may not use the key of a disk (AWS Knowledge Center, "Why does my EC2
# instance with an encrypted volume stop immediately").
_OFTEN_A_KEY = frozenset({"Client.InternalError", "Client.InvalidKMSKey.InvalidState"})
# Of a console.
_LINES = 12
_CHARACTERS = 1500
NOT_FOUND = frozenset({"InvalidInstanceID.NotFound", "InvalidInstanceID.Malformed"})


@dataclass(frozen=True, slots=True)
class Ec2Machine:
    """An instance with what its tags say."""

    instance: Instance
    # The nodes of the launch that bought it.
    launched_with: tuple[str, ...]
    # When a daemon last renewed its keep-alive tag, at first its launch.
    kept_alive_at_s: float

    def is_abandoned(self, *, now_s: float, after_s: float) -> bool:
        """Whether it may cost money, and no daemon has bought it or kept it alive for `after_s`."""
        return (
            self.instance.state is not InstanceState.GONE and now_s - self.kept_alive_at_s > after_s
        )


def read_machines(aws: Aws, wanted: Mapping[str, str]) -> tuple[Ec2Machine, ...]:
    """Every instance with all the `wanted` tags, oldest first.

    Gone ones are included while EC2 shows them. Raises ProviderUnavailable if the list cannot be
    complete.
    """
    with translated("listing the instances"):
        pages = aws.reads.get_paginator("describe_instances").paginate(
            Filters=tags.tagged(wanted), PaginationConfig={"PageSize": _PAGE}
        )
        found = [_machine(raw) for page in pages for raw in _instances(page)]
    return tuple(
        sorted(found, key=lambda each: (each.instance.launched_at_s, each.instance.provider_id))
    )


def end_machine(aws: Aws, provider_id: str) -> bool:
    """Asks for the end of an instance; False for one that EC2 does not know, which is fine."""
    if not provider_id.startswith("i-"):
        return False
    with translated(f"terminating {provider_id}"):
        try:
            aws.endings.terminate_instances(InstanceIds=[provider_id])
        except ClientError as error:
            if code_of(error) not in NOT_FOUND:
                raise
            return False
    return True


def prove_end(aws: Aws, provider_id: str) -> None:
    """Returns if a dry run shows that the end of an instance would be permitted.

    An instance that EC2 does not know is fine. Raises ProviderError.
    """
    with translated(f"proving that {provider_id} could be terminated"):
        try:
            aws.reads.terminate_instances(InstanceIds=[provider_id], DryRun=True)
        except ClientError as error:
            if code_of(error) not in NOT_FOUND | {"DryRunOperation"}:
                raise


def console_tail(aws: Aws, provider_id: str) -> str:
    """The last lines of an instance's console, printable; empty if EC2 gives none.

    It is the only source about a machine whose agent never started. If the machine says why it
    powers off, that is the last line, since what shuts down after it prints hundreds.
    """
    # The stored output is minutes old. The newest is asked for first, which types older than Nitro
    # do not have.
    printed = _printed(aws, provider_id, Latest=True) or _printed(aws, provider_id)
    lines = ["".join(each for each in line if each.isprintable()) for line in printed.splitlines()]
    lines = [line for line in lines if line.strip()]
    ends = [index for index, line in enumerate(lines) if POWERING_OFF in line]
    if ends:
        lines = lines[: ends[0] + 1]
    return "\n".join(lines[-_LINES:])[-_CHARACTERS:]


def _printed(aws: Aws, provider_id: str, **options: bool) -> str:
    try:
        return str(
            aws.reads.get_console_output(InstanceId=provider_id, **options).get("Output", "")
        )
    except (ClientError, BotoCoreError):
        return ""


def _instances(page: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for reservation in page.get("Reservations", []):
        yield from reservation.get("Instances", [])


def _machine(raw: Mapping[str, Any]) -> Ec2Machine:
    found = tags.tags_of(raw)
    provider_id = str(raw["InstanceId"])
    # A machine in an unknown state is assumed to cost money.
    state = _STATES.get(raw["State"]["Name"], InstanceState.RUNNING)
    launched_at_s = raw["LaunchTime"].timestamp()
    if raw.get("InstanceLifecycle") == "spot":
        capacity = Capacity.SPOT
    else:
        capacity = Capacity.ON_DEMAND
    ended_at_s = None
    if state is InstanceState.GONE:
        ended_at_s = exited_at_s(raw.get("StateTransitionReason", ""))
    instance = Instance(
        provider_id=provider_id,
        node_id=found.get(tags.NODE, ""),
        job_id=found.get(tags.JOB, ""),
        # Without the tag of an intent it gets a token that no node has, which makes it an orphan.
        token=found.get(tags.INTENT) or f"none:{provider_id}",
        offering=Offering(raw["InstanceType"], capacity, raw["Placement"]["AvailabilityZone"]),
        state=state,
        launched_at_s=launched_at_s,
        exited_at_s=ended_at_s,
        waived_before_s=launched_at_s + FREE_S
        if state is InstanceState.GONE and _was_interrupted(raw)
        else None,
        ended_because=_ended_because(raw)
        if state in (InstanceState.STOPPING, InstanceState.GONE)
        else "",
        was_taken=state in (InstanceState.STOPPING, InstanceState.GONE)
        and raw.get("StateReason", {}).get("Code") in _TAKEN,
        image=raw.get("ImageId"),
    )
    return Ec2Machine(
        instance=instance,
        launched_with=tags.node_ids(found),
        kept_alive_at_s=_kept_alive_at_s(found.get(tags.KEEP_ALIVE, ""), launched_at_s),
    )


def exited_at_s(reason: str) -> float | None:
    """The instant that EC2 gives in a StateTransitionReason, if it gives one.

    >>> exited_at_s("User initiated (2017-10-03 14:05:32 GMT)")
    1507039532.0
    >>> exited_at_s("Server.SpotInstanceTermination: Spot Instance Termination")
    """
    found = _TRANSITION.search(reason)
    if found is None:
        return None
    return datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()


def _ended_because(raw: Mapping[str, Any]) -> str:
    """EC2's code and message, such as `Client.VolumeLimitExceeded: Volume limit exceeded`."""
    reason = raw.get("StateReason", {})
    code = str(reason.get("Code", ""))
    message = str(reason.get("Message", ""))
    if not code or code == _ASKED:
        return ""
    # Most of EC2's messages begin with the code.
    told = message if message.startswith(code) else f"{code}: {message}"
    if code in _OFTEN_A_KEY:
        told += (
            " (often the account's own KMS key for disks, which these roles may not use: "
            "docs/how-to/aws-account.md, section 6)"
        )
    return told


def _was_interrupted(raw: Mapping[str, Any]) -> bool:
    return bool(raw.get("StateReason", {}).get("Code") == _INTERRUPTED)


def _kept_alive_at_s(text: str, launched_at_s: float) -> float:
    if re.fullmatch(r"\d{1,11}", text):
        return max(float(text), launched_at_s)
    return launched_at_s
