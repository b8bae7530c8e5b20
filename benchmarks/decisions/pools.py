"""What a run learns of spot pools: the histories of other jobs, and what it has seen by now
itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elastic import model
from elastic.model import Capacity, Offering

# Decisions of earlier versions knew no pools.
HAS_POOLS = hasattr(model, "Pool")
if HAS_POOLS:
    from elastic.model import Pool, Spells

_NO_POOLS: Mapping[Offering, Any] = {}


def recorded_elsewhere(series: Iterable[tuple[NDArray[np.bool_], float]]) -> tuple[Any, ...]:
    """Gives each recorded series, with its seconds a tick, as the history of a pool that other jobs
    have used.

    Nothing where pools are not known of. The last spell of a series was not seen whole.
    """
    if not HAS_POOLS:
        return ()
    return tuple(
        _history(Offering("elsewhere", Capacity.SPOT, f"zone-{number}"), states, tick_s)
        for number, (states, tick_s) in enumerate(series, 1)
    )


def _history(offering: Offering, states: NDArray[np.bool_], tick_s: float) -> Any:
    up, down = Spells(), Spells()
    spells = [(bool(state), sum(1 for _ in run) * tick_s) for state, run in groupby(states)]
    for place, (is_up, lasted_s) in enumerate(spells):
        has_ended = place + 1 < len(spells)
        if is_up:
            up = up.add(0.0, lasted_s, has_ended=has_ended)
        else:
            down = down.add(0.0, lasted_s, has_ended=has_ended)
    return Pool(offering, up, down)


@dataclass(slots=True)
class Pools:
    """The spot pools of a market as one run knows them."""

    offerings: Sequence[Offering]
    elsewhere: tuple[Any, ...]
    _pools: dict[Offering, Any] | None = None
    _known: tuple[Any, ...] | None = None
    _states: bytes = b""

    def see(self, is_up: NDArray[np.bool_], now_s: float) -> None:
        """Notes which pools are up at an instant. Nobody knows when a spell began that was there
        before the run."""
        states = is_up.tobytes()
        if not HAS_POOLS or states == self._states:
            return
        if self._pools is None:
            self._pools = {
                each: Pool(each) for each in self.offerings if each.capacity is Capacity.SPOT
            }
        for offering, state in zip(self.offerings, is_up, strict=True):
            pool = self._pools.get(offering)
            if pool is not None and pool.is_up != bool(state):
                self._pools[offering] = _turned(pool, bool(state), now_s)
        self._states, self._known = states, None

    def known(self) -> tuple[Any, ...]:
        """The pools as a snapshot holds them."""
        if self._known is None:
            self._known = (*(self._pools or _NO_POOLS).values(), *self.elsewhere)
        return self._known


def _turned(pool: Any, is_up: bool, now_s: float) -> Any:
    """The pool after its state was seen to change, or for the first time."""
    if pool.is_up is None:
        return replace(pool, is_up=is_up, since_s=None)
    if pool.since_s is None:
        return replace(pool, is_up=is_up, since_s=now_s)
    lasted_s = now_s - pool.since_s
    if pool.is_up:
        return replace(
            pool, up=pool.up.add(0.0, lasted_s, has_ended=True), is_up=is_up, since_s=now_s
        )
    return replace(
        pool, down=pool.down.add(0.0, lasted_s, has_ended=True), is_up=is_up, since_s=now_s
    )
