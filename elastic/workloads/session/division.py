"""A round's split of each turn: which slow ranks are left out, and tried again."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.workloads.session.round import Round
from elastic.workloads.session.shares import first_split, next_split, split

FIRST_PAUSE = 4


class Division:
    """One round's split, turn by turn: the same on every rank, because all get the same numbers.

    A rank whose single sample would delay the others gets none. Two turns in a row must show that,
    or the costs with which a round begins. Without samples its speed is unknown: it is tried for a
    turn after 4 turns without, then after 8, and so on. So it is back at the latest after twice the
    time for which it was slow, and a rank that stays slow is tried rarely.
    """

    def __init__(self, batch: int, generation: Round) -> None:
        """Begins with the split for the first turn; `()` if a batch does not fit."""
        self._batch = batch
        self._limits = generation.limits
        self.now = first_split(
            batch, generation.costs, limits=generation.limits, are_new=generation.are_new
        )
        self._pause = FIRST_PAUSE
        self._turns = 0
        self._is_sure = False

    def turned(self, costs: Sequence[float]) -> None:
        """Notes a turn, after which the ranks have sent their seconds a sample."""
        batch = self._batch
        limits = self._limits
        before = self.now
        # Turns in a row in which some rank had no sample.
        self._turns = self._turns + 1 if 0 in before else 0
        if self._turns >= self._pause:
            self.now = split(batch, costs, limits=limits, spares=False)
            self._turns = 0
            self._pause = 2 * self._pause
            self._is_sure = True
            return
        self.now = next_split(batch, before, costs, limits=limits)
        was_sure = self._is_sure
        self._is_sure = False
        if self.now is before:
            if not self._turns:
                self._pause = FIRST_PAUSE
        elif not was_sure and any(
            had and not has for had, has in zip(before, self.now, strict=True)
        ):
            self.now = next_split(batch, before, costs, limits=limits, spares=False)
            self._is_sure = True
