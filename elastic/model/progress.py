"""How far a job is, and how much of that would survive: what its workers say of where they begin
and what they save."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# So many of the newest saves are known: a script goes back to one of its last few.
MOST_SAVES = 64


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


def newest_saves(saves: Iterable[tuple[str, int]]) -> dict[str, int]:
    """The newest marks, each with the iterations that were done by then, the newest last.

    `saves` begin with the oldest. Of two with one mark the later counts.

    >>> newest_saves([("a-1", 10), ("b-1", 20), ("a-1", 30)])
    {'b-1': 20, 'a-1': 30}
    """
    known: dict[str, int] = {}
    for mark, iteration in saves:
        # Taken out first: dicts keep the place of a key that is set again.
        known.pop(mark, None)
        known[mark] = iteration
    return dict(list(known.items())[-MOST_SAVES:])


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
