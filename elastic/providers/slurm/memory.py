"""What is remembered of jobs that Slurm itself forgets within minutes of their end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from elastic.durations import DAY_S
from elastic.errors import InvalidInput
from elastic.protocol import from_json
from elastic.providers.keeping import write_whole
from elastic.providers.slurm.jobs import SlurmJob


@dataclass(slots=True)
class JobMemory:
    """Our jobs as they were seen last, in one file, also over a restart of the daemon."""

    path: Path
    jobs: dict[str, SlurmJob] = field(default_factory=dict)
    _written: dict[str, SlurmJob] = field(default_factory=dict)

    def read(self) -> None:
        """Takes in what an earlier daemon has written."""
        # A damaged memory is none: Slurm still knows what runs.
        with suppress(OSError, ValueError, TypeError, InvalidInput):
            for record in json.loads(self.path.read_text()):
                job = from_json(SlurmJob, record)
                self.jobs[job.id] = job

    def looked(self, seen: Iterable[SlurmJob], *, now_s: float) -> None:
        """Keeps what was seen, if it is news, and forgets what ended long ago."""
        kept = {
            number: job
            for number, job in self.jobs.items()
            if job.ended_at_s is None or job.ended_at_s > now_s - DAY_S
        } | {job.id: job for job in seen}
        self.jobs = kept
        if kept == self._written:
            return
        self._written = kept
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(str(self.path), [asdict(each) for each in kept.values()])

    def forget(self, ids: Iterable[str]) -> None:
        """Drops jobs of which it is not known what became of them."""
        dropped = frozenset(ids)
        self.jobs = {number: job for number, job in self.jobs.items() if number not in dropped}

    def with_token(self, token: str) -> Mapping[str, SlurmJob]:
        """The jobs of one purchase, by their nodes."""
        return {
            job.node_id: job
            for job in reversed(self.jobs.values())
            if job.label is not None and job.label.token == token and job.node_id
        }
