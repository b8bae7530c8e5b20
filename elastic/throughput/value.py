"""Iterations per dollar of a group that trains already.

`elastic.policy.switch_cost` adds what getting there costs.
"""

from __future__ import annotations

from elastic.model import Interval

_S_PER_H = 3600.0


def iterations_per_usd(usd_per_h: float, step_s: Interval) -> Interval:
    """Marginal iterations per dollar, 3600 / (R T): what one more dollar buys on a group that burns
    R and takes T.

    At 0.5 USD an hour a dollar lasts 7,200 s; steps of 2 s (1.5 to 2.5) fit 3,600 times (2,880 to
    4,800).

    >>> iterations_per_usd(0.5, Interval(2.0, 1.5, 2.5))
    Interval(value=3600.0, low=2880.0, high=4800.0)
    """
    return Interval(
        _S_PER_H / (usd_per_h * step_s.value),
        None if step_s.high is None else _S_PER_H / (usd_per_h * step_s.high),
        None if step_s.low is None else _S_PER_H / (usd_per_h * step_s.low),
    )
