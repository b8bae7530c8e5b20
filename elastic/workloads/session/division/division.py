"""A round's split of each turn: which ranks are left out because they are slow, and tried again."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.workloads.session.division.shares import first_split, next_split, split
from elastic.workloads.session.rounds import Round

FIRST_PAUSE = 4


class Division:
    """One round's split, turn by turn.

    It is the same on every rank, because it depends only on values that all ranks receive.

    A rank gets no samples if its single sample would delay the others. That must show in two turns
    in a row, or in the costs with which a round begins. Without samples its speed is unknown. So it
    is tried for one turn after 4 turns without samples, then after 8, and so on. It is back at the
    latest after twice the time for which it was slow, and a rank that stays slow is tried less and
    less often.
    """

    def __init__(self, batch: int, round_: Round) -> None:
        """Begins with the split for the first turn: `()` if the ranks' memories do not hold a
        batch."""
        self._batch = batch
        self._limits = round_.limits
        self.now = first_split(batch, round_.costs, limits=round_.limits, are_new=round_.are_new)
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
        # Time to try the ranks that were left out: everyone gets at least one sample for a turn.
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
            # All ranks have samples: the next one that is left out is tried after the first pause
            # again.
            if not self._turns:
                self._pause = FIRST_PAUSE
        elif not was_sure and any(
            had and not has for had, has in zip(before, self.now, strict=True)
        ):
            # A rank would be left out for the first time: wait for a second turn that says so.
            self.now = next_split(batch, before, costs, limits=limits, spares=False)
            self._is_sure = True
