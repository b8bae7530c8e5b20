"""What a program's own log says: a line of CSV for each iteration."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path


def batches_in(lines: Iterable[str]) -> int:
    """The batches that all ranks have done together.

    A program that went on from a snapshot writes some iterations again, from the snapshot's on:
    what stood there before is lost.

    >>> batches_in(["iteration,ranks", "1,2", "2,2", "3,2", "2,1", "3,1"])
    4
    """
    ranks: dict[int, int] = {}
    for row in csv.DictReader(lines):
        iteration = int(row["iteration"])
        ranks = {earlier: count for earlier, count in ranks.items() if earlier < iteration}
        ranks[iteration] = int(row["ranks"])
    return sum(ranks.values())


def batches_logged(path: Path) -> int:
    """The same of a file; 0 if there is none."""
    if not path.exists():
        return 0
    with path.open(newline="") as file:
        return batches_in(file)
