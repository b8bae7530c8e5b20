"""What an agent remembers across its own restarts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from elastic.agent.files import read_json, write_json
from elastic.model import Exit, Mode
from elastic.protocol import Assignment, Brings, from_json, to_json

AGENT_FILE = "agent.json"


@dataclass(frozen=True, slots=True)
class Memory:
    """The whole of it; the file holds the node's token and so is its owner's only.

    `code` is the sum of the job's code, None where it brings none; `brings` is what else it does.
    `mode` and `is_preloaded` say how the running workers were started, `began` the generation that
    they were started in, which those of a session outlive; `distrusts_fork` says that they are no
    longer forked here.
    """

    node_id: str
    node_token: str
    heartbeat_interval_s: float
    # The checksum of the job's code, None without any.
    code: str | None = None
    # What else the job brings.
    brings: Brings = field(default_factory=Brings)
    running: Assignment | None = None
    last_exit: Exit | None = None
    mode: Mode | None = None
    is_preloaded: bool | None = None
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
