"""How a round begins: members compare their steps, and those that lack the last step get it."""

from __future__ import annotations

import torch

from elastic.workloads.session.membership import NOBODY_WHOLE, SessionEnded
from elastic.workloads.session.rounds import Gloo, Round, RoundLost
from elastic.workloads.session.turns.buffers import Buffers


class TooOld(RoundLost):
    """This rank's own state is too old to continue with in this round."""


class Meeting:
    """Every round's first sum, which runs in the background from here.

    Each member reports its step, whether it has the last step's sums, how often its script made
    other sums than usual, and whether it applied the last step in exact arithmetic. A newcomer has
    no sums: its state was moved by another member's.
    """

    def __init__(
        self,
        round_: Round,
        group: Gloo,
        step: int,
        *,
        is_torn: bool,
        has_sums: bool,
        surprises: int = 0,
        is_exact: bool = False,
    ) -> None:
        """Reports state after `step` committed steps, or none if it `is_torn`. Raises RoundLost."""
        assert round_.rank is not None
        self._rank = round_.rank
        self._group = group
        self.surprises = surprises  # once it has ended: the most of any member
        self._told = torch.zeros(4, round_.world_size, dtype=torch.int64)
        self._told[0, self._rank] = 0 if is_torn else step + 1
        self._told[1, self._rank] = has_sums and not is_torn
        self._told[2, self._rank] = surprises
        self._told[3, self._rank] = is_exact
        self.is_exact = False  # after the end: how the sums that were handed on are applied
        self._work = group.all_reduce(self._told)

    def end(self, buffers: Buffers) -> bool:
        """Waits for all members. If some lack the last step, one that has its sums sends them.

        Returns whether this rank lacks it. Then the sums are where the next message is filled in,
        and this rank must apply them. Raises RoundLost; TooOld if this rank lacks more, or if no
        member has the sums any more; SessionEnded if no member has the state.
        """
        self._group.wait(self._work)
        told, has_sums, surprises, are_exact = self._told.tolist()
        self.surprises = max(surprises)
        steps: list[int] = [each - 1 for each in told]
        # A round continues from the newest step. Members may lack that one step, but no more.
        newest = max(steps)
        own = steps[self._rank]
        if newest < 0:
            raise SessionEnded(NOBODY_WHOLE)
        oldest = max(newest - 1, 0)
        if own < oldest:
            raise TooOld("this process's state is too old to go on with")
        if any(each < oldest for each in steps):
            raise RoundLost("a member's state is too old to go on with")
        if all(each == newest for each in steps):
            return False
        # The first rank that still has the last step's sums sends them to all.
        sources = [rank for rank, each in enumerate(steps) if each == newest and has_sums[rank]]
        if not sources:
            # The ranks that computed them are gone. Those at the newest step are newcomers, which
            # have the step but not its sums.
            lost = "the last step's sums are lost with all members that had them"
            raise TooOld(lost) if own < newest else RoundLost(lost)
        source = sources[0]
        self.is_exact = bool(are_exact[source])
        if self._rank == source:
            sums = buffers.flat()
        else:
            sums = buffers.other()
        self._group.wait(self._group.broadcast(sums, source=source))
        return own < newest
