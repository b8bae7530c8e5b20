"""What an agent knows across its own restarts: its name and token, what it runs, how the last generation ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from elastic.agent.files import read_json, write_json
from elastic.agent.preparing import Brings, brings_from
from elastic.agent.wire import Assignment, as_fields, assignment_from, exit_from
from elastic.model import Exit, Tier

AGENT_FILE = "agent.json"


@dataclass(frozen=True, slots=True)
class Memory:
    """The whole of it; the file holds the node's token and so is its owner's only.

    `code` is the sum of the job's code, None where it brings none; `brings` is what else it does. `tier` is what the
    running workers were started on, `began` the generation that they were started in, which those of a session
    outlive; `distrusts_fork` says that they are no longer forked here.
    """

    node_id: str
    node_token: str
    heartbeat_interval_s: float
    code: str | None = None
    brings: Brings = field(default_factory=Brings)
    running: Assignment | None = None
    last_exit: Exit | None = None
    tier: Tier | None = None
    began: int | None = None
    distrusts_fork: bool = False


def recall(work_dir: Path) -> Memory | None:
    """What an earlier agent of this node wrote down; None on a node that has not registered."""
    fields = read_json(work_dir / AGENT_FILE)
    if fields is None:
        return None
    return Memory(
        node_id=fields["node_id"],
        node_token=fields["node_token"],
        heartbeat_interval_s=fields["heartbeat_interval_s"],
        code=fields.get("code"),
        brings=brings_from(fields.get("brings")),
        running=assignment_from(fields["running"]) if fields["running"] else None,
        last_exit=exit_from(fields["last_exit"]) if fields["last_exit"] else None,
        tier=Tier(fields["tier"]) if fields["tier"] else None,
        began=fields["began"],
        distrusts_fork=fields["distrusts_fork"],
    )


def remember(memory: Memory, work_dir: Path) -> None:
    """Writes it down."""
    write_json(
        work_dir / AGENT_FILE,
        {
            "node_id": memory.node_id,
            "node_token": memory.node_token,
            "heartbeat_interval_s": memory.heartbeat_interval_s,
            "code": memory.code,
            "brings": asdict(memory.brings),
            "running": as_fields(memory.running) if memory.running else None,
            "last_exit": as_fields(memory.last_exit) if memory.last_exit else None,
            "tier": memory.tier,
            "began": memory.began,
            "distrusts_fork": memory.distrusts_fork,
        },
    )
