"""Answers Session Manager's calls: a session enters an instance as it runs on this machine."""

from __future__ import annotations

import json
import secrets
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from elastic_lab import enter_instance
from elastic_lab.price_list import json_answer
from elastic_lab.wire import Answer

TARGET = "AmazonSSM."
PLUGIN = "session-manager-plugin"


def answer_session(action: str, body: bytes, door_of: Callable[[str], str | None]) -> Answer | None:
    """The answer to one of these calls; None: moto answers.

    `door_of` gives how to enter an instance, or None for one that does not run.
    """
    asked = json.loads(body or b"{}")
    match action:
        case "StartSession":
            return _start(asked, door_of)
        case "TerminateSession":
            # What carries it ends by itself, or with its instance.
            return json_answer({"SessionId": asked["SessionId"]})
        case _:
            return None


def write_plugin(folder: Path) -> Path:
    """Puts what carries a lab's sessions into a folder, for a path; returns that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-I", "-S", str(Path(enter_instance.__file__).resolve())]
    path = folder / PLUGIN
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    path.chmod(0o700)
    return folder


def _start(asked: Mapping[str, Any], door_of: Callable[[str], str | None]) -> Answer:
    target = asked["Target"]
    door = door_of(target)
    if door is None:
        told = {"__type": "TargetNotConnected", "Message": f"{target} is not connected."}
        return json_answer(told, status="400 -")
    token = secrets.token_hex(16)
    return json_answer({"SessionId": f"lab-{token[:8]}", "TokenValue": token, "StreamUrl": door})
