"""A round's split of each turn: who is left out for being slow, and tried again."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.workloads.session.round import Round
from elastic.workloads.session.shares import first_split, next_split, split

FIRST_PAUSE = 4


class Division:
    """One round's split, turn by turn: the same on every rank, for all of it follows from what
    all are told.

    A rank whose single sample would hold the others up has none, as soon as two turns in a row say
    so, or the costs with which a round begins. How fast it is without one nobody knows: it is
    tried for a turn after 4 without, then after 8, and so on. So it is back at the latest after
    twice the time for which it was slow, and the trials of one that stays slow become few.
    """

    def __init__(self, batch: int, round_: Round) -> None:
        """Begins with the split for the first turn; none, `()`, where the ranks' memories do not
        hold a batch."""
        self._batch, self._limits = batch, round_.limits
        self.now = first_split(batch, round_.costs, limits=round_.limits, are_new=round_.are_new)
        self._pause, self._turns, self._is_sure = FIRST_PAUSE, 0, False

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
