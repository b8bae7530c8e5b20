"""How far a job is, and how much of that would survive: what its workers say of where they begin
and what they save."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Batch(StrEnum):
    """What one iteration is: a batch of one worker, or one step of all workers together.

    With batches of the workers' own, a step of four workers is four iterations: four times the
    samples, and the same work wherever it is done.
    """

    WORKER = "worker"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class Save:
    """A file that the job saved: a mark of its content, and the iterations that were done by
    then."""

    mark: str
    iteration: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where the script began."""

    iteration: int
    # The file that it read; empty if it read none.
    read_from: str
    # Whether it learns of a request to stop, and may save before it does.
    stops_when_asked: bool
    batch: Batch
    # None if that is not known.
    at_s: float | None = None


# How a script makes itself seen whose turns are not counted.
PARAMOUNT_LINES = (
    "`from elastic.worker import paramount` at its top and `paramount()` at the end of each turn "
    "of its main loop"
)
