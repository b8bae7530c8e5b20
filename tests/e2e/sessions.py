"""A script that trains in a session, and how to read its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.e2e.running import RunningDaemon

SCRIPT = Path(__file__).with_name("session_script.py")


class Told:
    """What the workers have written of their turns."""

    def __init__(self, daemon: RunningDaemon, job_id: str) -> None:
        self._file = daemon.data / "jobs" / job_id / "artifacts" / "turns.jsonl"

    def lines(self, event: str | None = None) -> list[dict[str, Any]]:
        text = self._file.read_text() if self._file.exists() else ""
        found = [json.loads(line) for line in text.splitlines()]
        return [each for each in found if event in (None, each["event"])]

    def world_size(self) -> int:
        turns = self.lines("turn")
        return int(turns[-1]["world_size"]) if turns and "world_size" in turns[-1] else 0

    def assert_nothing_lost(self) -> None:
        by_pid: dict[int, list[int]] = {}
        digests: dict[int, set[str]] = {}
        for line in self.lines("turn"):
            by_pid.setdefault(line["pid"], []).append(line["step"])
            if "digest" in line:
                digests.setdefault(line["step"], set()).add(line["digest"])
        for steps in by_pid.values():
            assert steps == list(range(steps[0], steps[0] + len(steps)))
        assert all(len(found) == 1 for found in digests.values())
