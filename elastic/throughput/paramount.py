"""Step time: seconds that one paramount iteration takes, from the windows that a job reported.

Money buys mean time, so the estimate is a mean: a median or a 20 % trimmed mean would hide a job
that is slow one step in five. It is winsorised by one window at each end: the slowest window counts
as the second slowest, the fastest as the second fastest. So one stall cannot move it, while two
stalls are a pattern and count. Windows weigh by their iterations, whatever their lengths.

The interval is Dixon and Tukey's winsorised t (Technometrics 10, 1968). It takes the standard error
of the winsorised values, times (n - 1) / (h - 1). Student's t has h - 1 degrees of freedom, where h
= n - 2 windows kept their own value. It covers the noise between windows. Drift after them is what
the margin of a decision is for (`benchmarks/estimator.py` measures both).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from elastic.model import Interval, Sample

# Only the latest windows describe the present: about a minute of training, or more.
RECENT_WINDOWS = 64

_LEAST_FOR_INTERVAL = 3
_LEAST_TO_WINSORISE = 5
# A window this many times as long as the average is no passing stall: it keeps its own value.
_LONG_WINDOW = 2.0
# Only this many latest windows count if they differ from the earlier ones by more than the share
# below, and beyond both intervals.
_REGIME_WINDOWS = 8
_REGIME_SHIFT = 0.2

# Student's t, 0.975 quantile, 1 to 30 degrees of freedom (any table).
_T_975 = (
    *(12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281),
    *(2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860),
    *(2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423),
)


def estimate_step_s(samples: Sequence[Sample]) -> Interval | None:
    """Seconds an iteration takes; None without a window. From the third window on with a 95 %
    interval.

    Four windows of 2 iterations: the mean is 0.5 s, their standard error 0.0408 s, t with 3 degrees
    of freedom 3.18.

    >>> four = [Sample(2, elapsed_s, 0.0) for elapsed_s in (0.8, 1.0, 1.0, 1.2)]
    >>> step_s = estimate_step_s(four)
    >>> round(step_s.value, 6), round(step_s.low, 3), round(step_s.high, 3)
    (0.5, 0.397, 0.63)

    One stall of a minute moves nothing, two do:

    >>> steady = [Sample(2, elapsed_s, 0.0) for elapsed_s in (0.9, 1.0, 1.0, 1.0, 1.0, 1.1)]
    >>> [round(estimate_step_s(steady + [Sample(2, 61.0, 0.0)] * stalls).value, 2) for stalls in (0,
    ...     1, 2)]
    [0.5, 0.51, 8.01]
    """
    recent = sorted(samples, key=_age_order)[-RECENT_WINDOWS:]
    if recent:
        return _estimate(_present_regime(recent))
    return None


def _age_order(sample: Sample) -> tuple[float, float, int]:
    return sample.ended_at_s, sample.elapsed_s, sample.iterations


def _present_regime(recent: Sequence[Sample]) -> Sequence[Sample]:
    """Drops windows from before a lasting change of pace, such as a neighbour that came or left."""
    earlier = recent[:-_REGIME_WINDOWS]
    latest = recent[-_REGIME_WINDOWS:]
    if len(earlier) < _REGIME_WINDOWS:
        return recent
    before = _estimate(earlier)
    now = _estimate(latest)
    has_shifted = abs(now.value - before.value) > _REGIME_SHIFT * before.value and not now.overlaps(
        before
    )
    if has_shifted:
        return latest
    return recent


def _estimate(samples: Sequence[Sample]) -> Interval:
    count = len(samples)
    weights = [sample.iterations for sample in samples]
    paces_s, kept = _winsorise(samples)
    total = sum(weights)
    mean_s = math.fsum(w * x for w, x in zip(weights, paces_s, strict=True)) / total
    if count < _LEAST_FOR_INTERVAL:
        return Interval(mean_s)
    # What slows a machine down lasts longer than a window, so a long window is as uncertain as a
    # short one. All share one variance, and how evenly the iterations are spread decides what
    # averaging gains.
    variance = (
        math.fsum(w * (x - mean_s) ** 2 for w, x in zip(weights, paces_s, strict=True)) / total
    )
    evenness = math.fsum(w * w for w in weights) / total**2
    error_s = math.sqrt(variance * evenness / (1 - evenness)) * (count - 1) / (kept - 1)
    half_s = t_quantile_975(kept - 1) * error_s
    # Low mirrors high by ratio, not by distance: so a wide interval stays above zero, and its it/$
    # too.
    return Interval(mean_s, mean_s / (1 + half_s / mean_s), mean_s + half_s)


def _winsorise(samples: Sequence[Sample]) -> tuple[list[float], int]:
    """Seconds an iteration of each window, with the two extremes drawn in.

    Also how many windows kept their own value.
    """
    paces_s = [sample.elapsed_s / sample.iterations for sample in samples]
    if len(samples) < _LEAST_TO_WINSORISE:
        return paces_s, len(samples)
    ordered = sorted(paces_s)
    low_s = ordered[1]
    high_s = ordered[-2]
    long = _LONG_WINDOW * sum(sample.iterations for sample in samples) / len(samples)
    drawn_in = [
        pace_s if sample.iterations > long else min(max(pace_s, low_s), high_s)
        for pace_s, sample in zip(paces_s, samples, strict=True)
    ]
    return drawn_in, len(samples) - 2


def t_quantile_975(degrees: int) -> float:
    """Student's t that 2.5 % of draws exceed; beyond 30 degrees of freedom by Cornish and Fisher's
    expansion.

    >>> round(t_quantile_975(5), 3), round(t_quantile_975(60), 3), round(t_quantile_975(10**6), 3)
    (2.571, 2.0, 1.96)
    """
    if degrees <= len(_T_975):
        return _T_975[degrees - 1]
    z = NormalDist().inv_cdf(0.975)
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
