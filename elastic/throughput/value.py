"""Iterations per dollar: marginal, effective, and how many a dollar buys.

`R` is a group's burn in USD per hour, `T` the seconds of one iteration, `K` the iterations left. Intervals of T carry
over to everything made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from elastic.model import Interval

_S_PER_H = 3600.0


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds that are paid and train nothing: a launch from boot to restore, and the drain at the end."""

    boot_s: float = 0.0
    set_up_s: float = 0.0
    rendezvous_s: float = 0.0
    restore_s: float = 0.0
    drain_s: float = 0.0

    @property
    def total_s(self) -> float:
        return self.boot_s + self.set_up_s + self.rendezvous_s + self.restore_s + self.drain_s


def billed_s(duration_s: float, *, minimum_billed_s: float = 60.0) -> float:
    """Seconds a launch is billed for: what it lasted, but not less than the provider's minimum.

    >>> billed_s(12.0), billed_s(61.5)
    (60.0, 61.5)
    """
    return max(minimum_billed_s, duration_s)


def iterations_per_usd(usd_per_h: float, step_s: Interval) -> Interval:
    """Marginal iterations per dollar, 3600 / (R T): what one more dollar buys on a group that trains already.

    At 0.5 USD an hour a dollar lasts 7,200 s; steps of 2 s (1.5 to 2.5) fit 3,600 times (2,880 to 4,800).

    >>> iterations_per_usd(0.5, Interval(2.0, 1.5, 2.5))
    Interval(value=3600.0, low=2880.0, high=4800.0)
    """
    return _falling(step_s, lambda seconds: _S_PER_H / (usd_per_h * seconds))


def iterations_bought(usd: float, *, usd_per_h: float, step_s: float, start_up_s: float = 0.0) -> float:
    """Iterations that `usd` buys from a fresh start: the seconds it pays for, less the start-up, over T; never below 0.

    One dollar on c4.xlarge at 0.199 USD an hour, 28.9 s of start-up, 5 steps in 29.75 s:

    >>> round(iterations_bought(1.0, usd_per_h=0.199, step_s=29.7503 / 5, start_up_s=28.8954), 1)
    3035.5
    """
    return max(0.0, usd * _S_PER_H / usd_per_h - start_up_s) / step_s


def cost_usd(
    iterations: float,
    *,
    usd_per_h: float,
    step_s: Interval,
    overhead: Overhead = Overhead(),
    minimum_billed_s: float = 60.0,
) -> Interval:
    """C(K): dollars that K iterations cost on one launch of a group, from boot to drain.

    R x bill(boot + set-up + rendezvous + restore + K T + drain). At 4.5 USD an hour, 10 s of boot and steps of 0.25 s:
    100 of them take 35 s and are billed as a minute, 0.075 USD; 1,000 take 260 s, 0.325 USD.

    >>> cost_usd(100, usd_per_h=4.5, step_s=Interval(0.25), overhead=Overhead(boot_s=10.0)).value
    0.075
    >>> cost_usd(1000, usd_per_h=4.5, step_s=Interval(0.25), overhead=Overhead(boot_s=10.0)).value
    0.325
    """

    def dollars(seconds: float) -> float:
        lifetime_s = overhead.total_s + iterations * seconds
        return usd_per_h * billed_s(lifetime_s, minimum_billed_s=minimum_billed_s) / _S_PER_H

    return _rising(step_s, dollars)


def effective_iterations_per_usd(
    iterations: float,
    *,
    usd_per_h: float,
    step_s: Interval,
    overhead: Overhead = Overhead(),
    minimum_billed_s: float = 60.0,
) -> Interval:
    """K / C(K): iterations per dollar when everything that K iterations need is paid for. `iterations` above 0.

    >>> boot = Overhead(boot_s=50.0)
    >>> round(effective_iterations_per_usd(1000, usd_per_h=0.36, step_s=Interval(0.2), overhead=boot).value)
    40000
    """
    cost = cost_usd(
        iterations, usd_per_h=usd_per_h, step_s=step_s, overhead=overhead, minimum_billed_s=minimum_billed_s
    )
    return _falling(cost, lambda usd: iterations / usd)


def _rising(interval: Interval, function: Callable[[float], float]) -> Interval:
    low = None if interval.low is None else function(interval.low)
    high = None if interval.high is None else function(interval.high)
    return Interval(function(interval.value), low, high)


def _falling(interval: Interval, function: Callable[[float], float]) -> Interval:
    mirrored = _rising(interval, function)
    return Interval(mirrored.value, mirrored.high, mirrored.low)
