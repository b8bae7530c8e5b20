"""The demo's market: half-way through, the node type that the job has settled on becomes dear, as
spot prices do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from elastic.figures import price
from examples.demo.watching import NODE_TYPES, Sight, Witness

RISE = 4.0  # more than a price may jump and still be believed would be 5
SETTLED_S = 12.0
# Of the iterations: what was saved by then, and what the rise would cost, both weigh.
RISES_AT = 0.55


@dataclass(slots=True)
class Market:
    """Changes the spot prices of the cloud: `opening` gives what a type costs at first, `change`
    sets a new price."""

    opening: Callable[[str], float]
    change: Callable[[str, float], None]
    _settled_since_s: float | None = None
    _has_risen: bool = False

    def react(self, sight: Sight, witness: Witness, *, now_s: float) -> str | None:
        """Raises the price of the job's choice, once every type was tried and the job trains where
        it wants to.

        Gives a sentence when it does so.
        """
        current, target = sight.job["current_group"], sight.job["target_group"]
        if self._has_risen or not (
            witness.tried >= set(NODE_TYPES) and current and current == target
        ):
            self._settled_since_s = None
            return None
        self._settled_since_s = now_s if self._settled_since_s is None else self._settled_since_s
        is_half_way = sight.standing.iteration >= RISES_AT * (sight.standing.iterations or 0)
        if now_s - self._settled_since_s < SETTLED_S or not is_half_way:
            return None
        self._has_risen = True
        before = self.opening(sight.choice)
        self.change(sight.choice, RISE * before)
        return (
            f"the job has settled on {sight.choice}: now its spot price rises "
            f"from {price(before)}/h to {price(RISE * before)}/h"
        )
