"""The least that a job could have cost if the future had been known, by dynamic programming.

It goes backwards over whole ticks. A step computes the cost of finishing `w` units of work from
tick `t` on, while nothing is held, or while a group trains.

Going to a group takes `boot` ticks, in which its new nodes are paid and the old group trains. Then
nothing trains for `pause` ticks, which are paid too. `rest` is a part of a tick that is paid
besides. Without boots this is exact. With them it is a lower bound: new nodes are billed as if they
had been ordered early enough, whatever trained then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class GroupOption:
    """A group that may be held."""

    # Dollars in each tick.
    usd: Floats
    # Whether it is available in each tick.
    is_up: NDArray[np.bool_]
    # Work units a tick.
    rate: int
    # Groups of the same pool share nodes: the fewer nodes are part of the more.
    pool: int
    nodes: int


def least_usd(
    choices: Sequence[GroupOption],
    *,
    work: int,
    deadline: int,
    boot: int = 0,
    pause: int = 0,
    rest: float = 0.0,
    dead_factor: float = 1.0,
) -> float:
    """Gives the least dollars for `work` units by tick `deadline`; infinity if that is impossible.

    Boots and pauses are paid at `dead_factor` of the price.

    >>> up = np.array([True, False, True, True])
    >>> spot = GroupOption(np.ones(4), up, rate=1, pool=0, nodes=1)
    >>> least_usd([spot], work=2, deadline=4)
    2.0
    >>> least_usd([spot], work=2, deadline=4, pause=1)
    inf
    >>> least_usd([spot], work=2, deadline=4, rest=0.25)
    2.25
    """
    spans = [_Spans.of(choice, dead_factor) for choice in choices]
    idle = np.full(work + 1, np.inf)
    idle[0] = 0.0
    # What finishing on each choice costs, for the latest `boot + pause` ticks and the one after.
    on = [idle] * len(choices)
    later: list[list[Floats]] = []
    waited: list[list[Floats | None]] = []
    for tick in range(deadline - 1, -1, -1):
        later.insert(0, on)
        del later[pause + 1 :]
        # Train on each choice for this tick, or begin on it after the pause.
        runs = [_run(choice, on[place], tick) for place, choice in enumerate(choices)]
        begun = [
            _begun(
                span, runs[place] if pause == 0 else _ago(later, pause, place), tick, pause, rest
            )
            for place, span in enumerate(spans)
        ]
        waited.insert(0, begun)
        del waited[boot + 1 :]
        idle = _waiting(spans, idle, waited, tick, boot)
        on = _leaving(choices, spans, runs, begun, idle, tick, boot)
    return float(idle[work])


@dataclass(frozen=True, slots=True)
class _Spans:
    """Whether a choice is up throughout some ticks, and what they cost: differences of sums, which
    take a hundredth of the time of adding up."""

    _ups: Sequence[int]
    _usd: Sequence[float]

    @classmethod
    def of(cls, choice: GroupOption, dead_factor: float) -> _Spans:
        ups = np.cumsum(choice.is_up).tolist()
        usd = np.cumsum(choice.usd * dead_factor).tolist()
        return cls([0, *ups], [0.0, *usd])

    def is_up(self, first: int, end: int) -> bool:
        last = min(end, len(self._ups) - 1)
        return self._ups[last] - self._ups[first] == last - first

    def usd(self, first: int, end: int) -> float:
        return self._usd[min(end, len(self._usd) - 1)] - self._usd[first]


def _ago(later: Sequence[Sequence[Floats]], pause: int, place: int) -> Floats | None:
    """What finishing there costs `pause` ticks from now; None if that is after the deadline."""
    if len(later) >= pause:
        return later[pause - 1][place]
    return None


def _run(choice: GroupOption, after: Floats, tick: int) -> Floats:
    """The cost of training there in this tick, and of what follows."""
    if not choice.is_up[tick]:
        return np.full(after.shape, np.inf)
    found = np.empty_like(after)
    done = min(choice.rate, len(after) - 1)
    found[done:] = after[: len(after) - done]
    found[:done] = after[0]
    found += choice.usd[tick]
    found[0] = 0.0
    return found


def _begun(span: _Spans, after: Floats | None, tick: int, pause: int, rest: float) -> Floats | None:
    """The cost of beginning there now: the pause is paid, and `rest` of a tick, then it trains."""
    if after is None or not span.is_up(tick, tick + pause):
        return None
    return after + (span.usd(tick, tick + pause) + rest * span.usd(tick, tick + 1))


def _waiting(
    spans: Sequence[_Spans],
    idle: Floats,
    waited: Sequence[Sequence[Floats | None]],
    tick: int,
    boot: int,
) -> Floats:
    """The cost while nothing is held: wait a tick, or order now and begin once it has booted."""
    found = idle.copy()
    if len(waited) <= boot:
        return found
    for span, begun in zip(spans, waited[boot], strict=True):
        if begun is not None and span.is_up(tick, tick + boot):
            np.minimum(found, begun + span.usd(tick, tick + boot), out=found)
    found[0] = 0.0
    return found


def _leaving(
    choices: Sequence[GroupOption],
    spans: Sequence[_Spans],
    runs: Sequence[Floats],
    begun: Sequence[Floats | None],
    idle: Floats,
    tick: int,
    boot: int,
) -> list[Floats]:
    """The cost while a group trains: go on, drop it, or go to another whose boot was paid
    before."""
    if boot == 0:
        return [np.minimum(run, idle) for run in runs]
    ordered = max(0, tick - boot)
    boots = [span.usd(ordered, tick) for span in spans]
    over = idle.copy()
    for span, ways, usd in zip(spans, begun, boots, strict=True):
        if ways is not None and span.is_up(ordered, tick):
            np.minimum(over, ways + usd, out=over)
    found = [np.minimum(run, over) for run in runs]
    for members in _pools(choices):
        _resize(members, found, begun, boots)
    return found


def _pools(choices: Sequence[GroupOption]) -> list[list[int]]:
    """The places of the choices that share nodes, the fewest nodes first."""
    found: dict[int, list[int]] = {}
    for place, choice in sorted(enumerate(choices), key=lambda each: each[1].nodes):
        found.setdefault(choice.pool, []).append(place)
    return list(found.values())


def _resize(
    members: Sequence[int],
    found: Sequence[Floats],
    begun: Sequence[Floats | None],
    boots: Sequence[float],
) -> None:
    """Fewer nodes of a pool need no boot. For more, only the new ones do."""
    fewer = np.full_like(found[0], np.inf)
    for place in members:
        np.minimum(found[place], fewer, out=found[place])
        if (whole := begun[place]) is not None:
            np.minimum(fewer, whole, out=fewer)
    more = np.full_like(found[0], np.inf)
    last_usd = 0.0
    for place in reversed(members):
        more += max(0.0, last_usd - boots[place])
        np.minimum(found[place], more, out=found[place])
        if (whole := begun[place]) is not None:
            np.minimum(more, whole, out=more)
        last_usd = boots[place]
