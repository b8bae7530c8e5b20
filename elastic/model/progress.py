"""How far a job is, and how much of that would survive: what its workers say of where they begin
and what they save."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

# So many saves are known: a script goes back to one of its last few. Half of them are the newest,
# and half the largest of those before. A script may save hundreds of samples after a checkpoint.
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
    """The marks to keep, each with the iterations that were done by then, the newest last.

    `saves` begin with the oldest. Of two with one mark the later counts. Of more than MOST_SAVES
    the newest stay, and the largest of the others.

    >>> newest_saves([("a-1", 10), ("b-1", 20), ("a-1", 30)])
    {'b-1': 20, 'a-1': 30}
    """
    known: dict[str, int] = {}
    for mark, iteration in saves:
        # Taken out first: dicts keep the place of a key that is set again.
        known.pop(mark, None)
        known[mark] = iteration
    if len(known) <= MOST_SAVES:
        return known
    marks = list(known)
    earlier = range(len(marks) - MOST_SAVES // 2)
    largest = sorted(earlier, key=lambda at: (_size_bytes(marks[at]), at))[-(MOST_SAVES // 2) :]
    kept = [marks[at] for at in sorted(largest)] + marks[len(earlier) :]
    return {mark: known[mark] for mark in kept}


def _size_bytes(mark: str) -> int:
    """The size of a marked file, which its mark begins with; 0 for a mark of another version."""
    try:
        return int(mark.partition("-")[0], 16)
    except ValueError:
        return 0


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
