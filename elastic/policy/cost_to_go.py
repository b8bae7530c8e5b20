"""The value function of a job with a deadline: what finishing costs on average from any state, deciding well.

A stochastic dynamic programme over work left and time left, solved backwards in time. Its states are what the job holds
(nothing, a group that nobody takes back, a group of a spot pool) and whether spot is to be had, with the age of that
state (`hazards`). A launch takes dead time that is paid for; a loss leaves nothing and costs what was trained since the
middle of the step. Time left and work left share one lattice: training on the fastest safe group walks along it, so the
line beyond which nothing can be in time is met exactly, without interpolation.

The method is that of Wu et al., Can't Be Late (NSDI 2024), appendix, with hazards that depend on age.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elastic.model import AGES_S, age_bucket
from elastic.policy.hazards import Hazards

_S_PER_H = 3600.0
# Steps of time to the deadline, and cells of work left. Halving both costs 1 % on recorded markets.
_TIMES, _CELLS = 192, 120
# An hour late is as bad as so many hours of the dearest group: no saving is worth being late.
_LATE = 20.0
# The pool that a lost job fails over to is this old, but no older than the one lost: the oldest was chosen first.
_FAILOVER_AGE = age_bucket(7200.0)
_FAILOVER = np.minimum(np.arange(len(AGES_S)), _FAILOVER_AGE)

_Array = NDArray[np.float32]
_Shift = Callable[[_Array], _Array]


@dataclass(frozen=True, slots=True)
class Course:
    """One way to train: its pace, its price, and what going there takes.

    `start_s`: from nothing to the first iteration, paid and without progress. `move_s`: how long training stands still
    where another group trains until this one is ready, and `move_usd` what that costs beyond this group's own price.
    """

    step_s: float
    usd_per_h: float
    start_s: float
    move_s: float
    move_usd: float = 0.0

    @property
    def usd_per_iteration(self) -> float:
        return self.step_s * self.usd_per_h / _S_PER_H


@dataclass(frozen=True, slots=True)
class Problem:
    """`work` iterations within `left_s` seconds, on groups that nobody takes back (`safe`) or on a `spot` pool.

    `hazards` are the pool's; `failover` is the chance that another pool like it is up when it is lost. Where nothing is
    `safe`, the job can only wait for spot. `time_usd_per_h` is what an hour sooner is worth.
    """

    safe: tuple[Course, ...]
    spot: Course | None
    hazards: Hazards | None
    failover: float
    work: float
    left_s: float
    time_usd_per_h: float = 0.0


@dataclass(frozen=True, slots=True)
class Market:
    """Whether spot of a problem's kind can be bought, and for how long that has been so."""

    is_up: bool
    age_s: float


