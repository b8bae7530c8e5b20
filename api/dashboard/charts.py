"""The geometry of charts: turns values into the positions that templates draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from elastic.model import Interval

# Steps between ticks that people read easily, up to a power of ten.
_NICE_STEPS = (1, 2, 2.5, 5, 10)
_INTERVALS = 4


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A linear axis from 0 to `maximum`, with evenly spaced ticks that include both ends."""

    maximum: float
    ticks: tuple[float, ...]

    def percent(self, value: float) -> float:
        """The position of `value`, 0 to 100, kept inside the axis.

        >>> scale_to(8).percent(2)
        25.0
        """
        return round(min(max(value / self.maximum, 0.0), 1.0) * 100, 3)


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """A bar with a whisker over its 95 % interval, in percent of the axis; None is unknown."""

    length: float
    low: float | None
    high: float | None
    effective: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One series of a line chart."""

    # An SVG path in a box of 1000 x 1000.
    path: str
    # The name of its colour.
    tone: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A line chart in a box of 1000 x 1000."""

    lines: tuple[Line, ...]
    # Its vertical axis.
    scale: AxisScale
    # Horizontal positions.
    marks: tuple[float, ...]


def scale_to(greatest: float) -> AxisScale:
    """The smallest axis of about four round steps that holds `greatest`.

    >>> scale_to(21411).ticks
    (0.0, 10000.0, 20000.0, 30000.0)
    >>> scale_to(0.9).ticks
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    if not greatest > 0:
        return AxisScale(1.0, (0.0, 1.0))
    # The slack of 1e-9 keeps rounding errors from adding a step.
    power = 10.0 ** math.floor(math.log10(greatest / _INTERVALS))
    step = next(
        power * nice for nice in _NICE_STEPS if power * nice * _INTERVALS >= greatest * (1 - 1e-9)
    )
    used = math.ceil(greatest / step * (1 - 1e-9))
    return AxisScale(step * used, tuple(step * index for index in range(used + 1)))


def interval_bar(
    interval: Interval, scale: AxisScale, *, effective: float | None = None
) -> IntervalBar:
    """The bar of an estimate on an axis.

    >>> interval_bar(Interval(2, 1, 3), scale_to(4))
    IntervalBar(length=50.0, low=25.0, high=75.0, effective=None)
    """

    def place(value: float | None) -> float | None:
        if value is None:
            return None
        return scale.percent(value)

    return IntervalBar(
        length=scale.percent(interval.value),
        low=place(interval.low),
        high=place(interval.high),
        effective=place(effective),
    )


def plot(
    at_s: Sequence[float],
    series: Sequence[tuple[str, Sequence[float | None]]],
    *,
    marks_at_s: Sequence[float] = (),
) -> Plot:
    """Draws `series`, each a tone and values, over common instants; a None breaks its line."""
    greatest = max(
        (value for _, values in series for value in values if value is not None), default=0.0
    )
    scale = scale_to(greatest)
    lines = tuple(Line(_path(at_s, values, scale), tone) for tone, values in series)
    return Plot(lines, scale, tuple(_across(instant, at_s) for instant in marks_at_s))


def _path(at_s: Sequence[float], values: Sequence[float | None], scale: AxisScale) -> str:
    parts = []
    is_down = False
    for instant, value in zip(at_s, values, strict=True):
        if value is not None:
            # SVG counts downwards from the top.
            y = round(1000 - 10 * scale.percent(value), 1)
            point = f"{_across(instant, at_s):g} {y:g}"
            # A line of no length is a dot: what stands between two gaps is seen, too.
            parts.append(f"L{point}" if is_down else f"M{point}h0")
        # The pen is lifted after a gap: to draw through it would show values that were not
        # measured.
        is_down = value is not None
    return "".join(parts)


def _across(instant: float, at_s: Sequence[float]) -> float:
    """The horizontal position of an instant, from 0 to 1000."""
    if not at_s or at_s[-1] <= at_s[0]:
        return 0.0
    share = (instant - at_s[0]) / (at_s[-1] - at_s[0])
    return round(1000 * min(max(share, 0.0), 1.0), 1)
