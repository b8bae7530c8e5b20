"""What agent and daemon tell each other in a heartbeat, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from elastic.errors import InvalidInput
from elastic.model import Batch, Exit, Outcome, ScriptError, Tier


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a node is to run: one generation of one job.

    `nproc_per_node` workers run on this node, each on `threads` threads; `world_size` counts all nodes'.
    `stored_iteration` is that of the newest checkpoint that was told to be stored, None if none was. `outputs` are the
    globs of what is carried home to `output_dir`, None for everything new. `batch` is what an
    iteration is, if the job says; `saves` are marks of files that the script saved, with the iterations done then.
    """

    job_id: str
    generation: int
    command: tuple[str, ...]
    nnodes_min: int
    nnodes_max: int
    nproc_per_node: int
    threads: int
    world_size: int
    rdzv_endpoint: str
    rdzv_id: str
    drain_grace_s: float
    checkpoint_dir: str
    artifact_dir: str
    max_restarts: int
    tier: Tier = Tier.T1
    interruptions_per_h: float | None = None
    stored_iteration: int | None = None
    output_dir: str = ""
    outputs: tuple[str, ...] | None = ()
    env: Mapping[str, str] = field(default_factory=dict)
    batch: Batch | None = None
    saves: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.command:
            raise InvalidInput("an assignment needs a command, got none", field="command")
        if not 1 <= self.nnodes_min <= self.nnodes_max:
            raise InvalidInput(f"wanted 1 <= nnodes_min <= nnodes_max, got {self.nnodes_min} and {self.nnodes_max}")


@dataclass(frozen=True, slots=True)
class HeartbeatReply:
    """The only word a node ever hears."""

    acked_seq: int
    lease_s: float
    assignment: Assignment | None
    shutdown: bool
    needs_signal: bool = False


def assignment_from(fields: Mapping[str, Any]) -> Assignment:
    """Reads an assignment; raises InvalidInput when a part is missing or of the wrong kind.

    >>> assignment_from({"job_id": "j"})
    Traceback (most recent call last):
    elastic.errors.InvalidInput: wanted an assignment, its part 'generation' is missing
    """
    try:
        return Assignment(
            job_id=str(fields["job_id"]),
            generation=int(fields["generation"]),
            command=tuple(str(part) for part in fields["command"]),
            nnodes_min=int(fields["nnodes_min"]),
            nnodes_max=int(fields["nnodes_max"]),
            nproc_per_node=int(fields["nproc_per_node"]),
            threads=int(fields["threads"]),
            world_size=int(fields["world_size"]),
            rdzv_endpoint=str(fields["rdzv_endpoint"]),
            rdzv_id=str(fields["rdzv_id"]),
            drain_grace_s=float(fields["drain_grace_s"]),
            checkpoint_dir=str(fields["checkpoint_dir"]),
            artifact_dir=str(fields["artifact_dir"]),
            max_restarts=int(fields["max_restarts"]),
            tier=Tier(fields.get("tier", Tier.T1)),
            interruptions_per_h=None if (rate := fields.get("interruptions_per_h")) is None else float(rate),
            stored_iteration=None if (stored := fields.get("stored_iteration")) is None else int(stored),
            output_dir=str(fields.get("output_dir", "")),
            outputs=None if (globs := fields.get("outputs", ())) is None else tuple(str(each) for each in globs),
            env={str(name): str(value) for name, value in fields.get("env", {}).items()},
            batch=None if (batch := fields.get("batch")) is None else Batch(batch),
            saves={str(mark): int(iteration) for mark, iteration in fields.get("saves", {}).items()},
        )
    except KeyError as error:
        raise InvalidInput(f"wanted an assignment, its part {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"wanted an assignment, found {error}") from error


def reply_from(fields: Mapping[str, Any]) -> HeartbeatReply:
    """Reads the daemon's reply; raises InvalidInput when it is not one."""
    try:
        assignment = fields["assignment"]
        return HeartbeatReply(
            acked_seq=int(fields["acked_seq"]),
            lease_s=float(fields["lease_s"]),
            assignment=None if assignment is None else assignment_from(assignment),
            shutdown=bool(fields["shutdown"]),
            needs_signal=bool(fields.get("needs_signal", False)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"wanted a heartbeat's reply, found {error!r}") from error


def exit_from(fields: Mapping[str, Any]) -> Exit:
    """Reads back what ``as_fields`` gave."""
    error = fields.get("error")
    read = {"outcome": Outcome(fields["outcome"]), "error": None if error is None else ScriptError(**error)}
    return Exit(**{**fields, **read})


def as_fields(value: Assignment | Exit) -> dict[str, Any]:
    """The value as JSON takes it."""
    return asdict(value)
