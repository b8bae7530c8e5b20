"""What an agent remembers across its own restarts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from elastic.agent.files import read_json, write_json
from elastic.model import Exit, Tier
from elastic.protocol import Assignment, Brings, from_json, to_json

AGENT_FILE = "agent.json"


@dataclass(frozen=True, slots=True)
class Memory:
    """An agent's memory. The file holds the node's token, so only its owner may read it."""

    node_id: str
    node_token: str
    heartbeat_interval_s: float
    # The checksum of the job's code, None without any.
    code: str | None = None
    # What else the job brings.
    brings: Brings = field(default_factory=Brings)
    running: Assignment | None = None
    last_exit: Exit | None = None
    # How the running workers were started.
    tier: Tier | None = None
    # The generation in which they were started. Workers in a session outlive it.
    began: int | None = None
    # Whether workers are no longer forked here.
    distrusts_fork: bool = False


def recall(work_dir: Path) -> Memory | None:
    """What an earlier agent of this node wrote; None on a node that has not registered."""
    content = read_json(work_dir / AGENT_FILE)
    if content is None:
        return None
    return from_json(Memory, content)


def remember(memory: Memory, work_dir: Path) -> None:
    """Writes the memory to its file."""
    write_json(work_dir / AGENT_FILE, to_json(memory))
