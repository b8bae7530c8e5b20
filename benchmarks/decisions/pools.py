"""What a run learns of spot pools: the histories of other jobs, and what it has seen by now itself."""

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
    from elastic.model.pool import AGES_S, Pool, Spells

_NO_POOLS: Mapping[Offering, Any] = {}


def learnt(series: Iterable[tuple[NDArray[np.bool_], float]]) -> Any:
    """Gives what one pool's history is on average over recorded series, each with its seconds a tick.

    None where pools are not known of. Sums are divided by the number of series, so that what a run sees itself weighs
    against one pool's record, not against all of them. The first and last spell of a series were not seen whole.
    """
    if not HAS_POOLS:
        return None
    up, down, count = Spells(), Spells(), 0
    for states, tick_s in series:
        count += 1
        spells = [(bool(state), sum(1 for _ in run) * tick_s) for state, run in groupby(states)]
        for place, (is_up, lasted_s) in enumerate(spells):
            has_ended = place + 1 < len(spells)
            if is_up:
                up = up.add(0.0, lasted_s, has_ended=has_ended)
            else:
                down = down.add(0.0, lasted_s, has_ended=has_ended)
    share = 1.0 / max(count, 1)
    return Pool(Offering("any"), _scaled(up, share), _scaled(down, share))


def _scaled(spells: Any, share: float) -> Any:
    seconds = tuple(each * share for each in spells.seconds)
    ended = tuple(each * share for each in spells.ended)
    assert len(seconds) == len(AGES_S)
    return Spells(seconds, ended)


@dataclass(slots=True)
class Pools:
    """The spot pools of a market as one run knows them."""

    offerings: Sequence[Offering]
    before: Mapping[Offering, Any]
    _pools: dict[Offering, Any] | None = None
    _known: tuple[Any, ...] | None = None
    _states: bytes = b""

    def see(self, is_up: NDArray[np.bool_], now_s: float) -> None:
        """Notes which pools are up at an instant. Nobody knows when a spell began that was there before the run."""
        states = is_up.tobytes()
        if not HAS_POOLS or states == self._states:
            return
        if self._pools is None:
            self._pools = {
                each: replace(self.before.get(each) or Pool(each), offering=each)
                for each in self.offerings
                if each.capacity is Capacity.SPOT
            }
        for offering, state in zip(self.offerings, is_up, strict=True):
            pool = self._pools.get(offering)
            if pool is not None and pool.is_up != bool(state):
                self._pools[offering] = _turned(pool, bool(state), now_s)
        self._states, self._known = states, None

    def known(self) -> tuple[Any, ...]:
        """The pools as a snapshot holds them."""
        if self._known is None:
            self._known = tuple((self._pools or _NO_POOLS).values())
        return self._known


def _turned(pool: Any, is_up: bool, now_s: float) -> Any:
    """The pool after its state was seen to change, or for the first time."""
    if pool.is_up is None:
        return replace(pool, is_up=is_up, since_s=None)
    if pool.since_s is None:
        return replace(pool, is_up=is_up, since_s=now_s)
    lasted_s = now_s - pool.since_s
    if pool.is_up:
        return replace(pool, up=pool.up.add(0.0, lasted_s, has_ended=True), is_up=is_up, since_s=now_s)
    return replace(pool, down=pool.down.add(0.0, lasted_s, has_ended=True), is_up=is_up, since_s=now_s)
