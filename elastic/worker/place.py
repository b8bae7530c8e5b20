"""This process's place in the job, read from its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerPlace:
    """A worker's place in a job; every path is ``None`` in a script that runs without elasticd.

    `batch` is what the job's file says: ``worker``, ``job``, or ``None`` where it says nothing.
    """

    rank: int = 0
    local_rank: int = 0
    world_size: int = 1
    generation: int | None = None
    socket_path: str | None = None
    drain_file: str | None = None
    saves_file: str | None = None
    batch: str | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> WorkerPlace:
        """Reads the variables that the agent and torchrun set.

        >>> WorkerPlace.from_environment({"RANK": "1", "WORLD_SIZE": "2",
        ...     "ELASTICD_GENERATION": "3"}).generation
        3
        """
        generation = environment.get("ELASTICD_GENERATION")
        return cls(
            rank=int(environment.get("RANK", "0")),
            local_rank=int(environment.get("LOCAL_RANK", "0")),
            world_size=int(environment.get("WORLD_SIZE", "1")),
            generation=int(generation) if generation else None,
            socket_path=environment.get("ELASTICD_SOCKET") or None,
            drain_file=environment.get("ELASTICD_DRAIN_FILE") or None,
            saves_file=environment.get("ELASTICD_SAVES") or None,
            batch=environment.get("ELASTICD_BATCH") or None,
        )
