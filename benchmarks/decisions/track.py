"""What a track is: cases that every policy plays, what came of each, and the rows that judge it.

A track plugs in as a module with `NAME`, `TITLE`, `POLICIES`, `cases`, `play` and `rows`, named in
`TRACKS` of `benchmarks/decisions/__main__.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

OURS = "ours"
TODAY = "before"
"""What the decisions were before the engine: kept numbers, or `--before COMMIT`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case under one policy. `case` is the same text for every policy, and stays
    the same.

    `values` are the track's own measures, each with its unit in its name.
    """

    track: str
    cell: str
    case: str
    policy: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """One policy in one cell of the table. `text` is what is printed; `is_met` is None where no
    goal is set.

    `note` is how it compares with the best rival, `split` what its extra dollars went to.
    """

    track: str
    cell: str
    policy: str
    text: str
    values: Mapping[str, float]
    goal: str = ""
    is_met: bool | None = None
    note: str = ""
    split: str = ""


class Case(Protocol):
    """One scenario; it must be picklable. `cell` is what it is counted under, `name` is unique in
    its track."""

    @property
    def cell(self) -> str: ...

    @property
    def name(self) -> str: ...


C = TypeVar("C", bound=Case)


def halved(cases: Sequence[C]) -> list[C]:
    """Every second case of each cell, begun by turns with the first and with the second, so that
    each is seen."""
    cells: dict[str, list[C]] = {}
    for each in cases:
        cells.setdefault(each.cell, []).append(each)
    return [each for turn, own in enumerate(cells.values()) for each in own[turn % 2 :: 2] or own]


class Track(Protocol):
    """One track of the benchmark."""

    @property
    def NAME(self) -> str: ...  # noqa: N802  (a constant of each track)

    @property
    def TITLE(self) -> str: ...  # noqa: N802

    @property
    def POLICIES(self) -> Sequence[str]: ...  # noqa: N802

    def cases(self, data: Path, *, whole: bool) -> Sequence[Case]:
        """Gives all cases, or unless `whole` a fixed sample of them that holds each cell."""
        ...

    def play(self, case: Any, policy: str) -> Mapping[str, float]:
        """Plays one case under one of `POLICIES`, in a process of its own, and gives its values."""
        ...

    def rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        """Judges what came of the cases."""
        ...
