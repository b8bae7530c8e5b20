"""The value function of a job with a deadline: what finishing costs on average from any state.

A stochastic dynamic programme over work left and time left, solved backwards from the deadline,
where every decision is the best one. Its states are what the job holds (nothing, an on-demand
group, a group of a spot pool), whether spot is available, and for how long that has been so
(`hazards`). A launch takes dead time that is paid for. Spot is lost in the middle of a time step:
the job then holds nothing, and trains no more in that step.

Work left and time left share one lattice: training on the fastest safe group moves from one of its
points to another. So the line beyond which nothing finishes in time is met exactly, without
interpolation.

The method is that of Wu et al., Can't Be Late (NSDI 2024), appendix, with hazards that depend on
age.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from elastic.model import AGES_S, age_bucket
from elastic.policy.hazards import Hazards

_S_PER_H = 3600.0
# Steps of time to the deadline, and cells of work left. With half as many of both, jobs on recorded
# markets cost one per cent more.
_TIMES = 192
_CELLS = 120
# A lattice as fine as the time left would have no end just before a deadline. So a time step is at
# least that of this share of the time needed: with less time left, all ways are far too late.
_LEAST_LEFT = 1 / 4
# Dead time counts as work. With next to no work left it would be cut into cells without end, so
# cells are at least as large as if this share of the dead time were left.
_LEAST_WORK = 1 / 4
# An hour late costs as much as so many hours of the dearest group: no saving is worth being late.
_LATE = 20.0
# The pool to which a job fails over is assumed to be this old, but no older than the pool that was
# lost: the oldest one was chosen first.
_FAILOVER_AGE = age_bucket(7200.0)
_FAILOVER = np.minimum(np.arange(len(AGES_S)), _FAILOVER_AGE)

# The cost of what is not allowed.
_NEVER = np.float32(1e12)
# A value this close to a cell is on it.
_ON_LATTICE = 1e-6

_Array = NDArray[np.float32]
_Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Course:
    """One way to train: its pace, its price, and what going there takes."""

    step_s: float
    usd_per_h: float
    # Seconds from holding nothing to the first iteration: paid, without progress.
    start_s: float
    # How long training stands still if another group trains until this one is ready.
    move_s: float
    # What such a move costs beyond this group's own price.
    move_usd: float = 0.0

    @property
    def usd_per_iteration(self) -> float:
        return self.step_s * self.usd_per_h / _S_PER_H


@dataclass(frozen=True, slots=True)
class DeadlineProblem:
    """Finish `work` iterations within `left_s` seconds, on `safe` groups or on a `spot` pool."""

    # Groups on demand, which are not taken back. If there is none, the job can only wait for spot.
    safe: tuple[Course, ...]
    spot: Course | None
    # How often the spot pool is lost, and is back.
    hazards: Hazards | None
    # The chance that a similar pool is up when this one is lost.
    failover: float
    work: float
    left_s: float
    # What finishing an hour sooner is worth.
    time_usd_per_h: float = 0.0
    # The least time left that the solution is asked about, in seconds. Less is taken for this much.
    # What lies nearer to the deadline is worked out and not kept: that is most of the memory.
    asked_from_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SpotState:
    """Whether spot of a problem's kind can be bought, and for how many seconds that has been so."""

    is_up: bool
    age_s: float


