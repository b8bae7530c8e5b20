"""How soon a spot pool is lost, and how soon it is back: rates by age, learnt from pools'
histories.

A pool's availability is modelled as a semi-Markov chain: it is up or down, and the rate at which a
spell ends depends on how long it has lasted. Each rate is the mean of a gamma posterior. What all
pools show together is the prior of one pool. Behind that stands a written prior, so that a new
daemon has every rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from elastic.model import AGES_S, Pool, Spells, age_bucket

_S_PER_H = 3600.0

# Availability of single spot GPU instances over 27 and 23 days in 17 pools (Wu et al., Can't Be
# Late, NSDI 2024, github.com/skypilot-org/spot-traces), rounded: a spell that has lasted is likely
# to last. `benchmarks/decisions` trains on one half and tests on the other.
_LOST_PER_H = (1.6, 1.1, 0.75, 0.45, 0.25, 0.19, 0.12, 0.04)
_BACK_PER_H = (1.8, 1.1, 0.70, 0.43, 0.28, 0.22, 0.11, 0.03)

# A prior weighs as much as so many ended spells at each age.
_WRITTEN_SPELLS = 4.0
_KIN_SPELLS = 1.5
# Pools differ: one is lost half as often at every age, another twice as often. That factor of a
# pool is drawn from a gamma distribution of this shape and of mean 1 (frailty: Vaupel, Manton and
# Stallard, Demography 16, 1979). Of 1, 2, 3, 5 and 10, the recordings above are most likely at 5,
# except the returns of 2023 at 10. One rate for all pools is e^11 (returns of 2023) to e^106
# (losses of 2022) times less likely. It was fitted on the traces of the benchmark's track T1, so
# that track proves nothing about it.
_FRAILTY = 5.0
# Rates are rounded to this ratio, so that a value function is solved again only after a real
# change.
_RATIO = 1.3


@dataclass(frozen=True, slots=True)
class Hazards:
    """Rates per hour, by the age buckets of `AGES_S`."""

    # How often a pool that is up is lost.
    lost_per_h: tuple[float, ...]
    # How often a pool that is down comes back.
    back_per_h: tuple[float, ...]

    def life_h(self, age_s: float) -> float:
        """Expected hours until a pool that has been up for `age_s` is lost.

        >>> steady = Hazards((0.5,) * len(AGES_S), (1.0,) * len(AGES_S))
        >>> round(steady.life_h(0.0), 6), round(steady.life_h(5000.0), 6)
        (2.0, 2.0)
        """
        return _expected_h(self.lost_per_h, age_s)

    def drought_h(self, age_s: float) -> float:
        """Expected hours until a pool that has been down for `age_s` is back."""
        return _expected_h(self.back_per_h, age_s)


def hazards_of(
    pool: Pool | None, kin: Iterable[Pool] = (), *, now_s: float | None = None
) -> Hazards:
    """The rates of one pool, or of a pool that was never tried (None).

    `kin` are all pools with a known history. With `now_s` the present spell counts too, as one that
    has not ended yet.

    A pool that was lost three times within a quarter of an hour is not trusted a fourth time:

    >>> from elastic.model import Offering
    >>> spells = Spells()
    >>> for _ in range(3):
    ...     spells = spells.add(0.0, 840.0, has_ended=True)
    >>> bad = Pool(Offering("small"), up=spells)
    >>> hazards_of(bad).lost_per_h[1] > 2 * hazards_of(None).lost_per_h[1]
    True
    >>> hazards_of(bad).lost_per_h[5] > hazards_of(None).lost_per_h[5]
    True
    """
    # The prior of this pool: what all others show together.
    every = [each for each in kin if pool is None or each.offering != pool.offering]
    up = _population([each.up for each in every], _LOST_PER_H)
    down = _population([each.down for each in every], _BACK_PER_H)
    if pool is not None:
        up = _of_one(pool.up, up, _present_s(pool, now_s, is_up=True))
        down = _of_one(pool.down, down, _present_s(pool, now_s, is_up=False))
    return Hazards(tuple(map(_rounded, up)), tuple(map(_rounded, down)))


def _present_s(pool: Pool, now_s: float | None, *, is_up: bool) -> float:
    """How many seconds its present spell has lasted; 0 if that spell is of the other state."""
    if now_s is None or pool.since_s is None or pool.is_up is not is_up:
        return 0.0
    return max(now_s - pool.since_s, 0.0)


def _population(every: Sequence[Spells], written_per_h: Sequence[float]) -> list[float]:
    """The rates of a pool with factor 1: the hours of each pool count times its own factor."""
    seconds = [0.0] * len(AGES_S)
    ended = [0.0] * len(AGES_S)
    for each in every:
        factor = _factor(each, written_per_h)
        seconds = [a + factor * b for a, b in zip(seconds, each.seconds, strict=True)]
        ended = [a + b for a, b in zip(ended, each.ended, strict=True)]
    return _posterior(Spells(tuple(seconds), tuple(ended)), written_per_h, _WRITTEN_SPELLS)


def _of_one(seen: Spells, population_per_h: Sequence[float], present_s: float) -> list[float]:
    """The rates of one pool: the population's times its factor, and what it has shown itself at
    each age.

    The present spell changes only the factor. That is rounded, so these rates seldom change while
    the spell lasts.
    """
    factor = _rounded(_factor(seen.add(0.0, present_s, has_ended=False), population_per_h))
    return _posterior(seen, [factor * rate for rate in population_per_h], _KIN_SPELLS)


def _factor(seen: Spells, rates_per_h: Sequence[float]) -> float:
    """How many times as often its spells end as these rates say: the mean of its gamma
    posterior."""
    expected = sum(
        seconds / _S_PER_H * rate for seconds, rate in zip(seen.seconds, rates_per_h, strict=True)
    )
    return (_FRAILTY + sum(seen.ended)) / (_FRAILTY + expected)


def _posterior(seen: Spells, prior_per_h: Sequence[float], spells: float) -> list[float]:
    """Gamma posterior means, with a prior that weighs as much as so many ended spells."""
    return [
        (ended + spells) / (seconds / _S_PER_H + spells / rate)
        for ended, seconds, rate in zip(seen.ended, seen.seconds, prior_per_h, strict=True)
    ]


def _expected_h(rates_per_h: Sequence[float], age_s: float) -> float:
    """Expected hours until a spell of this age ends: the sum over the ages that it may still
    reach."""
    survives = 1.0
    expected_h = 0.0
    for place in range(age_bucket(age_s), len(AGES_S)):
        rate = rates_per_h[place]
        if place + 1 == len(AGES_S):
            return expected_h + survives / rate
        lasts_h = (AGES_S[place + 1] - max(age_s, AGES_S[place])) / _S_PER_H
        stays = math.exp(-rate * lasts_h)
        expected_h += survives * (1 - stays) / rate
        survives *= stays
    raise AssertionError("the last age has no end")


def _rounded(rate: float) -> float:
    return float(f"{_RATIO ** round(math.log(rate, _RATIO)):.6g}")
