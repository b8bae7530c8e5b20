"""What a session must be told: by keyword, or by the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from elastic.errors import InvalidInput

CHUNK_BYTES = 8_000_000
# Longer than a checkpoint, an evaluation or a change of phase takes; what torch allows a collective of NCCL.
HANG_S = 600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """One process's way into a session.

    `store` is the rendezvous store's `host:port`, or a file that holds it and may come to hold another; `host` the
    address at which the others reach this process. A member that is silent for `silence_s` is given up, and so is one
    that answers but keeps the others waiting in a sum for `hang_s`, or 20 usual turns if they are longer (0: never).
    `chunk_bytes` of state travel to newcomers with each step. `most_samples` of a turn fit this rank's memory (None:
    all). `losses_per_h` says how often an hour this rank's machine is lost, on average (None: nobody knows).
    """

    store: str
    job: str
    host: str = "127.0.0.1"
    silence_s: float = 1.0
    hang_s: float = HANG_S
    chunk_bytes: int = CHUNK_BYTES
    most_samples: int | None = None
    losses_per_h: float | None = None

    def __post_init__(self) -> None:
        if not self.store:
            raise InvalidInput(
                "a session needs its rendezvous store: wanted host:port or a file that holds it in "
                "ELASTICD_SESSION_STORE, found nothing; start one by python -m elastic.workloads.rendezvous",
                field="store",
            )
        if self.hang_s < 0:
            raise InvalidInput(f"hang_s must be positive, or 0 for never, got {self.hang_s:g}", field="hang_s")
        if self.silence_s <= 0 or self.chunk_bytes <= 0:
            raise InvalidInput("silence_s and chunk_bytes must be positive", field="silence_s")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads what the agent, or whoever starts the script, has set.

        >>> Settings.from_environment({"ELASTICD_SESSION_STORE": "10.0.0.1:29400", "ELASTICD_JOB_ID": "j"}).store
        '10.0.0.1:29400'
        """
        most = environment.get("ELASTICD_SESSION_MOST_SAMPLES")
        losses = environment.get("ELASTICD_SESSION_LOSSES_PER_H")
        return cls(
            store=environment.get("ELASTICD_SESSION_STORE", ""),
            job=environment.get("ELASTICD_JOB_ID") or "session",
            host=environment.get("ELASTICD_SESSION_HOST") or "127.0.0.1",
            silence_s=float(environment.get("ELASTICD_SESSION_SILENCE_S") or 1.0),
            hang_s=float(environment.get("ELASTICD_SESSION_HANG_S") or HANG_S),
            chunk_bytes=int(environment.get("ELASTICD_SESSION_CHUNK_BYTES") or CHUNK_BYTES),
            most_samples=int(most) if most else None,
            losses_per_h=float(losses) if losses else None,
        )

    def address(self) -> str:
        """Gives the store's address as it is now."""
        if "/" not in self.store:
            return self.store
        try:
            return Path(self.store).read_text().strip()
        except OSError:
            return ""
