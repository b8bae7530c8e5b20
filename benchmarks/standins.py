"""What several benchmarks put in the place of a part that they do not measure."""

from __future__ import annotations

import json
from pathlib import Path

from elastic.model import Rounds


class AlwaysThere:
    """A rendezvous that is always there."""

    def lives(self, job_id: str) -> bool:
        return True

    def endpoint(self, job_id: str, *, rounds: Rounds) -> str | None:
        return "127.0.0.1:1"

    def renew(self, job_id: str) -> None:
        """Nothing to begin again."""

    def end(self, job_id: str) -> None:
        """Nothing to end."""


def agent_config(folder: Path, *, daemon_url: str) -> Path:
    """Writes the settings of an agent that works in `folder`, and gives their file."""
    config = folder / "config.json"
    config.touch(mode=0o600)
    fields = {
        "instance_id": "n",
        "daemon_url": daemon_url,
        "join_token": "j",
        "advertise_host": "127.0.0.1",
        "work_dir": str(folder / "work"),
        "checkpoint_root": str(folder),
        "artifact_root": str(folder),
    }
    config.write_text(json.dumps(fields))
    return config