@dataclass(frozen=True, slots=True)
class CostToGo:
    """A solved problem. Work and time may be anything up to the problem's own."""

    problem: Problem
    step_h: float
    cell: float
    cells_per_step: int
    values: _Array

    def waiting(self, work: float, left_s: float, market: Market, *, look_s: float) -> float:
        """Expected dollars if the job holds nothing for `look_s`, and decides well from then on."""
        look_h = self._look_h(look_s)
        state = self._market_row(market)
        rest = self._after(0, state, market, look_h, work, left_s - look_h * _S_PER_H)
        return self.problem.time_usd_per_h * look_h + rest

    def safe(self, index: int, work: float, left_s: float, market: Market, *, dead_s: float, look_s: float) -> float:
        """Expected dollars if it trains on a safe course for `look_s`, after `dead_s` of paid time without progress."""
        course, look_h = self.problem.safe[index], self._look_h(look_s)
        work_then, share = _worked(course, work, dead_s, look_h)
        block = 1 + index
        rest = self._after(block, self._market_row(market), market, look_h, work_then, left_s - look_h * _S_PER_H)
        return share * look_h * (course.usd_per_h + self.problem.time_usd_per_h) + rest

    def on_spot(
        self,
        work: float,
        left_s: float,
        age_s: float,
        *,
        dead_s: float,
        look_s: float,
        lost_per_h: float | None = None,
    ) -> float:
        """Expected dollars if it trains on spot of a pool that has been up for `age_s`.

        `lost_per_h` is that very pool's rate of loss now; None: the problem's own.
        """
        course, hazards, look_h = self.problem.spot, self.problem.hazards, self._look_h(look_s)
        assert course is not None and hazards is not None, "a problem without spot has no spot to train on"
        bucket = age_bucket(age_s)
        rate = hazards.lost_per_h[bucket] if lost_per_h is None else lost_per_h
        stays = math.exp(-rate * look_h)
        work_then, share = _worked(course, work, dead_s, look_h)
        left_then_s = left_s - look_h * _S_PER_H
        burn = course.usd_per_h + self.problem.time_usd_per_h
        kept = share * look_h * burn + self._value(self._spot_row(bucket), work_then, left_then_s)
        lost = share * look_h * burn / 2 + self._lost(0, bucket, (work + work_then) / 2, left_then_s)
        return stays * kept + (1 - stays) * lost

    def _look_h(self, look_s: float) -> float:
        return min(max(look_s / _S_PER_H, self.step_h / 4), self.step_h)

    @property
    def _ages(self) -> int:
        return 1 if self.problem.spot is None else len(AGES_S)

    def _market_row(self, market: Market) -> int:
        if self.problem.spot is None:
            return 0
        return age_bucket(market.age_s) + (len(AGES_S) if market.is_up else 0)

    def _spot_row(self, bucket: int) -> int:
        return 2 * len(AGES_S) * (1 + len(self.problem.safe)) + bucket

    def _block(self, block: int) -> int:
        return block * (1 if self.problem.spot is None else 2 * len(AGES_S))

    def _after(self, block: int, row: int, market: Market, look_h: float, work: float, left_s: float) -> float:
        """The value after `look_h`, where the market may have turned."""
        first = self._block(block)
        same = self._value(first + row, work, left_s)
        hazards = self.problem.hazards
        if hazards is None:
            return same
        bucket = age_bucket(market.age_s)
        rate = hazards.lost_per_h[bucket] if market.is_up else hazards.back_per_h[bucket]
        stays = math.exp(-rate * look_h)
        back = self._value(first + len(AGES_S), work, left_s)
        turned = self._lost(block, bucket, work, left_s) if market.is_up else back
        return stays * same + (1 - stays) * turned

    def _lost(self, block: int, bucket: int, work: float, left_s: float) -> float:
        first, chance = self._block(block), self.problem.failover
        down = self._value(first, work, left_s)
        if not chance:
            return down
        return (
            chance * self._value(first + len(AGES_S) + min(bucket, _FAILOVER_AGE), work, left_s) + (1 - chance) * down
        )

    def _value(self, row: int, work: float, left_s: float) -> float:
        """Interpolates along lines on which the fastest safe group trains."""
        if work <= 0:
            return 0.0
        place = min(work / self.cell, self.values.shape[2] - 1.0)
        low = min(int(place), self.values.shape[2] - 2)
        share = place - low
        step = left_s / _S_PER_H / self.step_h
        below = self._at(row, low, step - share / self.cells_per_step)
        above = self._at(row, low + 1, step + (1 - share) / self.cells_per_step)
        value: float = (1 - share) * below + share * above
        return value

    def _at(self, row: int, cell: int, step: float) -> float:
        last = self.values.shape[0] - 1
        step = min(max(step, 0.0), float(last))
        low = min(int(step), last - 1)
        share = step - low
        before, after = self.values[low, row, cell], self.values[low + 1, row, cell]
        return float(before + share * (after - before)) if share else float(before)


def _worked(course: Course, work: float, dead_s: float, look_h: float) -> tuple[float, float]:
    """Work left after training for `look_h`, dead time counted as work; and the share of that time it was needed."""
    whole = work + dead_s / course.step_s
    done = look_h * _S_PER_H / course.step_s
    return max(whole - done, 0.0), min(1.0, whole / done)