@dataclass(frozen=True, slots=True)
class CostToGo:
    """A solved problem. Work may have any value up to the problem's own, and time any from
    `asked_from_s` up to the problem's own."""

    problem: DeadlineProblem
    # The length of a time step, in hours.
    step_h: float
    # Work of a cell, in iterations.
    cell: float
    # Cells that the fastest safe course trains in a time step.
    cells_per_step: int
    # Time steps left in the first of the `values`.
    first: int
    # Expected dollars by time steps left, by state (see `_Solver.solve`) and by cells of work left.
    values: _Array

    def waiting(self, work: float, left_s: float, market: SpotState, *, look_s: float) -> float:
        """Expected dollars if the job holds nothing for `look_s`, and decides best from then on."""
        look_h = self._look_h(look_s)
        state = self._market_row(market)
        rest = self._after(0, state, market, look_h, work, left_s - look_h * _S_PER_H)
        return self.problem.time_usd_per_h * look_h + rest

    def safe(
        self,
        index: int,
        work: float,
        left_s: float,
        market: SpotState,
        *,
        dead_s: float,
        look_s: float,
    ) -> float:
        """Expected dollars if it trains on a safe course for `look_s`.

        `dead_s` of that time is paid for and brings no progress.
        """
        course = self.problem.safe[index]
        look_h = self._look_h(look_s)
        work_then, share = _worked(course, work, dead_s, look_h)
        # Block 0 is for holding nothing, and each safe course has one after it.
        block = 1 + index
        rest = self._after(
            block, self._market_row(market), market, look_h, work_then, left_s - look_h * _S_PER_H
        )
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

        `lost_per_h` is how often that pool is lost now; None means the problem's own rate.
        """
        course = self.problem.spot
        hazards = self.problem.hazards
        look_h = self._look_h(look_s)
        assert course is not None and hazards is not None, (
            "a problem without spot has no spot to train on"
        )
        bucket = age_bucket(age_s)
        if lost_per_h is None:
            rate = hazards.lost_per_h[bucket]
        else:
            rate = lost_per_h
        stays = math.exp(-rate * look_h)
        work_then, share = _worked(course, work, dead_s, look_h)
        left_then_s = left_s - look_h * _S_PER_H
        burn = course.usd_per_h + self.problem.time_usd_per_h
        # Either the pool stays for the whole look, or it is lost in the middle of it on average.
        kept = share * look_h * burn + self._value(self._spot_row(bucket), work_then, left_then_s)
        lost = share * look_h * burn / 2 + self._lost(
            0, bucket, (work + work_then) / 2, left_then_s
        )
        return stays * kept + (1 - stays) * lost

    def _look_h(self, look_s: float) -> float:
        return min(max(look_s / _S_PER_H, self.step_h / 4), self.step_h)

    def _market_row(self, market: SpotState) -> int:
        if self.problem.spot is None:
            return 0
        return age_bucket(market.age_s) + (len(AGES_S) if market.is_up else 0)

    def _spot_row(self, bucket: int) -> int:
        return 2 * len(AGES_S) * (1 + len(self.problem.safe)) + bucket

    def _block(self, block: int) -> int:
        return block * (1 if self.problem.spot is None else 2 * len(AGES_S))

    def _after(
        self, block: int, row: int, market: SpotState, look_h: float, work: float, left_s: float
    ) -> float:
        """The value after `look_h`, in which the market may have turned."""
        first = self._block(block)
        same = self._value(first + row, work, left_s)
        hazards = self.problem.hazards
        if hazards is None:
            return same
        bucket = age_bucket(market.age_s)
        if market.is_up:
            rate = hazards.lost_per_h[bucket]
        else:
            rate = hazards.back_per_h[bucket]
        stays = math.exp(-rate * look_h)
        back = self._value(first + len(AGES_S), work, left_s)
        if market.is_up:
            turned = self._lost(block, bucket, work, left_s)
        else:
            turned = back
        return stays * same + (1 - stays) * turned

    def _lost(self, block: int, bucket: int, work: float, left_s: float) -> float:
        first = self._block(block)
        chance = self.problem.failover
        down = self._value(first, work, left_s)
        if not chance:
            return down
        return (
            chance * self._value(first + len(AGES_S) + min(bucket, _FAILOVER_AGE), work, left_s)
            + (1 - chance) * down
        )

    def _value(self, row: int, work: float, left_s: float) -> float:
        """Interpolates between cells and steps, along lines on which the fastest safe group
        trains."""
        if work <= 0:
            return 0.0
        # The cells around this amount of work, and the times at which the fastest safe course
        # reaches them.
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
        step = min(max(step - self.first, 0.0), float(last))
        low = min(int(step), last - 1)
        share = step - low
        before = self.values[low, row, cell]
        after = self.values[low + 1, row, cell]
        if share:
            return float(before + share * (after - before))
        return float(before)


def _worked(course: Course, work: float, dead_s: float, look_h: float) -> tuple[float, float]:
    """Work left after training for `look_h`, and the share of that time that was needed.

    Dead time counts as work.
    """
    whole = work + dead_s / course.step_s
    done = look_h * _S_PER_H / course.step_s
    return max(whole - done, 0.0), min(1.0, whole / done)


@lru_cache(maxsize=48)
def solve(problem: DeadlineProblem) -> CostToGo:
    """Solves a problem, and remembers the solution: about 0.03 s of CPU with spot and two safe
    courses."""
    return _Solver(problem).solve()


class _Solver:
    """Solves backwards in time.

    What changes the market within a step is linear in the values. So one matrix over the market's
    states does it for all amounts of work left.
    """

    def __init__(self, problem: DeadlineProblem) -> None:
        self.problem = problem
        courses = [*problem.safe, *([problem.spot] if problem.spot else [])]
        self.fastest = min(problem.safe or courses, key=lambda each: each.step_s)
        # The lattice: a step of time is a whole number of cells of work on the fastest safe course.
        # Dead time counts as work, so the lattice reaches beyond the problem's own work.
        starts = max(max(each.start_s, each.move_s) / each.step_s for each in courses)
        needed_s = (problem.work + starts) * self.fastest.step_s
        left_s = max(problem.left_s, _LEAST_LEFT * needed_s)
        self.step_h = left_s / _S_PER_H / _TIMES
        step_s = self.step_h * _S_PER_H
        a_step = step_s / self.fastest.step_s
        work = max(problem.work, _LEAST_WORK * starts)
        self.cells_per_step = max(1, math.ceil(_CELLS * a_step / work))
        self.cell = a_step / self.cells_per_step
        self.top = math.ceil((problem.work + starts) / self.cell) + 2
        self.cells = np.arange(self.top + 1)
        # At the deadline, work that is left is finished at the price of being late.
        late_usd_per_h = _LATE * max(each.usd_per_h for each in courses)
        late = (
            self.cells
            * self.cell
            * self.fastest.step_s
            / _S_PER_H
            * (self.fastest.usd_per_h + late_usd_per_h)
        )
        self.late = late.astype(np.float32)

    def solve(self) -> CostToGo:
        problem = self.problem
        # Rows of a time step: a block for holding nothing and one for each safe course, with a row
        # for each state of the market. Then a row for each age of the spot pool that is held.
        turns = self._turns()
        states = len(turns)
        blocks = 1 + len(problem.safe)
        ages = len(AGES_S) if problem.spot else 0
        # One step of time at a time. Its arrays stay where they are, so that what is done to them
        # is prepared once: numpy's own overhead is most of the time that a solution takes.
        now = np.empty((states * blocks + ages, self.top + 1), dtype=np.float32)
        now[...] = self.late
        after = now[: states * blocks].reshape(blocks, states, -1)
        spot = now[states * blocks :]
        ahead = np.empty_like(after)

        idle_usd = np.where(self.cells > 0, problem.time_usd_per_h * self.step_h, 0.0).astype(
            np.float32
        )
        runs = [np.empty_like(each) for each in after[1:]]
        starts = [np.empty_like(each) for each in runs]
        moves = [np.empty_like(each) for each in runs]
        steps = []
        for place, course in enumerate(problem.safe):
            run = runs[place]
            steps.append(self._training(course, ahead[1 + place], run))
            steps.append(self._dead(course, course.start_s, run, starts[place]))
            steps.append(self._dead(course, course.move_s, run, moves[place], course.move_usd))

        first = self._first_kept()
        values = np.empty((_TIMES + 1 - first, *now.shape), dtype=np.float32)
        values[0] = now
        on_spot = self._on_spot(after, spot, moves)
        for time in range(1, _TIMES + 1):
            # The market turns first: what each row is worth after this step, if nothing is decided.
            np.matmul(turns, after, out=ahead)
            if on_spot:
                on_spot.train(self._caught(time))
            for step in steps:
                step()
            np.add(ahead[0], idle_usd, out=after[0])
            # Train on each safe course, or move from one to another: the least cost wins.
            for place, run in enumerate(runs):
                np.minimum(after[0], starts[place], out=after[0])
                after[1 + place] = run
                for other, rival in enumerate(moves):
                    if other != place:
                        np.minimum(after[1 + place], rival, out=after[1 + place])
            if on_spot:
                on_spot.decide()
            values[max(time - first, 0)] = now
        return CostToGo(problem, self.step_h, self.cell, self.cells_per_step, first, values)

    def _first_kept(self) -> int:
        """The first time step that is read: a look takes up to one step, and so does the line along
        which `CostToGo._value` reads."""
        asked = math.floor(self.problem.asked_from_s / _S_PER_H / self.step_h - _ON_LATTICE)
        return min(max(asked - 2, 0), _TIMES - 1)

    def _caught(self, time: int) -> int:
        """The least work left, in cells, that no safe course could finish in time if it began now.

        With that much work left, the safety net leaves spot.
        """
        left_s = time * self.step_h * _S_PER_H
        reach = [(left_s - each.start_s) / each.step_s / self.cell for each in self.problem.safe]
        if not reach:
            return self.top + 1
        return min(max(math.floor(max(reach) + _ON_LATTICE) + 1, 1), self.top + 1)

    def _turns(self) -> _Array:
        """The chance that each state of the market becomes another one in a step.

        Rows and columns are the ages of being down, then the ages of being up.
        """
        hazards = self.problem.hazards
        if hazards is None:
            return np.ones((1, 1), dtype=np.float32)
        back = np.zeros((len(AGES_S), 2 * len(AGES_S)), dtype=np.float32)
        stays_down = self._stays(hazards.back_per_h)
        back[:, len(AGES_S)] = 1 - stays_down
        back[:, : len(AGES_S)] = stays_down[:, None] * self._aged()
        stays_up = self._stays(hazards.lost_per_h)
        lost = (1 - stays_up)[:, None] * self._lost()
        lost[:, len(AGES_S) :] += stays_up[:, None] * self._aged()
        return np.concatenate([back, lost])

    def _lost(self) -> _Array:
        """The state of the market after a pool of each age is lost: a similar one is up, or none
        is."""
        found = np.zeros((len(AGES_S), 2 * len(AGES_S)), dtype=np.float32)
        found[:, 0] = 1 - self.problem.failover
        found[np.arange(len(AGES_S)), len(AGES_S) + _FAILOVER] = self.problem.failover
        return found

    def _aged(self) -> _Array:
        """One step older: a part of each age moves on to the next age, or further if a step is
        longer."""
        widths_h = np.diff([*AGES_S, math.inf]) / _S_PER_H
        found = np.zeros((len(AGES_S), len(AGES_S)), dtype=np.float32)
        for place, width_h in enumerate(widths_h):
            is_next = width_h >= self.step_h
            if is_next:
                older = place + 1
            else:
                older = age_bucket(AGES_S[place] + self.step_h * _S_PER_H)
            share = min(self.step_h / width_h, 1.0)
            found[place, place] += 1 - share
            found[place, min(older, len(AGES_S) - 1)] += share
        return found

    def _stays(self, rates_per_h: tuple[float, ...]) -> _Array:
        """The chance that each age survives a step. A step may last through several ages."""
        expected = np.zeros(len(rates_per_h))
        for place in range(len(rates_per_h)):
            left_h = self.step_h
            for later in range(place, len(rates_per_h)):
                is_last = later + 1 == len(rates_per_h)
                if is_last:
                    spent_h = left_h
                else:
                    spent_h = min(left_h, (AGES_S[later + 1] - AGES_S[later]) / _S_PER_H)
                expected[place] += rates_per_h[later] * spent_h
                left_h -= spent_h
        stays: _Array = np.exp(-expected).astype(np.float32)
        return stays

    def _on_spot(self, after: _Array, spot: _Array, moves: Sequence[_Array]) -> _OnSpot | None:
        """What a step may do with spot, where the problem has any.

        `after` and `spot` are the rows of one time step, `moves` what moving to each safe course
        costs by the market's state. A loss happens in the middle of the step on average.
        """
        course = self.problem.spot
        hazards = self.problem.hazards
        if course is None or hazards is None:
            return None
        stays = self._stays(hazards.lost_per_h)[:, None]
        kept: _Array = stays * self._aged()
        lost: _Array = (1 - stays) * self._lost()
        usd, done = self._progress(course)
        half_usd, half_done = self._progress(course, share=0.5)
        mean_usd = (stays * usd + (1 - stays) * half_usd).astype(np.float32)
        kept_then = np.empty_like(spot)
        lost_then = np.empty_like(spot)
        half_run = np.empty_like(spot)
        run = np.empty_like(spot)
        started = np.empty_like(spot)
        moved = np.empty_like(spot)
        progress = self._shift(-done, kept_then, run)
        half_progress = self._shift(-half_done, lost_then, half_run)
        start = self._dead(course, course.start_s, run, started)
        move = self._dead(course, course.move_s, run, moved, course.move_usd)
        is_up = slice(len(AGES_S), None)

        def train(caught: int) -> None:
            np.matmul(kept, spot, out=kept_then)
            np.matmul(lost, after[0], out=lost_then)
            progress()
            half_progress()
            np.add(run, half_run, out=run)
            np.add(run, mean_usd, out=run)
            run[:, 0] = 0.0
            # Where the safety net leaves spot, training on it is not allowed.
            run[:, caught:] = _NEVER
            start()
            move()

        def decide() -> None:
            # Start it, move to it, train on it, or leave it: the least cost wins.
            up = after[:, is_up]
            np.minimum(up[0], started, out=up[0])
            np.minimum(up[1:], moved, out=up[1:])
            spot[...] = run
            for rival in moves:
                np.minimum(spot, rival[is_up], out=spot)

        return _OnSpot(train, decide)

    def _training(self, course: Course, values: _Array, run: _Array) -> _Step:
        usd, done = self._progress(course)
        progress = self._shift(-done, values, run)

        def train() -> None:
            progress()
            np.add(run, usd, out=run)
            run[..., 0] = 0.0

        return train

    def _progress(self, course: Course, *, share: float = 1.0) -> tuple[_Array, float]:
        """What a step of training costs by work left, and how many cells of work it does."""
        done = share * self.step_h * _S_PER_H / course.step_s / self.cell
        burn = (course.usd_per_h + self.problem.time_usd_per_h) * self.step_h * share
        usd = burn * np.minimum(1.0, self.cells / done)
        return usd.astype(np.float32), done

    def _dead(
        self, course: Course, dead_s: float, values: _Array, moved: _Array, usd: float = 0.0
    ) -> _Step:
        """Going to a course counts as the work that it could have done in the dead time."""
        shift = self._shift(dead_s / course.step_s / self.cell, values, moved)

        def dead() -> None:
            shift()
            if usd:
                np.add(moved, np.float32(usd), out=moved)
            moved[..., 0] = 0.0

        return dead

    def _shift(self, cells: float, values: _Array, moved: _Array) -> _Step:
        """Shifts values by so many cells: to more work left if `cells` is positive, to less if
        negative.

        Work is at least none, and at most `top`. Slices take a fifth of the time of indices.
        """
        whole = math.floor(cells)
        share = np.float32(cells - whole)
        if share < _ON_LATTICE or share > 1 - _ON_LATTICE:
            whole = round(cells)
            share = np.float32(0.0)
        last = self.top
        # Cell i takes its value from cell i + whole and, by `share`, from the cell above. That
        # holds from `first` to `end`, where both are on the lattice.
        first = max(0, -whole)
        end = min(last + 1, last + 1 - whole - (1 if share else 0))
        # Beyond the lattice's ends, a cell takes the value of the end.
        low = moved[..., :first]
        lowest = values[..., :1]
        high = moved[..., max(end, 0) :]
        highest = values[..., -1:]
        if end <= first:
            return partial(np.copyto, moved, highest if cells > 0 else lowest)
        # All rows at once, as one long row: numpy takes a quarter of the time. What comes from a
        # neighbouring row lies beyond the ends.
        start = first
        stop = values.size - (last + 1 - end)
        inner = moved.reshape(-1)[start:stop]
        flat = values.reshape(-1)
        below = flat[start + whole : stop + whole]
        above = flat[start + whole + 1 : stop + whole + 1]

        def shift() -> None:
            if share:
                np.subtract(above, below, out=inner)
                np.multiply(inner, share, out=inner)
                np.add(inner, below, out=inner)
            else:
                inner[...] = below
            if first > 0:
                low[...] = lowest
            if end <= last:
                high[...] = highest

        return shift


@dataclass(frozen=True, slots=True)
class _OnSpot:
    """What a step of time may do with spot: train on it, and where that is the best."""

    # Trains, on no more cells of work than the safety net allows.
    train: Callable[[int], None]
    # Takes spot wherever it costs less than what the rows hold.
    decide: _Step
