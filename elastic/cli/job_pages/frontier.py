"""Draws the frontier as characters: dollars upwards, time to the right, a letter per group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from elastic import figures

COLUMNS = 60
ROWS = 10
# The axes end a tenth beyond the last point.
_MARGIN = 1.1


@dataclass(frozen=True, slots=True)
class Point:
    """One group on the frontier."""

    # Until the job is done there.
    lasts_s: float
    # In all.
    usd: float


def chart(
    points: Sequence[Point], *, left_s: float | None = None, budget_usd: float | None = None
) -> list[str]:
    """Draws the points as a, b, c in their order, the deadline as `|` and the budget as `-`.

    Returns the lines. Goals far beyond the points are left out, since all points meet them.
    """
    # There are only so many letters.
    points = points[: len(ascii_lowercase)]
    if len(points) < 2:
        return []
    longest_s = _axis([each.lasts_s for each in points], left_s)
    dearest_usd = _axis([each.usd for each in points], budget_usd)
    grid = [[" "] * COLUMNS for _ in range(ROWS)]
    if budget_usd is not None and budget_usd <= dearest_usd:
        # Goals come before the points, which overwrite them.
        grid[_cell(budget_usd, dearest_usd, ROWS)] = ["-"] * COLUMNS
    if left_s is not None and 0 <= left_s <= longest_s:
        for row in grid:
            row[_cell(left_s, longest_s, COLUMNS)] = "|"
    # Backwards, so that of points in one cell the first one's letter stays.
    for letter, point in reversed(list(zip(ascii_lowercase, points, strict=False))):
        grid[_cell(point.usd, dearest_usd, ROWS)][_cell(point.lasts_s, longest_s, COLUMNS)] = letter
    top = figures.usd(dearest_usd)
    width = max(len(figures.usd(dearest_usd)), 2)
    labels = [top, *[""] * (ROWS - 2), "$0"]
    drawn = zip(labels, reversed(grid), strict=True)
    lines = [f"{label:>{width}} |{''.join(row)}".rstrip() for label, row in drawn]
    end = figures.duration(longest_s)
    return [*lines, f"{'':{width}} +{'-' * COLUMNS}", f"{'':{width}}  0{end:>{COLUMNS - 1}}"]


def _axis(values: Sequence[float], goal: float | None) -> float:
    """Where an axis ends: beyond the points, and beyond the goal if that is not far off."""
    last = max(values)
    if goal is not None and goal <= 2 * last:
        last = max(last, goal)
    return _MARGIN * last


def _cell(value: float, end: float, cells: int) -> int:
    """The cell of a value on an axis from 0 to `end`.

    >>> _cell(0.0, 10.0, 5), _cell(9.9, 10.0, 5), _cell(10.0, 10.0, 5)
    (0, 4, 4)
    """
    if end > 0:
        return min(int(value / end * cells), cells - 1)
    return 0
