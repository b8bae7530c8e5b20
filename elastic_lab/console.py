"""Answers GetConsoleOutput with what an instance's user data has written."""

from __future__ import annotations

import base64
from collections.abc import Callable

from elastic.errors import NotFound
from elastic_lab.wire import Answer, Ec2Call, Ec2Error

# EC2 keeps the last 64 KiB (API reference, GetConsoleOutput).
_BYTES = 65_536


def console_output(call: Ec2Call, console: Callable[[str], str]) -> Answer:
    """The end of the instance's console; `console` gives all of it by the instance's id."""
    instance_id = str(call.parameters.get("InstanceId", ""))
    try:
        printed = console(instance_id).encode()[-_BYTES:]
    except NotFound as error:
        raise Ec2Error(
            "InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist"
        ) from error
    if call.parameters.get("DryRun"):
        raise Ec2Error("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
    return call.answer({"InstanceId": instance_id, "Output": base64.b64encode(printed).decode()})