@lru_cache(maxsize=48)
def solve(problem: Problem) -> CostToGo:
    """Solves a problem: about 0.1 s of CPU with spot and two safe courses. A pure function, remembered."""
    return _Solver(problem).solve()


class _Solver:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        courses = [*problem.safe, *([problem.spot] if problem.spot else [])]
        self.fastest = min(problem.safe or courses, key=lambda each: each.step_s)
        self.step_h = problem.left_s / _S_PER_H / _TIMES
        step_s = self.step_h * _S_PER_H
        a_step = step_s / self.fastest.step_s
        self.cells_per_step = max(1, math.ceil(_CELLS * a_step / problem.work))
        self.cell = a_step / self.cells_per_step
        starts = max(max(each.start_s, each.move_s) / each.step_s for each in courses)
        self.top = math.ceil((problem.work + starts) / self.cell) + 2
        self.cells = np.arange(self.top + 1)
        hazards = problem.hazards
        self.ages = len(AGES_S) if hazards else 1
        widths_h = np.diff([*AGES_S, math.inf])[: self.ages] / _S_PER_H
        self.ageing = np.minimum(self.step_h / widths_h, 1.0).astype(np.float32)[:, None]
        self.older = self._older(widths_h)
        self.stays_up = self._stays(hazards.lost_per_h if hazards else (0.0,))
        self.stays_down = self._stays(hazards.back_per_h if hazards else (0.0,))
        late_usd_per_h = _LATE * max(each.usd_per_h for each in courses)
        late = self.cells * self.cell * self.fastest.step_s / _S_PER_H * (self.fastest.usd_per_h + late_usd_per_h)
        self.late = late.astype(np.float32)

    def solve(self) -> CostToGo:
        problem, ages = self.problem, self.ages
        has_spot = problem.spot is not None
        markets = 2 if has_spot else 1
        blocks = 1 + len(problem.safe)
        rows = markets * ages * blocks + (ages if has_spot else 0)
        values = np.empty((_TIMES + 1, rows, self.top + 1), dtype=np.float32)
        values[0] = self.late
        trains = [self._training(each) for each in problem.safe]
        starts = [self._dead(each, each.start_s) for each in problem.safe]
        moves = [self._dead(each, each.move_s, each.move_usd) for each in problem.safe]
        idle_usd = np.where(self.cells > 0, problem.time_usd_per_h * self.step_h, 0.0).astype(np.float32)
        spot = problem.spot
        on_spot = self._training(spot) if spot else None
        half_spot = self._training(spot, share=0.5) if spot else None
        start_spot = self._dead(spot, spot.start_s) if spot else None
        move_spot = self._dead(spot, spot.move_s, spot.move_usd) if spot else None
        for time in range(1, _TIMES + 1):
            before, now = values[time - 1], values[time]
            held = before[: markets * ages * blocks].reshape(blocks, markets, ages, self.top + 1)
            after = now[: markets * ages * blocks].reshape(blocks, markets, ages, self.top + 1)
            idle = self._turned(held[0], lambda each: each)
            idle += idle_usd
            runs = []
            for place, (usd, progress) in enumerate(trains):
                run = self._turned(held[1 + place], progress)
                run += usd
                run[..., 0] = 0.0
                runs.append(run)
            spot_run = None
            if on_spot and half_spot:
                usd, progress = on_spot
                spot_usd, spot_rows = usd, before[markets * ages * blocks :]
                half_usd, half = half_spot
                lost = half(self._after_loss(held[0])) + half_usd
                kept = self._aged(progress(spot_rows)) + spot_usd
                spot_run = self.stays_up * kept + (1 - self.stays_up) * lost
                spot_run[..., 0] = 0.0
            np.copyto(after[0], idle)
            for place, run in enumerate(runs):
                np.minimum(after[0], starts[place](run), out=after[0])
                best = run
                for other, rival in enumerate(runs):
                    if other != place:
                        best = np.minimum(best, moves[other](rival))
                np.copyto(after[1 + place], best)
            if spot_run is not None and start_spot and move_spot:
                np.minimum(after[0, 1], start_spot(spot_run), out=after[0, 1])
                moved = move_spot(spot_run)
                for place in range(len(runs)):
                    np.minimum(after[1 + place, 1], moved, out=after[1 + place, 1])
                best = spot_run
                for place, run in enumerate(runs):
                    best = np.minimum(best, moves[place](run[1]))
                now[markets * ages * blocks :] = best
        return CostToGo(problem, self.step_h, self.cell, self.cells_per_step, values)

    def _older(self, widths_h: NDArray[np.float64]) -> NDArray[np.int64]:
        """The age that each age goes over into: the next one, or what a whole step reaches if that is longer."""
        reached = [
            place + 1 if width_h >= self.step_h else age_bucket(AGES_S[place] + self.step_h * _S_PER_H)
            for place, width_h in enumerate(widths_h)
        ]
        return np.minimum(reached, self.ages - 1)

    def _stays(self, rates_per_h: tuple[float, ...]) -> _Array:
        """The chance of each age to last for a step, which may go on through several ages."""
        expected = np.zeros(len(rates_per_h))
        for place in range(len(rates_per_h)):
            left_h = self.step_h
            for later in range(place, len(rates_per_h)):
                is_last = later + 1 == len(rates_per_h)
                spent_h = left_h if is_last else min(left_h, (AGES_S[later + 1] - AGES_S[later]) / _S_PER_H)
                expected[place] += rates_per_h[later] * spent_h
                left_h -= spent_h
        stays: _Array = np.exp(-expected).astype(np.float32)[:, None]
        return stays

    def _aged(self, values: _Array) -> _Array:
        """The values one step older: a part of each age goes over into the one that it reaches."""
        return values + self.ageing * (values[self.older] - values)

    def _turned(self, held: _Array, progress: _Shift) -> _Array:
        """One step in which the market stays or turns, with what is trained meanwhile; by market and age."""
        moved = progress(held)
        if len(moved) == 1:
            return moved.copy()
        down, up = moved
        lost = self._after_loss(moved)
        return np.stack(
            [
                self.stays_down * self._aged(down) + (1 - self.stays_down) * up[0],
                self.stays_up * self._aged(up) + (1 - self.stays_up) * lost,
            ]
        )

    def _after_loss(self, by_market: _Array) -> _Array:
        down, up = by_market
        chance = self.problem.failover
        lost: _Array = chance * up[_FAILOVER] + (1 - chance) * down[:1]
        return lost

    def _training(self, course: Course, *, share: float = 1.0) -> tuple[_Array, _Shift]:
        """What a step of training costs by work left, and how it carries values: less work is left after it."""
        done = share * self.step_h * _S_PER_H / course.step_s / self.cell
        burn = (course.usd_per_h + self.problem.time_usd_per_h) * self.step_h * share
        usd = burn * np.minimum(1.0, self.cells / done)
        return usd.astype(np.float32), self._shift(np.maximum(self.cells - done, 0.0))

    def _dead(self, course: Course, dead_s: float, usd: float = 0.0) -> _Shift:
        """Going to a course is as much more work as it could have done in the dead time."""
        shift = self._shift(np.minimum(self.cells + dead_s / course.step_s / self.cell, self.top))

        def dead(values: _Array) -> _Array:
            moved = shift(values)
            if usd:
                moved += np.float32(usd)
            moved[..., 0] = 0.0
            return moved

        return dead

    def _shift(self, places: NDArray[np.float64]) -> _Shift:
        low = np.minimum(places.astype(int), self.top - 1)
        share = (places - low).astype(np.float32)
        is_whole = not np.any((share > 1e-6) & (share < 1 - 1e-6))
        nearest = np.rint(places).astype(int)

        def shift(values: _Array) -> _Array:
            if is_whole:
                return values[..., nearest]
            below = values[..., low]
            below += share * (values[..., low + 1] - below)
            return below

        return shift
